// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts that a virtual machine reads as it reads those of its processors: lines that each has moved on the model, in memory that a device
//! of QEMU shares (`ivshmem-plain`), laid out as MemGuard's module has it (`kernel/memguard/source_fed.c`).

use crate::Failure;
use crate::record::unable;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// Bytes of the memory.
const BYTES: u64 = 1 << 16;
/// Bytes of a processor, of which the second eight are the lines.
const CELL: u64 = 64;
const LINES: u64 = 8;

/// What a machine is told that runs in turn with a model.
pub struct Feed {
    file: File,
    /// Numbers of the processors that are counted, and what they were told to have moved.
    told: Vec<(u32, u64)>,
    /// What a processor has moved.
    lines: Box<dyn Fn(u32) -> u64 + Send>,
}

impl Feed {
    /// Of processors with these numbers; `lines` is asked what one has moved since the run began.
    ///
    /// # Errors
    /// There is no memory for it, or for so many processors.
    pub fn new(numbers: &[u32], lines: impl Fn(u32) -> u64 + Send + 'static) -> Result<Self, Failure> {
        let most = BYTES / CELL;
        if let Some(number) = numbers.iter().find(|number| u64::from(**number) >= most) {
            return Err(unable(format!(
                "processor {number} is beyond the {most} that are counted"
            )));
        }
        let made = memfd_create("fresco-counts", MemfdFlags::CLOEXEC).and_then(|file| {
            ftruncate(&file, BYTES)?;
            Ok(file)
        });
        Ok(Self {
            file: made
                .map_err(|error| unable(format!("no memory for counts: {error}")))?
                .into(),
            told: numbers.iter().map(|number| (*number, 0)).collect(),
            lines: Box::new(lines),
        })
    }

    /// Tells the machine what is new.
    pub(super) fn tell(&mut self) -> io::Result<()> {
        for (number, told) in &mut self.told {
            let now = (self.lines)(*number);
            if std::mem::replace(told, now) != now {
                let place = u64::from(*number) * CELL + LINES;
                self.file.write_all_at(&now.to_le_bytes(), place)?;
            }
        }
        Ok(())
    }

    /// The device, as QEMU is told, in a machine with so many MiB of memory. That is named first: QEMU 7.2 tells its plugins addresses
    /// beyond all memory that was made before.
    pub(super) fn device(&self, memory_mib: u32) -> [String; 8] {
        let path = format!("/proc/{}/fd/{}", std::process::id(), self.file.as_raw_fd());
        [
            "-object".into(),
            format!("memory-backend-ram,id=memory,size={memory_mib}M"),
            "-machine".into(),
            "memory-backend=memory".into(),
            "-object".into(),
            format!("memory-backend-file,id=counts,mem-path={path},size={BYTES},share=on"),
            "-device".into(),
            "ivshmem-plain,memdev=counts".into(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    #[test]
    fn counts_lie_where_the_module_reads_them() {
        let moved = Arc::new(AtomicU64::new(0));
        let of_model = Arc::clone(&moved);
        let mut feed = Feed::new(&[1, 3], move |number| of_model.load(Relaxed) * u64::from(number)).expect("memory");
        let count = |feed: &Feed, cpu: u64| {
            let mut bytes = [0; 8];
            feed.file.read_exact_at(&mut bytes, cpu * 64 + 8).expect("there");
            u64::from_le_bytes(bytes)
        };
        feed.tell().expect("written");
        assert_eq!([0, 1, 2, 3].map(|cpu| count(&feed, cpu)), [0; 4]);
        moved.store(1 << 33, Relaxed);
        feed.tell().expect("written");
        assert_eq!([0, 1, 2, 3].map(|cpu| count(&feed, cpu)), [0, 1 << 33, 0, 3 << 33]);
        assert_eq!(feed.file.metadata().expect("a file").len(), 1 << 16);
    }

    #[test]
    fn a_processor_that_has_no_place_is_refused() {
        let error = Feed::new(&[0, 1024], |_| 0).err().expect("refused");
        assert!(
            error.what.contains("processor 1024 is beyond the 1024"),
            "{}",
            error.what
        );
    }
}
