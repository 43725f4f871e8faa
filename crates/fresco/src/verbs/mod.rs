// SPDX-License-Identifier: MIT OR Apache-2.0
//! One module per verb: its arguments, and what it does.

pub mod advise;
pub mod attack;
pub mod balance;
pub mod bench;
pub mod bound;
pub mod calibrate;
pub mod check;
pub mod compare;
pub mod completions;
pub mod evidence;
pub mod export;
pub mod in_loop;
pub mod live;
pub mod machine;
pub mod man;
pub mod map;
pub mod memory;
pub mod plan;
pub mod programs;
pub mod ps;
pub mod record;
pub mod reproduce;
pub mod run;
pub mod sched;
pub mod schema;
pub mod sim;
pub mod sweep;
pub mod trace;
pub mod verify;
