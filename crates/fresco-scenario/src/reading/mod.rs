// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is wrong with a document of JSON, and where: for documents that people may have changed.

mod misread;
mod unknown;

pub use misread::{Misread, Outcome, misread};
pub use unknown::{LeftOut, Unknown, beyond};
