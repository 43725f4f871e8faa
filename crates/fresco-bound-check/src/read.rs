// SPDX-License-Identifier: MIT OR Apache-2.0
//! A read in its controller: the formulas of docs/bound.md, term by term.

use crate::Failure;
use crate::memory::{Crowd, Memory};
use crate::nat::{ENDLESS, Nat, n};
use crate::verdict::{named, no_less, number, refused};
use serde_json::Value;

/// What a verified bound of a read says, in cycles.
pub struct Read {
    pub crowd: Crowd,
    pub longest: Nat,
    pub refresh: Nat,
    pub drain: Nat,
}

/// What a drain costs besides its writes, and each of these.
pub fn drain(m: Memory, c: &Crowd) -> Result<(Nat, Nat), Failure> {
    let (line, written) = (m.line(c, "ccd_l")?, m.line(c, "ccd_l_wr")?);
    let (data, rp, rcd, cwl) = (m.data()?, m.at("rp")?, m.at("rcd")?, m.at("cwl")?);
    let banks = m.at("ranks")? * m.at("bank_groups")? * m.at("banks")?;
    let across = if c.ranks > n(1) { m.at("rtrs")? } else { n(0) };
    let row = m.precharge()? + m.acts(c, n(1))?[1];
    let closed = m.closable(true)? + rp;
    let to_writes = m.at("cl")? + data + m.at("rtw_gap")?.max(across) - cwl;
    let to_reads = cwl + data + m.at("wtr_l")?.max(across);
    let opened = rcd + (c.reads - n(1)).min(banks) * line + rcd + (banks - n(1)).min(m.at("writes")?) * written;
    let again = closed + row + c.reads * m.older_precharge()? + line;
    let write = closed.max(m.at("rc")? - rcd) + row + rcd + written;
    Ok((opened + to_writes + to_reads + again, write))
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
    let (line, written, rho, precharge) = (m.line(c, "ccd_l")?, m.line(c, "ccd_l_wr")?, m.rho()?, m.precharge()?);
    let one_each = c.ranks == n(1) && !scheme.by_bank;
    let banks = if one_each {
        m.at("bank_groups")? * m.at("banks")?
    } else {
        ENDLESS
    };
    let (reads, writes) = (c.reads.min(banks), m.at("writes")?.min(banks));
    let acts = m.acts(c, reads.max(writes))?;
    let begun = |count: Nat, line: Nat| -> Result<Nat, Failure> {
        let opened = at(&acts, count);
        Ok(m.at("rp")? + precharge + count * m.older_precharge()? + opened + m.at("rcd")? + count * line)
    };
    let mut each = begun(reads, line)?;
    if c.writes > n(0) {
        let turn = m.at("cl")?.max(m.at("cwl")?) + m.data()? + m.at("wtr_l")?.max(m.at("rtw_gap")?) + m.at("rtrs")?;
        each = each + turn + begun(writes, written)?;
    }
    let again = acts[1] + line + reads * m.older_precharge()?;
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
        c.of_bank = c.of_bank.min(c.of_rank);
    }
    let bus = m.at("ccd_s")?.min(m.data()? + m.at("rtrs")?);
    if !m.is("column_bus")? && bus <= m.at("column_slots")? {
        return refused("command bus", "column commands leave room", bus, m.at("column_slots")?);
    }
    if c.writes > n(0) && !m.is("drain_once")? {
        return refused("drain", "writes only with drain_once", 0, 1);
    }
    own_and_others(m, &c, bound)?;
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
    let parts = ["service", "bank", "overtaking", "activations", "bus", "drain"];
    let mut busy = n(0);
    for part in parts {
        busy = busy + claimed(part)?;
    }
    let inside = busy + claimed("refresh")?;
    if let Some((interval, each, more)) = refreshes(m, &c)? {
        let witness = named(bound, "refreshes")?;
        let (claimed_each, met) = (number(witness, "each")?, number(witness, "met")?);
        no_less("refreshes.each", "r", claimed_each, each)?;
        no_less(
            "refreshes.met",
            "(L + r)/tREFI + 1",
            met,
            (inside + claimed_each) / interval + n(1) + more,
        )?;
        no_less(
            "refresh",
            "refreshes met, r each",
            claimed("refresh")?,
            met * claimed_each,
        )?;
    }
    let over = |most: Nat| (most - places) * inside;
    let waits = match m.word("queues")? {
        "global" => over(outer.reads),
        "per-bank" => over(outer.of_bank),
        _ => {
            let full = if outer.front >= places {
                outer.front * inside
            } else {
                n(0)
            };
            let room = m.at("writes")? - m.at("drain_low")?.min(m.at("writes")? - n(1));
            let drains = if c.writes > n(0) { outer.front.over(room) } else { n(0) };
            full + drains * (inside + claimed("drain")?) + outer.front
        }
    };
    no_less("queue", "those before it, L each", claimed("queue")?, waits)?;
    let longest = number(bound, "longest")?;
    no_less("longest", "the sum of the terms", longest, inside + claimed("queue")?)?;
    Ok(Read {
        crowd: outer,
        longest,
        refresh: claimed("refresh")?,
        drain: claimed("drain")?,
    })
}

