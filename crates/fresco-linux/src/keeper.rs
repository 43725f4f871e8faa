// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who undoes what was set up for a program: a process that waits for its end. The program itself is what `fresco run` has
//! become, and can be killed at any moment.

use crate::sys::{alone, but_standard_error, fork_away};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::time::Timespec;
use std::path::Path;
use std::time::Duration;

/// How often to look whether processes that the program has started still live.
const AGAIN: Duration = Duration::from_millis(200);

/// A lock of a folder that its users agree on: nobody else sets up or undoes anything there meanwhile.
#[derive(Debug)]
pub struct Lock {
    directory: OwnedFd,
}

impl Lock {
    /// Waits for it.
    ///
    /// # Errors
    /// The folder cannot be opened.
    pub fn take(directory: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = open(directory, flags, Mode::empty())?;
        while let Err(error) = flock(&directory, FlockOperation::LockExclusive) {
            if error != Errno::INTR {
                return Err(error);
            }
        }
        Ok(Self { directory })
    }
}

impl Drop for Lock {
    /// Explicitly: a process that was forked meanwhile has the descriptor, too.
    fn drop(&mut self) {
        let _ = flock(&self.directory, FlockOperation::Unlock);
    }
}

/// Starts a keeper. From the end of the process `owner` on it calls `is_undone` every so often, until that is true, and
/// ends. It is nobody's child, holds no file of the program's but standard error, if it `tells` something there, and stays
/// in the groups that the caller is in now. If it is killed, the next one who sets up something has to undo what is left.
///
/// # Errors
/// There is no room for a process.
pub fn keep(owner: u32, tells: bool, mut is_undone: impl FnMut() -> bool) -> Result<(), Errno> {
    let owner = i32::try_from(owner).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    let ended = pidfd_open(owner, PidfdFlags::empty())?;
    fork_away(|| {
        let descriptor = if tells {
            but_standard_error(&ended);
            Some(ended)
        } else {
            alone();
            pidfd_open(owner, PidfdFlags::empty()).ok()
        };
        if let Some(descriptor) = descriptor {
            let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
            while matches!(poll(&mut polled, None), Ok(0) | Err(Errno::INTR)) {}
        }
        while !is_undone() {
            let pause = Timespec {
                tv_sec: 0,
                tv_nsec: i64::from(AGAIN.subsec_nanos()),
            };
            let _ = poll(&mut [], Some(&pause));
        }
    })
}
