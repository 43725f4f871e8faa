// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there is no bound.

use std::fmt;

/// What keeps a read from being bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// Row hits of others overtake a read of the same bank without end.
    NoHitCap,
    /// A read may wait for one drain of writes after another.
    Drains,
    /// Devices ask for refresh management or activation counting, whose time depends on what rows are opened.
    Management,
    /// Refreshes, and requests that are finished before each, take all of the time.
    Refresh,
    /// A refresh of a bank waits for as long as other banks of its rank are activated: tRRD_L is longer than the pauses between
    /// activations.
    BankRefresh,
    /// Column commands leave no room on the command bus.
    CommandBus,
    /// So much may go before a read that its bound is hours.
    Endless,
    /// Pages are moved to other colors while tasks run.
    PagesMove,
}

impl Unbounded {
    /// The cheapest change that makes the read bounded.
    pub fn way_out(self) -> &'static str {
        match self {
            Self::NoHitCap => "set memory.controller.hit_cap, or give the task banks of its own",
            Self::Drains => "set memory.controller.drain_once = true, or let nobody write",
            Self::Management => "leave out memory.rfm and memory.prac",
            Self::Refresh | Self::Endless => {
                "lower memory.controller.hit_cap, keep the tasks of a channel in one rank, or let fewer reads be under way"
            }
            Self::BankRefresh => "refresh all banks of a rank at once (memory.controller.refresh)",
            Self::CommandBus => "take a standard whose column commands are further apart",
            Self::PagesMove => "divide the colors once, before tasks run (policy.sharing)",
        }
    }
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoHitCap => "row hits may overtake without end (no hit_cap), and others use the bank",
            Self::Drains => {
                "writes of others may drain again and again before it, with a younger read between (drain_once = false)"
            }
            Self::Management => {
                "refresh management and activation counting take time that depends on which rows are opened"
            }
            Self::Refresh => "refreshes and what goes before each of them leave no time for so many reads",
            Self::BankRefresh => {
                "a refresh of a bank may wait for as long as other banks of the rank are activated (tRRD_L)"
            }
            Self::CommandBus => "column commands may keep the command bus from row commands",
            Self::Endless => "so much may go before a read that it takes hours",
            Self::PagesMove => "pages are moved to other colors while tasks run",
        })
    }
}

impl std::error::Error for Unbounded {}
