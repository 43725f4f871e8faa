// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals that are waited for instead of being handled.

use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

/// Signals that end a process and that users send, a terminal to all of a group at once; and the one that tells of a
/// child's end.
const WAITED_FOR: [libc::c_int; 8] = [
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGCHLD,
];

/// Signals that come when they are asked for only.
#[derive(Debug)]
pub struct Signals {
    set: libc::sigset_t,
    before: libc::sigset_t,
}

impl Signals {
    /// Holds back SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM and SIGCHLD, but for those that whoever started this process has it ignore.
    /// Threads and children that are made from now on hold them back, too.
    pub fn hold() -> Self {
        let mut set = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the functions fill the set that they are given, and fail for unknown signals only.
        let set = unsafe {
            libc::sigemptyset(set.as_mut_ptr());
            for signal in WAITED_FOR.into_iter().filter(|&signal| !is_ignored(signal)) {
                libc::sigaddset(set.as_mut_ptr(), signal);
            }
            set.assume_init()
        };
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: the set is filled, and so is the other by a call that fails for a bad first argument only.
        let before = unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, before.as_mut_ptr());
            before.assume_init()
        };
        Self { set, before }
    }

    /// Has the program that `command` starts get them as if they had never been held back.
    pub fn release_in(&self, command: &mut Command) {
        let before = self.before;
        let release = move || {
            // SAFETY: the set is filled.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
            Ok(())
        };
        // SAFETY: the function makes one system call, which a child of any process may make.
        unsafe { command.pre_exec(release) };
    }

    /// The next signal, as soon as there is one; `None` if none comes for so long. A child's end is 0.
    pub fn next(&self, wait: Duration) -> Option<i32> {
        let wait = libc::timespec {
            tv_sec: wait.as_secs().cast_signed(),
            tv_nsec: wait.subsec_nanos().into(),
        };
        // SAFETY: set and time are filled; nothing is written without a place for it.
        match unsafe { libc::sigtimedwait(&self.set, std::ptr::null_mut(), &wait) } {
            libc::SIGCHLD => Some(0),
            signal if signal > 0 => Some(signal),
            _ => None,
        }
    }
}

fn is_ignored(signal: libc::c_int) -> bool {
    let mut now = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the function fills the place that it is given, which is valid when zeroed.
    let now = unsafe {
        libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr());
        now.assume_init()
    };
    now.sa_sigaction == libc::SIG_IGN
}
