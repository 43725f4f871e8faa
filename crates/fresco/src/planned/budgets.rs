// SPDX-License-Identifier: MIT OR Apache-2.0
//! Budgets of bandwidth of a plan: regulated, and shown.

use super::Simulated;
use fresco_machine::{Guaranteed, Machine};
use fresco_plan::plan::PlannedBandwidth;
use fresco_report::{Column, ReportError, Table};
use fresco_system::bandwidth::{Budgets, Kind, NodeBudgets, Prediction, Reservation, Settings, Share};
use fresco_system::multitask::Regulation;

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
        },
        counted_from: 0,
    }
}

/// What each core did with its budget; `None` without budgets.
///
/// # Errors
/// None in practice: results hold no numbers that are none.
pub(super) fn table(simulated: &Simulated) -> Result<Option<Table>, ReportError> {
    let Some(regulation) = &simulated.result.regulation else {
        return Ok(None);
    };
    let columns = vec![
        Column::number("core", "", 0),
        Column::number("reserved", "MB/s", 0),
        Column::number("achieved", "MB/s", 0),
        Column::number("periods", "", 0),
        Column::number("exhausted", "", 0),
        Column::number("stalled", "%", 2),
        Column::number("beyond", "", 0),
    ];
    let period = fresco_input::format_duration(regulation.rules.period_ps);
    let mut table = Table::new(format!("Budgets of bandwidth, periods of {period}"), columns);
    for core in &regulation.cores {
        let (number, core) = (core.core, &core.budget);
        table.push(vec![
            u64::from(number).into(),
            (core.reserved_bytes_per_s as f64 / 1e6).into(),
            (core.achieved_bytes_per_s / 1e6).into(),
            core.counts.periods.into(),
            core.counts.exhausted.into(),
            (100.0 * core.stalled_share).into(),
            core.counts.overshoot.into(),
        ])?;
    }
    Ok(Some(table))
}
