// SPDX-License-Identifier: MIT OR Apache-2.0
//! A read in its controller: the formulas of docs/bound.md, term by term.

use crate::Failure;
use crate::columns::Columns;
use crate::memory::{Crowd, Memory};
use crate::nat::{ENDLESS, Nat, n};
use crate::verdict::{named, no_less, number, refused};
use serde_json::Value;

/// What a verified bound of a read says, in cycles.
pub struct Read {
    pub crowd: Crowd,
    pub longest: Nat,
    pub service: Nat,
    pub refresh: Nat,
    pub drain: Nat,
}

/// What a drain costs besides its writes, and each of these.
pub fn drain(m: Memory, c: &Crowd) -> Result<(Nat, Nat), Failure> {
    let (line, written) = (m.any_column(c, "ccd_l")?, m.any_column(c, "ccd_l_wr")?);
    let (data, rp, rcd, cwl, bursts) = (m.data()?, m.at("rp")?, m.at("rcd")?, m.at("cwl")?, m.bursts()?);
    let banks = m.at("ranks")? * m.at("bank_groups")? * m.at("banks")?;
    let across = if c.ranks > n(1) { m.at("rtrs")? } else { n(0) };
    let row = m.precharge()? + m.acts(c, n(1))?[1];
    let closed = m.closable(true)? + rp;
    let to_writes = m.at("cl")? + data + m.at("rtw_gap")?.max(across) - cwl;
    let to_reads = cwl + data + m.at("wtr_l")?.max(across);
    let opened = rcd
        + (c.reads - n(1)).min(banks) * bursts * line
        + rcd
        + (banks - n(1)).min(m.at("writes")?) * bursts * written;
    let read = Columns::of(m, c, false)?.wait(n(1), n(0), n(0));
    let again = closed + row + c.reads * m.older_precharge()? + read;
    let cycle = row_cycle(m, true)?;
    let write = if m.word("scheduler")? == "fcfs" {
        cycle + row + bursts * m.column(c, "ccd_l_wr")?
    } else {
        let own = cycle + (bursts - n(1)) * m.at("ccd_l_wr")? + m.idle_precharge()?;
        own.max(m.older_precharge()? + m.act_more(c)?.max(m.older_act()?) + bursts * written)
    };
    Ok((opened + to_writes + row + written + to_reads + again, write))
}

/// From a row's last column command, of a write if `written`, to one of another row of its bank.
fn row_cycle(m: Memory, written: bool) -> Result<Nat, Failure> {
    let (rp, rcd) = (m.at("rp")?, m.at("rcd")?);
    Ok((m.closable(written)? + rp).max(m.at("rc")? - rcd) + rcd)
}

/// What those that came before a read cost it until it has a place in a queue.
fn outside(m: Memory, outer: &Crowd, c: &Crowd, drained: Nat) -> Result<Nat, Failure> {
    let (places, bursts) = (m.at("places")?, m.bursts()?);
    let opened = row_cycle(m, c.writes > n(0))? + m.precharge()? + m.acts(c, n(1))?[1];
    let any = opened + bursts * m.any_column(c, "ccd_l")?;
    let with_drains = |reads: Nat, each: Nat| reads * each + reads.over(places.max(n(1))) * drained;
    Ok(match m.word("queues")? {
        "global" => with_drains(outer.reads - places, any),
        "per-bank" => {
            let elsewhere = outer.reads - (places + n(1));
            let each = if m.word("scheduler")? == "fcfs" {
                (elsewhere + n(1)) * any
            } else {
                let columns = Columns::of(m, outer, false)?.wait(n(1), elsewhere, elsewhere);
                opened + columns + elsewhere * (m.older_precharge()? + m.act_more(c)?.max(m.older_act()?))
            };
            with_drains(outer.of_bank - places, each)
        }
        _ => {
            let served = outer.front - (outer.writes + n(1)) - (places - n(1));
            let moved = served * any + outer.front;
            if outer.writes == n(0) {
                return Ok(moved);
            }
            let room = m.at("writes")? - m.at("drain_low")?.min(m.at("writes")? - n(1));
            let (turns, write) = drain(m, outer)?;
            let drains = served / places + outer.writes.over(room) + m.at("channels")?;
            moved + drains * turns + (m.at("channels")? * m.at("writes")? + outer.writes) * write
        }
    })
}

