// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads and processes: what the pager's thread must not share with the program, and nodes.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Runs `work` with all signals blocked: a thread that it starts takes none.
pub fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the functions fill the sets that they are given; the first cannot fail, the second fails for a bad first
    // argument only.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = work();
    // SAFETY: `before` was filled above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    result
}

/// Gives the calling thread a table of file descriptors of its own, an empty one but for standard error, if that is to be
/// kept: what it opens the program cannot close, and it keeps nothing else open that the program closes. Gives it a root and a
/// working directory of its own, too: it is in nobody's way.
pub fn as_a_stranger(with_stderr: bool) {
    let stderr = libc::STDERR_FILENO.cast_unsigned();
    // SAFETY: the table is this thread's own from here on; it has used no descriptor yet. Linux knows the call since 5.9,
    // and moving pages, without which there is no pager, since 6.8.
    unsafe {
        let unshared = libc::syscall(libc::SYS_close_range, stderr + 1, u32::MAX, libc::CLOSE_RANGE_UNSHARE);
        if unshared == 0 {
            libc::syscall(libc::SYS_close_range, 0, stderr - u32::from(with_stderr), 0);
        }
        // A program that enters a namespace of mounts must share these with nobody, and may unmount where it began.
        if libc::unshare(libc::CLONE_FS) == 0 {
            libc::chdir(c"/".as_ptr());
        }
    }
}

/// Ends the calling thread, and nothing else but what ends with the last thread of a process.
pub fn end_thread(status: i32) -> ! {
    // SAFETY: the thread has nothing that others wait for; its stack stays until the process ends.
    unsafe { libc::syscall(libc::SYS_exit, status) };
    unreachable!("a thread that has ended goes on")
}

/// Ends this process as one ends that takes a signal and does nothing about it.
pub fn end_by_signal(signal: i32) -> ! {
    // SAFETY: no other thread is there to be disturbed; the sets are filled before they are used. What does not exist as a
    // signal is refused, and the process ends all the same.
    unsafe {
        let mut only = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(only.as_mut_ptr());
        libc::sigaddset(only.as_mut_ptr(), signal);
        libc::signal(signal, libc::SIG_DFL);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, only.as_ptr(), std::ptr::null_mut());
        libc::raise(signal);
    }
    end_thread(128 + signal)
}

/// Takes the memory of this process, and of what it becomes, from these nodes.
///
/// # Errors
/// `EINVAL` if none may be used, `ENOSYS` if the kernel knows no nodes.
pub fn bind_memory(nodes: &[u32]) -> Result<(), Errno> {
    const BIND: libc::c_ulong = 2;
    let mut mask = [0u64; 16];
    for &node in nodes {
        let word = mask.get_mut(node as usize / 64).ok_or(Errno::INVAL)?;
        *word |= 1 << (node % 64);
    }
    // The kernel reads one bit less than it is told.
    let bits = mask.len() * 64 + 1;
    // SAFETY: the mask has as many bits as are read, and the call changes where future pages come from.
    match unsafe { libc::syscall(libc::SYS_set_mempolicy, BIND, mask.as_ptr(), bits) } {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// Runs `work` in a process that is nobody's child, and ends it; the caller goes on at once.
///
/// # Errors
/// No process can be made.
pub fn fork_away(work: impl FnOnce()) -> Result<(), Errno> {
    // SAFETY: the caller has one thread, as the program that starts others has; so the child may go on as it does.
    match unsafe { libc::fork() } {
        -1 => Err(last_error()),
        0 => {
            // SAFETY: as above. The child in between ends at once, so nobody is left to wait for its child.
            if unsafe { libc::fork() } == 0 {
                work();
            }
            // SAFETY: nothing of the caller's is to be run at the end of its copies.
            unsafe { libc::_exit(0) }
        }
        child => {
            // SAFETY: waits for our own child, whose status nobody wants.
            while unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) } == -1 && last_error() == Errno::INTR {}
            Ok(())
        }
    }
}

/// Makes a process that goes on as this one does, and is told to end (SIGTERM) when this one does. Returns the child's
/// number, and `None` in the child.
///
/// # Errors
/// No process can be made, or the parent ended at once.
pub fn fork_on() -> Result<Option<Pid>, Errno> {
    let own = getpid();
    // SAFETY: the caller has one thread, as the program that starts others has; so the child may go on as it does.
    match unsafe { libc::fork() } {
        -1 => Err(last_error()),
        0 => {
            set_parent_process_death_signal(Some(Signal::TERM))?;
            match getppid() == Some(own) {
                true => Ok(None),
                false => Err(Errno::SRCH),
            }
        }
        child => Ok(Pid::from_raw(child)),
    }
}

/// Leaves session, terminal and files of whoever started this process.
pub fn alone() {
    // SAFETY: a new session and no files: nothing of this process needs the old ones. Failing, they stay.
    unsafe {
        libc::setsid();
        libc::syscall(libc::SYS_close_range, 0, u32::MAX, 0);
        libc::chdir(c"/".as_ptr());
    }
}

/// Leaves session and terminal, and all files but standard error and this one.
pub fn but_standard_error(keep: &impl AsRawFd) {
    let kept = keep.as_raw_fd().cast_unsigned();
    let close = |first: u32, last: u32| {
        if first <= last {
            // SAFETY: nothing of this process uses them.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
    };
    // SAFETY: a new session. Failing, the old one stays.
    unsafe {
        libc::setsid();
        libc::chdir(c"/".as_ptr());
    }
    let stderr = libc::STDERR_FILENO.cast_unsigned();
    if kept > stderr {
        close(0, stderr - 1);
        close(stderr + 1, kept - 1);
        close(kept + 1, u32::MAX);
    }
}

/// Has the program that `command` starts told to end when the thread that starts it does.
pub fn end_with_parent(command: &mut Command) {
    // SAFETY: the function makes one system call, which a child of any process may make.
    unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::TERM))?)) };
}

/// Has `work`, which allocates nothing, run before the program begins; if it fails the program does not.
pub fn before_exec(command: &mut Command, work: impl Fn() -> Result<(), Errno> + Send + Sync + 'static) {
    // SAFETY: the work makes system calls only, as a child of any process may.
    unsafe { command.pre_exec(move || Ok(work()?)) };
}

pub(super) fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL)
}
