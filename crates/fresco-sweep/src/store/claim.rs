// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who runs what: locks on files, one for each group of points.
//!
//! A lock goes with its process, however that ends, and on NFS, where the kernel makes record locks of them, with its machine: so there is no
//! owner to be declared dead, and no clock to be compared. Claims save work and nothing else. Where a file system has no locks, two runners
//! may run the same point; both results have one address, and one of them is read.

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Holds a group of points until it is dropped.
#[derive(Debug)]
pub struct Claim {
    _lock: File,
    /// Somebody had claimed it before.
    pub is_known: bool,
}

/// Claims a group; `None` if somebody else has it at present.
///
/// # Errors
/// The file cannot be made.
pub fn claim(directory: &Path, group: u32) -> io::Result<Option<Claim>> {
    let path = directory.join(format!("{group:04}"));
    let (lock, is_known) = match File::create_new(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            (OpenOptions::new().write(true).open(&path)?, true)
        }
        made => (made?, false),
    };
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Err(error) if error == Errno::WOULDBLOCK || error == Errno::ACCESS => Ok(None),
        // Without locks nobody waits for anybody.
        _ => Ok(Some(Claim { _lock: lock, is_known })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_until_it_lets_go() {
        let directory = tempfile::tempdir().expect("a directory");
        let take = |group| claim(directory.path(), group).expect("writable");
        let first = take(7).expect("free");
        assert!(!first.is_known);
        assert!(take(7).is_none() && take(8).is_some());
        drop(first);
        assert!(take(7).expect("free again").is_known);
    }
}
