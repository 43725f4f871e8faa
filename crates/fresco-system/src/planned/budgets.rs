// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth of a plan, as the regulator takes them.

use crate::bandwidth::{Budgets, Kind, NodeBudgets, Prediction, Reservation, Settings, Share};
use crate::experiment::Regulation;
use fresco_machine::{Guaranteed, Machine};
use fresco_scenario::plan::PlannedBandwidth;

/// The budgets of a plan on its machine: hard ones, counted from the start.
pub(super) fn of(bandwidth: &PlannedBandwidth, machine: &Machine) -> Regulation {
    let node = |node: u32| {
        let home = |core: u32| machine.topology.node_of_core.get(core as usize) == Some(&node);
        let regulated = |core: &u32| home(*core) && bandwidth.lines[*core as usize] > 0;
        let cores: Vec<u32> = (0..bandwidth.lines.len() as u32).filter(regulated).collect();
        let lines = cores.iter().map(|&core| bandwidth.lines[core as usize]);
        let reserved: Vec<u64> = cores.iter().map(|&core| bandwidth.bytes_per_s(core as usize)).collect();
        let reservations = lines.map(|lines| Reservation {
            lines,
            kind: Kind::Hard,
            weight: 1,
        });
        let reservations: Vec<Reservation> = reservations.collect();
        NodeBudgets {
            node,
            total: reserved.iter().sum(),
            settings: Settings {
                total: reservations.iter().map(|one| one.lines).sum(),
                reservations,
                reclaim: false,
                share: Share::None,
                chunk: 1,
                prediction: Prediction::Last,
            },
            // What `fresco check` says of the plan.
            is_guaranteed: true,
            reserved,
            cores,
        }
    };
    let nodes = (0..machine.memory.organisation.nodes).map(node);
    Regulation {
        budgets: Budgets {
            period: bandwidth.period_ns.saturating_mul(1000),
            interrupt_cycles: bandwidth.interrupt_cycles,
            count_write_backs: bandwidth.count_write_backs,
            guaranteed: Guaranteed::of(machine, bandwidth.count_write_backs),
            nodes: nodes.filter(|node| !node.cores.is_empty()).collect(),
            told: None,
        },
        counted_from: 0,
    }
}
