// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lock tasks, and the two servers of table 5.2 above them (F16, F25, F26).

use super::commands::burst_cycles;
use super::servers::{BURSTS, locks, table_5_2};
use super::{MS, at_density, failed, ms, task};
use fresco_input::InputError;
use fresco_machine::builtin;
use fresco_report::claims::Row;
use fresco_rt::Time;
use fresco_rt::copies::{Switch, assign_instances};
use fresco_rt::refresh::{Density, RETENTION, stall};
use fresco_rt::toplevel::{Locks, Server, TopLevel, response_times, server_tables};

/// What locking and unlocking take, each.
const HANDLER: Time = 2000;
/// The response time of a server that is not done within its period.
const UNBOUNDED: Time = RETENTION;

/// The lock tasks of table 5.2, bursts of several ranks, and instances by table.
pub fn crs_facts() -> Result<Vec<Row>, InputError> {
    let (_, burst) = BURSTS[1];
    let locks = locks(burst, Density::Gb2, 0)?;
    let machine = builtin("ss-rtmc")?;
    let of_ranks = |ranks: u64| burst_cycles(&machine, ranks);
    let row = Row::new()
        .value("lock1_phase_ms", ms(locks.window(0, 0).start))
        .value("lock2_phase_ms", ms(locks.window(1, 0).start))
        .value("unlock1_phase_ms", ms(locks.window(0, 0).burst_end))
        .value("unlock2_phase_ms", ms(locks.window(1, 0).burst_end))
        .value(
            "lock_period_ms",
            ms(locks.window(0, 1).start - locks.window(0, 0).start),
        )
        .value("delta_ms", ms(burst.length(Density::Gb2)))
        .value("parallel_burst.ratio", of_ranks(0b1111)? as f64 / of_ranks(1)? as f64)
        .value("choices_at_run_time", choices_at_run_time(&locks)? as f64);
    Ok(vec![row])
}

/// Jobs of a copied task (4, 1) ms whose instance in one hyperperiod is another than in the next, each found for itself.
fn choices_at_run_time(locks: &Locks) -> Result<usize, InputError> {
    let copied = task("t", 4 * MS, MS)?;
    let first = assign_instances(&copied, 0, locks, 0, Switch::Earliest).map_err(failed)?;
    let mut later = copied;
    later.phase = first.length;
    let next = assign_instances(&later, 0, locks, 0, Switch::Earliest).map_err(failed)?;
    let pairs = first.jobs.iter().zip(&next.jobs);
    Ok(pairs.filter(|(one, other)| one.color != other.color).count())
}

/// The servers of table 5.2 at each density, under both readings of the burst.
pub fn crs_toplevel() -> Result<Vec<Row>, InputError> {
    let servers = table_5_2()?.servers;
    let mut rows = Vec::new();
    for (name, burst) in BURSTS {
        for density in Density::ALL {
            let locks = locks(burst, density, HANDLER)?;
            let row = Row::new().label("burst", name).label("density", density.gigabits());
            let row = row.value("delta_ms", ms(burst.length(density)));
            let row = under_auto_refresh(servers, density, row)?;
            rows.push(under_locks(&TopLevel::new(servers, locks).map_err(failed)?, row)?);
        }
    }
    Ok(rows)
}

fn under_locks(top: &TopLevel, row: Row) -> Result<Row, InputError> {
    let (locks, servers) = (top.locks(), top.servers());
    let handlers = locks.lock_cost() + locks.unlock_cost();
    let (tables, _) = server_tables(top).map_err(failed)?;
    let turns = top.repeat().map_err(failed)? / locks.retention();
    let locked: Time = (0..2).map(|color| locks.window_length(color) * turns).sum();
    let unhidden: Time = tables.iter().map(|table| table.unhidden).sum();
    let shares = servers.map(|server| server.budget() as f64 / server.period() as f64);
    let total = shares[0] + shares[1] + 2.0 * handlers as f64 / locks.retention() as f64;
    let [r1, r2] = response_times(top).map(|response| ms(response.unwrap_or(UNBOUNDED)));
    Ok(row
        .value("lock_isr_us", handlers as f64 / 1000.0)
        .value("total_utilization", total)
        .value("unhidden_pct", 100.0 * unhidden as f64 / locked as f64)
        .value("r1_crs_ms", r1)
        .value("r2_crs_ms", r2)
        .value("s1_least_budget_ms", ms(tables[0].min_supplied))
        .value("s2_least_budget_ms", ms(tables[1].min_supplied)))
}

/// Response times of the servers if every refresh interval that has begun takes tRFC + tRP + tRCD from them (E26).
fn under_auto_refresh([first, second]: [Server; 2], density: Density, row: Row) -> Result<Row, InputError> {
    let timing = at_density("ss-rtmc", density.gigabits(), &[])?.memory.timing;
    let ps = |cycles| timing.clock.to_ps(cycles);
    // One row, and no access under way, as the text counts (E35 counts more).
    let stall = stall(ps(timing.rfc_ab).div_ceil(1000), ps(timing.rp_ab), ps(timing.rcd), 1);
    let refresh = |r: Time| (r * timing.refreshes).div_ceil(ps(timing.refw) / 1000) * stall;
    let r1 = fixed_point(first, |r| first.budget() + refresh(r));
    let higher = |r: Time| r.div_ceil(first.period()) * first.budget();
    let r2 = fixed_point(second, |r| second.budget() + higher(r) + refresh(r));
    Ok(row.value("r1_auto_ms", ms(r1)).value("r2_auto_ms", ms(r2)))
}

/// Least fixed point from the budget on; [`UNBOUNDED`] if it is beyond the period.
fn fixed_point(server: Server, next: impl Fn(Time) -> Time) -> Time {
    let mut response = server.budget();
    loop {
        match next(response) {
            risen if risen > server.period() => return UNBOUNDED,
            risen if risen == response => return response,
            risen => response = risen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_fall_short_as_bursts_grow() {
        let rows = crs_toplevel().expect("rows");
        let of_burst = |burst: &str| {
            let rows = rows.iter().filter(|row| row.labels["burst"] == burst);
            rows.map(|row| row.values["s1_least_budget_ms"]).collect::<Vec<f64>>()
        };
        assert!(of_burst("jedec").is_sorted_by(|a, b| a >= b) && of_burst("jedec")[6] == 0.0);
        assert!(of_burst("text")[..6].iter().all(|&budget| budget == 2.4) && of_burst("text")[6] < 2.4);
        assert!(rows.iter().all(|row| row.values["total_utilization"] > 1.0), "E29");
    }

    #[test]
    fn ranks_are_refreshed_side_by_side_and_instances_are_fixed() {
        let values = &crs_facts().expect("rows")[0].values;
        assert!((1.0..1.001).contains(&values["parallel_burst.ratio"]), "{values:?}");
        let locked = values["unlock1_phase_ms"] - values["lock1_phase_ms"];
        assert!((locked - values["delta_ms"]).abs() < 1e-9, "{values:?}");
        assert_eq!(values["choices_at_run_time"], 0.0);
    }
}
