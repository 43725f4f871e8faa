// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of a thread, block by block.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::fetch::Fetches;
use super::file::RecordedFile;
use fresco_input::InputError;

impl RecordedFile {
    /// Calls `each` with the address of every line of code that a thread fetches, in their order; none in a trace without fetches.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read.
    pub fn each_fetch(&mut self, thread: u16, mut each: impl FnMut(u64)) -> Result<(), InputError> {
        let (mut decoder, mut addresses, mut fetches) = (Decoder::new(), Vec::new(), Fetches::default());
        for section in self.chunks_of(thread) {
            let chunk = self.chunk(section)?;
            decoder.begin(chunk);
            fetches.begin();
            while let Some(step) = decoder
                .next(self.blocks(), &mut addresses)
                .map_err(|found| self.error(section, found))?
            {
                if let Step::Run(number) = step {
                    fetches.run(&self.blocks()[number as usize], |_, line| each(line));
                }
            }
        }
        Ok(())
    }

    /// Calls `each` with every run of a thread, in their order, until it returns false: the number of the block, the block, the addresses of its
    /// accesses.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read.
    pub fn each_run(
        &mut self,
        thread: u16,
        mut each: impl FnMut(u32, &Block, &[u64]) -> bool,
    ) -> Result<(), InputError> {
        let (mut decoder, mut addresses) = (Decoder::new(), Vec::new());
        for section in self.chunks_of(thread) {
            let chunk = self.chunk(section)?;
            decoder.begin(chunk);
            loop {
                match decoder.next(self.blocks(), &mut addresses) {
                    Ok(Some(Step::Run(number))) => {
                        if !each(number, &self.blocks()[number as usize], &addresses) {
                            return Ok(());
                        }
                    }
                    Ok(Some(Step::Special(_))) => {}
                    Ok(None) => break,
                    Err(found) => return Err(self.error(section, found)),
                }
            }
        }
        Ok(())
    }
}
