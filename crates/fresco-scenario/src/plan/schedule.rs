// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who runs when, and what is refreshed when.

use fresco_rt::Time;
use fresco_rt::executive::Table;
use fresco_rt::supply::BudgetError;
use fresco_rt::toplevel::{ColorLock, LockError, Locks, Server};
use serde::{Deserialize, Serialize};

/// Who runs when.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Schedule {
    /// The first ready task by the policy, on each core; refresh goes on beside.
    Priorities,
    /// As [`Schedule::Priorities`], but no color runs while it is locked: flat scheduling (F28), and burst refresh, where one
    /// color is all of the memory.
    Locked {
        /// When colors are locked.
        locks: LockTimes,
    },
    /// Two servers on each core under lock windows (CRS-2, CRS-3).
    Servers {
        /// When colors are locked.
        locks: LockTimes,
        /// Servers of each core.
        cores: Vec<CoreServers>,
    },
    /// One slot per color in every frame (F29).
    Slots {
        /// Length of a frame.
        period_ns: Time,
        /// At the start of each slot: locks one color, unlocks the other.
        handler_ns: Time,
        /// The border between the slots, on each core.
        cores: Vec<CoreSlots>,
    },
    /// A table that repeats (CR-5).
    Table {
        /// The table.
        table: Table,
        /// At the start of each burst of the table every core locks its color for so long; no slot is there then.
        lock_ns: Time,
    },
    /// Time slices in fair shares, away from the bank that is refreshed (COD-6); no guarantee.
    Fair {
        /// Length of a slice: the time for which one bank is refreshed (COD-10).
        slice_ns: Time,
        /// η: candidates looked at before the first is taken; 1 looks at none (COD-7).
        candidates: u32,
    },
}

/// When colors are locked, once per retention time (F16).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockTimes {
    /// tRET: the windows repeat after it.
    pub period_ns: Time,
    /// e_rl: the lock task, which ends with the first refresh.
    pub lock_ns: Time,
    /// e_ru: the unlock task, released by a timer when the burst is over (E32).
    pub unlock_ns: Time,
    /// Start of the lock task of each color within the period.
    pub phase_ns: Vec<Time>,
    /// δ: length of each color's burst.
    pub burst_ns: Vec<Time>,
}

impl LockTimes {
    /// The locks that these times describe.
    ///
    /// # Errors
    /// They describe none: windows that overlap, or do not fit the period.
    pub fn locks(&self) -> Result<Locks, LockError> {
        let colors = self.phase_ns.iter().zip(&self.burst_ns);
        let colors = colors.map(|(&phase, &burst)| ColorLock { phase, burst }).collect();
        Locks::new(self.period_ns, self.lock_ns, self.unlock_ns, colors)
    }
}

/// The servers of a core, highest priority first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreServers {
    /// The servers.
    pub servers: Vec<PlannedServer>,
}

/// An idling server: its budget is set at multiples of its period and consumed whenever it is eligible (CRS-7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedServer {
    /// The color of its tasks.
    pub color: usize,
    /// p_s.
    pub period_ns: Time,
    /// e_s.
    pub budget_ns: Time,
    /// Numbers of its tasks.
    pub tasks: Vec<usize>,
}

impl PlannedServer {
    /// Its period and budget.
    ///
    /// # Errors
    /// A budget beyond the period, or no period.
    pub fn server(&self) -> Result<Server, BudgetError> {
        Server::new(self.period_ns, self.budget_ns)
    }
}

/// The slots of a core: color 0 runs from the handler's end to the border, color 1 from the border and its handler to the
/// frame's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreSlots {
    /// End of the slot of color 0.
    pub border_ns: Time,
    /// Numbers of the tasks of each color.
    pub tasks: [Vec<usize>; 2],
}

/// What is refreshed when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RefreshPlan {
    /// The controller's own policy, by its name in machine files.
    Controller {
        /// The name.
        policy: String,
    },
    /// Commands back to back in windows that repeat. Until its first window a rank is refreshed every tREFI (E34).
    Windows {
        /// The windows repeat after it.
        period_ns: Time,
        /// The windows.
        windows: Vec<RefreshWindow>,
    },
}

/// Refreshes of a color, back to back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshWindow {
    /// The color; all its ranks are refreshed at the same time (CRS-19).
    pub color: usize,
    /// First command, within the period.
    pub start_ns: Time,
    /// REFab for each rank.
    pub commands: Time,
}
