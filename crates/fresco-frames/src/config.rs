// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an allocator is set up with.

use crate::{Boot, CostModel, PerCpu, Policy};
use serde::{Deserialize, Serialize};

/// What kind of allocator, on what kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FramesConfig {
    /// How frames are chosen.
    pub policy: Policy,
    /// How free memory lies at the start.
    pub boot: Boot,
    /// How finely color lists are kept.
    pub lists: ListsBy,
    /// Per-CPU lists in front of the buddy system; `None` for none. Colored requests never use them.
    pub per_cpu: Option<PerCpu>,
    /// Where page tables lie, which only a machine with TLBs reads.
    pub page_tables: PageTables,
    /// How work becomes time, for the most expensive call in the statistics.
    pub cost: CostModel,
}

impl Default for FramesConfig {
    /// The plain buddy system shortly after boot, with Linux' per-CPU lists.
    fn default() -> Self {
        Self {
            policy: Policy::Buddy,
            boot: Boot::Fresh,
            lists: ListsBy::Bank,
            per_cpu: Some(PerCpu::default()),
            page_tables: PageTables::Uncolored,
            cost: CostModel::default(),
        }
    }
}

impl FramesConfig {
    /// `policy` on a pristine machine without per-CPU lists: every step can be followed by hand.
    pub fn pristine(policy: Policy) -> Self {
        Self {
            policy,
            boot: Boot::Pristine,
            lists: ListsBy::Bank,
            per_cpu: None,
            page_tables: PageTables::Uncolored,
            cost: CostModel::default(),
        }
    }
}

/// How finely free frames are sorted into color lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ListsBy {
    /// A list for each bank color, as PALLOC and CAMC have them. LLC colors cannot be asked for, and within a bank frames
    /// leave in the order in which they were found.
    #[default]
    Bank,
    /// A list for each pair of bank and LLC color, as TintMalloc has them. Of the lists that fit a task each serves in
    /// turn, so that a task without LLC colors spreads over the cache.
    BankAndLlc,
}

/// Whose page frames page tables have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageTables {
    /// The kernel's, near the core of the task, of any color: what policies of coloring leave them in that color pages of user space alone
    /// (RLIM-6).
    #[default]
    Uncolored,
    /// The task's own, as of its data; they count towards its limit.
    Colored,
}

impl PageTables {
    /// Returns true for frames of any color.
    pub fn is_uncolored(&self) -> bool {
        *self == Self::Uncolored
    }
}
