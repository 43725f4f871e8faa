// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frame allocators: which physical frame a page of a task gets.
//!
//! One mechanism — a buddy system per zone, lists of free frames by color, and the moves between them — under every
//! policy:
//!
//! | | [`Policy::Buddy`] | [`Policy::Palloc`] | [`Policy::Camc`] |
//! |---|---|---|---|
//! | knows | nodes | banks | nodes and banks |
//! | colors of a task | none | named | named, or chosen on its node, disjoint from others' |
//! | allocation, order 0 | per-CPU list, then the smallest block that serves, local zone first | bank bins, then free blocks of each zone in turn, sorted into the bins until one matches | color lists, then free blocks of zones that hold its colors, sorted until one matches |
//! | several colors | – | the lowest that has a frame | in turn |
//! | free | per-CPU list, then the buddy system | the buddy system: merges | the list of its color: never merges |
//! | colors used up | – | [`Exhaustion`] | one more color, then [`Exhaustion`] |
//! | no unused color | – | – | [`Shortage`] |
//! | order > 0 | buddy system | buddy system | buddy system; with [`ColorLists::Full`] also put together from color lists |
//! | exit | frees | frees | frees; colors return to the pool |
//!
//! [`Policy::Codesign`] is PALLOC with the banks of a task in turn. Three more have colors by name too; [`shares`] works out
//! whose they are:
//!
//! | | [`Policy::Tintmalloc`] | [`Policy::Bpm`] | [`Policy::Soft`] |
//! |---|---|---|---|
//! | knows | nodes, banks, LLC | banks, LLC | banks, LLC |
//! | allocation, order 0 | as CAMC, from lists by pair of colors | the smallest free block that holds its color, straight from lists of every order by color | the same |
//! | several colors | in turn | in turn, over all nodes | the same |
//! | free | the list of its colors: never merges | the buddy system: merges | the same |
//! | colors used up | [`Exhaustion`] | [`Exhaustion`] | colors of nobody, then of others, until the memory is out |
//!
//! Color lists are kept by bank color, or by bank and LLC color ([`ListsBy`]); only then can a task ask for LLC colors.
//! Under every policy a task may be uncolored ([`Coloring::Off`], TINT-7); the buddy system then serves it, from the nodes that its
//! [`Placement`] says, and color lists
//! only when its zone has no other free frame, those of unused colors first.
//!
//! Row domains can be set apart ([`Memory::set_apart`]): tasks that name some ([`TaskMemory::rows`]) have their frames there, under every
//! policy, and nobody else has any.
//!
//! Every call counts its work ([`Work`]), and a documented model turns that into time ([`CostModel`]). Every block
//! of the machine is on exactly one list at any time; [`Frames::check`] proves it. Free memory at the start is as [`Boot`]
//! says: in order, shortly after boot, or in fragments; always the same for the same seed.
//!
//! What is not modelled: watermarks, reclaim and swapping (a strict policy reports exhaustion where Linux would begin to
//! reclaim, PAL-6, LIM-15), migrate types, huge pages of tasks, hotplug, and contention for the zone lock.
//!
//! ```
//! use fresco_dram::{AddressMap, ColorSpace, Functions, Organisation, Region};
//! use fresco_frames::{Camc, FramesConfig, Frames, Memory, Policy, TaskId, TaskMemory};
//! use std::sync::Arc;
//!
//! // 256 KiB in four banks, selected by address bits 12 and 13.
//! let bits = |bits: std::ops::Range<u32>| bits.map(|bit| 1 << bit).collect::<Vec<u64>>();
//! let functions = Functions { bank: bits(12..14), row: bits(14..18), column: bits(3..12), ..Functions::default() };
//! let organisation =
//!     Organisation { nodes: 1, channels: 1, ranks: 1, bank_groups: 1, banks: 4, rows: 16, columns: 512, bus_bytes: 8 };
//! let region = Region { base: 0, size: 256 << 10, offset: 0, node: None, functions };
//! let map = AddressMap::new(organisation, vec![region])?;
//!
//! let space = Arc::new(ColorSpace::new(&map, &[], 12)?);
//! let memory = Memory::of_map(&map, 12, &[vec![0]])?;
//! let mut frames = Frames::new(space, memory, FramesConfig::pristine(Policy::Camc(Camc::default())), 0)?;
//!
//! // Two tasks, each with a bank of its own.
//! let (a, b) = (TaskId(1), TaskId(2));
//! assert_eq!(frames.register(a, TaskMemory::local(0).automatic(1))?.banks.to_string(), "0");
//! assert_eq!(frames.register(b, TaskMemory::local(0).automatic(1))?.banks.to_string(), "1");
//! let (frame, work) = frames.alloc(a)?;
//! assert_eq!((frame.0, work.frames_visited), (0, 64)); // the first request sorts the machine's only block
//! let (frame, work) = frames.alloc(b)?;
//! assert_eq!((frame.0, work.frames_visited), (1, 0)); // and this one profits
//! frames.free(b, frame)?;
//! assert_eq!(frames.check()?.held, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod agreement;
mod boot;
mod check;
mod color_set;
mod config;
mod conformity;
mod cost;
pub mod dynamic;
mod error;
mod frames;
mod inspect;
mod kernel_blocks;
mod memory;
mod parts;
mod placement;
mod policy;
mod pool;
mod preallocate;
mod registry;
pub mod shares;
mod task;
mod usage;
mod work;
mod zones_of_map;

pub use boot::{Aging, Boot};
pub use check::{Census, Violation};
pub use color_set::ColorSet;
pub use config::{FramesConfig, ListsBy, PageTables};
pub use cost::CostModel;
pub use error::FrameError;
pub use frames::Frames;
pub use memory::{Memory, Region};
pub use parts::Part;
pub use placement::Placement;
pub use policy::{
    Bpm, Camc, Codesign, ColorLists, Exhaustion, Palloc, Partition, Policy, Search, Shortage, Sorting, Tintmalloc,
    printed_create_color_list,
};
pub use pool::PerCpu;
pub use task::{Assignment, Coloring, TaskId, TaskMemory, TaskStats};
pub use work::{Work, WorkSummary};

/// The largest order: blocks of 1024 frames (Linux' `MAX_ORDER - 1` of the papers' time).
pub const MAX_ORDER: u32 = 10;
