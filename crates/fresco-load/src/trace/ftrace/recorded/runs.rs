// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of a thread, block by block.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::file::RecordedFile;
use fresco_input::InputError;

impl RecordedFile {
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
