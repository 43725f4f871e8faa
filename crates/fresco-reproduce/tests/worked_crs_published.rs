// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the printed bounds of chapter 5 say about its own examples, and what simulation says about what they accept.

use fresco_reproduce::published::{
    Algorithm7Error, Amount, FORMULAS, Rounding, Row, Settings, SideBySide, Subject, accepts_as_published, algorithm7,
    auto_refresh_response_times, capacity_bound, dedicated_responses, refresh_overhead, response_times,
    responses_by_ltbf, side_by_side, within_total_utilization, within_utilization_bound,
};
use fresco_rt::budget::{Family, least_budget};
use fresco_rt::policy::{Order, Policy};
use fresco_rt::refresh::{COMMANDS, RETENTION};
use fresco_rt::simulation::{Dispatch, Horizon, Periodic, Simulation};
use fresco_rt::supply::{AutoRefresh, Supply};
use fresco_rt::toplevel::{ColorLock, Locks, Server, TopLevel, accepts, server_tables};
use fresco_rt::{Task, Time};

const MS: Time = 1_000_000;
const RM: Policy = Policy::FixedPriority(Order::RateMonotonic);

fn set(tasks: &[(Time, Time)]) -> Vec<Task> {
    tasks
        .iter()
        .enumerate()
        .map(|(i, &(p, e))| Task::new(&format!("t{i}"), 0, p, e, p).unwrap())
        .collect()
}

fn table_5_2() -> [Vec<Task>; 2] {
    [
        set(&[(20 * MS, 3 * MS), (10 * MS, 1_600_000), (8 * MS, 2 * MS)]),
        set(&[(10 * MS, 1_200_000), (40 * MS, 10 * MS)]),
    ]
}

fn section_5_3_5() -> [Vec<Task>; 2] {
    [
        set(&[(16 * MS, 4 * MS), (16 * MS, 2 * MS)]),
        set(&[(32 * MS, 8 * MS), (64 * MS, 8 * MS)]),
    ]
}

fn server(period: Time, budget: Time) -> Server {
    Server::new(period, budget).unwrap()
}

/// E28: the example of §5.3.5 is outside its own bounds.
#[test]
fn section_5_3_5_violates_its_bounds() {
    for workload in section_5_3_5() {
        assert!(!within_utilization_bound(&workload, RM, server(16 * MS, 6 * MS)).unwrap());
    }
    let [first, second] = section_5_3_5().map(|w| capacity_bound(&w, RM, 16 * MS, Rounding::Ceiling).unwrap().unwrap());
    assert_eq!((first, second), (12 * MS, 8 * MS));
    // Even with the floors of the printed response times, 6 ms do not suffice.
    let [first, second] = section_5_3_5().map(|w| capacity_bound(&w, RM, 16 * MS, Rounding::Floor).unwrap().unwrap());
    assert!(first > 6 * MS && second > 6 * MS);
}

/// E29: Table 5.2's servers are outside all bounds that are said to have chosen them.
#[test]
fn table_5_2_violates_its_bounds() {
    let [first, second] = table_5_2();
    let servers = [server(4 * MS, 2_400_000), server(4 * MS, 1_600_000)];
    let locks = |handler| Locks::of_two_servers(RETENTION, 163_840, handler, handler).unwrap();
    let top = TopLevel::new(servers, locks(0)).unwrap();
    let verdict = accepts_as_published(&top, [&first, &second], Policy::Edf).unwrap();
    assert_eq!(verdict.utilization_bound, [false, false]);
    assert_eq!(verdict.capacity_bound, [Some(2_430_724), Some(1_674_710)]);
    assert!(
        verdict.total_utilization && !verdict.accepted,
        "the budgets fill the period to the last nanosecond"
    );
    assert!(!within_total_utilization(&TopLevel::new(servers, locks(1)).unwrap()));
}

/// The periods at which each bound would allow Table 5.2: the finer the test, the longer.
#[test]
fn periods_that_the_bounds_allow_for_table_5_2() {
    let [first, second] = table_5_2();
    let fits = |family, period: Time| {
        let sum: Time = [&first, &second]
            .map(|w| least_budget(w, Policy::Edf, family, period).unwrap().unwrap())
            .iter()
            .sum();
        sum <= period
    };
    assert!(fits(Family::PeriodicLinear, 2_560_000) && !fits(Family::PeriodicLinear, 3_200_000));
    assert!(fits(Family::Periodic, 3_200_000) && !fits(Family::Periodic, 4 * MS));
    let linear = |w: &[Task]| {
        least_budget(w, Policy::Edf, Family::PeriodicLinear, 2_560_000)
            .unwrap()
            .unwrap()
    };
    assert_eq!((linear(&first), linear(&second)), (1_512_810, 1_025_892));
    let within = |period: Time| {
        let least = |w: &[Task]| {
            (1..=period / 100).find(|k| within_utilization_bound(w, Policy::Edf, server(period, k * 100)).unwrap())
        };
        least(&first).unwrap() + least(&second).unwrap() <= period / 100
    };
    assert!(within(500_000) && within(640_000) && !within(800_000));
}

