// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether there is still a thread of the program: a pager must not keep alive what has ended.
//!
//! The first thread of a process can end before others (`pthread_exit`, or the bare system call). The process then lives as
//! long as any thread does, and the pager is one.

use crate::proc::has_ended;
use rustix::fs::{Mode, OFlags, RawDir, open};
use rustix::process::getpid;
use rustix::thread::gettid;
use std::fs;
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between looks at the first thread, which hardly ever ends before the process.
const SELDOM: Duration = Duration::from_secs(1);
/// Between looks at all threads, once the first has ended.
const OFTEN: Duration = Duration::from_millis(100);

/// When it was looked at last, and what was seen.
#[derive(Debug)]
pub(super) struct Liveness {
    first_left: bool,
    looked: Instant,
    over: bool,
}

impl Liveness {
    /// The first thread lives.
    pub fn new() -> Self {
        Self {
            first_left: false,
            looked: Instant::now(),
            over: false,
        }
    }

    /// The first thread is about to end.
    pub fn first_leaves(&mut self) {
        self.first_left = true;
    }

    /// Time until it is to be looked at.
    pub fn idle(&self) -> Option<Duration> {
        (!self.over).then(|| self.interval().saturating_sub(self.looked.elapsed()))
    }

    fn interval(&self) -> Duration {
        if self.first_left { OFTEN } else { SELDOM }
    }

    /// Returns true if it is time to look, and every thread but this one and `last` has ended. Returns true only once.
    pub fn is_over(&mut self, last: u32) -> bool {
        if self.over || self.looked.elapsed() < self.interval() {
            return false;
        }
        self.looked = Instant::now();
        let first = getpid().as_raw_nonzero().get().cast_unsigned();
        self.first_left |= thread_has_ended(first);
        if self.first_left {
            let own = gettid().as_raw_nonzero().get().cast_unsigned();
            // Without a list there may be any number of threads.
            self.over = threads().is_some_and(|threads| {
                let mut others = threads.into_iter().filter(|&thread| thread != own && thread != last);
                others.all(thread_has_ended)
            });
        }
        self.over
    }
}

/// By system calls alone: the C library's directory streams allocate, and what the program's allocator maps is watched by
/// this thread.
fn threads() -> Option<Vec<u32>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = open("/proc/self/task", flags, Mode::empty()).ok()?;
    let mut buffer = [MaybeUninit::uninit(); 1024];
    let mut entries = RawDir::new(directory, &mut buffer);
    let mut threads = Vec::new();
    while let Some(entry) = entries.next() {
        // But for `.` and `..`.
        threads.extend(entry.ok()?.file_name().to_str().ok()?.parse::<u32>());
    }
    Some(threads)
}

/// How the first thread of this process has ended, as the kernel's field 52 has it (proc_pid_stat(5)), which is as of
/// wait(2): the signal, such as seccomp's, or zero and, in the second byte, the status.
pub(super) fn end_of_first() -> i32 {
    let first = getpid().as_raw_nonzero();
    let stat = fs::read_to_string(format!("/proc/self/task/{first}/stat")).unwrap_or_default();
    let code = stat
        .rsplit_once(") ")
        .and_then(|(_, rest)| rest.split_whitespace().nth(52 - 3));
    code.and_then(|code| code.parse().ok()).unwrap_or_default()
}

fn thread_has_ended(thread: u32) -> bool {
    has_ended(Path::new(&format!("/proc/self/task/{thread}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_lives_is_company() {
        assert!(!thread_has_ended(gettid().as_raw_nonzero().get().cast_unsigned()));
        assert!(thread_has_ended(u32::MAX));
        assert!(threads().is_some_and(|threads| !threads.is_empty()));
        let mut liveness = Liveness::new();
        assert!(liveness.idle().is_some_and(|idle| idle <= SELDOM));
        liveness.first_leaves();
        assert!(liveness.idle().is_some_and(|idle| idle <= OFTEN));
        // Looked at too early, and later with the test's first thread alive.
        assert!(!liveness.is_over(0));
        std::thread::sleep(OFTEN);
        assert!(!liveness.is_over(0));
    }
}
