// SPDX-License-Identifier: MIT OR Apache-2.0
//! The system calls, and all of this crate that is `unsafe`. They go to the kernel directly, not through the C library:
//! the library that places frames stands in front of the C library's own functions of these names.

mod area;
pub mod capability;
mod color;
pub mod guest;
mod privileges;
mod scan;
mod schedule;
mod signals;
mod thread;
mod userfault;

pub use area::{Access, Area, copy_page, zero_frame};
pub use color::{call_for_page_colors, clear_page_colors, count_page_colors, set_page_colors};
pub use privileges::{Privileges, drop_privileges};
pub use scan::first_present;
pub use schedule::{Policy, policy_of, set_policy};
pub use signals::Signals;
pub use thread::{
    alone, as_a_stranger, before_exec, bind_memory, but_standard_error, end_by_signal, end_thread, end_with_parent,
    fork_away, fork_on, without_signals,
};
pub use userfault::{Fault, Userfault};

/// Bytes of a page of this machine.
pub fn page_bytes() -> u64 {
    rustix::param::page_size() as u64
}
