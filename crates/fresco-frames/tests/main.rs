// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod boot;
mod codesign;
mod colors;
mod common;
mod conservation;
mod cost;
mod dynamic;
mod millions;
mod refused;
mod rows;
mod shares;
mod shares_random;
mod speed;
mod warm_cost;
mod worked_colors;
mod worked_examples;
