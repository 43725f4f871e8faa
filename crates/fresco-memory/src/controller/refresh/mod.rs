// SPDX-License-Identifier: MIT OR Apache-2.0
//! When which banks are refreshed: one small interface, one file per scheme.
//!
//! The controller knows nothing of the scheme. It asks for what is due, stops sending requests to those banks, closes
//! them, issues the command, and reports when it did. All-bank, per-bank, same-bank, fine-granularity, burst and
//! scheduled refresh differ only in what they say is due.

mod all_bank;

pub use all_bank::{AllBankIndependent, AllBankSimultaneous};

use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Timing};
use fresco_machine::RefreshPolicy;

/// One refresh command that has to be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// Rank of the channel.
    pub rank: u32,
    /// [`CommandKind::RefAb`], [`CommandKind::RefPb`] or [`CommandKind::RefSb`].
    pub kind: CommandKind,
    /// The banks it occupies, a bit per bank of the rank (`bank_group * banks + bank`).
    pub banks: u64,
    /// How long it occupies them, in cycles (tRFC of the granularity in use).
    pub cycles: Cycle,
}

/// A refresh scheme of one channel.
pub trait RefreshEngine: Send {
    /// The earliest cycle at which a refresh not yet taken becomes due; [`NEVER`] if none will.
    fn next_due(&self) -> Cycle;

    /// Takes one refresh that is due at or before `now`. The controller gives it priority over every request to those
    /// banks from `now` on.
    fn take_due(&mut self, now: Cycle) -> Option<Refresh>;

    /// The refresh was issued at `now`.
    fn issued(&mut self, _refresh: &Refresh, _now: Cycle) {}
}

/// No refresh at all: the ideal lower bound (REF-12). The retention checker reports every row.
#[derive(Debug)]
pub struct NoRefresh;

impl RefreshEngine for NoRefresh {
    fn next_due(&self) -> Cycle {
        NEVER
    }

    fn take_due(&mut self, _now: Cycle) -> Option<Refresh> {
        None
    }
}

/// The engine of a machine file's policy.
pub(super) fn engine(policy: RefreshPolicy, org: &Organisation, timing: &Timing) -> Box<dyn RefreshEngine> {
    match policy {
        RefreshPolicy::None => Box::new(NoRefresh),
        RefreshPolicy::AllBankSimultaneous => Box::new(AllBankSimultaneous::new(org, timing)),
        RefreshPolicy::AllBankIndependent => Box::new(AllBankIndependent::new(org, timing)),
    }
}
