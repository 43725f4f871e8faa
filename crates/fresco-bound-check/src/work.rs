// SPDX-License-Identifier: MIT OR Apache-2.0
//! The work of a task: what it was alone is taken as it stands, as long as it can be; all that is added is checked.

use crate::Failure;
use crate::memory::Memory;
use crate::nat::{ENDLESS, Nat, n};
use crate::read::{self, Read, drain, refreshes};
use crate::verdict::{flag, list, named, no_less, no_more, number, refused};
use serde_json::Value;

/// Verifies the bound of work whose reads are bounded so, whatever bank they are of.
pub fn check(m: Memory, reads: &[Read], work: &Value) -> Result<(), Failure> {
    let at = |name: &str| number(work, name);
    let alone = named(work, "alone")?;
    let (time, count, in_memory) = (
        number(alone, "time_ps")?,
        number(alone, "reads")?,
        number(alone, "in_memory_ps")?,
    );
    let (chain, shortest) = (number(alone, "chain")?, number(alone, "shortest_ps")?);
    let written = number(alone, "write_backs")?;
    let (hits, path) = (number(alone, "hits")?, at("path_ps")?);
    let longest = longest_of(reads, |read| m.longest_ps(read.longest))?;
    let mshrs = at("mshrs")?;
    no_more("alone.in_memory_ps", "reads L", in_memory, count * longest)?;
    // A miss register has one read at a time; that which has it at the begin may have been under way before.
    let most = mshrs * (time + longest);
    no_more("alone.in_memory_ps", "miss registers (time + L)", in_memory, most)?;
    no_more("alone.chain", "reads", chain, count)?;
    no_more("alone.hits", "reads", hits, count)?;
    // A hit was in no controller.
    let least = if hits > n(0) { n(0) } else { shortest };
    no_more("alone.shortest_ps", "0 with hits", shortest, least)?;
    no_more("alone.shortest_ps", "in_memory / reads", count * shortest, in_memory)?;
    no_more(
        "alone.shortest_ps",
        "(time + L) / chain",
        chain * shortest,
        time + longest,
    )?;
    // Of the reads of one miss register each is sent when the one before has ended.
    no_more("alone.reads", "miss registers, a chain each", count, mshrs * chain)?;
    let cached = number(alone, "cached")?;
    let has_window = flag(work, "has_window")?;
    let hit = at("hit_ps")?;
    // In order each read as long as may be, or the longest chain; with a window that, and what registers are in use for besides.
    let delay = |longest: Nat| {
        let of_chain = chain * (longest - shortest) + hits.min(chain) * path;
        if !has_window {
            return of_chain.min(count * longest - in_memory + hits * path);
        }
        let all = count * (longest + path) + cached * hit;
        let beside = all - chain * (longest + path);
        all.over(mshrs).max(of_chain + beside.over(mshrs))
    };
    let costs = Costs::check(m, reads, mshrs, named(work, "costs")?)?;
    let (added, held) = (at("reads_ps")?, at("write_backs_ps")?);
    let (edges, slot) = (at("edges_ps")?, at("slot_ps")?);
    let least = chain * (m.longest_ps(n(1))? + slot) + cached * slot;
    let formula = "chain (a cycle of the memory + a slot) + cached slots";
    no_less("edges_ps", formula, edges, least)?;
    let base = time + added + held + edges;
    if flag(work, "by_budgets")? {
        // What cores with a window move is not known.
        if has_window {
            return refused("by_budgets", "of cores in order", "true", "a window");
        }
        let others = named(work, "others")?;
        let (period, lines) = (number(others, "period_ps")?, number(others, "lines")?);
        let writes = reads.iter().any(|read| read.crowd.writes > n(0));
        let line = if writes {
            costs.read.max(costs.write)
        } else {
            costs.read
        };
        let turns = if writes { costs.turns } else { n(0) };
        let moved = ((time + added) / period + n(2)) * lines;
        let refreshed = if costs.each > n(0) {
            (added / costs.interval + n(1)) * costs.each
        } else {
            n(0)
        };
        let own_read = costs.own_read + (costs.service - shortest);
        let waiting = if writes { written + costs.waiting } else { n(0) };
        let own = count * own_read + waiting * costs.write;
        let least = own + moved * line + (moved + waiting).min(count) * turns + refreshed;
        let formula =
            "reads (service - shortest + rho + A(1) + U) + lines c + own and waiting lines C_w + turns + refreshes";
        no_less("reads_ps", formula, added, least)?;
    } else {
        let room = m.at("writes")? - m.at("drain_low")?.min(m.at("writes")? - n(1));
        let before = before_drains(m, work)?;
        let drains = longest_of(&before, |read| {
            Ok(read.crowd.writes.over(room) * m.longest_ps(read.longest + read.drain)?)
        })?;
        let waits = waits(work)?;
        if waits > n(0) {
            let least = drains + at("path_ps")?;
            no_less("hold_ps", "drains (L + drain) + path", at("hold_ps")?, least)?;
        }
        no_less(
            "write_backs_ps",
            "write-backs / entries, each H",
            held,
            waits * at("hold_ps")?,
        )?;
        // Refreshes by reads, or by time, whatever is less.
        let without = longest_of(reads, |read| m.longest_ps(read.longest - read.refresh))?;
        // Elastic refreshes are owed, and caught up in any interval.
        let by_time = match costs.each > n(0) && m.word("refresh")? != "elastic" {
            true => delay(without) + (base / costs.interval + n(2)) * costs.each,
            false => ENDLESS,
        };
        let formula = "chain (L - shortest) + hits path, with a window and what registers are in use for; or without refreshes, and these by time";
        no_less("reads_ps", formula, added, delay(longest).min(by_time))?;
    }
    let budgets = at("budgets_ps")?;
    let budget = named(work, "budget")?;
    if !budget.is_null() {
        let (period, lines) = (number(budget, "period_ps")?, number(budget, "lines")?);
        let used = count
            + if flag(budget, "count_write_backs")? {
                written
            } else {
                n(0)
            };
        let each = n(2) * (number(budget, "interrupt_ps")? + longest);
        let least = (used / lines.max(n(1)) + n(1)) * period + ((base + budgets) / period + n(2)) * each;
        no_less(
            "budgets_ps",
            "periods lost, and two interrupts a period",
            budgets,
            least,
        )?;
    }
    no_less(
        "longest_ps",
        "time + reads + write-backs + edges + budgets",
        at("longest_ps")?,
        base + budgets,
    )
}

