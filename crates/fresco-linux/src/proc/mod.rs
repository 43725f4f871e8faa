// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading what the kernel tells about processes, from `/proc` or a tree like it. Nothing here changes anything.

mod flags;
mod ledger;
mod limits;
mod mapping;
mod memory;
mod nodes;
mod pagemap;
mod process;
mod record;

pub use flags::{FrameFlags, Share};
pub use ledger::{
    LEDGER_MAGIC, LEDGER_RANGES, LEDGER_SETS, LEDGER_TEXT, Ledger, OwnColors, own_colors, parse as parse_ledger,
};
pub use limits::{Headroom, allows_file};
pub use mapping::{Kind, Mapping, anonymous_mappings, anonymous_parts, mapped_parts};
pub use memory::{available_bytes, memory_bytes, ram_ranges};
pub use nodes::node_ranges;
pub use pagemap::{Page, PageMap};
pub use process::{Asked, Process, has_ended, hides_others, processes};
pub use record::{keep_mapped, keep_open};

/// The root of the tree in which the kernel tells about processes.
pub const PROC: &str = "/proc";
