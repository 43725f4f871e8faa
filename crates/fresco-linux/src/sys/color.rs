// SPDX-License-Identifier: MIT OR Apache-2.0
//! `prctl(PR_PAGE_COLOR)` of kernels with page coloring, and their calls by mmap, as TintMalloc has them (TINT-3). Other kernels know
//! neither, and say EINVAL.

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

/// The kernel's header `linux/page_color.h`: the bit of the protection, and what is asked for.
const CALL: libc::c_int = 1 << 30;
const CALL_SET: usize = 3 << 20;
const CALL_ADD: usize = 4 << 20;
const CALL_STRICT: usize = 1 << 24;

/// Gives the calling thread, and what it starts, frames of these colors of the kernel's map from now on, by one mapping of no bytes each.
///
/// # Errors
/// EINVAL if the kernel knows no such calls or no such color, EOPNOTSUPP while coloring is switched off, EPERM without CAP_SYS_NICE.
pub fn call_for_page_colors(colors: &[u32], strict: bool) -> Result<(), Errno> {
    let flags = if strict { CALL_STRICT } else { 0 };
    for (place, &color) in colors.iter().enumerate() {
        let action = if place == 0 { CALL_SET } else { CALL_ADD };
        let call = action | flags | color as usize;
        let protection = libc::PROT_READ | libc::PROT_WRITE | CALL;
        // SAFETY: maps nothing, as it has no length.
        let answer = unsafe {
            libc::mmap(
                std::ptr::without_provenance_mut(call),
                0,
                protection,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if answer == libc::MAP_FAILED {
            return Err(super::thread::last_error());
        }
    }
    Ok(())
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
