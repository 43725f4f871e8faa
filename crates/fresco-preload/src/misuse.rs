// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs that free what is no block in use end as the C library ends them: by SIGABRT, with a line on standard error.

use libmimalloc_sys as mi;
use rustix::io::Errno;
use rustix::stdio::stderr;
use std::ffi::c_void;

/// Says which function was given which address, and ends the program.
#[cold]
pub fn end(function: &str, block: *const c_void) -> ! {
    // SAFETY: looks the address up.
    let why = match unsafe { mi::mi_is_in_heap_region(block) } {
        true => "freed already, or inside a block",
        false => "not an address of the heap",
    };
    let line = crate::report::line(format_args!(
        "{function}: invalid pointer {block:p}: {why}; the program is aborted"
    ));
    // As the C library does: to what is standard error now. The pager is not asked, as this thread may be at its port.
    while rustix::io::write(stderr(), line.as_bytes()) == Err(Errno::INTR) {}
    // SAFETY: ends the process.
    unsafe { libc::abort() }
}
