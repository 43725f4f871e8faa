// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stack that the program needs.

use fresco_input::{InputError, format_size};
use rustix::process::{Resource, getrlimit};

/// Least limit of the stack, in bytes: about three times what an unoptimised program was found to need (320 KiB, for the
/// command line alone). A stack that is too small would end it without a word of why.
const LEAST: u64 = 1 << 20;

/// Refuses a stack that may not be enough.
///
/// # Errors
/// The limit (`ulimit -s`) is below [`LEAST`].
pub fn check() -> Result<(), InputError> {
    match getrlimit(Resource::Stack).current {
        Some(limit) if limit < LEAST => Err(InputError::new(
            "stack",
            format!("found a limit of {}", format_size(limit)),
        )
        .allowed(format!("{} or more", format_size(LEAST)))
        .help(format!("raise it: ulimit -s {}", LEAST >> 10))),
        _ => Ok(()),
    }
}