/// The interval of refreshes, what each costs, and how many more there are than fit; `None` without.
pub fn refreshes(m: Memory, c: &Crowd) -> Result<Option<(Nat, Nat, Nat)>, Failure> {
    if m.is("managed")? {
        return refused("refresh", "no refresh management, no activation counting", 1, 0);
    }
    let Some(scheme) = m.scheme()? else { return Ok(None) };
    let pause = m.at("rrd_s")?.max(m.at("faw")? - n(3) * m.at("rrd_s")?);
    if scheme.others > n(0) && m.at("act_delay")? + m.at("rrd_l")? > pause {
        return refused(
            "refresh",
            "tRRD_L no longer than the pauses between ACTs",
            pause,
            m.at("rrd_l")?,
        );
    }
    let (rho, precharge, bursts) = (m.rho()?, m.precharge()?, m.bursts()?);
    let columns = Columns::of(m, c, false)?;
    let one_each = c.ranks == n(1) && !scheme.by_bank;
    let banks = if one_each {
        m.at("bank_groups")? * m.at("banks")?
    } else {
        ENDLESS
    };
    // A read that has begun is not delayed.
    let reads = (c.reads - n(1)).min(banks);
    let acts = m.acts(c, reads.max(n(1)))?;
    let begun = |count: Nat, columns: Nat| -> Result<Nat, Failure> {
        let opened = at(&acts, count);
        Ok(m.at("rp")? + precharge + count * m.older_precharge()? + opened + m.at("rcd")? + columns)
    };
    let mut each = if reads == n(0) {
        n(0)
    } else {
        begun(reads, columns.wait(n(1), reads - n(1), reads - n(1)))?
    };
    if c.writes > n(0) {
        let turn = m.at("cl")?.max(m.at("cwl")?) + m.data()? + m.at("wtr_l")?.max(m.at("rtw_gap")?) + m.at("rtrs")?;
        each = each + turn + begun(n(1), bursts * m.column(c, "ccd_l_wr")?)?;
    }
    let again = acts[1] + columns.wait(n(1), n(0), n(0)) + c.reads.min(banks) * m.older_precharge()?;
    let of_others = m.at("refresh_to_act_other")? + precharge + m.older_act()? + rho;
    let ranks = (m.at("ranks")? - n(1)) * (n(1) + scheme.others) * n(2) * (m.at("pre_slots")? + rho);
    each = each + m.closable(c.writes > n(0))? + again + m.at("rp_ab")?.max(m.at("rp")?) + rho + scheme.takes;
    Ok(Some((
        scheme.interval,
        each + scheme.others * of_others + ranks,
        scheme.more,
    )))
}

/// A(k); no end beyond those that there may be.
fn at(acts: &[Nat], k: Nat) -> Nat {
    let k = usize::try_from(k.0).ok();
    k.and_then(|k| acts.get(k)).copied().unwrap_or(ENDLESS)
}

/// Verifies one bound among a crowd.
pub fn check(m: Memory, bound: &Value) -> Result<Read, Failure> {
    let outer = crowd(named(bound, "crowd")?)?;
    let terms = named(bound, "terms")?;
    let claimed = |name: &str| number(terms, name);
    let (places, by_bank) = (m.at("places")?, m.word("queues")? != "global");
    // What the scheduler sees at once.
    let mut c = outer;
    if by_bank {
        c.of_bank = c.of_bank.min(places.max(n(1)));
    } else {
        c.reads = c.reads.min(places.max(n(1)));
        c.of_rank = c.of_rank.min(c.reads);
        c.of_group = c.of_group.min(c.of_rank);
        c.of_bank = c.of_bank.min(c.of_group);
        c.of_others = c.of_others.min(c.reads - n(1));
    }
    let bus = m.at("ccd_s")?.min(m.data()? + m.at("rtrs")?);
    if !m.is("column_bus")? && bus <= m.at("column_slots")? {
        return refused("command bus", "column commands leave room", bus, m.at("column_slots")?);
    }
    if c.writes > n(0) && !m.is("drain_once")? {
        return refused("drain", "writes only with drain_once", 0, 1);
    }
    let inside = c == outer;
    own_and_others(m, &c, inside, bound)?;
    let drained = if c.writes > n(0) {
        let (turns, write) = drain(m, &c)?;
        turns + m.at("writes")? * write
    } else {
        n(0)
    };
    no_less(
        "drain",
        "turns + writes of the buffer, C_w each",
        claimed("drain")?,
        drained,
    )?;
    let waits = outside(m, &outer, &c, claimed("drain")?)?;
    no_less("queue", "those before it, and drains", claimed("queue")?, waits)?;
    let parts = ["service", "bank", "overtaking", "activations", "bus", "drain", "queue"];
    let mut busy = n(0);
    for part in parts {
        busy = busy + claimed(part)?;
    }
    let whole = busy + claimed("refresh")?;
    if let Some((interval, each, more)) = refreshes(m, &c)? {
        let witness = named(bound, "refreshes")?;
        let (claimed_each, met) = (number(witness, "each")?, number(witness, "met")?);
        no_less("refreshes.each", "r", claimed_each, each)?;
        no_less(
            "refreshes.met",
            "(L + r)/tREFI + 1",
            met,
            (whole + claimed_each) / interval + n(1) + more,
        )?;
        // One row that is counted as closed has been closed by a refresh.
        let read = m.at("rtp")?.max(m.at("ras")? - m.at("rcd")?);
        let saved = m.at("rp")? + closing(m, &c, inside)?.min(read);
        no_less(
            "refresh",
            "refreshes met, r each, less a row that these close",
            claimed("refresh")?,
            met * claimed_each - saved,
        )?;
    }
    let longest = number(bound, "longest")?;
    no_less("longest", "the sum of the terms", longest, whole)?;
    Ok(Read {
        crowd: outer,
        longest,
        service: claimed("service")?,
        refresh: claimed("refresh")?,
        drain: claimed("drain")?,
    })
}