/// E23: a set within the printed rate-monotonic bound misses, also where the capacity bound is kept (E24).
#[test]
fn sets_within_the_printed_bounds_miss() {
    let phased = |tasks: &[(Time, Time, Time)]| -> Vec<Task> {
        let task =
            |(i, &(p, e, phase)): (usize, &(Time, Time, Time))| Task::new(&format!("t{i}"), phase, p, e, p).unwrap();
        tasks.iter().enumerate().map(task).collect()
    };
    let cases = [
        (
            phased(&[(8000, 200, 4000), (64000, 4000, 24000)]),
            [server(8000, 4000), server(8000, 4000)],
            4000,
            false,
        ),
        (
            phased(&[(203, 2, 29), (205, 2, 125), (64000, 900, 31000)]),
            [server(1000, 900), server(1000, 100)],
            100,
            true,
        ),
    ];
    for (tasks, servers, burst, within_capacity) in cases {
        assert!(within_utilization_bound(&tasks, RM, servers[0]).unwrap());
        for rounding in [Rounding::Floor, Rounding::Ceiling] {
            let capacity = capacity_bound(&tasks, RM, servers[0].period(), rounding).unwrap();
            assert_eq!(
                capacity.is_some_and(|least| least <= servers[0].budget()),
                within_capacity,
                "{capacity:?}"
            );
        }
        let locks = Locks::of_two_servers(64_000, burst, 0, 0).unwrap();
        let dispatch = Dispatch::Deferrable(servers.to_vec());
        let simulation = Simulation::new(vec![&tasks, &[]], RM, dispatch, Some(&locks)).unwrap();
        let horizon = Horizon {
            phase: 0,
            repeat: 64_000,
            repeats: 2,
        };
        assert!(simulation.run(horizon, &mut Periodic, &mut ()).unwrap().misses > 0);
        // The exact test is not deceived.
        let top = TopLevel::new(servers, locks.clone()).unwrap();
        assert!(!accepts(&top, [&tasks, &[]], RM).unwrap().table);
    }
}

/// E22: an overloaded set "responds" in 5 and 9, and ltbf applied once accepts what the iteration with tbf does not.
#[test]
fn printed_response_times_are_too_short() {
    let overloaded = set(&[(10, 5), (15, 9)]);
    assert_eq!(
        dedicated_responses(&overloaded, Order::RateMonotonic, Rounding::Floor),
        [Some(5), Some(9)]
    );
    assert_eq!(
        dedicated_responses(&overloaded, Order::RateMonotonic, Rounding::Ceiling),
        [Some(5), None]
    );
    // On a resource of 8 in 10: 8 units of work respond in 8, stretched to 14; but in 14 another job of the first task arrives.
    let tasks = set(&[(12, 4), (16, 4)]);
    let once = responses_by_ltbf(&tasks, Order::RateMonotonic, server(10, 8), Rounding::Ceiling);
    assert_eq!(once, [Some(9), Some(14)]);
    let line = fresco_rt::supply::LinearBound::new(10, 8).unwrap();
    assert_eq!(
        fresco_rt::fixed_priority::response_bounds(&tasks, Order::RateMonotonic, &line),
        [Some(9), None]
    );
}

/// E25: the printed ε is 0 and the printed response within the period, yet a server is given 1.87 of its 2.4 ms.
#[test]
fn the_printed_overhead_is_zero_where_budget_is_lost() {
    let locks = Locks::of_two_servers(RETENTION, 2_129_920, 0, 0).unwrap();
    let top = TopLevel::new([server(4 * MS, 2_400_000), server(8 * MS, 3_200_000)], locks).unwrap();
    let length = top.repeat().unwrap();
    assert!((0..16).all(|job| refresh_overhead(&top, 0, job, length) == 0));
    assert_eq!(
        response_times(&top),
        [Some(2_400_000), Some(3_200_000)],
        "floors leave server 1 undelayed by server 0"
    );
    let (tables, _) = server_tables(&top).unwrap();
    assert_eq!((tables[0].min_supplied, tables[0].full), (1_870_080, false));
}