/// How often work waits for displaced lines: a write-back buffer has as many entries as there are miss registers, eight at least, and all are taken then.
pub fn waits(work: &Value) -> Result<Nat, Failure> {
    Ok(number(named(work, "alone")?, "write_backs")? / number(work, "mshrs")?.max(n(8)))
}

/// Verifies bounds of all reads that a drain may wait for.
pub fn before_drains(m: Memory, work: &Value) -> Result<Vec<Read>, Failure> {
    list(work, "before_drains")?
        .iter()
        .map(|bound| read::check(m, bound))
        .collect()
}

fn longest_of(reads: &[Read], of: impl Fn(&Read) -> Result<Nat, Failure>) -> Result<Nat, Failure> {
    reads.iter().try_fold(n(0), |most, read| Ok(of(read)?.max(most)))
}

/// Of lines, in picoseconds.
struct Costs {
    own_read: Nat,
    service: Nat,
    /// Lines that wait.
    waiting: Nat,
    read: Nat,
    write: Nat,
    turns: Nat,
    /// Of refreshes; 0 without.
    interval: Nat,
    each: Nat,
}

impl Costs {
    fn check(m: Memory, reads: &[Read], mshrs: Nat, claimed: &Value) -> Result<Self, Failure> {
        let at = |name: &str| number(claimed, name);
        for Read { crowd: c, service, .. } in reads {
            no_less("costs.service", "that of each crowd", at("service")?, *service)?;
            let waiting = if c.writes > n(0) {
                m.at("writes")? + c.writes
            } else {
                n(0)
            };
            no_less("costs.waiting", "the write buffer, and W", at("waiting")?, waiting)?;
            let line = m.bursts()? * m.any_column(c, "ccd_l")?;
            let row = m
                .at("rc")?
                .max(m.at("rcd")? + m.further()? + m.at("rtp")? + m.at("rp")?);
            let shared = if c.of_bank > mshrs { n(2) * row } else { n(0) };
            let act = m.act_more(c)?.max(m.older_act()?);
            let (turns, write) = drain(m, c)?;
            no_less(
                "costs.own_read",
                "rho + A(1) + U",
                at("own_read")?,
                m.precharge()? + m.acts(c, n(1))?[1] + line,
            )?;
            no_less(
                "costs.read",
                "P + ACT + U, in a shared bank two row cycles",
                at("read")?,
                m.older_precharge()? + act + line + shared,
            )?;
            no_less(
                "costs.write",
                "C_w, in a shared bank two row cycles",
                at("write")?,
                write + shared,
            )?;
            no_less("costs.turns", "a drain besides its writes", at("turns")?, turns)?;
            if let Some((interval, each, _)) = refreshes(m, c)? {
                no_less("costs.refresh", "r", at("refresh")?, each)?;
                if at("interval")? > interval || at("interval")? == n(0) {
                    return refused("costs.interval", "the interval of refreshes", at("interval")?, interval);
                }
            }
        }
        let ps = |name: &str| m.longest_ps(at(name)?);
        Ok(Self {
            own_read: ps("own_read")?,
            service: ps("service")?,
            waiting: at("waiting")?,
            read: ps("read")?,
            write: ps("write")?,
            turns: ps("turns")?,
            interval: m.ps(at("interval")?)?,
            each: ps("refresh")?,
        })
    }
}
