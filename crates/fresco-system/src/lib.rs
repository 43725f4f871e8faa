// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores and the operating system on top of the memory: a scenario in, measurements out.

pub mod core;
