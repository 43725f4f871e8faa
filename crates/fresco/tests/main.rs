// SPDX-License-Identifier: MIT OR Apache-2.0
//! All tests of the crate through its public interface, in one program.

mod advise;
mod attack;
mod attack_random;
mod attack_work;
mod bad_input;
mod balance;
mod bench;
mod bound;
mod bound_random;
mod calibrate;
mod certificates;
mod common;
mod evidence;
mod exchange;
mod global;
mod in_loop;
mod json_reference;
mod machine;
mod man;
mod map;
mod map_detect;
mod memory;
mod mode_change;
mod on;
mod one_description;
mod outputs;
mod plan;
mod programs;
mod real_tasks;
mod record;
mod recorded_threads;
mod refresh_times;
mod regions;
mod reproduce;
#[macro_use]
mod run;
mod sched;
mod sim;
mod sim_report;
mod streams;
mod tables;
mod timelines;
mod together;
mod trace;
