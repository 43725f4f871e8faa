// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long a read waits for refreshes.

use crate::columns::Columns;
use crate::distances::{Distances, until_precharge};
use crate::{Crowd, Dram, Unbounded};
use fresco_dram::{Cycle, Timing};
use fresco_machine::RefreshPolicy;

/// Refreshes as one bank meets them.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    /// A refresh of the bank is due in each of these intervals.
    every: Cycle,
    /// Two may be nearer to each other than that: so many more.
    more: Cycle,
    /// From the command until the bank may be activated.
    takes: Cycle,
    /// Refreshes of other banks of the rank, for each of its own.
    others: Cycle,
}

/// What refreshes add to a read that takes `busy` cycles without them, and until whose bank may be closed it takes `closing` of these.
pub(crate) fn refresh(
    dram: &Dram<'_>,
    crowd: &Crowd,
    d: &Distances,
    busy: Cycle,
    closing: Cycle,
) -> Result<Cycle, Unbounded> {
    let Some((scheme, each)) = each(dram, crowd, d)? else {
        return Ok(0);
    };
    let t = dram.timing;
    let saved = saved(t, closing);
    let mut total = busy;
    loop {
        // Due while it waits, or before and not over when it comes.
        let met = total.saturating_add(each) / scheme.every + 1 + scheme.more;
        let next = busy.saturating_add(met.saturating_mul(each).saturating_sub(saved));
        if next <= total {
            return Ok(total - busy);
        }
        if each >= scheme.every || next > t.refw {
            return Err(Unbounded::Refresh);
        }
        total = next;
    }
}

/// A refresh has closed one of the rows that are closed before the read: its own, or an older one's.
fn saved(t: &Timing, closing: Cycle) -> Cycle {
    t.rp + closing.min(t.rtp.max(t.ras.saturating_sub(t.rcd)))
}

/// How many refreshes are met within `total` cycles, these included, and what each costs: (met, each); `None` without refresh.
pub(crate) fn met(dram: &Dram<'_>, crowd: &Crowd, d: &Distances, total: Cycle) -> Option<(Cycle, Cycle)> {
    let (scheme, each) = each(dram, crowd, d).ok()??;
    Some((total.saturating_add(each) / scheme.every + 1 + scheme.more, each))
}

/// What refreshes add to longer work in each of these intervals: (interval, time); `None` without refresh.
pub(crate) fn share(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> Option<(Cycle, Cycle)> {
    let (scheme, each) = each(dram, crowd, d).ok()??;
    Some((scheme.every, each))
}

/// The scheme, and what a refresh of the bank costs a read; `None` without refresh.
fn each(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> Result<Option<(Scheme, Cycle)>, Unbounded> {
    let Some(scheme) = Scheme::of(dram)? else {
        return Ok(None);
    };
    let t = dram.timing;
    let ranks = u64::from(dram.organisation.ranks);
    let others = scheme.others * (t.refresh_to_act_other + d.precharge + d.older_act + d.row_command);
    let elsewhere = (ranks - 1) * (1 + scheme.others) * 2 * (t.pre_slots + d.row_command);
    let each = closing(dram, crowd, d) + t.rp_ab.max(t.rp) + d.row_command + scheme.takes + others + elsewhere;
    Ok(Some((scheme, each)))
}

/// From a refresh that is due until the rows of its banks may be closed: requests that have begun are finished, in both directions.
fn closing(dram: &Dram<'_>, crowd: &Crowd, d: &Distances) -> Cycle {
    let t = dram.timing;
    // All banks of the only rank: one that has begun in each. Else requests of other banks go on, and are older than some of these.
    let banks = match crowd.ranks == 1 && !is_by_bank(dram.controller.refresh) {
        true => dram.organisation.banks_per_rank(),
        false => u32::MAX,
    };
    // Not the read itself: once it has begun no refresh delays it.
    let reads = (crowd.reads - 1).min(banks);
    let rows = |n: u32| t.rp + d.precharge + u64::from(n) * d.older_precharge + d.acts(n) + t.rcd;
    let columns = Columns::of(dram, crowd, false);
    let begun_reads = match u64::from(reads) {
        0 => 0,
        lines => rows(reads) + columns.wait(1, lines - 1, lines - 1),
    };
    let begun = match crowd.writes() {
        false => begun_reads,
        // The bus may turn meanwhile, once. Writes that have begun count in the drain, but for the time that the last of them takes.
        true => {
            let turn = t.cl.max(t.cwl) + t.burst() + t.wtr_l.max(t.rtw_gap) + t.rtrs;
            begun_reads + turn + rows(1) + d.bursts * d.write_column
        }
    };
    // Afterwards all wait for the same cycle.
    let again = d.acts(1) + columns.wait(1, 0, 0) + u64::from(crowd.reads.min(banks)) * d.older_precharge;
    begun + until_precharge(t, crowd.writes()) + again
}

impl Scheme {
    /// `None` without refresh.
    fn of(dram: &Dram<'_>) -> Result<Option<Self>, Unbounded> {
        let (t, org) = (dram.timing, dram.organisation);
        if !t.management.is_off() {
            return Err(Unbounded::Management);
        }
        let all_bank = Self {
            every: t.refi,
            more: 0,
            takes: t.rfc_ab,
            others: 0,
        };
        let postponed = t.refi.min(t.refw / (t.refreshes + t.postponable + 1));
        let by_bank = |takes, units: u64, rounds: u64| Self {
            every: t.refw / rounds.max(1),
            more: 0,
            takes,
            others: units - 1,
        };
        let units = u64::from(t.refpb_units(org));
        let scheme = match dram.controller.refresh {
            RefreshPolicy::None => return Ok(None),
            RefreshPolicy::AllBankSimultaneous | RefreshPolicy::AllBankIndependent => all_bank,
            RefreshPolicy::Elastic => Self {
                every: postponed,
                more: 1,
                ..all_bank
            },
            RefreshPolicy::Adaptive => Self {
                // Four of a quarter, or one whole, for each interval.
                every: postponed / 4,
                more: 4,
                ..all_bank
            },
            RefreshPolicy::Burst => Self {
                every: t.refw - t.refi,
                more: 0,
                takes: t.refreshes.saturating_mul(t.rfc_ab),
                others: 0,
            },
            RefreshPolicy::PerBank => by_bank(t.rfc_pb, units, t.bank_refreshes),
            // Last in a round, first in the next.
            RefreshPolicy::PerBankOutOfOrder => Self {
                more: 1,
                ..by_bank(t.rfc_pb, units, t.bank_refreshes)
            },
            RefreshPolicy::PerBankSequential => by_bank(t.rfc_pb, 1, t.bank_refreshes * units),
            RefreshPolicy::SameBank => by_bank(t.rfc_sb, u64::from(org.banks), t.bank_refreshes),
        };
        if scheme.others > 0 && !lets_banks_be_refreshed(t) {
            return Err(Unbounded::BankRefresh);
        }
        Ok(Some(scheme))
    }
}

fn is_by_bank(policy: RefreshPolicy) -> bool {
    use RefreshPolicy::{PerBank, PerBankOutOfOrder, PerBankSequential, SameBank};
    matches!(policy, PerBank | PerBankOutOfOrder | PerBankSequential | SameBank)
}

/// Returns true if activations of other banks leave pauses in which a bank may be refreshed.
fn lets_banks_be_refreshed(t: &Timing) -> bool {
    t.act_to_bank_refresh() <= t.rrd_s.max(t.faw.saturating_sub(3 * t.rrd_s))
}
