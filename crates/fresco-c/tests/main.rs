// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its C interface, in one program.

mod adapters;
mod built;
mod front_ends;
mod hosts;
mod interface;
mod replayed;
