// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[memory]`: the device, its timing, and how many of everything there are.

use super::{density, management};
use crate::machine::scale_latencies;
use fresco_dram::density::RefreshTable;
use fresco_dram::standards::{self, Device, FineRefresh, TimingError, TimingOverrides};
use fresco_dram::{Organisation, Timing};
use fresco_input::{InputError, Table, format_size};

/// 1 TiB: 2^28 frames of 4 KiB, as much as frame allocators and color tables can hold in memory.
const MOST_BYTES: u64 = 1 << 40;
/// Banks of the machine; bounds the state of the controllers.
const MOST_BANKS: u64 = 1 << 16;

/// Counts of `[memory.organisation]`; those that most machines have once may be left out.
pub(super) fn organisation(memory: &Table<'_>) -> Result<Organisation, InputError> {
    let table = memory.table("organisation")?;
    let once = |key: &str, most: u32| table.opt_power_of_two(key, 1..=most).map(|count| count.unwrap_or(1));
    let org = Organisation {
        nodes: once("nodes", 64)?,
        channels: table.opt_integer("channels", 1..=64)?.unwrap_or(1),
        ranks: once("ranks", 16)?,
        bank_groups: once("bank_groups", 8)?,
        banks: table.power_of_two("banks", 1..=64)?,
        rows: table.power_of_two("rows", 1..=1 << 24)?,
        columns: table.power_of_two("columns", 16..=1 << 14)?,
        bus_bytes: table.power_of_two("bus_bytes", 1..=64)?,
    };
    // The bounds above keep the products below 2^40 banks and 2^84 bytes: count in 128 bits.
    let factors = [org.nodes, org.channels, org.ranks, org.bank_groups, org.banks];
    let banks: u128 = factors.into_iter().map(u128::from).product();
    let bytes = banks * u128::from(org.rows) * u128::from(org.columns) * u128::from(org.bus_bytes);
    if banks > u128::from(MOST_BANKS) {
        let error = table.error(format!("found {banks} banks"));
        return Err(error
            .allowed(format!("at most {MOST_BANKS}"))
            .help("check nodes, channels, ranks, bank_groups and banks"));
    }
    if bytes > u128::from(MOST_BYTES) {
        let error = table.error(format!("found {} GiB of memory", bytes >> 30));
        return Err(error
            .allowed(format!("at most {}", format_size(MOST_BYTES)))
            .help("check rows, columns, bus_bytes and counts"));
    }
    table.finish()?;
    Ok(org)
}

/// Timing of the device, what decides it, and which of it the file sets itself: `standard`, `density`, `refresh_table`, `fine_refresh`, `hot`, `latency_percent`, and `[memory.timing]`.
pub(super) fn timing(
    memory: &Table<'_>,
    org: &Organisation,
) -> Result<(Timing, Device, Vec<&'static str>), InputError> {
    let names: Vec<(&str, &str)> = standards::names().map(|name| (name, name)).collect();
    let standard = memory.choice("standard", &names)?;
    let density_gbit = density::read(memory)?;
    let known = standards::widths(standard).map_err(|error| timing_error(memory, &error))?;
    let width = density::width(memory, (density_gbit, &known), org)?;
    density::check_banks(memory, standard, org)?;
    let fine = memory
        .opt_choice(
            "fine_refresh",
            &[
                ("1x", FineRefresh::X1),
                ("2x", FineRefresh::X2),
                ("4x", FineRefresh::X4),
            ],
        )?
        .unwrap_or_default();
    let device = Device {
        density_gbit,
        width,
        page_bytes: width.map(|width| org.columns * width / 8),
        table: memory
            .opt_choice(
                "refresh_table",
                &[
                    RefreshTable::Jedec,
                    RefreshTable::ColoredRefresh,
                    RefreshTable::CoDesign,
                ]
                .map(|table| (table.name(), table)),
            )?
            .unwrap_or_default(),
        fine,
        hot: memory.opt_boolean("hot")?.unwrap_or(false),
        rfm: management::rfm(memory, fine)?,
        prac: management::prac(memory)?,
    };
    let overrides = timing_overrides(memory)?;
    let timing = standards::timing_with(standard, &device, &overrides);
    let mut timing = timing.map_err(|error| timing_error(memory, &error))?;
    management::check(memory, &device, &timing)?;
    let mut own = Timing::PARAMETERS.to_vec();
    own.retain(|name| overrides.get(name).is_some());
    if let Some(percent) = memory.opt_integer("latency_percent", 50..=200)? {
        scale_latencies(&mut timing, &mut own, percent)
            .map_err(|error| memory.error_at("latency_percent", error.to_string()))?;
    }
    Ok((timing, device, own))
}

/// `[memory.timing]`: cycles of the command clock, in place of the standard's.
fn timing_overrides(memory: &Table<'_>) -> Result<TimingOverrides, InputError> {
    let mut overrides = TimingOverrides::default();
    let Some(table) = memory.opt_table("timing")? else {
        return Ok(overrides);
    };
    for name in Timing::PARAMETERS {
        if let Some(cycles) = table.opt_integer(name, 0..=1u64 << 40)? {
            overrides.0.insert(name.to_owned(), cycles);
        }
    }
    table.finish()?;
    Ok(overrides)
}

/// A contradiction of the timing, at the line of the parameter if the file gives it.
fn timing_error(memory: &Table<'_>, error: &TimingError) -> InputError {
    let timing = memory.opt_table("timing").ok().flatten();
    let gives = |name: &str| timing.as_ref().is_some_and(|table| table.keys().any(|key| key == name));
    // The interval that a file gives is that of one mode.
    let of_another = error.field == "refw" && gives("refi") && memory.has("fine_refresh");
    let place = match (&timing, error.field.as_str()) {
        (_, field) if of_another => memory.error_at("fine_refresh", format!("{field} is {}", error.found)),
        (Some(timing), field) if gives(field) => timing.error_at(field, format!("found {}", error.found)),
        (_, "density_gbit") => memory.error_at("density", error.found.clone()),
        (_, "standard") => memory.error_at("standard", error.found.clone()),
        (_, "refresh") if memory.has("fine_refresh") => memory.error_at("fine_refresh", error.found.clone()),
        (_, "refresh") => memory.error_at("refresh_table", error.found.clone()),
        (_, "rfm" | "prac") => memory.error_at(&error.field, error.found.clone()),
        (_, field) => memory.error_at("timing", format!("{field} is {}", error.found)),
    };
    let help = match error.field.as_str() {
        _ if of_another => "give refi and rfc_ab of this mode in memory.timing: those that stand there are of another",
        "rfm" | "prac" => "leave the table out, or choose one of these standards",
        "refresh" => "write one of these, or choose a standard and a refresh_table that have the mode",
        _ => "correct it, or the values it depends on",
    };
    place.allowed(error.allowed.clone()).help(help)
}
