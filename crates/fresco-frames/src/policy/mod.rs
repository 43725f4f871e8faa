// SPDX-License-Identifier: MIT OR Apache-2.0
//! The policies: which frame a task gets, and where a freed frame goes. Each is a short file over the moves of the pool.

mod as_published;
mod bpm;
pub(crate) mod buddy;
mod camc;
mod codesign;
mod frame_policy;
mod palloc;
mod search;
mod soft;
mod tintmalloc;

pub use as_published::printed_create_color_list;

use crate::pool::Pool;
use crate::task::Task;
use crate::usage::Usage;
use frame_policy::FramePolicy;
use serde::{Deserialize, Serialize};

/// How frames are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// The plain buddy system: local node first, blind to banks.
    #[default]
    Buddy,
    /// PALLOC: bank bins in front of the buddy system, blind to nodes.
    Palloc(Palloc),
    /// CAMC: color lists, colors chosen per task on its own node.
    Camc(Camc),
    /// The refresh co-design: the banks of a task in turn.
    Codesign(Codesign),
    /// TintMalloc: lists for each pair of bank and LLC color, colors of a task named.
    Tintmalloc(Tintmalloc),
    /// BPM: buddy lists by color, blind to nodes. Which colors a task has makes it BPM, BPM+, or a comparator.
    Bpm(Bpm),
    /// Soft partition: a task's own colors first, then what others do not use.
    Soft,
}

impl Policy {
    /// The table of the policies.
    pub(crate) fn model(&self) -> &dyn FramePolicy {
        match self {
            Self::Buddy => &buddy::Buddy,
            Self::Palloc(palloc) => palloc,
            Self::Camc(camc) => camc,
            Self::Codesign(codesign) => codesign,
            Self::Tintmalloc(tintmalloc) => tintmalloc,
            Self::Bpm(bpm) => bpm,
            Self::Soft => &soft::Soft,
        }
    }

    /// Returns true if a task gets no frame of other colors when its own are used up.
    pub fn is_strict(&self) -> bool {
        self.model().is_strict()
    }
}

/// PALLOC's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Palloc {
    /// How much of a free block is sorted into bins at once.
    pub sorting: Sorting,
    /// What happens when the banks of a task are used up.
    pub exhaustion: Exhaustion,
}

/// CAMC's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Camc {
    /// What happens when the colors of a task are used up and none can be added.
    pub exhaustion: Exhaustion,
    /// What happens when no unused color is left on the task's node.
    pub shortage: Shortage,
    /// Where free frames are at the start.
    pub start: ColorLists,
    /// How long a search goes on.
    pub search: Search,
}

/// The co-design's choices (COD-5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Codesign {
    /// Whether tasks may share banks.
    pub partition: Partition,
}

/// TintMalloc's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Tintmalloc {
    /// What happens when the colors of a task are used up.
    pub exhaustion: Exhaustion,
}

/// BPM's choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct Bpm {
    /// What happens when the colors of a task are used up.
    pub exhaustion: Exhaustion,
}

/// How the banks are divided among the tasks (COD-5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Partition {
    /// Groups of tasks share some banks. When these are used up, pages come from others (COD-9), unused colors first, and
    /// [`crate::TaskStats::spilled`] counts them.
    #[default]
    Soft,
    /// A bank belongs to one task: a second one is refused ([`crate::FrameError::BankTaken`]), and a task whose banks are
    /// used up gets no more.
    Hard,
}

/// How much of a free block is sorted into color lists at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sorting {
    /// A whole block, as the published patches do; the paper's footnoted case of lists of several sizes.
    #[default]
    Block,
    /// Frame by frame until one matches, as in PAL-2; the rest of the block stays in the buddy system.
    Frame,
}

/// What happens when a task's colors are used up (LIM-15, RLIM-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exhaustion {
    /// The allocation fails with [`crate::FrameError::OutOfColor`], even if frames of other colors are free (PAL-6).
    #[default]
    Strict,
    /// The task gets a frame of another color, unused colors first, and [`crate::TaskStats::spilled`] counts it.
    Spill,
}

/// What CAMC does when the task's node has no color left that nobody uses. The source leaves it open (RLIM-2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shortage {
    /// Refuse: every task keeps local colors of its own.
    #[default]
    Refuse,
    /// Take unused colors of the nearest other node: private, but remote.
    Remote,
    /// Share the colors of the own node that the fewest tasks use: local, but not private.
    Share,
}

/// Where CAMC's free frames are at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColorLists {
    /// In the buddy system; color lists fill on demand (CAMC-23).
    #[default]
    Empty,
    /// In color lists; blocks are put together on demand (CAMC-26).
    Full,
}

/// How CAMC's Algorithm 1 is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// On and on until a frame matches or no block is left: what the prose says (CON-6).
    #[default]
    UntilFound,
    /// The loop as it is printed: one block per order, and no look at the last one. It fails although frames are free;
    /// here only to show that.
    AsPublished,
}

/// What a policy works on.
pub(crate) struct AllocContext<'a> {
    pub(crate) pool: &'a mut Pool,
    pub(crate) usage: &'a mut Usage,
    pub(crate) task: &'a mut Task,
}
