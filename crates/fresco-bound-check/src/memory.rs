// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a certificate says of the memory, and what follows from it alone or with who may be under way: costs, in cycles.

use crate::Failure;
use crate::nat::{ENDLESS, Nat, n};
use crate::verdict::{named, number};
use serde_json::Value;
use std::fmt;

/// Inputs by name.
#[derive(Clone, Copy)]
pub struct Memory<'v>(pub &'v Value);

/// Who may be under way: T, S, G, Q and O of docs/bound.md, ranks in use, W, and requests in a front queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crowd {
    pub reads: Nat,
    pub of_rank: Nat,
    pub of_group: Nat,
    pub of_bank: Nat,
    pub of_others: Nat,
    pub ranks: Nat,
    pub writes: Nat,
    pub front: Nat,
}

impl fmt::Display for Crowd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "reads {}, of_rank {}, of_group {}, of_bank {}, of_other_ranks {}, ranks {}, waiting_writes {}, front {}",
            self.reads, self.of_rank, self.of_group, self.of_bank, self.of_others, self.ranks, self.writes, self.front
        )
    }
}

/// What refreshes of a bank are.
pub struct Scheme {
    pub interval: Nat,
    /// So many more than fit.
    pub more: Nat,
    pub takes: Nat,
    /// Refreshes of other banks for each of its own.
    pub others: Nat,
    pub by_bank: bool,
}

pub fn after(same: Nat, other: Nat) -> Nat {
    if same > other { same + other - n(1) } else { same }
}

impl<'v> Memory<'v> {
    pub fn at(self, name: &str) -> Result<Nat, Failure> {
        number(self.0, name)
    }

