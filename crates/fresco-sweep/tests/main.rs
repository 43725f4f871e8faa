// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod common;
mod plans;
mod points;
mod refused;
mod results;
mod schema;
mod sharing;
