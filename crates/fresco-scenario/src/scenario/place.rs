// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors at a place that was remembered.

use fresco_input::InputError;

/// An error at the file, line and field of `place`.
pub fn error_at(place: &InputError, found: impl Into<String>) -> InputError {
    InputError::at_place(place, found)
}

/// The same error at another place, and perhaps with more to say about what was found.
pub fn moved(error: &InputError, place: &InputError, found: String) -> InputError {
    let moved = error.moved_to(place);
    InputError::at_place(&moved, found)
        .allowed(moved.allowed.clone())
        .help(moved.help.clone())
}
