// SPDX-License-Identifier: MIT OR Apache-2.0
//! MemGuard's reservation as a special case of the bound of work by budgets.
//!
//! MemGuard (RTAS 2013): cores whose budgets together are no more than what the controller serves at worst, r_min, get their budgets in each
//! period. That is the bound of work by budgets where each line, one's own and the others', costs what r_min counts for it, and periods of
//! the others begin with one's own.

use fresco_bound::{Alone, Sources};
use fresco_machine::Guaranteed;
use fresco_scenario::Scenario;
use serde_json::Value;
use std::path::Path;

const PERIOD_PS: u64 = 1_000_000_000;

/// Two cores of `machine`, each in a bank of its own, that read; the first has `own` MB/s, the other the rest of `all`.
fn scenario(machine: &str, own: u64, all: u64) -> Scenario {
    let text = format!(
        "name = \"pair\"\nmachine = \"{machine}\"\nmemory.controller.hit_cap = 4\npolicy.frames = \"palloc\"\npolicy.bandwidth = \"memguard\"\n\
         bandwidth = {{ period = \"1 ms\", reclaim = false }}\n\
         [[task]]\nname = \"own\"\nprogram = \"latency\"\ncore = 0\nbanks = \"0\"\nways = \"0-7\"\nreserve = \"{own} MB/s\"\n\
         [[task]]\nname = \"other\"\nprogram = \"latency\"\ncore = 1\nbanks = \"1\"\nways = \"8-15\"\nreserve = \"{} MB/s\"\n",
        all - own
    );
    Scenario::parse("pair.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// What r_min lets all cores have in a period, in MB/s.
fn worst_rate(machine: &str) -> (Guaranteed, u64) {
    let machine = fresco_machine::builtin(machine).expect("built in");
    let guaranteed = Guaranteed::of(&machine, false);
    (guaranteed, guaranteed.bytes_per_s() / 1_000_000)
}

/// Lines of both cores in a period.
fn budgets(scenario: &Scenario) -> Vec<u64> {
    let nodes = &scenario.points[0].setup.bandwidth.as_ref().expect("budgets").nodes;
    nodes[0].settings.reservations.iter().map(|r| r.lines).collect()
}

/// When `lines` are done one after the other, each as r_min counts it: the least t = lines C + refreshes(t), a bank's refresh and one line for each.
fn done(of: &Guaranteed, clock: fresco_dram::Clock, lines: u64) -> u64 {
    let lost = of.refresh_takes + of.cycles;
    let mut cycles = 0;
    loop {
        let refreshes = u64::checked_div(cycles, of.refresh_every).unwrap_or(0);
        let next = lines * of.cycles + refreshes * lost;
        if next == cycles {
            return clock.to_ps(cycles);
        }
        cycles = next;
    }
}

#[test]
fn budgets_within_r_min_are_served_in_each_period() {
    for machine in ["imx8m-mini", "zcu102", "core2-q8400", "xeon-w3530"] {
        let (guaranteed, rate) = worst_rate(machine);
        let clock = fresco_machine::builtin(machine).expect("built in").memory.timing.clock;
        // By bytes a second, and as lines of a period.
        let most = guaranteed.bytes_per_s() / 1_000 / guaranteed.line_bytes;
        for own in [1, rate / 3, rate - 1] {
            let lines = own * 1_000 / guaranteed.line_bytes;
            let others = most - lines;
            assert!(
                done(&guaranteed, clock, lines + others) <= PERIOD_PS,
                "{machine}: {lines} and {others}"
            );
            // Two in a hundred more are not, as of each refresh a whole line is taken to be lost.
            assert!(done(&guaranteed, clock, most + most / 50) > PERIOD_PS, "{machine}");
        }
    }
}

/// By hand: a core that reads its budget, and another that uses up its own, on machines in order.
#[test]
fn the_bound_by_budgets_counts_the_same_lines_at_the_costs_of_any_order() {
    for machine in ["imx8m-mini", "zcu102"] {
        let (guaranteed, rate) = worst_rate(machine);
        let loaded = scenario(machine, rate / 4, rate / 2);
        let setup = &loaded.points[0].setup;
        let (clock, mshrs) = (setup.machine.memory.timing.clock, u64::from(setup.machine.core.mshrs));
        let sources = Sources::of(setup);
        let reads = sources.reads_of(0).expect("bounded");
        let lines = budgets(&loaded);
        // A quarter of the budget, each read as r_min counts it, so that all is over in one period.
        let count = lines[0] / 4;
        let alone = Alone {
            time_ps: count * guaranteed.line_ps,
            reads: count,
            hits: 0,
            cached: 0,
            in_memory_ps: count * guaranteed.line_ps / 2,
            chain: count,
            shortest_ps: guaranteed.line_ps / 2,
            write_backs: 0,
        };
        let work = sources.work(0, alone, &reads).expect("a bound");
        let costs: Value = serde_json::to_value(sources.certified(0, &reads, Some(&work))).expect("JSON");
        let cycles = |name: &str| costs["work"]["costs"][name].as_u64().expect("a cost");
        let cost = |name: &str| clock.longest_ps(cycles(name));
        // A line of another bank costs no more than a row cycle: own commands, and one distance for each of the other's.
        assert!(cost("read") <= guaranteed.line_ps && cost("own_read") <= guaranteed.line_ps && cycles("waiting") == 0);
        // Periods of others do not begin with ours: two more than fit, and what is under way when a budget ends.
        let time = work.alone.time_ps + work.reads_ps;
        let moved = (time / PERIOD_PS + 2) * (lines[1] + mshrs);
        let refreshes = (work.reads_ps / clock.to_ps(cycles("interval")) + 1) * cost("refresh");
        // What is read alone in half of what r_min counts may find another row open.
        let own = cost("own_read") + cost("service") - guaranteed.line_ps / 2;
        let by_hand = count * own + moved * cost("read") + refreshes;
        assert!(work.by_budgets && time < PERIOD_PS, "{machine}: {work:?}");
        assert_eq!(work.reads_ps, by_hand, "{machine}");
    }
}
