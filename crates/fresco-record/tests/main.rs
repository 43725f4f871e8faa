// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate with programs that are recorded, in one program.

mod common;
mod counts;
mod dependences;
mod ends;
mod fetches;
mod random_code;
mod regions;
