// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a machine to a handle, and back to nothing.

use crate::handle::{Handle, c_text};
use crate::layout::take;
use crate::status::{FRESCO_ERROR_INTERNAL, FRESCO_ERROR_MACHINE, FRESCO_OK, Failure};
use crate::types::{FRESCO_CHECK, fresco_options};
use fresco_input::InputError;
use fresco_machine::{Machine, load_with};
use fresco_memory::embedded::{Limit, Memory, Options};
use std::ffi::{CStr, c_char, c_int};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The library's version.
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => panic!("a version has no zero"),
};

/// See `fresco.h`.
#[unsafe(no_mangle)]
pub extern "C" fn fresco_version() -> *const c_char {
    VERSION.as_ptr()
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self {
            status: FRESCO_ERROR_MACHINE,
            text: error.to_string(),
        }
    }
}

/// A string of the caller.
///
/// # Safety
/// `text` is null or ends with a zero, and stays as it is for the call.
unsafe fn text_of<'a>(text: *const c_char, name: &str) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::argument(format!("found a null pointer for {name}")));
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Failure::argument(format!("found {name} {text:?}, allowed: UTF-8")))
}

/// The options, and the keys to replace.
type Chosen = (Options, Vec<(String, String)>);

/// # Safety
/// `options` is null or a structure of the caller with what `fresco.h` asks for.
unsafe fn chosen(options: *const fresco_options) -> Result<Chosen, Failure> {
    if options.is_null() {
        return Ok(Chosen::default());
    }
    // SAFETY: as the caller promises.
    let given = unsafe { take(options, "fresco_options")? };
    if given.flags & !FRESCO_CHECK != 0 {
        return Err(Failure::argument(format!(
            "found fresco_options.flags {:#x}, allowed: 0 or FRESCO_CHECK",
            given.flags
        )));
    }
    if given.settings.is_null() && given.settings_count > 0 {
        return Err(Failure::argument("found a null pointer for fresco_options.settings"));
    }
    let mut settings = Vec::new();
    for i in 0..given.settings_count {
        // SAFETY: the caller's array has so many strings.
        let setting = unsafe { text_of(*given.settings.add(i), "a setting")? };
        let Some((key, value)) = setting.split_once('=') else {
            return Err(Failure::argument(format!(
                "found the setting {setting:?}, allowed: key=value, such as memory.controller.page=closed"
            )));
        };
        settings.push((key.to_owned(), value.to_owned()));
    }
    let options = Options {
        limit: NonZeroU32::new(given.outstanding).map_or(Limit::Queues, Limit::Outstanding),
        check: given.flags & FRESCO_CHECK != 0,
        keep_commands: false,
    };
    Ok((options, settings))
}

/// As much of a text as fits, between characters.
///
/// # Safety
/// `to` is null or points to `size` bytes that may be written.
pub(crate) unsafe fn tell(text: &str, to: *mut c_char, size: usize) {
    if to.is_null() || size == 0 {
        return;
    }
    let text = c_text(text);
    let text = text.to_str().unwrap_or_default();
    let longest = text.len().min(size - 1);
    let fits = (0..=longest).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    // SAFETY: `fits` bytes and the zero are no more than `size`, and the text is ours.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to.cast::<u8>(), fits);
        to.add(fits).write(0);
    }
}

/// Makes a handle of the machine that `load` finds.
///
/// # Safety
/// Pointers are null or as `fresco.h` says.
unsafe fn make(
    options: *const fresco_options,
    (message, message_size): (*mut c_char, usize),
    memory: *mut *mut Handle,
    load: impl FnOnce(&[(String, String)]) -> Result<Machine, Failure>,
) -> c_int {
    let made = catch_unwind(AssertUnwindSafe(|| {
        if memory.is_null() {
            return Err(Failure::argument("found a null pointer for where the handle is to go"));
        }
        // SAFETY: as the caller promises.
        unsafe { memory.write(std::ptr::null_mut()) };
        crate::tables::read();
        // SAFETY: as the caller promises.
        let (options, settings) = unsafe { chosen(options)? };
        let machine = load(&settings)?;
        let warning = machine.warning().unwrap_or_default();
        let handle = Handle::new(Memory::new(&machine, options), machine.memory);
        // SAFETY: not null, and as the caller promises.
        unsafe { memory.write(Box::into_raw(Box::new(handle))) };
        Ok(warning)
    }));
    let (status, text) = match made {
        Ok(Ok(warning)) => (FRESCO_OK, warning),
        Ok(Err(failure)) => (failure.status, failure.text),
        Err(_) => (
            FRESCO_ERROR_INTERNAL,
            "a fault of the library, told on standard error".to_owned(),
        ),
    };
    // SAFETY: as the caller promises.
    unsafe { tell(&text, message, message_size) };
    status
}

/// See `fresco.h`.
///
/// # Safety
/// Pointers are null or as `fresco.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_new(
    machine: *const c_char,
    options: *const fresco_options,
    message: *mut c_char,
    message_size: usize,
    memory: *mut *mut Handle,
) -> c_int {
    let load = |settings: &[(String, String)]| {
        // SAFETY: as the caller promises.
        let name = unsafe { text_of(machine, "machine")? };
        Ok(load_with(name, settings)?)
    };
    // SAFETY: as the caller promises.
    unsafe { make(options, (message, message_size), memory, load) }
}

/// See `fresco.h`.
///
/// # Safety
/// Pointers are null or as `fresco.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_parse(
    text: *const c_char,
    options: *const fresco_options,
    message: *mut c_char,
    message_size: usize,
    memory: *mut *mut Handle,
) -> c_int {
    let load = |settings: &[(String, String)]| {
        // SAFETY: as the caller promises.
        let text = unsafe { text_of(text, "text")? };
        Ok(Machine::parse("machine text", text, settings)?)
    };
    // SAFETY: as the caller promises.
    unsafe { make(options, (message, message_size), memory, load) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null, or comes from `fresco_memory_new` or `fresco_memory_parse` and has not been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_free(handle: *mut Handle) {
    if !handle.is_null() {
        // SAFETY: it was made by Box::into_raw, and is the caller's to give back.
        let handle = unsafe { Box::from_raw(handle) };
        // A panic stays in here; what is not freed then is lost.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(handle)));
    }
}
