// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who removes a class: a process that waits for the last one in it to end. The program itself is what `fresco run`
//! has become, and can be killed at any moment.

use super::{Class, Lock, Tree};
use crate::sys::{alone, fork_away};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::time::Timespec;
use std::time::Duration;

/// How often to look whether processes that the program has started are still in the class.
const AGAIN: Duration = Duration::from_millis(200);

/// Starts the keeper of these classes. It looks at them from the end of the process `owner` on, and ends when it has
/// removed them all. It is nobody's child, holds no file of the program's, and is in the first class itself. If it is
/// killed, the next class that is made removes what it has left.
///
/// # Errors
/// There is no room for a process.
pub fn keep(tree: &Tree, classes: &[Class], owner: u32) -> Result<(), Errno> {
    let owner = i32::try_from(owner).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    fork_away(|| {
        alone();
        if let Ok(descriptor) = pidfd_open(owner, PidfdFlags::empty()) {
            let mut polled = [PollFd::new(&descriptor, PollFlags::IN)];
            while matches!(poll(&mut polled, None), Ok(0) | Err(Errno::INTR)) {}
        }
        let mut left: Vec<&Class> = classes.iter().collect();
        // Unmounted, it has no classes any more.
        while !left.is_empty() && tree.root().join("schemata").is_file() {
            if let Ok(_lock) = Lock::take(tree) {
                left.retain(|class| {
                    let empty = class.is_empty();
                    if empty {
                        class.remove();
                    }
                    !empty && class.path().is_dir()
                });
            }
            let pause = Timespec {
                tv_sec: 0,
                tv_nsec: i64::from(AGAIN.subsec_nanos()),
            };
            let _ = poll(&mut [], Some(&pause));
        }
    })
}
