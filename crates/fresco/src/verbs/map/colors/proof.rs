// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proves that two sets of colors share no bank, or names the banks that they share.

use fresco_dram::ColorSpace;
use fresco_dram::color::{Separation, format_list};
use fresco_dram::map::xor_text;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Two sets of bank colors, and the proof that they share no bank, or the banks they share.
#[derive(Debug, Serialize)]
pub struct Proof {
    a: Vec<u32>,
    b: Vec<u32>,
    disjoint: bool,
    shared_banks: Vec<u32>,
    reasons: Vec<Reason>,
}

/// Why pairs of colors, one of each set, share no bank.
#[derive(Debug, Serialize)]
struct Reason {
    reason: String,
    pairs: u64,
}

impl Proof {
    /// Compares the banks, and gives each pair of colors a reason.
    pub fn new(space: &ColorSpace, a: &[u32], b: &[u32]) -> Self {
        let shared_banks = space
            .disjoint_sets(a, b)
            .err()
            .map_or_else(Vec::new, |shared| shared.banks);
        let one_pair = a.len() == 1 && b.len() == 1;
        let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
        for (&a, &b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
            if let Ok(separation) = space.disjoint(a, b) {
                // The values of one pair are part of its proof; of many pairs, the function alone.
                let reason = match one_pair {
                    true => separation.to_string(),
                    false => differing(&separation),
                };
                *reasons.entry(reason).or_default() += 1;
            }
        }
        Self {
            a: a.to_vec(),
            b: b.to_vec(),
            disjoint: shared_banks.is_empty(),
            shared_banks,
            reasons: reasons
                .into_iter()
                .map(|(reason, pairs)| Reason { reason, pairs })
                .collect(),
        }
    }

    /// Whether they share no bank.
    pub fn holds(&self) -> bool {
        self.disjoint
    }

    /// The colors it speaks of, ascending.
    pub fn colors(&self) -> Vec<u32> {
        let both: BTreeSet<u32> = self.a.iter().chain(&self.b).copied().collect();
        both.into_iter().collect()
    }

    /// The verdict as title, the reasons as rows.
    pub fn table(&self) -> Result<Table, ReportError> {
        let (a, b) = (format_list(&self.a), format_list(&self.b));
        let title = match self.disjoint {
            true => format!("Colors {a} and {b} share no bank"),
            false => format!("Colors {a} and {b} SHARE banks {}", format_list(&self.shared_banks)),
        };
        let columns = vec![Column::text("why"), Column::number("pairs of colors", "", 0)];
        let mut table = Table::new(title, columns);
        for Reason { reason, pairs } in &self.reasons {
            table.push(vec![reason.as_str().into(), Cell::Count(*pairs)])?;
        }
        Ok(table)
    }
}

fn differing(separation: &Separation) -> String {
    match separation {
        Separation::Parity { function, sum_of, .. } => {
            let names: Vec<String> = sum_of.iter().map(ToString::to_string).collect();
            format!("{} = {} differs", names.join(" ^ "), xor_text(*function))
        }
        Separation::Ways { .. } => "they lie in different ways of the channels".to_owned(),
        Separation::Nodes { .. } => "they lie on different nodes".to_owned(),
    }
}