    pub fn word(self, name: &str) -> Result<&'v str, Failure> {
        let found = named(self.0, name)?.as_str();
        found.ok_or_else(|| Failure::broken(format!("{name} is no word")))
    }

    pub fn is(self, name: &str) -> Result<bool, Failure> {
        Ok(self.at(name)? > n(0))
    }

    /// N, row hits that may overtake.
    pub fn cap(self) -> Result<Nat, Failure> {
        match named(self.0, "hit_cap")?.as_str() {
            Some("none") => Ok(ENDLESS),
            _ => self.at("hit_cap"),
        }
    }

    /// Picoseconds of cycles.
    pub fn ps(self, cycles: Nat) -> Result<Nat, Failure> {
        Ok(cycles * n(1_000_000) * self.at("transfers")? / self.at("rate_mts")?)
    }

    /// As [`ps`](Self::ps), rounded up: what is shown of a bound.
    pub fn longest_ps(self, cycles: Nat) -> Result<Nat, Failure> {
        Ok((cycles * n(1_000_000) * self.at("transfers")?).over(self.at("rate_mts")?))
    }

    /// BL/2.
    pub fn data(self) -> Result<Nat, Failure> {
        Ok(self.at("burst_length")? / self.at("transfers")?)
    }

    /// L, bursts of a line.
    pub fn bursts(self) -> Result<Nat, Failure> {
        Ok((self.at("line_bytes")? / (self.at("burst_length")? * self.at("bus_bytes")?)).max(n(1)))
    }

    /// Bursts of a line after the first.
    pub fn further(self) -> Result<Nat, Failure> {
        Ok((self.bursts()? - n(1)) * self.at("ccd_l")?)
    }

    /// From a column command to all data of its line.
    pub fn read_data(self) -> Result<Nat, Failure> {
        Ok(self.further()? + self.at("cl")? + self.data()?)
    }

    fn slots_before(self) -> Result<Nat, Failure> {
        Ok(if self.is("column_bus")? {
            n(0)
        } else {
            self.at("column_slots")?
        })
    }

    /// β, the rest of a begun command before a column command.
    pub fn begun(self) -> Result<Nat, Failure> {
        let longest = self
            .at("act_slots")?
            .max(self.at("pre_slots")?)
            .max(self.at("column_slots")?);
        Ok(if self.is("column_bus")? { n(0) } else { longest - n(1) })
    }

    /// ρ
    pub fn rho(self) -> Result<Nat, Failure> {
        let row = self.at("act_slots")?.max(self.at("pre_slots")?);
        Ok(match self.is("column_bus")? {
            true => row - n(1),
            false => self.begun()? + self.at("column_slots")?,
        })
    }

    /// A PRE that could go.
    pub fn precharge(self) -> Result<Nat, Failure> {
        Ok(self.rho()? + self.at("ppd")?.max(n(1)) - n(1))
    }

    /// P, an older PRE.
    pub fn older_precharge(self) -> Result<Nat, Failure> {
        Ok(self.at("ppd")?.max(self.at("pre_slots")?) + self.slots_before()?)
    }

    /// An older ACT of another rank.
    pub fn older_act(self) -> Result<Nat, Failure> {
        Ok(self.at("act_slots")? + self.slots_before()?)
    }

    /// From the row's last command until PRE may go.
    pub fn closable(self, written: bool) -> Result<Nat, Failure> {
        let read = self.at("rtp")?.max(self.at("ras")? - self.at("rcd")?);
        let write = self.at("cwl")? + self.data()? + self.at("wr")?;
        Ok(if written { read.max(write) } else { read })
    }

    /// U
    pub fn column(self, c: &Crowd, same: &str) -> Result<Nat, Failure> {
        let (same, begun) = (self.at(same)?, self.begun()?);
        let within = after(same, self.at("ccd_s")?);
        let across = self.data()? + self.at("rtrs")?;
        Ok(match (c.ranks == n(1), self.word("scheduler")?) {
            (true, _) => within + begun,
            (false, "fcfs") => same.max(across) + begun,
            _ => (self.cap()?.max(n(1)) * self.bursts()? + n(1)) * (within.max(across) + begun) + self.at("rcd")?,
        })
    }

    /// The next column command comes so long after the one before it while any line can go, those within a bank group `same` apart.
    pub fn any_column(self, c: &Crowd, same: &str) -> Result<Nat, Failure> {
        let within = after(self.at(same)?, self.at("ccd_s")?);
        let across = if c.ranks > n(1) {
            self.data()? + self.at("rtrs")?
        } else {
            n(0)
        };
        Ok(within.max(across) + self.begun()?)
    }

    /// What they cost a read that nobody else keeps waiting.
    pub fn idle_before(self) -> Result<Nat, Failure> {
        Ok(match self.word("page")? {
            "open" => n(0),
            _ => self.precharge()? + n(2) * self.rho()?,
        })
    }

    /// What rows that nobody wants cost a write when they are closed.
    pub fn idle_precharge(self) -> Result<Nat, Failure> {
        let row = self.at("act_slots")?.max(self.at("pre_slots")?);
        Ok(match self.word("page")? {
            "open" => n(0),
            _ => self.rho()? + self.at("ppd")?.max(self.at("pre_slots")?) + row,
        })
    }

    /// A(0) = 0, A(1), …, A(last)
    pub fn acts(self, c: &Crowd, last: Nat) -> Result<Vec<Nat>, Failure> {
        self.acts_apart(c, last, self.at("rrd_l")?)
    }

    /// Those for which the read's own ACT waits: nobody else may be in its bank group.
    pub fn own_acts(self, c: &Crowd, last: Nat) -> Result<Vec<Nat>, Failure> {
        self.acts_apart(c, last, self.own_distance(c)?)
    }

    fn own_distance(self, c: &Crowd) -> Result<Nat, Failure> {
        self.at(if c.of_group == c.of_bank { "rrd_s" } else { "rrd_l" })
    }

    fn acts_apart(self, c: &Crowd, last: Nat, long: Nat) -> Result<Vec<Nat>, Failure> {
        let short = self.at("rrd_s")?;
        let (a, rho, groups) = (after(long, short), self.rho()?, long > short);
        let window = self.window(c)?;
        let mut acts = vec![n(0)];
        for k in 1..=usize::try_from(last.0.min(MOST_ACTS)).unwrap_or(0) {
            let next = if k == 1 { a - n(1) } else { acts[k - 1] + a };
            let fourth = match (groups, k) {
                (true, 3..) => acts[k - 2] + window,
                (false, 5..) => acts[k - 4] + window,
                // Of those that went before.
                (true, _) => long - n(1) + window - n(5 - 2 * k as u128) * short - n(1),
                (false, _) => window - n(4 - k as u128) * short - n(1),
            };
            acts.push(next.max(fourth) + rho);
        }
        Ok(acts)
    }

    /// What an older ACT of the rank adds where they are many.
    pub fn act_more(self, c: &Crowd) -> Result<Nat, Failure> {
        self.more_apart(c, self.at("rrd_l")?)
    }

    /// The same for the read's own ACT.
    pub fn own_act_more(self, c: &Crowd) -> Result<Nat, Failure> {
        self.more_apart(c, self.own_distance(c)?)
    }

    fn more_apart(self, c: &Crowd, long: Nat) -> Result<Nat, Failure> {
        let short = self.at("rrd_s")?;
        let share = self.window(c)?.over(n(if long > short { 2 } else { 4 }));
        Ok(after(long, short).max(share) + self.rho()?)
    }

    /// tFAW, but 0 where it holds back nothing.
    fn window(self, c: &Crowd) -> Result<Nat, Failure> {
        let faw = self.at("faw")?;
        let is_idle = c.of_rank <= n(4) && c.writes == n(0) && faw <= self.at("rcd")? + self.read_data()?;
        Ok(if is_idle { n(0) } else { faw })
    }

    /// `None` without refresh.
    pub fn scheme(self) -> Result<Option<Scheme>, Failure> {
        let (refi, refw) = (self.at("refi")?, self.at("refw")?);
        let (ranks_banks, rounds) = (
            self.at("bank_groups")? * self.at("banks")?,
            self.at("bank_refreshes")?.max(n(1)),
        );
        let units = if self.is("paired_refresh")? {
            (ranks_banks / n(2)).max(n(1))
        } else {
            ranks_banks
        };
        let owed = refi.min(refw / (self.at("refreshes")? + self.at("postponable")? + n(1)));
        let whole = |interval, more, takes| Scheme {
            interval,
            more: n(more),
            takes,
            others: n(0),
            by_bank: false,
        };
        let bank = |rounds, more, takes, of| Scheme {
            interval: refw / rounds,
            more: n(more),
            takes,
            others: of - n(1),
            by_bank: true,
        };
        Ok(Some(match self.word("refresh")? {
            "none" => return Ok(None),
            "all-bank-simultaneous" | "all-bank-independent" => whole(refi, 0, self.at("rfc_ab")?),
            "elastic" => whole(owed, 1, self.at("rfc_ab")?),
            "adaptive" => whole(owed / n(4), 4, self.at("rfc_ab")?),
            "burst" => whole(refw - refi, 0, self.at("refreshes")? * self.at("rfc_ab")?),
            "per-bank" => bank(rounds, 0, self.at("rfc_pb")?, units),
            "per-bank-out-of-order" => bank(rounds, 1, self.at("rfc_pb")?, units),
            "per-bank-sequential" => bank(
                (self.at("bank_refreshes")? * units).max(n(1)),
                0,
                self.at("rfc_pb")?,
                n(1),
            ),
            "same-bank" => bank(rounds, 0, self.at("rfc_sb")?, self.at("banks")?),
            other => return Err(Failure::broken(format!("refresh {other:?} is none that is known"))),
        }))
    }
}

/// More ACTs than any controller holds: a file may name any number.
const MOST_ACTS: u128 = 1 << 20;
