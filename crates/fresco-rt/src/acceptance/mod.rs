// SPDX-License-Identifier: MIT OR Apache-2.0
//! What fraction of task sets a method accepts (E33): every test of this crate behind one question, with the search that goes
//! with it.

mod judge;

pub use judge::judge;

use serde::Serialize;

use crate::generate::{Deadlines, Periods, Phases, Recipe, Shares};
use crate::policy::Policy;
use crate::refresh::Density;
use crate::time::Time;

/// A method to schedule tasks and refresh on one core, with its test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// No colors: all ranks are refreshed at the same time, one command every tREFI (F1). Exact for sporadic tasks.
    AutoRefresh,
    /// Colored Refresh Server, all budgets full, tests by the linear bound of the periodic resource.
    Linear,
    /// Colored Refresh Server, all budgets full, tests by the periodic resource (T2).
    Periodic,
    /// Colored Refresh Server, tests on the slot table (T3).
    Table,
    /// Aligned segmented refresh (F29).
    Aligned,
    /// Flat lock-aware scheduling (F28); exact for known phases.
    Flat,
    /// Colored Refresh: cyclic executive with a color frame, one instance per task (F5, F8).
    ColoredRefresh,
}

impl Method {
    /// Every method with its name in options and results.
    pub const NAMES: [(&'static str, Method); 7] = [
        ("auto-refresh", Method::AutoRefresh),
        ("linear", Method::Linear),
        ("periodic", Method::Periodic),
        ("table", Method::Table),
        ("aligned", Method::Aligned),
        ("flat", Method::Flat),
        ("colored-refresh", Method::ColoredRefresh),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMES
            .into_iter()
            .find(|&(_, method)| method == self)
            .expect("every method has a name");
        name
    }
}

/// Under which conditions methods are compared. Two colors (as many as frames allow for [`Method::ColoredRefresh`]), tRET of 64
/// ms, the burst of the standard, any partition of the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Density of the memory.
    pub density: Density,
    /// Policy, of the tasks or inside servers; executives have none.
    pub policy: Policy,
    /// Cost of each handler: lock, unlock, change of slots.
    pub handler: Time,
    /// K: ranks, which frames of Colored Refresh depend on; 2 to 1024.
    pub ranks: usize,
    /// Least and greatest period of servers.
    pub servers: (Time, Time),
    /// Most partitions of the tasks that a method tries.
    pub attempts: usize,
    /// Most no-goods of a search for colors.
    pub no_goods: u64,
}

impl Conditions {
    /// Handlers of 2 us, eight ranks, servers from 250 us to 16 ms, 100 partitions, 2000 no-goods.
    pub fn of(density: Density, policy: Policy) -> Self {
        Conditions {
            density,
            policy,
            handler: 2_000,
            ranks: 8,
            servers: (250_000, 16_000_000),
            attempts: 100,
            no_goods: 2_000,
        }
    }
}

/// The sets of the tables in docs/theory.md: so many tasks with periods that fit few hyperperiods, implicit deadlines, all released at 0.
pub fn recipe(tasks: usize) -> Recipe {
    Recipe {
        tasks,
        shares: Shares::UUniFast,
        bounds: (0, 1_000_000),
        periods: Periods::List([8, 10, 16, 20, 32, 40, 64, 80].map(|ms: Time| ms * 1_000_000).to_vec()),
        deadlines: Deadlines::Implicit,
        phases: Phases::Zero,
        seed: 0,
    }
}

/// Whether a method schedules a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It does.
    Accepted,
    /// Nothing it tried does.
    Rejected,
    /// Times are too long for the test, or a search gave up.
    Undecided,
}