/// E26: the floor forgets the refresh that may stall a server as it starts.
#[test]
fn printed_response_times_under_auto_refresh_are_too_short() {
    let locks = Locks::of_two_servers(RETENTION, 0, 0, 0).unwrap();
    let top = TopLevel::new([server(10_000, 7_000), server(40_000, 9_000)], locks).unwrap();
    assert_eq!(
        auto_refresh_response_times(&top, 7_800, 350),
        [Some(7_000), Some(9_350)]
    );
    let memory = AutoRefresh::new(RETENTION, COMMANDS, 350).unwrap();
    assert_eq!(memory.tbf(7_000), Some(7_350));
    // 9, 13, 20, 31, 42 thousand: beyond the period.
    assert_eq!(auto_refresh_response_times(&top, 7_800, 4_000)[1], None);
}

/// E27: periods that do not divide tRET give Algorithm 8 a lock strictly inside; the first one decides alone.
#[test]
fn algorithm_8_stops_at_the_first_match() {
    let colors = vec![ColorLock { phase: 32, burst: 5 }, ColorLock { phase: 0, burst: 7 }];
    let locks = Locks::new(64, 0, 0, colors).unwrap();
    let overhead = |servers: [Server; 2], index, job| {
        let top = TopLevel::new(servers, locks.clone()).unwrap();
        refresh_overhead(&top, index, job, 960)
    };
    // Lock at 64: 4 into job 4 of server 0 (period 15), 4 into job 1 of server 1 (period 60), which responds in 3.
    assert_eq!(overhead([server(15, 6), server(60, 3)], 0, 4), 5);
    // Had server 1 more to do, its budget would hide the refresh.
    assert_eq!(overhead([server(15, 6), server(60, 5)], 0, 4), 0);
    // The same inequalities decide for server 1, where they ought to be reversed.
    assert_eq!(overhead([server(15, 6), server(60, 3)], 1, 1), 7);
    // Periods that divide tRET: never anything.
    assert!((0..60).all(|job| overhead([server(16, 6), server(32, 3)], 0, job) == 0));
}

/// E27: what Algorithm 7 returns misses in simulation.
#[test]
fn algorithm_7_returns_servers_that_do_not_hold() {
    let locks = Locks::of_two_servers(64, 12, 0, 0).unwrap();
    let workloads = [set(&[(8, 1)]), set(&[(8, 1)])];
    let slices = [workloads[0].as_slice(), workloads[1].as_slice()];
    let found = algorithm7(slices, Policy::Edf, &locks, 1, 100_000).unwrap().unwrap();
    let top = TopLevel::new(found.servers, locks.clone()).unwrap();
    for (workload, server) in slices.into_iter().zip(found.servers) {
        assert!(within_utilization_bound(workload, Policy::Edf, server).unwrap());
    }
    // Condition (2) is not among those it asks for: it takes the first candidate, two servers of the whole processor each.
    assert_eq!(found.servers, [server(1, 1), server(1, 1)]);
    assert!(!within_total_utilization(&top) && !accepts(&top, slices, Policy::Edf).unwrap().table);
    let dispatch = Dispatch::Idling(found.servers.to_vec());
    let simulation = Simulation::new(slices.to_vec(), Policy::Edf, dispatch, Some(&locks)).unwrap();
    assert!(simulation.run_exact().unwrap().misses > 0);
    assert!(found.candidates > 100);
    assert_eq!(
        algorithm7(slices, Policy::Edf, &locks, 1, 100),
        Err(Algorithm7Error::TooMany(100))
    );
    assert_eq!(
        algorithm7(slices, Policy::Edf, &locks, 0, 1000),
        Err(Algorithm7Error::Empty)
    );
}

#[test]
fn unsound_formulas_name_their_erratum() {
    for erratum in ["E21", "E22", "E23", "E24", "E25", "E26", "E27"] {
        assert!(
            FORMULAS
                .iter()
                .any(|formula| formula.unsound && formula.erratum == erratum),
            "{erratum}"
        );
    }
}

fn rows<'a>(all: &'a SideBySide, formula: &str) -> Vec<&'a Row> {
    let rows: Vec<&Row> = all.rows.iter().filter(|row| row.formula.name == formula).collect();
    assert!(!rows.is_empty(), "{formula}");
    rows
}

