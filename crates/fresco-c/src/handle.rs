// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a handle holds, and the door through which every call goes in.

use crate::status::{FRESCO_ERROR_ARGUMENT, FRESCO_ERROR_INTERNAL, FRESCO_ERROR_STATE, Failure};
use crate::types::{fresco_done, fresco_done_fn};
use fresco_machine::MemoryConfig;
use fresco_memory::embedded::Memory;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A memory; for callers a name only.
pub struct Handle {
    pub(crate) memory: Memory,
    pub(crate) config: MemoryConfig,
    pub(crate) callback: fresco_done_fn,
    pub(crate) user: *mut c_void,
    /// About the last call that failed.
    error: CString,
    /// [`BROKEN`], [`CALLING`].
    flags: u8,
}

/// A panic was caught: what it left half done is unknown.
const BROKEN: u8 = 1;
/// A callback runs.
const CALLING: u8 = 2;

impl Handle {
    pub(crate) fn new(memory: Memory, config: MemoryConfig) -> Self {
        Self {
            memory,
            config,
            callback: None,
            user: std::ptr::null_mut(),
            error: CString::default(),
            flags: 0,
        }
    }

    #[cold]
    fn fail(&mut self, failure: Failure) -> c_int {
        if !failure.text.is_empty() {
            self.error = c_text(&failure.text);
        }
        failure.status
    }

    /// Why nothing is done with it now.
    #[cold]
    fn refuse(&mut self) -> c_int {
        if self.flags & BROKEN != 0 {
            return FRESCO_ERROR_INTERNAL;
        }
        self.fail(Failure {
            status: FRESCO_ERROR_STATE,
            text: "found a call from a callback that would move time, allowed: fresco_memory_send and others that do not; the function \
                   that calls back goes on when the callback returns"
                .to_owned(),
        })
    }
}

/// A string of C; what follows a zero is left out.
pub(crate) fn c_text(text: &str) -> CString {
    let until_zero = text.split('\0').next().unwrap_or_default();
    CString::new(until_zero).unwrap_or_default()
}

/// Does `work` on a handle; a failure is remembered, and a panic stays in here.
///
/// # Safety
/// `handle` is null, or comes from `fresco_memory_new` and is used by nobody else during the call.
#[inline]
pub(crate) unsafe fn enter(handle: *mut Handle, work: impl FnOnce(&mut Handle) -> Result<c_int, Failure>) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { enter_unless::<BROKEN>(handle, work) }
}

/// As [`enter`], for work that moves time, which callbacks may not: who is told in the middle of it would move it again, and so on without end.
///
/// # Safety
/// As for [`enter`].
#[inline]
pub(crate) unsafe fn enter_moving(
    handle: *mut Handle,
    work: impl FnOnce(&mut Handle) -> Result<c_int, Failure>,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { enter_unless::<{ BROKEN | CALLING }>(handle, work) }
}

/// As [`enter`], but not while one of these flags is set.
///
/// # Safety
/// As for [`enter`].
#[inline]
unsafe fn enter_unless<const FLAGS: u8>(
    handle: *mut Handle,
    work: impl FnOnce(&mut Handle) -> Result<c_int, Failure>,
) -> c_int {
    // SAFETY: as the caller promises.
    let Some(handle) = (unsafe { handle.as_mut() }) else {
        return FRESCO_ERROR_ARGUMENT;
    };
    if handle.flags & FLAGS != 0 {
        return handle.refuse();
    }
    match catch_unwind(AssertUnwindSafe(|| work(handle))) {
        Ok(Ok(status)) => status,
        Ok(Err(failure)) => handle.fail(failure),
        Err(_) => {
            handle.flags |= BROKEN;
            handle.fail(Failure {
                status: FRESCO_ERROR_INTERNAL,
                text: "a fault of the library, told on standard error; the handle can only be freed".to_owned(),
            })
        }
    }
}

/// Calls the callback of a handle, if it has one, for each that is done.
///
/// # Safety
/// The handle is valid and borrowed by nobody: the callback may use it.
#[inline]
pub(crate) unsafe fn call_back(handle: *mut Handle, done: &[fresco_done]) {
    // SAFETY: as the caller promises.
    unsafe { (*handle).flags |= CALLING };
    for done in done {
        // SAFETY: as the caller promises; the borrows end here. A callback may set another one.
        let (callback, user) = unsafe { ((*handle).callback, (*handle).user) };
        if let Some(callback) = callback {
            // SAFETY: whoever set the callback promised that it may be called so.
            unsafe { callback(user, done) };
        }
    }
    // SAFETY: a callback does not free the handle.
    unsafe { (*handle).flags &= !CALLING };
}

/// Why the last call with this handle that failed did so, for people: `what was found, allowed: what`. Empty if none has failed; null for null.
///
/// # Safety
/// The handle is valid and used by nobody else; the text is valid until the next call with it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_error(handle: *const Handle) -> *const c_char {
    // SAFETY: as the caller promises.
    match unsafe { handle.as_ref() } {
        Some(handle) => handle.error.as_ptr(),
        None => std::ptr::null(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::FRESCO_OK;
    use fresco_memory::embedded::Options;

    #[test]
    fn a_panic_breaks_the_handle_and_goes_no_further() {
        let machine = fresco_machine::builtin("ddr4-2400-bench").expect("built in");
        let memory = Memory::new(&machine, Options::default());
        let mut handle = Handle::new(memory, machine.memory);
        // SAFETY: the handle is a valid one, and nobody else's.
        let mut enter = |work: fn(&mut Handle) -> Result<c_int, Failure>| unsafe { enter(&raw mut handle, work) };
        assert_eq!(enter(|_| Ok(FRESCO_OK)), FRESCO_OK);
        assert_eq!(
            enter(|_| panic!("a fault, as this test wants it")),
            FRESCO_ERROR_INTERNAL
        );
        assert_eq!(enter(|_| Ok(FRESCO_OK)), FRESCO_ERROR_INTERNAL);
        assert!(
            handle
                .error
                .to_str()
                .is_ok_and(|text| text.contains("a fault of the library"))
        );
    }
}
