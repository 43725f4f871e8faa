// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names that were told, and why others were not.

use super::basis;
use super::tally::{Level, Quotient, SIGMAS};
use crate::model::Model;
use crate::stats::Proportion;
use serde::Serialize;
use std::fmt;

/// What a function selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A bus of its own: a channel of this or of another memory controller.
    Channel,
    /// Devices that share a bus and are refreshed together.
    Rank,
    /// Banks of a rank that share what keeps reads tCCD_L apart.
    BankGroup,
    /// A bank of its group, or of its rank where there are no groups.
    Bank,
}

impl Kind {
    /// All kinds, from the outermost to the innermost.
    pub const ALL: [Self; 4] = [Self::Channel, Self::Rank, Self::BankGroup, Self::Bank];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Channel => "channel",
            Self::Rank => "rank",
            Self::BankGroup => "bank group",
            Self::Bank => "bank",
        })
    }
}

/// A number that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Number {
    /// What was measured, with its unit.
    pub what: &'static str,
    /// The mean, or the share.
    pub value: f64,
    /// Six standard errors to either side, or Wilson's 95 % of a share.
    pub interval: (f64, f64),
    /// Of how many pairs of lines, or answers.
    pub n: u64,
}

impl Number {
    /// A level.
    pub(super) fn level(what: &'static str, level: &Level) -> Self {
        let reach = SIGMAS * level.error;
        Self {
            what,
            value: level.mean,
            interval: (level.mean - reach, level.mean + reach),
            n: level.n,
        }
    }

    /// A share.
    pub(super) fn share(what: &'static str, hits: u64, n: u64) -> Self {
        let share = Proportion::new(hits, n);
        Self {
            what,
            value: share.value(),
            interval: (share.low, share.high),
            n,
        }
    }
}

/// What is known of the functions of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindVerdict {
    /// The kind.
    pub kind: Kind,
    /// Whether its functions are told apart from all others.
    pub told: bool,
    /// How many there are, where that is told; 0 is a finding, too.
    pub functions: Option<u64>,
    /// Why they are not told.
    pub reason: Option<String>,
    /// What it rests on.
    pub numbers: Vec<Number>,
}

/// A function with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The function: a mask of the bits of (physical address − offset).
    pub function: u128,
    /// What it selects; `None` if that is not told.
    pub kind: Option<Kind>,
    /// What it may select: one kind if it has a name, else all that are left.
    pub may_be: Vec<Kind>,
}

/// All names.
#[derive(Clone, Debug, PartialEq)]
pub struct Names {
    /// A basis of the map's functions, the outermost first. Each is determined up to sums with functions of kinds further out.
    pub functions: Vec<Named>,
    /// One verdict for each kind.
    pub verdicts: Vec<KindVerdict>,
}

impl Names {
    /// Returns true if every function has a name.
    pub fn is_complete(&self) -> bool {
        self.functions.iter().all(|named| named.kind.is_some())
    }

    /// The functions of one kind.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = u128> {
        let own = move |named: &&Named| named.kind == Some(kind);
        self.functions.iter().filter(own).map(|named| named.function)
    }
}

/// Numbers and reasons, while names are looked for.
#[derive(Debug, Default)]
pub(super) struct Story {
    numbers: [Vec<Number>; 4],
    reasons: [Option<String>; 4],
}

impl Story {
    /// The numbers of a kind.
    pub fn of(&mut self, kind: Kind) -> &mut Vec<Number> {
        &mut self.numbers[kind as usize]
    }

    /// Notes that a kind, and with it all further in, is not told.
    pub fn untold(&mut self, kind: Kind, reason: String) -> Vec<Result<Quotient, String>> {
        for inner in Kind::ALL.into_iter().filter(|inner| *inner > kind) {
            self.reasons[inner as usize] = Some(format!("the {kind} is not told"));
        }
        self.reasons[kind as usize] = Some(reason.clone());
        vec![Err(reason)]
    }

    /// The names, of the spaces of functions up to each kind that is told; the last kind is what is left of the others.
    pub fn ends(self, model: &Model, told: &[Quotient]) -> Names {
        let functions = basis::choose(model, told);
        let is_told = |kind: Kind| match kind {
            Kind::Bank => told.len() == 3,
            kind => told.len() > kind as usize,
        };
        let named = functions.into_iter().map(|(function, kind)| Named {
            function,
            kind: kind.filter(|kind| is_told(*kind)),
            may_be: match kind.filter(|kind| is_told(*kind)) {
                Some(kind) => vec![kind],
                None => Kind::ALL.into_iter().filter(|kind| !is_told(*kind)).collect(),
            },
        });
        let functions: Vec<Named> = named.collect();
        let count = |kind: Kind| functions.iter().filter(|named| named.kind == Some(kind)).count() as u64;
        let parts = Kind::ALL.into_iter().zip(self.numbers).zip(self.reasons);
        let verdicts = parts.map(|((kind, numbers), reason)| KindVerdict {
            kind,
            told: is_told(kind),
            functions: is_told(kind).then(|| count(kind)),
            reason: reason.filter(|_| !is_told(kind)),
            numbers,
        });
        Names {
            verdicts: verdicts.collect(),
            functions,
        }
    }
}
