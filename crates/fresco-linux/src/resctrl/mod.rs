// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ways of the last-level cache and memory bandwidth, where the machine can limit them (FW-1): the kernel's resctrl file
//! system. A program gets a class of its own, and the class goes away with the last process in it.
//!
//! Layout and meaning of the files are those of the kernel's `Documentation/filesystems/resctrl.rst`. By hand: it is files of a line or two, and whether
//! a line was taken the kernel says in another file.

mod abilities;
mod class;
mod keeper;
mod limits;
mod schemata;
mod tree;

pub use abilities::{Abilities, BandwidthUnit, Ways};
pub use class::{Class, lock, tidy};
pub use keeper::keep;
pub use limits::Limits;
pub use schemata::Schemata;
pub use tree::{ENVIRONMENT, ResctrlRefusal, Tree};

#[cfg(test)]
mod tests;
