// SPDX-License-Identifier: MIT OR Apache-2.0
//! What follows from the co-design paper's machine, its capacity and its allocator (COD-3 to COD-5, COD-12 to COD-14).

use super::super::allocation::boot;
use super::models::MODELS;
use super::{at_density, failed, ms, one_if};
use fresco_frames::{Codesign, ColorSet, Policy, TaskId, TaskMemory};
use fresco_input::InputError;
use fresco_machine::{Machine, Queues, builtin};
use fresco_plan::plan::Schedule;
use fresco_plan::{RankMemory, TaskSet, plan};
use fresco_report::claims::Row;
use fresco_system::experiment::fair::Variant;
use std::collections::BTreeSet;
use std::path::Path;

const MACHINE: &str = "gem5-2core";
const DENSITIES: [u32; 4] = [8, 16, 24, 32];
/// Eight batch tasks on that machine, to be planned by the co-design.
const BATCH: &str = include_str!("../../../../../tasks/batch.toml");
/// Programs whose footprints are published.
const PUBLISHED: [&str; 4] = ["mcf", "bwaves", "stream", "gemsfdtd"];
/// Tasks of codesign-allocation on each of the two cores, and what each allocates.
const VARIANT: Variant = Variant {
    cores: 2,
    tasks_per_core: 4,
    dimms: 1,
};
const ALLOCATED_MIB: u64 = 64;

/// Refresh times by density and retention time.
pub fn codesign_facts() -> Result<Vec<Row>, InputError> {
    let mut rows = Vec::new();
    for gbit in DENSITIES {
        for hot in [false, true] {
            rows.push(facts_at(gbit, hot)?);
        }
    }
    Ok(rows)
}

fn facts_at(gbit: u32, hot: bool) -> Result<Row, InputError> {
    let hot = hot.to_string();
    let machine = at_density(MACHINE, gbit, &[("memory.hot", &hot)])?;
    let memory = RankMemory::of(&machine);
    let banks = memory.banks_per_rank;
    let all_banks = u64::from(memory.ranks * banks);
    let trfc_pb = memory.trfc_bank_ns.ok_or_else(|| failed("no refresh of a bank"))? as f64;
    let retention = memory.retention_ns;
    let trefi = retention as f64 / memory.commands as f64;
    let window = retention / all_banks;
    let each = window as f64 / memory.bank_commands as f64;
    let row = Row::new()
        .label("density", gbit)
        .label("retention_ms", ms(retention))
        .value("trfc_ab_ns", memory.trfc_ns as f64)
        .value("trfc_pb_ns", trfc_pb)
        .value("trefi_ab_ns", trefi)
        .value("trefi_pb_ns", trefi / f64::from(banks))
        .value("refpb_interval_ns", each)
        .value("fits", one_if(trfc_pb <= each))
        .value("window_ms", ms(window))
        .value("free_ms", ms(retention - window))
        .value("banks", f64::from(banks))
        .value("banks_blocked_ab", f64::from(banks))
        .value("banks_blocked_pb", 1.0);
    Ok(match slice(gbit, &hot)? {
        Some(slice) => row.value("slice_ms", slice),
        None => row,
    })
}

/// The slice that the planner gives to batch tasks, in milliseconds; `None` where the schedule does not fit (CON-20).
fn slice(gbit: u32, hot: &str) -> Result<Option<f64>, InputError> {
    let overrides = [
        format!("memory.density={gbit}"),
        "memory.density_scales_refresh_only=true".to_owned(),
        format!("memory.hot={hot}"),
    ];
    let set = TaskSet::parse("a built-in task set", BATCH, Path::new(""), &overrides)?;
    Ok(plan(&set).ok().and_then(|plan| match plan.schedule {
        Schedule::Fair { slice_ns, .. } => Some(ms(slice_ns)),
        _ => None,
    }))
}

/// Table 1, as the machine file has it.
pub fn machine() -> Result<Vec<Row>, InputError> {
    let machine = builtin(MACHINE)?;
    let organisation = &machine.memory.organisation;
    let row = Row::new()
        .value("cores", f64::from(machine.cores))
        .value("clock_mhz", f64::from(machine.core.mhz))
        .value("issue_width", f64::from(machine.core.issue_width))
        .value("window", f64::from(machine.core.window))
        .value("ranks", f64::from(organisation.ranks))
        .value("banks_per_rank", f64::from(organisation.banks_per_rank()));
    let row = match &machine.l2 {
        Some(l2) => row
            .value("l2_kib_per_core", (l2.size >> 10) as f64)
            .value("l2_ways", f64::from(l2.ways)),
        None => row,
    };
    Ok(vec![match machine.memory.controller.queues {
        Queues::Global { reads, writes } => row
            .value("read_queue", f64::from(reads))
            .value("write_queue", f64::from(writes)),
        Queues::PerBank { .. } | Queues::FrontQueue { .. } => row,
    }])
}