/// From the arrival of a read until its bank may be closed.
fn closing(m: Memory, c: &Crowd, inside: bool) -> Result<Nat, Failure> {
    let (rp, rcd, rc) = (m.at("rp")?, m.at("rcd")?, m.at("rc")?);
    let closable = m.closable(c.writes > n(0))?.max(rc - rcd - rp);
    let data = m.at("cl")? + m.data()?;
    Ok(match inside && c.writes == n(0) {
        true if c.of_bank == n(1) => closable - data,
        true => closable - data.min(row(m)?),
        false => closable,
    })
}

/// A row cycle of reads.
fn row(m: Memory) -> Result<Nat, Failure> {
    let cycle = m.at("rcd")? + m.further()? + m.at("rtp")? + m.at("rp")?;
    Ok(cycle.max(m.at("rc")?))
}

/// All but drains, refreshes and queues.
fn own_and_others(m: Memory, c: &Crowd, inside: bool, bound: &Value) -> Result<(), Failure> {
    let terms = named(bound, "terms")?;
    let holds = |name: &str, formula, least| no_less(name, formula, number(terms, name)?, least);
    let (rp, rcd, further) = (m.at("rp")?, m.at("rcd")?, m.further()?);
    let turned = m.at("cwl")? + m.data()? + m.at("wtr_l")?.max(m.at("rtrs")?);
    let opened = (closing(m, c, inside)? + rp + rcd).max(if c.writes > n(0) { turned } else { n(0) });
    let formula = "1 + wait for PRE + tRP + tRCD + CL + BL/2";
    holds("service", formula, n(1) + opened + m.read_data()?)?;
    if c.reads == n(1) {
        return holds("activations", "PREs of rows that nobody wants", m.idle_before()?);
    }
    let columns = Columns::of(m, c, inside)?;
    if m.word("scheduler")? == "fcfs" {
        let opening = m.precharge()? + m.acts(c, n(1))?[1];
        holds(
            "bank",
            "(T - 1) row cycles",
            (c.reads - n(1)) * (row_cycle(m, false)? + further),
        )?;
        holds("activations", "T (P + A(1))", c.reads * opening)?;
        return holds("bus", "T U", c.reads * (columns.line - further));
    }
    if c.of_bank == n(1) {
        return alone_in_bank(m, c, inside, &columns, bound);
    }
    let (elsewhere, of_rank) = (c.reads - c.of_bank, c.of_rank - c.of_bank);
    let rows = elsewhere * m.older_precharge()? + (elsewhere - of_rank) * m.older_act()?;
    let older = c.of_bank - n(1);
    holds("bank", "(Q - 1) row cycles", older * row(m)?)?;
    let openings = if elsewhere == n(0) { older } else { c.of_bank };
    let opening = m.precharge()? + m.own_acts(c, n(1))?[1];
    let opened = openings * opening + rows + of_rank * m.own_act_more(c)?;
    holds("activations", "openings (P + A(1)) + those elsewhere", opened)?;
    let waits = columns.wait(openings, elsewhere, of_rank) - openings * (n(1) + further);
    holds("bus", "the columns of the openings and of those elsewhere", waits)?;
    let data = m.at("cl")? + m.data()?;
    let closes = m.at("rtp")? + m.precharge()? + (c.reads - n(1)) * (m.older_precharge()? + m.older_act()?);
    let one_by_one = m.cap()?.min(n(1) + m.closable(c.writes > n(0))?.over(data));
    let after = |others: Nat| columns.wait(n(1), others, others.min(c.of_rank - n(1)));
    let mut overtaken = n(0);
    for waiting in 0..older.0 {
        let last = inside && n(waiting + 2) == c.of_bank && closes < data;
        let hits = if last { one_by_one } else { m.cap()? };
        overtaken = overtaken + hits * after(c.reads - n(waiting + 2));
    }
    // And of a row that a drain has opened for a write.
    if c.writes > n(0) {
        overtaken = overtaken + m.cap()? * after(c.reads - n(2));
    }
    holds(
        "overtaking",
        "N hits of each opening, each after those elsewhere",
        overtaken,
    )
}

