// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of memory bandwidth of the kernel module `kernel/memguard` (MG-1, MG-2): a program gets a control group of its
//! own with a budget of lines, processors get reservations. All goes away with the last process in it.
//!
//! Layout and meaning of the files are those of the module's page, `kernel/memguard/README.md`.

mod activity;
mod budget;
mod cgroup;
mod counts;
mod group;
mod log;
mod refusal;
mod reservation;
mod stat;
mod tree;

pub use activity::{budgets, tidy};
pub use budget::{Budget, LINE_BYTES, least_bytes_per_s};
pub use cgroup::Cgroup;
pub use counts::Counts;
pub use group::{Asked, Group, keep};
pub use refusal::MemguardRefusal;
pub use stat::Stat;
pub(crate) use tree::all_below;
pub use tree::{CGROUPS, ENVIRONMENT, Tree};

#[cfg(test)]
pub(crate) mod tests;
