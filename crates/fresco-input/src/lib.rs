// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every reader of user input shares: errors that name the place.

mod error;

pub use error::InputError;
