// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[fabric]`: what clusters and nodes can move to and from memory.

use crate::{Fabric, Guaranteed, Machine, Rates};
use fresco_input::{InputError, Table};
use std::ops::RangeInclusive;

/// Bytes per second: from less than a line of a slow memory to ten times what any socket moves.
const RATES: RangeInclusive<u64> = 1_000_000..=10_000_000_000_000;

/// Percent: from as much as a line that is read to ten times that.
const WRITE_COSTS: RangeInclusive<u32> = 100..=1000;

/// A machine without `[fabric]` has no limit but its memory.
pub(super) fn read(root: &Table<'_>) -> Result<Fabric, InputError> {
    let Some(table) = root.opt_table("fabric")? else {
        return Ok(Fabric::default());
    };
    let fabric = Fabric {
        cluster: rates(&table, "cluster")?,
        node: rates(&table, "node")?,
    };
    table.finish()?;
    Ok(fabric)
}

/// What a controller serves at worst must get there, or nothing that is guaranteed of it holds.
///
/// # Errors
/// A limit is below r_min ([`Guaranteed`]).
pub(super) fn check(root: &Table<'_>, machine: &Machine) -> Result<(), InputError> {
    let least = Guaranteed::of(machine, false).bytes_per_s();
    for (key, rates) in [("cluster", &machine.fabric.cluster), ("node", &machine.fabric.node)] {
        for (name, rate) in [
            ("reads", rates.reads),
            ("writes", rates.writes),
            (
                "traffic",
                rates
                    .traffic
                    .map(|rate| rate * 100 / u64::from(rates.write_cost.unwrap_or(100))),
            ),
        ] {
            if let Some(rate) = rate.filter(|rate| *rate < least) {
                let table = root.table("fabric")?.table(key)?;
                let error = table.error_at(name, format!("found {rate} bytes per second"));
                return Err(error
                    .allowed(format!("at least {least}, what a controller serves at worst"))
                    .help("raise it, or leave it out: no limit"));
            }
        }
    }
    Ok(())
}

fn rates(table: &Table<'_>, key: &str) -> Result<Rates, InputError> {
    let Some(table) = table.opt_table(key)? else {
        return Ok(Rates::default());
    };
    let rate = |key| table.opt_item(key).map(|item| item.bandwidth(RATES)).transpose();
    let rates = Rates {
        reads: rate("reads")?,
        writes: rate("writes")?,
        traffic: rate("traffic")?,
        write_cost: table
            .opt_item("write_cost")
            .map(|item| item.integer(WRITE_COSTS))
            .transpose()?,
    };
    if rates.write_cost.is_some() && rates.traffic.is_none() {
        let error = table.error_at("write_cost", "found no limit that it belongs to");
        return Err(error
            .allowed("write_cost beside traffic")
            .help("give traffic, or leave write_cost out"));
    }
    table.finish()?;
    Ok(rates)
}