/// All but drains, refreshes and queues.
fn own_and_others(m: Memory, c: &Crowd, bound: &Value) -> Result<(), Failure> {
    let terms = named(bound, "terms")?;
    let holds = |name: &str, formula, least| no_less(name, formula, number(terms, name)?, least);
    let (rp, rcd, rc, further) = (m.at("rp")?, m.at("rcd")?, m.at("rc")?, m.further()?);
    let closable = m.closable(c.writes > n(0))?.max(rc - rcd - rp);
    let turned = m.at("cwl")? + m.data()? + m.at("wtr_l")?.max(m.at("rtrs")?);
    let opened = (closable + rp + rcd).max(if c.writes > n(0) { turned } else { n(0) });
    let formula = "1 + wait for PRE + tRP + tRCD + CL + BL/2";
    holds("service", formula, n(1) + opened + m.read_data()?)?;
    let line = m.line(c, "ccd_l")?;
    let (elsewhere, of_rank) = (c.reads - c.of_bank, c.of_rank - c.of_bank);
    let acts = m.acts(c, of_rank + n(1))?;
    let opening = m.precharge()? + acts[1];
    if c.reads == n(1) {
        return Ok(());
    }
    if m.word("scheduler")? == "fcfs" {
        let closed = m.closable(false)? + rp;
        holds(
            "bank",
            "(T - 1) row cycles",
            (c.reads - n(1)) * (closed.max(rc - rcd) + rcd + further),
        )?;
        holds("activations", "T (P + A(1))", c.reads * opening)?;
        return holds("bus", "T U", c.reads * (line - further));
    }
    let rows = elsewhere * m.older_precharge()? + (elsewhere - of_rank) * m.older_act()?;
    let waits = |lines: Nat| lines * line - (n(1) + further);
    if c.of_bank == n(1) {
        let (activations, bus) = (number(terms, "activations")?, number(terms, "bus")?);
        for (j, act) in acts.iter().skip(1).enumerate() {
            let sum = m.precharge()? + rows + *act + waits(elsewhere + n(1) - n(j as u128));
            let formula = "rho + n P + A(j + 1) + (n - j + 1) U - 1 for each j";
            no_less(&format!("activations + bus, j = {j}"), formula, activations + bus, sum)?;
        }
        let j = number(bound, "open")?;
        let act = at(&acts, j + n(1));
        holds("activations", "rho + n P + A(j + 1)", m.precharge()? + rows + act)?;
        return holds("bus", "(n - j + 1) U - 1", waits(elsewhere + n(1) - j));
    }
    let older = c.of_bank - n(1);
    holds(
        "bank",
        "(Q - 1) row cycles",
        older * rc.max(rcd + further + m.at("rtp")? + rp),
    )?;
    let opened = c.of_bank * opening + rows + of_rank * m.act_more(c)?;
    holds("activations", "Q (P + A(1)) + those elsewhere", opened)?;
    holds("bus", "Q (U - 1) + n U", c.of_bank * waits(n(1)) + elsewhere * line)?;
    holds(
        "overtaking",
        "(Q - 1) N (T - 1) U",
        older * m.cap()? * (c.reads - n(1)) * line,
    )
}

fn crowd(of: &Value) -> Result<Crowd, Failure> {
    let at = |name| number(of, name);
    let c = Crowd {
        reads: at("reads")?,
        of_rank: at("of_rank")?,
        of_bank: at("of_bank")?,
        ranks: at("ranks")?,
        writes: at("waiting_writes")?,
        front: at("front")?,
    };
    let ordered =
        c.reads < n(1 << 20) && n(1) <= c.of_bank && c.of_bank <= c.of_rank && c.of_rank <= c.reads && c.ranks >= n(1);
    match ordered {
        true => Ok(c),
        false => refused(
            "crowd",
            "1 <= Q <= S <= T < 2^20, a rank at least",
            format!("{c:?}"),
            "others",
        ),
    }
}
