// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors at a place that was remembered.

use fresco_input::InputError;

/// An error at the file, line and field of `place`.
pub(crate) fn error_at(place: &InputError, found: impl Into<String>) -> InputError {
    let error = InputError::new(place.file.clone(), found).in_field(place.field.clone());
    match place.line {
        Some(line) => error.at_line(line),
        None => error,
    }
}

/// The same error at another place, and perhaps with more to say about what was found.
pub(crate) fn moved(error: &InputError, place: &InputError, found: String) -> InputError {
    let field = if error.field.is_empty() {
        &place.field
    } else {
        &error.field
    };
    error_at(place, found)
        .in_field(field.clone())
        .allowed(error.allowed.clone())
        .cure(error.cure.clone())
}
