// SPDX-License-Identifier: MIT OR Apache-2.0
//! From what a regulator counted to results.

use super::Regulator;
use crate::results::{CoreRegulation, NodeRegulation, RegulationResult, ns, ratio};
use fresco_dram::Ps;

impl Regulator {
    /// What the regulation of all cores was.
    pub fn result(&self) -> RegulationResult {
        let budgets = &self.budgets;
        let nodes = budgets.nodes.iter().map(|node| NodeRegulation {
            node: node.node,
            guaranteed_bytes_per_s: budgets.guaranteed.bytes_per_s(),
            total_bytes_per_s: node.total,
            total_lines: node.settings.total,
            reserved_bytes_per_s: node.reserved.iter().sum(),
        });
        RegulationResult {
            period_ps: budgets.period,
            from_ps: self.from.unwrap_or(0),
            count_write_backs: budgets.count_write_backs,
            reclaim: budgets.reclaim(),
            interrupt_ps: self.interrupt,
            line_bytes: budgets.guaranteed.line_bytes,
            in_flight: self.in_flight,
            nodes: nodes.collect(),
        }
    }

    /// Numbers that cores with budgets have, and perhaps others.
    pub fn cores(&self) -> std::ops::Range<u32> {
        0..self.cores.len() as u32
    }

    /// What it did to a core; `None` for one without a budget.
    pub fn core_result(&self, core: u32) -> Option<CoreRegulation> {
        let watched = self.cores.get(core as usize)?.as_ref()?;
        let budgets = &self.budgets;
        let line_bytes = budgets.guaranteed.line_bytes;
        let node = &budgets.nodes[watched.manager];
        let counts = self.managers[watched.manager].counts(watched.member);
        let counts = counts.since(&watched.then);
        let reservation = node.settings.reservations[watched.member];
        let used: u64 = watched.by_period.iter().sum();
        let time = counts.periods * budgets.period;
        // A wait that has not ended began in the last period, which is not a whole one.
        let waited = watched.waited - watched.waited_then;
        Some(CoreRegulation {
            node: node.node,
            kind: reservation.kind,
            weight: reservation.weight,
            reserved_bytes_per_s: node.reserved[watched.member],
            reserved_lines: reservation.lines,
            guaranteed_bytes_per_s: if node.keeps(watched.member) {
                per_second(reservation.lines * line_bytes, budgets.period)
            } else {
                0.0
            },
            achieved_bytes_per_s: per_second(used * line_bytes, time),
            stalled_ns: ns(waited),
            stalled_share: ratio(waited as f64, time as f64),
            error_rate: ratio(counts.errors as f64, counts.periods as f64),
            counts,
            lines_by_period: watched.by_period.clone(),
        })
    }
}

/// Bytes per second.
fn per_second(bytes: u64, time: Ps) -> f64 {
    ratio(bytes as f64, time as f64 * 1e-12)
}