/// Section 5.3.5 formula by formula: bounds of .0256 and .1427 for .375, budgets of 11 and 8 ms for 6 (E28).
#[test]
fn section_5_3_5_side_by_side() {
    let [first, second] = section_5_3_5();
    let locks = Locks::of_two_servers(RETENTION, 1_310_720, 0, 0).unwrap();
    let top = TopLevel::new([server(16 * MS, 6 * MS); 2], locks).unwrap();
    let all = side_by_side(&top, [&first, &second], RM, &Settings::of(&top)).unwrap();
    let bounds = rows(&all, "RM utilization bound");
    assert_eq!(
        bounds
            .iter()
            .map(|row| (row.printed, row.limit, row.accepts))
            .collect::<Vec<_>>(),
        [25_555, 142_742].map(|limit| {
            let millionths = |share| Some(Amount::Millionths(share));
            (millionths(375_000), millionths(limit), Some(false))
        })
    );
    let budgets = rows(&all, "RM periodic capacity bound");
    assert_eq!(budgets.len(), 2);
    for (row, least) in budgets.into_iter().zip([11 * MS, 8 * MS]) {
        assert_eq!((row.exact, row.exact_accepts), (Some(Amount::Time(least)), Some(false)));
        assert_eq!((row.limit, row.accepts), (Some(Amount::Time(6 * MS)), Some(false)));
    }
    let responses = rows(&all, "service time of a response (ltbf)");
    assert_eq!(responses.len(), 4);
    assert_eq!(responses[3].of, Subject::Task(1, "t1".into()));
    let total = rows(&all, "condition (2)")[0];
    assert_eq!(
        (total.printed, total.accepts),
        (Some(Amount::Millionths(750_000)), Some(true))
    );
    assert!(!all.published.accepted && !all.sound.table);
}

/// Table 5.2 formula by formula (E29), with 2.87 ms of burst as at 8 Gb.
#[test]
fn table_5_2_side_by_side() {
    let [first, second] = table_5_2();
    let servers = [server(4 * MS, 2_400_000), server(4 * MS, 1_600_000)];
    let top = |handler| {
        let locks = Locks::of_two_servers(RETENTION, 2_867_200, handler, handler).unwrap();
        TopLevel::new(servers, locks).unwrap()
    };
    let all = |top: &TopLevel| {
        let settings = Settings {
            auto_refresh: Some((7_800, 400)),
            ..Settings::of(top)
        };
        side_by_side(top, [&first, &second], Policy::Edf, &settings).unwrap()
    };
    let (free, charged) = (all(&top(0)), all(&top(2_000)));
    let bounds = rows(&free, "EDF utilization bound");
    let shares = bounds.iter().map(|row| (row.printed, row.limit, row.accepts));
    let millionths = |share| Some(Amount::Millionths(share));
    // 0.6 (1 - 2 * 1.6 / 8) and 0.4 (1 - 2 * 2.4 / 10).
    assert_eq!(
        shares.collect::<Vec<_>>(),
        [
            (millionths(559_999), millionths(360_000), Some(false)),
            (millionths(369_999), millionths(208_000), Some(false))
        ]
    );
    let budgets = rows(&free, "EDF periodic capacity bound");
    let values: Vec<_> = budgets
        .iter()
        .map(|row| (row.printed, row.exact, row.exact_accepts))
        .collect();
    let time = |t| Some(Amount::Time(t));
    assert_eq!(
        values,
        [
            (time(2_430_724), time(2_400_000), Some(true)),
            (time(1_674_710), time(1_644_445), Some(false))
        ]
    );
    let total = |all: &SideBySide| {
        (
            rows(all, "condition (2)")[0].printed,
            rows(all, "condition (2)")[0].accepts,
        )
    };
    assert_eq!(total(&free), (millionths(1_000_000), Some(true)));
    assert_eq!(total(&charged), (millionths(1_000_125), Some(false)));
    // E25: no epsilon is printed and the response is within the period; budgets are short.
    for row in rows(&free, "server response times with epsilon") {
        assert!(row.accepts == Some(true) || row.of == Subject::Server(1), "{row:?}");
    }
    assert_eq!(
        rows(&free, "server response times with epsilon")[0].exact_accepts,
        Some(false)
    );
    assert!(rows(&free, "Algorithm 8").iter().all(|row| row.printed == time(0)));
    assert_eq!(rows(&free, "server response times under auto-refresh").len(), 2);
    // E8: on a grid of 1 ms, the printed fusion returns the least frame; 4 ms serve the tasks.
    let fusion: Vec<_> = rows(&free, "Algorithm 6")
        .iter()
        .map(|row| (row.printed, row.exact))
        .collect();
    assert_eq!(fusion, [(time(MS), time(4 * MS)), (time(8 * MS), time(8 * MS))]);
    assert_eq!(rows(&free, "Algorithm 7").len(), 4);
    assert!(!free.published.accepted && !free.sound.table);
    let text = serde_json::to_string(&free).unwrap();
    assert!(text.contains(r#""erratum":"E24, E29""#) && text.contains(r#""printed":{"time":2430724}"#));
}
