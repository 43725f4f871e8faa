// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[core]`.

use super::{prefetch, tlb};
use crate::{CoreConfig, CoreKind};
use fresco_dram::Ps;
use fresco_input::{InputError, Item, Table};
use std::ops::RangeInclusive;

const MHZ: u64 = 1_000_000;
/// 1 MHz to 10 GHz: beyond any core, and a cycle is at least 100 ps.
const CLOCK: RangeInclusive<u64> = MHZ..=10_000 * MHZ;
/// No cache or hop is slower than 10 us.
pub(super) const LATENCY: RangeInclusive<Ps> = 0..=10_000_000;

pub(super) fn read(table: &Table<'_>) -> Result<CoreConfig, InputError> {
    let clock = table.item("clock", "a frequency from 1 MHz to 10 GHz, such as \"2.8 GHz\"")?;
    let hertz = clock.frequency(CLOCK)?;
    if hertz % MHZ != 0 {
        let error = clock.error(format!("found {hertz} Hz"));
        return Err(error.allowed("a multiple of 1 MHz").help("round it to whole MHz"));
    }
    let kind = table.choice("kind", &CoreKind::ALL.map(|kind| (kind.name(), kind)))?;
    let issue_width = table.integer("issue_width", 1..=32)?;
    let prefetch = prefetch::read(table)?;
    let window = match kind.overlaps() {
        true => table.integer("window", 1..=4096)?,
        false => one(table, kind, "window")?,
    };
    let mshrs = match kind.overlaps() || !prefetch.is_off() {
        true => table.integer("mshrs", 1..=256)?,
        false => one(table, kind, "mshrs")?,
    };
    Ok(CoreConfig {
        mhz: (hertz / MHZ) as u32,
        kind,
        issue_width,
        window,
        mshrs,
        threads: match kind.overlaps() {
            true => table.opt_integer("threads", 1..=8)?.unwrap_or(1),
            false => one(table, kind, "threads")?,
        },
        prefetch,
        tlb: tlb::read(table, (hertz / MHZ) as u32)?,
    })
}

/// A core that waits for each access: one instruction, one miss, one thread.
fn one(table: &Table<'_>, kind: CoreKind, key: &str) -> Result<u32, InputError> {
    let Some(item) = table.opt_item(key) else { return Ok(1) };
    item.integer(1..=1).map_err(|error| {
        let help = match key {
            "mshrs" => "write 1 or remove it, make the core out-of-order, or give it prefetchers: core.prefetch",
            _ => "write 1 or remove it, or make the core out-of-order",
        };
        error.allowed(format!("1, as the core is {}", kind.name())).help(help)
    })
}

/// Core cycles, or what is a duration.
const CYCLES: &str = r"^\s*[0-9]+\s*cycles?\s*$";

/// A latency: a duration, or a number of core cycles (`"4 cycles"`), rounded up to a picosecond.
pub(super) fn latency(item: &Item<'_>, core: &CoreConfig) -> Result<Ps, InputError> {
    latency_at(item, core.mhz)
}

/// The same at a clock in MHz.
pub(super) fn latency_at(item: &Item<'_>, mhz: u32) -> Result<Ps, InputError> {
    let text = if item.is_text() {
        item.text_like(CYCLES)?.trim()
    } else {
        ""
    };
    let number = text.strip_suffix("cycles").or_else(|| text.strip_suffix("cycle"));
    let cycles = number.map(|number| number.trim().parse::<u32>());
    let with_cycles = |error: InputError| {
        let allowed = format!("{}; or core cycles, for example \"4 cycles\"", error.allowed);
        error.allowed(allowed)
    };
    match cycles {
        None => item.duration(LATENCY).map_err(with_cycles),
        Some(Ok(cycles)) => {
            let ps = (u64::from(cycles) * MHZ).div_ceil(u64::from(mhz));
            match LATENCY.contains(&ps) {
                true => Ok(ps),
                false => Err(item
                    .error(format!("found {}", item.describe()))
                    .allowed("at most 10 us")
                    .help("write a smaller value")),
            }
        }
        Some(Err(_)) => Err(item
            .error(format!("found {}", item.describe()))
            .allowed("a whole number of core cycles, for example \"4 cycles\"")
            .help("write a whole number, or a duration such as \"1.5 ns\"")),
    }
}
