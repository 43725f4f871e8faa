// SPDX-License-Identifier: MIT OR Apache-2.0
//! `prctl(PR_PAGE_COLOR)` of kernels with page coloring. Others know no such number, and say EINVAL.

use rustix::io::Errno;

/// The numbers of the kernel's header `linux/prctl.h`.
const PAGE_COLOR: libc::c_int = 0x5043_4f4c;
const COUNT: libc::c_ulong = 0;
const SET: libc::c_ulong = 1;
const CLEAR: libc::c_ulong = 3;
const STRICT: libc::c_ulong = 1;

/// How many colors the kernel's map has.
///
/// # Errors
/// EINVAL if the kernel knows no page coloring, EOPNOTSUPP while that is switched off.
pub fn count_page_colors() -> Result<usize, Errno> {
    // SAFETY: asks for a number.
    let count = unsafe { libc::prctl(PAGE_COLOR, COUNT, 0, 0, 0) };
    usize::try_from(count).map_err(|_| super::thread::last_error())
}

/// Gives the calling thread, and what it starts, frames of these colors from now on.
///
/// # Errors
/// As above; EPERM without CAP_SYS_NICE.
pub fn set_page_colors(bitmap: &[u64], strict: bool) -> Result<(), Errno> {
    let flags = if strict { STRICT } else { 0 };
    // SAFETY: the kernel reads as many bytes of the slice as it is told.
    match unsafe { libc::prctl(PAGE_COLOR, SET, bitmap.as_ptr(), size_of_val(bitmap), flags) } {
        0 => Ok(()),
        _ => Err(super::thread::last_error()),
    }
}

/// Takes its colors from the calling thread.
///
/// # Errors
/// As of [`count_page_colors`].
pub fn clear_page_colors() -> Result<(), Errno> {
    // SAFETY: changes where future pages come from.
    match unsafe { libc::prctl(PAGE_COLOR, CLEAR, 0, 0, 0) } {
        0 => Ok(()),
        _ => Err(super::thread::last_error()),
    }
}
