// SPDX-License-Identifier: MIT OR Apache-2.0
//! Linux: which frames live processes have, and programs that get frames of the colors they were asked to run with.
//!
//! Colors are those of frame numbers as this kernel sees them, under a map that the user names. In a virtual machine
//! these are not the frames of the hardware; nothing here claims that they are.

pub mod backend;
pub mod census;
pub mod color_group;
pub mod colors;
pub mod curves;
pub mod fuzz;
pub mod keeper;
pub mod launch;
pub mod memguard;
pub mod pager;
pub mod pool;
pub mod probe;
pub mod proc;
pub mod regulator;
pub mod resctrl;
pub mod schedule;
mod settings;
pub mod sys;
pub mod totals;
