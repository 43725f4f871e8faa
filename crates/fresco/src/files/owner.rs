// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the process that made a directory is still there: it holds a lock on a file in it, which goes with the process, however that ends.
//!
//! That a lock is free says nothing of another machine, which may share the directory and not the locks: the file names the host, and what was made
//! on another one is left to that.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

/// The file.
const OWNER: &str = "owner";

/// A lock on it.
pub struct Owner {
    _lock: File,
}

impl Owner {
    /// Marks a directory as that of this process; `None` where it cannot be locked: then nobody else will ever remove it.
    pub fn mark(directory: &Path) -> Option<Self> {
        // It has its name once it is locked.
        let made = directory.join(format!(".{OWNER}"));
        let mut lock = File::create_new(&made).ok()?;
        lock.write_all(host()?.as_bytes()).ok()?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
        fs::rename(made, directory.join(OWNER)).ok()?;
        Some(Self { _lock: lock })
    }

    /// Takes the place of a process of this host that is gone for certain.
    pub fn gone(directory: &Path) -> Option<Self> {
        let mut lock = OpenOptions::new()
            .read(true)
            .write(true)
            .open(directory.join(OWNER))
            .ok()?;
        let mut found = String::new();
        lock.read_to_string(&mut found).ok()?;
        if found != host()? {
            return None;
        }
        flock(&lock, FlockOperation::NonBlockingLockExclusive).ok()?;
        Some(Self { _lock: lock })
    }
}

/// The name of this host.
pub(super) fn host() -> Option<String> {
    fs::read_to_string("/proc/sys/kernel/hostname").ok()
}
