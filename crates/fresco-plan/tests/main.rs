// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod alone;
mod criticality;
mod criticality_runs;
mod fuzz_seeds;
mod global;
mod handlers;
mod hyperperiods;
mod jitter;
mod judge;
mod mutations;
mod one_description;
mod partition;
mod plans;
mod random_plans;
mod reading;
mod real_tasks;
mod refresh_cost;
mod requests;
mod undecided;