/// Of a read with a bank of its own.
fn alone_in_bank(m: Memory, c: &Crowd, inside: bool, columns: &Columns, bound: &Value) -> Result<(), Failure> {
    let terms = named(bound, "terms")?;
    let further = m.further()?;
    let (elsewhere, of_rank) = (c.reads - n(1), c.of_rank - n(1));
    let data = m.at("cl")? + m.data()?;
    // Within less time than a read takes from a command to the next of that kind there is one of each at most.
    let few = |window: Nat, again: Nat| inside && window < again;
    let precharges = m.precharge()? + elsewhere * m.older_precharge()?;
    let is_open = m.idle_before()? == n(0);
    let precharges = match is_open && few(precharges, m.at("rp")? + m.at("rcd")? + data) {
        true => m.precharge()? + (elsewhere - n(1)) * m.older_precharge()?,
        false => precharges,
    };
    let rho = m.rho()?;
    let acts = m.own_acts(c, of_rank + n(1))?;
    let all_acts = at(&acts, of_rank.max(n(1))) + rho + n(1);
    let few_acts = few(all_acts + m.own_act_more(c)?, m.at("rcd")? + data);
    let opened = |j: Nat| match few_acts {
        true => at(&acts, j + n(1)).min(all_acts),
        false => at(&acts, j + n(1)),
    };
    let lines = |line: Nat, older: Nat| {
        let all = (older + n(1)) * line;
        match few(elsewhere * line + rho, data) {
            true => all.min(elsewhere * line + rho + n(1)),
            false => all,
        }
    };
    let rows = precharges + (elsewhere - of_rank) * m.older_act()?;
    let (activations, bus) = (number(terms, "activations")?, number(terms, "bus")?);
    // Either the largest sum of all j, with a bus that is busy before, or all that can come once the read can go.
    let once_ready = match c.ranks == n(1) {
        true => Some(lines(columns.ready, elsewhere)),
        false => columns.once_ready(elsewhere, of_rank),
    };
    if let Some(wait) = once_ready
        && activations >= rows + opened(of_rank)
        && bus >= wait - (n(1) + further)
    {
        return Ok(());
    }
    for j in 0..=of_rank.0.min(1 << 20) {
        let sum = rows + opened(n(j)) + lines(columns.line, elsewhere - n(j)) - (n(1) + further);
        let formula = "PREs + A(j + 1) + (n - j + 1) u for each j";
        no_less(&format!("activations + bus, j = {j}"), formula, activations + bus, sum)?;
    }
    let j = number(bound, "open")?;
    no_less("activations", "PREs + A(j + 1)", activations, rows + opened(j))?;
    let waits = lines(columns.line, elsewhere - j) - (n(1) + further);
    no_less("bus", "(n - j + 1) u", bus, waits)
}

fn crowd(of: &Value) -> Result<Crowd, Failure> {
    let at = |name| number(of, name);
    let c = Crowd {
        reads: at("reads")?,
        of_rank: at("of_rank")?,
        of_group: at("of_group")?,
        of_bank: at("of_bank")?,
        of_others: at("of_other_ranks")?,
        ranks: at("ranks")?,
        writes: at("waiting_writes")?,
        front: at("front")?,
    };
    let nested = n(1) <= c.of_bank && c.of_bank <= c.of_group && c.of_group <= c.of_rank && c.of_rank <= c.reads;
    let others = c.reads - c.of_rank <= c.of_others && c.of_others < c.reads;
    let ordered = nested && others && c.reads < n(1 << 20) && c.ranks >= n(1);
    match ordered {
        true => Ok(c),
        false => refused(
            "crowd",
            "1 <= Q <= G <= S <= T < 2^20, T - S <= O < T, a rank at least",
            c,
            "others",
        ),
    }
}
