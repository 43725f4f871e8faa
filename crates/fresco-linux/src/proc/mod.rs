// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading what the kernel tells about processes, from `/proc` or a tree like it. Nothing here changes anything.

mod mapping;
mod memory;
mod pagemap;
mod process;

pub use mapping::{Kind, Mapping};
pub use memory::{available_bytes, ram_ranges};
pub use pagemap::{Page, PageMap};
pub use process::{Process, processes};
