// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the first process of a virtual machine does, and marks that a recorder of processors sees.

use rustix::io::Errno;
use std::ffi::CStr;

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

/// Resets the machine, at which an emulator may end that was told so. Returns why it has not.
pub fn reset() -> Errno {
    // SAFETY: no memory is involved.
    unsafe {
        libc::sync();
        libc::reboot(libc::RB_AUTOBOOT);
    }
    last_error()
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
