// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads and processes: what the pager's thread must not share with the program, and nodes.

use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use std::mem::MaybeUninit;

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

/// Gives the calling thread a table of file descriptors of its own, an empty one: what it opens the program cannot
/// close, and it keeps nothing open that the program closes.
pub fn as_a_stranger() {
    // SAFETY: the table is this thread's own from here on; it has used no descriptor yet. An old kernel refuses, and
    // then the table stays shared, which harms no one who leaves unknown descriptors alone.
    unsafe { libc::syscall(libc::SYS_close_range, 0, u32::MAX, libc::CLOSE_RANGE_UNSHARE) };
}

/// Takes all privileges from the calling thread but that of locking memory.
pub fn drop_privileges() {
    let sets = CapabilitySets {
        effective: CapabilitySet::IPC_LOCK,
        permitted: CapabilitySet::IPC_LOCK,
        inheritable: CapabilitySet::empty(),
    };
    if set_capabilities(None, sets).is_err() {
        let none = CapabilitySet::empty();
        let sets = CapabilitySets {
            effective: none,
            permitted: none,
            inheritable: none,
        };
        // Giving up what one has is always allowed.
        let _ = set_capabilities(None, sets);
    }
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
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::INVAL)),
    }
}
