// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the first process of a virtual machine does, and marks that a recorder of processors sees.

use rustix::io::Errno;
use std::ffi::CStr;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Mounts a file system that has no device.
///
/// # Errors
/// As of mount(2).
pub fn mount(kind: &CStr, place: &CStr) -> Result<(), Errno> {
    // SAFETY: strings that live as long as the call; no data.
    let status = unsafe { libc::mount(kind.as_ptr(), place.as_ptr(), kind.as_ptr(), 0, std::ptr::null()) };
    match status {
        0 => Ok(()),
        _ => Err(last_error()),
    }
}

/// Loads a module of the kernel, without parameters.
///
/// # Errors
/// It cannot be read; as of finit_module(2).
pub fn load_module(path: &Path) -> std::io::Result<()> {
    let file = std::fs::File::open(path)?;
    // SAFETY: an open file, and a string that lives as long as the call.
    match unsafe { libc::syscall(libc::SYS_finit_module, file.as_raw_fd(), c"".as_ptr(), 0) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Nanoseconds of the machine's clock, which nobody sets (CLOCK_MONOTONIC).
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time lives as long as the call, which fails for clocks only that this one is not.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Resets the machine, at which an emulator may end that was told so. Returns why it has not.
pub fn reset() -> Errno {
    // SAFETY: no memory is involved.
    unsafe {
        libc::sync();
        libc::reboot(libc::RB_AUTOBOOT);
    }
    last_error()
}

/// Tells the kernel's generator of random numbers that it has enough to begin with, always the same: a machine of which nothing is random
/// lets programs wait for that, for hundreds of millions of instructions.
///
/// # Errors
/// There is no `/dev/random`, or it may not be told.
pub fn seed() -> std::io::Result<()> {
    /// `struct rand_pool_info` of `linux/random.h`: bits of entropy, bytes, and these.
    #[repr(C)]
    struct Pool {
        bits: libc::c_int,
        bytes: libc::c_int,
        words: [u32; 16],
    }
    /// `RNDADDENTROPY`: `_IOW('R', 3, int[2])`.
    const ADD: libc::c_ulong = 0x4008_5203;
    let pool = Pool {
        bits: 512,
        bytes: 64,
        words: std::array::from_fn(|word| word as u32),
    };
    let random = std::fs::File::open("/dev/random")?;
    // SAFETY: the kernel reads as many bytes as the structure says that it has.
    match unsafe { libc::ioctl(random.as_raw_fd(), ADD as _, &raw const pool) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

fn last_error() -> Errno {
    Errno::from_raw_os_error(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

/// From here on the processor that executes this is recorded, if its machine is: `fresco_ring::physical::BEGIN_MARK`.
#[inline(never)]
pub fn mark_begin() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: an instruction of no effect, NOP with a displacement.
    unsafe {
        std::arch::asm!(
            ".byte 0x0f, 0x1f, 0x84, 0x00, 0x66, 0x72, 0x62, 0x31",
            options(nomem, nostack, preserves_flags)
        );
    }
}

/// Up to here the processor that executes this is recorded: `fresco_ring::physical::END_MARK`.
#[inline(never)]
pub fn mark_end() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            ".byte 0x0f, 0x1f, 0x84, 0x00, 0x66, 0x72, 0x65, 0x31",
            options(nomem, nostack, preserves_flags)
        );
    }
}
