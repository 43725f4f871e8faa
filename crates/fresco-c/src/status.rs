// SPDX-License-Identifier: MIT OR Apache-2.0
//! What functions return.

use fresco_memory::embedded::SendError;
use std::ffi::c_int;

/// It is done.
pub const FRESCO_OK: c_int = 0;
/// The request is not taken now.
pub const FRESCO_FULL: c_int = 1;
/// The time has passed, and nothing more is done by then.
pub const FRESCO_NONE: c_int = 2;
/// A null pointer, a size that is too small, a value that is not allowed.
pub const FRESCO_ERROR_ARGUMENT: c_int = -1;
/// The machine cannot be found, or its file is wrong.
pub const FRESCO_ERROR_MACHINE: c_int = -2;
/// There is no memory at the address.
pub const FRESCO_ERROR_ADDRESS: c_int = -3;
/// The cycle lies behind the last one.
pub const FRESCO_ERROR_CYCLE: c_int = -4;
/// What is asked for was not switched on, or time was to be moved by a callback.
pub const FRESCO_ERROR_STATE: c_int = -5;
/// A fault of the library: the handle can only be freed.
pub const FRESCO_ERROR_INTERNAL: c_int = -6;

/// Why a function did not do what it is for.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: c_int,
    /// For people; empty if the status says all.
    pub text: String,
}

impl Failure {
    pub fn argument(text: impl Into<String>) -> Self {
        Self {
            status: FRESCO_ERROR_ARGUMENT,
            text: text.into(),
        }
    }
}

impl From<SendError> for Failure {
    fn from(error: SendError) -> Self {
        let (status, text) = match error {
            SendError::Full => (FRESCO_FULL, String::new()),
            SendError::NoMemory { .. } => (FRESCO_ERROR_ADDRESS, error.to_string()),
            SendError::Late { .. } | SendError::Far { .. } => (FRESCO_ERROR_CYCLE, error.to_string()),
        };
        Self { status, text }
    }
}