/// Share of the published footprints that one bank holds, on average.
pub fn capacity() -> Result<Vec<Row>, InputError> {
    let organisation = builtin(MACHINE)?.memory.organisation;
    // A byte of the bus is a x8 device.
    let rank_gbit = u64::from(organisation.bus_bytes);
    let row = |gbit: u32| {
        let bank = ((u64::from(gbit) * rank_gbit) << 30) / 8 / u64::from(organisation.banks_per_rank());
        let published = MODELS.iter().filter(|model| PUBLISHED.contains(&model.program));
        let share = published.map(|model| (bank as f64 / (model.footprint_mb as f64 * 1e6)).min(1.0));
        let mean = share.sum::<f64>() / PUBLISHED.len() as f64;
        Row::new().label("density", gbit).value("share_pct", 100.0 * mean)
    };
    Ok(DENSITIES.map(row).to_vec())
}

/// Banks in which eight tasks have pages, under the buddy system and in the co-design's banks.
pub fn allocation(seed: u64) -> Result<Vec<Row>, InputError> {
    let machine = builtin(MACHINE)?;
    let mut rows = Vec::new();
    for (name, policy) in [
        ("buddy", Policy::Buddy),
        ("codesign", Policy::Codesign(Codesign::default())),
    ] {
        let touched = banks_touched(&machine, policy, seed)?;
        let extreme = |banks: Option<&usize>| banks.copied().unwrap_or(0) as f64;
        let row = Row::new().label("allocation", name);
        let row = row.value("banks_touched.min", extreme(touched.iter().min()));
        rows.push(row.value("banks_touched.max", extreme(touched.iter().max())));
    }
    Ok(rows)
}

/// Of each task: the tasks take turns, page by page.
fn banks_touched(machine: &Machine, policy: Policy, seed: u64) -> Result<Vec<usize>, InputError> {
    let mut frames = boot(machine, policy, seed).map_err(failed)?;
    let tasks: Vec<TaskId> = (0..VARIANT.cores * VARIANT.tasks_per_core).map(TaskId).collect();
    for (task, number) in tasks.iter().zip((0..VARIANT.tasks_per_core).cycle()) {
        let banks: ColorSet = VARIANT.banks(machine, number)?;
        let memory = match policy {
            Policy::Buddy => TaskMemory::local(0),
            _ => TaskMemory::local(0).with_banks(banks),
        };
        frames.register(*task, memory).map_err(failed)?;
    }
    for _ in 0..(ALLOCATED_MIB << 20) / machine.page_bytes {
        for task in &tasks {
            frames.alloc(*task).map_err(failed)?;
        }
    }
    let touched = |task: &TaskId| {
        let shares = frames.share_by_bank(*task).map_err(failed)?;
        let banks: BTreeSet<u32> = shares
            .iter()
            .flat_map(|&(color, _)| frames.space().banks(color))
            .collect();
        Ok(banks.len())
    };
    tasks.iter().map(touched).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_has_4_ms_and_slices_are_as_long() {
        let rows = codesign_facts().expect("rows");
        for row in &rows {
            let slice = row.values.get("slice_ms");
            assert_eq!(slice.is_some(), row.values["fits"] == 1.0, "CON-20: {row:?}");
            assert!(slice.is_none_or(|&slice| slice == row.values["window_ms"]));
        }
        let fit = rows.iter().filter(|row| row.values["fits"] == 1.0).count();
        assert_eq!((rows.len(), fit), (8, 6), "24 and 32 Gb do not fit 32 ms");
    }

    #[test]
    fn a_bank_of_2_gib_holds_every_published_footprint() {
        let rows = capacity().expect("rows");
        let shares: Vec<f64> = rows.iter().map(|row| row.values["share_pct"]).collect();
        let first = 100.0 * (3.0 + (1u64 << 30) as f64 / 1.7e9) / 4.0;
        assert!(
            (shares[0] - first).abs() < 1e-9 && shares[1..] == [100.0; 3],
            "{shares:?}"
        );
    }
}
