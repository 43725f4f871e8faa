// SPDX-License-Identifier: MIT OR Apache-2.0
//! Users and groups. The C library has every thread of the process change them, and ends the process if one of them may
//! and another may not. So before, the pager is told what the thread that calls may do, and may do no more from then on;
//! and after, so that it keeps nothing that the program has lost.
//!
//! Safety of the C functions: as POSIX and Linux have it for functions of these names.

use crate::next::Next;
use crate::{map, state};
use fresco_linux::pager::{Order, Privileges};
use libc::{gid_t, uid_t};
use std::ffi::{CStr, c_char, c_int, c_void};

macro_rules! with_the_pager {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            static REAL: Next = Next::new(name(concat!(stringify!($name), "\0")));
            let Some(real) = REAL.address() else {
                state::set_errno(libc::ENOSYS);
                return -1;
            };
            // SAFETY: this is the type of the function of that name.
            let real = unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> c_int>(real) };
            limit_pager();
            // SAFETY: as the caller promises.
            let result = unsafe { real($($argument),*) };
            limit_pager();
            result
        }
    )*};
}

with_the_pager! {
    setuid(user: uid_t);
    setgid(group: gid_t);
    seteuid(user: uid_t);
    setegid(group: gid_t);
    setreuid(real: uid_t, effective: uid_t);
    setregid(real: gid_t, effective: gid_t);
    setresuid(real: uid_t, effective: uid_t, saved: uid_t);
    setresgid(real: gid_t, effective: gid_t, saved: gid_t);
    setgroups(count: usize, groups: *const gid_t);
    initgroups(user: *const c_char, group: gid_t);
}

/// Has the pager have no more privileges than the calling thread, and `errno` stay as it is.
fn limit_pager() {
    if !state::has_pager() {
        return;
    }
    // Where the program is denied these calls, the C library judges alone.
    if let Ok(own) = Privileges::of_this_thread() {
        let (words, keep) = own.words();
        let _ = map::ask_with(Order::Limit, &words, keep);
    }
}

const fn name(text: &str) -> &CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(name) => name,
        Err(_) => c"",
    }
}
