// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows that follow from a machine file alone.

use fresco_dram::ColorSpace;
use fresco_frames::{ColorSet, Coloring};
use fresco_input::InputError;
use fresco_machine::{Machine, builtin};
use fresco_report::claims::Row;

/// Bits 6 to 20 of the Xeon's addresses: does a bit choose the bank, the set of the L2, of the L3? And what four banks hold.
pub fn palloc_map() -> Result<Vec<Row>, InputError> {
    let machine = builtin("xeon-w3530")?;
    let bank = bank_bits(&machine);
    let l3 = machine.set_functions().iter().fold(0, |bits, mask| bits | mask);
    let l2 = machine.l2.as_ref().map_or(0, |l2| (l2.sets() - 1) * u64::from(l2.line));
    let row = |bit: u32| {
        let has = |mask: u64| f64::from(u32::from((mask >> bit) & 1 == 1));
        Row::new()
            .label("bit", bit)
            .value("bank_bit", has(bank))
            .value("l2_bit", has(l2))
            .value("l3_bit", has(l3))
    };
    let mut rows: Vec<Row> = (6..=20).map(row).collect();
    let organisation = &machine.memory.organisation;
    let bank_bytes = organisation.total_bytes() / u64::from(space(&machine)?.bank_colors());
    let totals = Row::new()
        .value("bank_bits", f64::from(bank.count_ones()))
        .value("bank_and_l3_bits", f64::from((bank & l3).count_ones()))
        .value("four_banks_mib", ((4 * bank_bytes) >> 20) as f64);
    rows.push(totals);
    Ok(rows)
}

/// The address bits that choose channel, rank or bank in the first region of a machine's memory.
pub(super) fn bank_bits(machine: &Machine) -> u64 {
    let functions = &machine.memory.map.regions()[0].functions;
    functions.selectors().fold(0, |bits, (_, mask)| bits | mask)
}

/// Colors of the Opteron, and what an idle bank takes for a row-buffer hit and for a conflict.
pub fn camc_map() -> Result<Vec<Row>, InputError> {
    let machine = builtin("opteron-6128")?;
    let colors = space(&machine)?.bank_colors();
    let timing = &machine.memory.timing;
    let ns = |cycles| timing.clock.to_ps(cycles) as f64 / 1000.0;
    let hit = timing.cl + timing.burst();
    let default = match Coloring::automatic() {
        Coloring::Automatic { colors, .. } => colors,
        Coloring::Off | Coloring::Explicit { .. } => 0,
    };
    let all: ColorSet = (0..colors).collect();
    let numbers: Vec<u32> = all.iter().collect();
    let extreme = |number: Option<&u32>| f64::from(number.copied().unwrap_or(0));
    Ok(vec![
        Row::new()
            .value("bank_colors", f64::from(colors))
            .value("color_num_min", extreme(numbers.first()))
            .value("color_num_max", extreme(numbers.last()))
            .value("default_colors_per_task", f64::from(default))
            .value("row_hit_ns", ns(hit))
            .value("row_conflict_ns", ns(timing.rp + timing.rcd + hit)),
    ])
}

/// The colors of a machine that has some.
pub(super) fn space(machine: &Machine) -> Result<ColorSpace, InputError> {
    machine
        .colors()
        .map_err(|error| InputError::new(machine.name.clone(), format!("found a machine without colors: {error}")))
}
