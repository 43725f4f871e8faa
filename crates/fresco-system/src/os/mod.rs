// SPDX-License-Identifier: MIT OR Apache-2.0
//! The operating system: tasks pinned to cores, virtual memory, page faults.

pub(crate) mod copying;
mod fetching;
pub(crate) mod pages;
pub(crate) mod process;
mod sharing;
mod steps;
mod stopping;
pub(crate) mod tables;
pub(crate) mod translating;
