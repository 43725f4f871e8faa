// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[fabric]`: what clusters and nodes can move to and from memory, and have under way.

use crate::{Fabric, Guaranteed, Machine, Rates};
use fresco_input::{InputError, Table};
use std::ops::RangeInclusive;

/// Bytes per second: from less than a line of a slow memory to ten times what any socket moves.
const RATES: RangeInclusive<u64> = 1_000_000..=10_000_000_000_000;

/// Percent: from as much as a line that is read to ten times that.
const WRITE_COSTS: RangeInclusive<u32> = 100..=1000;

/// Lines under way: from one to more than any controller queues.
const IN_FLIGHT: RangeInclusive<u32> = 1..=65_536;

/// A machine without `[fabric]` has no limit but its memory.
pub(super) fn read(root: &Table<'_>) -> Result<Fabric, InputError> {
    let Some(table) = root.opt_table("fabric")? else {
        return Ok(Fabric::default());
    };
    let fabric = Fabric {
        cluster: rates(&table, "cluster")?,
        node: rates(&table, "node")?,
        link: table.opt_item("link").map(|item| item.bandwidth(RATES)).transpose()?,
    };
    table.finish()?;
    Ok(fabric)
}

/// What a controller serves at worst must get there, or nothing that is guaranteed of it holds.
///
/// # Errors
/// A limit is below r_min ([`Guaranteed`]), or lets fewer lines be under way than that takes.
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
        let needed = in_flight_of(machine, least);
        if let Some(found) = rates.in_flight.filter(|lines| *lines < needed) {
            let table = root.table("fabric")?.table(key)?;
            let error = table.error_at("in_flight", format!("found {found}"));
            return Err(error
                .allowed(format!(
                    "at least {needed}, which keep a controller busy that serves {least} bytes per second, its worst"
                ))
                .help("raise it, or leave it out: no limit"));
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
        in_flight: table.opt_integer("in_flight", IN_FLIGHT)?,
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

/// Lines under way at a rate, by Little's law, if each takes what a lone read of another row takes from the farthest node.
fn in_flight_of(machine: &Machine, bytes_per_s: u64) -> u32 {
    let (memory, hops) = (&machine.memory, &machine.topology.hop_latency);
    let timing = &memory.timing;
    let alone = 2 + timing.rp + timing.rcd + timing.read_data(&memory.organisation);
    let nodes = 0..hops.len();
    let ways = nodes
        .clone()
        .flat_map(|from| nodes.clone().map(move |to| hops[from][to] + hops[to][from]));
    let lookup = machine.llc.as_ref().map_or(0, |llc| llc.cache.latency);
    let latency = lookup + memory.controller.frontend + ways.max().unwrap_or(0) + timing.clock.to_ps(alone);
    let line = timing.bytes_of_line(&memory.organisation);
    let bytes = u128::from(bytes_per_s) * u128::from(latency) / 1_000_000_000_000;
    u32::try_from(bytes.div_ceil(u128::from(line))).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use crate::Machine;

    fn with(key: &str, value: &str) -> Result<Machine, fresco_input::InputError> {
        let text = crate::builtin_text("xeon-w3530").expect("is built in");
        Machine::parse("test.toml", text, &[(key.into(), value.into())])
    }

    #[test]
    fn lines_under_way_are_at_least_what_the_least_rate_takes() {
        assert_eq!(
            with("fabric.node.in_flight", "12")
                .expect("is enough")
                .fabric
                .node
                .in_flight,
            Some(12)
        );
        for key in ["fabric.node.in_flight", "fabric.cluster.in_flight"] {
            let error = with(key, "1").expect_err("one read at a time is slower than the controller at its worst");
            assert_eq!(error.field, key);
            // r_min is 1.1 GB/s and a lone read takes 60 ns and more: two lines.
            assert!(error.allowed.starts_with("at least 2,"), "{}", error.allowed);
            assert!(with(key, "2").is_ok());
        }
        assert!(with("fabric.node.in_flight", "0").is_err());
    }
}
