// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long column commands wait for others: U of docs/bound.md, and what ranks that hand the bus over add.

use crate::Failure;
use crate::memory::{Crowd, Memory, after};
use crate::nat::{Nat, n};

/// Waits for reads of others.
pub struct Columns {
    /// u, a line.
    pub line: Nat,
    /// The same while the read itself can go.
    pub ready: Nat,
    ranks: Option<Ranks>,
}

/// Where a rank keeps the bus until it is handed over.
struct Ranks {
    others: Nat,
    within: Nat,
    cap: Nat,
    first: Nat,
    older: Nat,
    handed_over: Nat,
}

impl Columns {
    /// Of a crowd; `inside` if all of it fits into the queues.
    pub fn of(m: Memory, c: &Crowd, inside: bool) -> Result<Self, Failure> {
        let (short, bursts, beta) = (m.at("ccd_s")?, m.bursts()?, m.begun()?);
        let apart = c.of_bank == n(1) && c.of_group == n(1);
        let long = if apart { short } else { m.at("ccd_l")? };
        let step = if apart { short } else { after(long, short) };
        let across = m.data()? + m.at("rtrs")?;
        let (within, turn) = (bursts * (step + beta), step.max(across) + beta);
        let line = bursts * m.column(c, "ccd_l")?;
        if c.ranks == n(1) || m.word("scheduler")? == "fcfs" || long > across {
            return Ok(Self {
                line,
                ready: within,
                ranks: None,
            });
        }
        let cap = m.cap()?.max(n(1));
        // A core's next read comes too late to keep the bus.
        let ends = inside && c.of_others * (across + beta) <= m.at("cl")? + m.data()?;
        let kept = if ends { cap.min(c.of_others) } else { cap } * within;
        let ranks = Ranks {
            others: c.of_others,
            within,
            cap,
            first: kept + n(2) * turn,
            older: if ends {
                n(0)
            } else {
                m.at("rcd")? + (cap + n(1)) * within + turn
            },
            handed_over: n(2) * turn + if ends { kept } else { n(0) },
        };
        Ok(Self {
            line,
            ready: within,
            ranks: Some(ranks),
        })
    }

    /// So many lines of the bank and older ones elsewhere, of which so many at most are of the rank.
    pub fn wait(&self, own: Nat, older: Nat, of_rank: Nat) -> Nat {
        let plain = (own + older) * self.line;
        self.ranks
            .as_ref()
            .map_or(plain, |ranks| plain.min(ranks.wait(own, older, of_rank)))
    }

    /// The same of one line, counted from when it can go.
    pub fn once_ready(&self, older: Nat, of_rank: Nat) -> Option<Nat> {
        Some(self.ranks.as_ref()?.wait(n(1), older, of_rank))
    }
}

impl Ranks {
    fn wait(&self, own: Nat, older: Nat, of_rank: Nat) -> Nat {
        let others = self.others.min(older);
        let of_rank = if self.older == n(0) {
            of_rank.min(older)
        } else {
            older - others
        };
        own * (self.within + self.first)
            + of_rank * self.within
            + others * self.older
            + (of_rank + own) / self.cap * self.handed_over
    }
}
