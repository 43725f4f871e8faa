// SPDX-License-Identifier: MIT OR Apache-2.0
//! The budgets of a machine's cores, worked out and checked.

mod settings;
mod told;

pub use settings::{Kind, Prediction, Reservation, Settings, Share};
pub use told::Told;

use fresco_dram::Ps;
use fresco_machine::Guaranteed;

/// How the cores of a run are regulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgets {
    /// Length of a period.
    pub period: Ps,
    /// What an interrupt takes, in cycles of the core.
    pub interrupt_cycles: u64,
    /// Lines written back use budgets up as well as lines fetched (RLIM-9).
    pub count_write_backs: bool,
    /// What each controller serves at worst.
    pub guaranteed: Guaranteed,
    /// One for each node that has cores with budgets.
    pub nodes: Vec<NodeBudgets>,
    /// Somebody else keeps these budgets, who is told what cores move: nobody is interrupted or stalled. `None`: the run keeps them.
    pub told: Option<Told>,
}

/// The cores that share a controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeBudgets {
    /// Its node.
    pub node: u32,
    /// Numbers of the cores, each in one node.
    pub cores: Vec<u32>,
    /// Reservation of each, in bytes per second.
    pub reserved: Vec<u64>,
    /// What they have together, in bytes per second.
    pub total: u64,
    /// The same in lines of a period, by core in the same order.
    pub settings: Settings,
    /// All of it is guaranteed.
    pub is_guaranteed: bool,
}

impl Budgets {
    /// Returns true if the core has a budget.
    pub fn has(&self, core: u32) -> bool {
        self.nodes.iter().any(|node| node.cores.contains(&core))
    }

    /// Returns true if cores of any node reclaim what others donate.
    pub fn reclaim(&self) -> bool {
        self.nodes.iter().any(|node| node.settings.reclaim)
    }
}

impl NodeBudgets {
    /// Returns true if a core gets its budget in every period.
    pub fn keeps(&self, member: usize) -> bool {
        let donates = self.settings.reclaim && self.settings.reservations[member].kind == Kind::Soft;
        self.is_guaranteed && !donates
    }
}
