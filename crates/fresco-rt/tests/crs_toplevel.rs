// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of random top levels against counting ticks, and what the closed forms promise about them.

use fresco_rt::Time;
use fresco_rt::supply::{SlotTable, Supply};
use fresco_rt::toplevel::{
    ColorLock, Locks, Server, TopLevel, TopLevelError, deferrable_guarantee, response_times, server_tables,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

fn random(rng: &mut Pcg64) -> TopLevel {
    let retention: Time = [48, 60, 64, 96][rng.random_range(0..4)];
    let mut server = |periods: &[Time]| {
        let period = periods[rng.random_range(0..periods.len())];
        Server::new(period, rng.random_range(1..=period)).unwrap()
    };
    let servers = [
        server(&[4, 5, 6, 8, 10, 12, 16]),
        server(&[8, 10, 12, 15, 16, 20, 24, 32]),
    ];
    let (lock, unlock) = (rng.random_range(0..2), rng.random_range(0..2));
    let half = retention / 2;
    let color = |phase: Time, burst: Time| ColorLock { phase, burst };
    let mut burst = || rng.random_range(0..half / 3);
    let colors = vec![color(half, burst()), color(0, burst())];
    TopLevel::new(servers, Locks::new(retention, lock, unlock, colors).unwrap()).unwrap()
}

/// Who has each tick of `[0, length)`: 0 and 1 the servers, 2 nobody, 3 a handler.
fn ticks(top: &TopLevel, length: Time) -> Vec<usize> {
    let mut budgets = [0; 2];
    let locks = top.locks();
    (0..length)
        .map(|now| {
            for (budget, server) in budgets.iter_mut().zip(top.servers()) {
                if now % server.period() == 0 {
                    *budget = server.budget();
                }
            }
            let mut locked = [false; 2];
            for (color, locked) in locked.iter_mut().enumerate() {
                let window = locks.window(color, now / locks.retention());
                if (window.start..window.burst_start).contains(&now) || (window.burst_end..window.end).contains(&now) {
                    return 3;
                }
                *locked = (window.start..window.end).contains(&now);
            }
            let owner = (0..2)
                .find(|&server| budgets[server] > 0 && !locked[server])
                .unwrap_or(2);
            if owner < 2 {
                budgets[owner] -= 1;
            }
            owner
        })
        .collect()
}

#[test]
fn tables_are_what_counting_ticks_gives() {
    let rng = &mut Pcg64::seed_from_u64(5);
    for _ in 0..500 {
        let top = random(rng);
        let (tables, idle) = server_tables(&top).unwrap();
        let length = top.repeat().unwrap();
        let owners = ticks(&top, length);
        assert_eq!(
            idle,
            owners.iter().filter(|&&owner| owner == 2).count() as Time,
            "{top:?}"
        );
        for (color, table) in tables.iter().enumerate() {
            let slots: Vec<(Time, Time)> = (0..length)
                .filter(|&t| owners[t as usize] == color)
                .map(|t| (t, t + 1))
                .collect();
            assert_eq!(table.slots, SlotTable::new(length, &slots).unwrap(), "{top:?}");
            let period = top.servers()[color].period();
            let given = |k: Time| {
                (k * period..(k + 1) * period)
                    .filter(|&t| owners[t as usize] == color)
                    .count() as Time
            };
            assert_eq!(
                table.min_supplied,
                (0..length / period).map(given).min().unwrap(),
                "{top:?}"
            );
        }
    }
}

/// F25 and F24 each imply that every period is given its whole budget; neither does so for all that are.
#[test]
fn closed_forms_promise_full_budgets() {
    let rng = &mut Pcg64::seed_from_u64(6);
    let (mut by_response, mut by_guarantee, mut full) = ([0; 2], [0; 2], [0; 2]);
    for _ in 0..60_000 {
        let top = random(rng);
        let (tables, _) = server_tables(&top).unwrap();
        let (responses, guarantee) = (response_times(&top), deferrable_guarantee(&top).unwrap());
        for color in 0..2 {
            let guaranteed = guarantee[color] >= top.servers()[color].budget();
            assert!(responses[color].is_none() || tables[color].full, "response: {top:?}");
            assert!(!guaranteed || tables[color].full, "guarantee: {top:?}");
            by_response[color] += u32::from(responses[color].is_some());
            by_guarantee[color] += u32::from(guaranteed);
            full[color] += u32::from(tables[color].full);
        }
    }
    assert!(
        by_response[1] > 500 && by_guarantee[1] > 500,
        "{by_response:?} {by_guarantee:?}"
    );
    assert!(full[1] > by_response[1] && full[1] > by_guarantee[1], "{full:?}");
}

#[test]
fn impossible_top_levels_are_refused() {
    let one = Locks::new(64, 0, 0, vec![ColorLock { phase: 0, burst: 4 }]).unwrap();
    let server = |period, budget| Server::new(period, budget).unwrap();
    assert_eq!(
        TopLevel::new([server(4, 1), server(4, 1)], one),
        Err(TopLevelError::Colors(1))
    );
    assert!(Server::new(0, 0).is_err() && Server::new(4, 5).is_err());
    let locks = Locks::of_two_servers(64_000_000, 0, 0, 0).unwrap();
    let odd = TopLevel::new([server(999_983, 1), server(4_000_000, 1)], locks.clone()).unwrap();
    assert!(matches!(server_tables(&odd), Err(TopLevelError::TooLong(..))));
    let huge = TopLevel::new([server(u64::MAX, 1), server(4_000_001, 1)], locks).unwrap();
    assert_eq!(deferrable_guarantee(&huge), Err(TopLevelError::Overflow));
    // The longest table that fits has no room for a shorter bound.
    let table = SlotTable::new(1 << 62, &[(0, 1)]).unwrap();
    assert_eq!(table.tbf(1), Some(1 << 62));
    assert!(SlotTable::new((1 << 62) + 1, &[]).is_err());
}
