// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a trace, in which there is always room for its end: where the disk is full, what was written can be made whole.

use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes that are kept for the end of a trace: at least so many; and for each section before it and each page that is touched, at most
/// what it takes there before compression, or, of pages, which lie side by side, far more than that.
const LEAST: u64 = 256 << 10;
const OF_SECTION: u64 = 32;
const OF_PAGE: u64 = 2;
/// Bytes that are asked for at a time, where there are so many.
const STEP: u64 = 8 << 20;

/// A file that is written from its begin to its end.
pub struct Disk {
    file: File,
    /// Bytes written.
    at: u64,
    /// Bytes that are the file's, whether written or not; all, where the file system does not promise any.
    promised: u64,
    /// Bytes that stay free for the end.
    spare: u64,
    /// Bytes that a file may have.
    limit: u64,
}

impl Disk {
    /// A new file, or one whose content goes.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            at: 0,
            promised: 0,
            spare: LEAST,
            limit: getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX),
        })
    }

    /// There are so many sections, and pages, that the end will tell.
    pub fn spare(&mut self, sections: u64, pages: u64) {
        self.spare = LEAST + sections * OF_SECTION + pages * OF_PAGE;
    }

    /// The end comes: nothing is to be spared any more.
    pub fn use_up(&mut self) {
        self.spare = 0;
    }

    /// Goes on at byte `at`, before what was written last. Nothing is given back: others might take it.
    pub fn back_to(&mut self, at: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(at))?;
        self.at = at;
        Ok(())
    }

    /// Ends it here, and gives back what is behind; its bytes.
    pub fn finish(self) -> io::Result<u64> {
        self.file.set_len(self.at)?;
        Ok(self.at)
    }

    /// Sees to it that so many bytes can be written, and the end after them.
    fn make_room(&mut self, bytes: u64) -> io::Result<()> {
        let wanted = self.at + bytes + self.spare;
        if wanted > self.limit {
            // Else a signal would end this process.
            return Err(Errno::FBIG.into());
        }
        if wanted <= self.promised {
            return Ok(());
        }
        let mut end = (wanted + STEP).min(self.limit);
        loop {
            match fallocate(&self.file, FallocateFlags::KEEP_SIZE, self.at, end - self.at) {
                Ok(()) => {
                    self.promised = end;
                    return Ok(());
                }
                Err(Errno::INTR) => {}
                Err(Errno::NOSPC | Errno::DQUOT) if end > wanted => end = wanted,
                Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL | Errno::NODEV | Errno::SPIPE) => {
                    self.promised = u64::MAX;
                    return Ok(());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.make_room(bytes.len() as u64)?;
        let written = self.file.write(bytes)?;
        self.at += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
