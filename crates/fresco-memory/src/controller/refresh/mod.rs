// SPDX-License-Identifier: MIT OR Apache-2.0
//! When which banks are refreshed: one small interface, one file per scheme.
//!
//! The controller knows nothing of the scheme. It asks for what is due, stops sending requests to those banks, closes
//! them, issues the command, and reports when it did. All-bank, per-bank, same-bank, fine-granularity, burst and
//! scheduled refresh differ only in what they say is due.

mod adaptive;
mod all_bank;
mod back_off;
mod bank_by_bank;
mod elastic;
mod load;
mod managed;
mod sequential;
mod windows;

pub use adaptive::Adaptive;
pub use all_bank::{AllBankIndependent, AllBankSimultaneous};
pub use bank_by_bank::BankByBank;
pub use elastic::Elastic;
pub use load::Load;
pub(super) use managed::Managed;
pub use sequential::{BankSequential, BankTurn, BankTurns};
pub use windows::{Lateness, Window, WindowError, Windows};

use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Timing};
use fresco_machine::RefreshPolicy;

/// One refresh command that has to be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refresh {
    /// Rank of the channel.
    pub rank: u32,
    /// [`CommandKind::RefAb`], [`CommandKind::RefAb4`], [`CommandKind::RefPb`], [`CommandKind::RefSb`], [`CommandKind::RfmAb`] or
    /// [`CommandKind::RfmSb`].
    pub kind: CommandKind,
    /// The banks it occupies, a bit per bank of the rank (`bank_group * banks + bank`).
    pub banks: u64,
    /// How long it occupies them, in cycles (tRFC of the granularity in use).
    pub cycles: Cycle,
}

/// A refresh scheme of one channel.
pub trait RefreshEngine: Send + Sync {
    /// The earliest cycle at which a refresh not yet taken becomes due; [`NEVER`] if none will.
    fn next_due(&self) -> Cycle;

    /// Takes one refresh that is due at or before `now`. The controller gives it priority over every request to those
    /// banks from `now` on. Until it returns nothing, it is asked again; then [`next_due`](Self::next_due) is after
    /// `now`.
    fn take_due(&mut self, now: Cycle, load: &Load<'_>) -> Option<Refresh>;

    /// The earliest cycle of the command itself: from being taken until then its banks are only made idle.
    fn not_before(&self, _refresh: &Refresh) -> Cycle {
        0
    }

    /// Returns true if a refresh waits for requests that the controller should serve soon.
    fn is_waiting(&self) -> bool {
        false
    }

    /// How far the schedule was kept, if there is one.
    fn lateness(&self) -> Lateness {
        Lateness::default()
    }

    /// The refresh was issued at `now`. Nothing may become due by it before the next cycle.
    fn issued(&mut self, _refresh: &Refresh, _now: Cycle) {}

    /// Returns true if the scheme has to be told of [`load_changed`](Self::load_changed).
    fn watches_load(&self) -> bool {
        false
    }

    /// A request for the rank was admitted at `now`, or had its column command. Nothing may become due by it before the
    /// next cycle.
    fn load_changed(&mut self, _rank: u32, _load: &Load<'_>, _now: Cycle) {}

    /// Returns true if the scheme has to be told of [`row_command`](Self::row_command).
    fn watches_rows(&self) -> bool {
        false
    }

    /// A row of a bank of the channel was opened (ACT), or rows were closed by PRE, PREA, RDA or WRA, at `now`; the bank of PREA is any
    /// of the rank. Nothing may become due by it before the next cycle.
    fn row_command(&mut self, _kind: CommandKind, _bank: u32, _row: u32, _now: Cycle) {}
}

/// No refresh at all: the ideal lower bound (REF-12). The checker judges timing alone.
#[derive(Debug)]
pub struct NoRefresh;

impl RefreshEngine for NoRefresh {
    fn next_due(&self) -> Cycle {
        NEVER
    }

    fn take_due(&mut self, _now: Cycle, _load: &Load<'_>) -> Option<Refresh> {
        None
    }
}

/// The engine of a machine file's policy, with what the devices ask for besides.
///
/// # Panics
/// If [`RefreshPolicy::check`] refuses the policy for these devices.
pub(super) fn engine(policy: RefreshPolicy, org: &Organisation, timing: &Timing) -> Box<dyn RefreshEngine> {
    let scheme: Box<dyn RefreshEngine> = match policy {
        RefreshPolicy::None => Box::new(NoRefresh),
        RefreshPolicy::AllBankSimultaneous => Box::new(AllBankSimultaneous::new(org, timing)),
        RefreshPolicy::AllBankIndependent => Box::new(AllBankIndependent::new(org, timing)),
        RefreshPolicy::Elastic => Box::new(Elastic::new(org, timing)),
        RefreshPolicy::Adaptive => Box::new(Adaptive::new(org, timing)),
        RefreshPolicy::PerBank => Box::new(BankByBank::in_turn(org, timing)),
        RefreshPolicy::PerBankOutOfOrder => Box::new(BankByBank::fewest_requests(org, timing)),
        RefreshPolicy::PerBankSequential => Box::new(BankSequential::new(org, timing)),
        RefreshPolicy::SameBank => Box::new(BankByBank::same_bank(org, timing)),
        RefreshPolicy::Burst => Box::new(Windows::burst(org, timing).expect("a policy that was checked")),
    };
    Managed::around(scheme, org, timing)
}
