// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors were asked for, in a form that a program started with them carries along.

mod asked;
mod filter;
mod frames;
mod request;

pub use asked::{AskedColors, ColorCounts};
pub use filter::Filter;
pub use frames::FrameColors;
pub(crate) use request::MOST_BYTES;
#[cfg(test)]
pub(crate) use request::test_request;
pub use request::{ENVIRONMENT, Request, TaskOf, WhenFull};
