// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stream uses the data bus to the full, as far as the standard lets it: at least 90 percent of the peak while no
//! refresh is under way, on every standard, for reads and for writes; and with refresh at least 90 percent of what
//! refreshes leave.
//!
//! Where a standard has bank groups, tCCD_L is longer than a burst, so neighbouring lines must lie in different groups:
//! the bank group stands in the lowest bits of the map. With it elsewhere the same stream reaches BL/2 / tCCD_L.

use crate::support::devices;
use fresco_dram::{Cycle, Location, Organisation, Timing, standards};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, RefreshPolicy, Scheduler};
use fresco_memory::{Access, Completion, Controller, Driver, Observer, TraceRequest};
use std::convert::Infallible;

const LINES: u64 = 60_000;

/// The fields of a map, from the lowest bits on.
#[derive(Clone, Copy)]
enum Map {
    /// Bank group, column, bank, row.
    GroupLow,
    /// Column, bank, bank group, row.
    GroupHigh,
}

fn place(map: Map, org: &Organisation, t: &Timing, line: u64) -> Location {
    let (groups, banks) = (u64::from(org.bank_groups), u64::from(org.banks));
    let line_columns = u64::from(devices::line_columns(org, t));
    let columns = u64::from(org.columns) / line_columns;
    let mut rest = line;
    let mut field = |count| {
        let value = rest % count;
        rest /= count;
        value
    };
    let (group, column, bank) = match map {
        Map::GroupLow => (field(groups), field(columns), field(banks)),
        Map::GroupHigh => {
            let (column, bank) = (field(columns), field(banks));
            (field(groups), column, bank)
        }
    };
    Location {
        node: 0,
        channel: 0,
        rank: 0,
        bank_group: group as u32,
        bank: bank as u32,
        row: rest as u32,
        column: (column * line_columns) as u32,
    }
}

struct Nobody;

impl Observer for Nobody {
    fn completed(&mut self, _completion: &Completion) {}
}

/// The share of the data bus that a stream of one rank uses, with so many requests outstanding.
fn used(name: &str, map: Map, access: Access, refresh: RefreshPolicy, outstanding: usize) -> f64 {
    let (data, end) = driven(name, map, access, refresh, outstanding, LINES);
    data as f64 / end as f64
}

/// Cycles of the data bus that a stream of so many lines takes, and the cycle in which all is over.
fn driven(
    name: &str,
    map: Map,
    access: Access,
    refresh: RefreshPolicy,
    outstanding: usize,
    lines: u64,
) -> (Cycle, Cycle) {
    let org = Organisation {
        ranks: 1,
        ..devices::organisation(name)
    };
    let t = devices::timing(name, &[]);
    let config = ControllerConfig {
        scheduler: Scheduler::FrFcfs { hit_cap: 16 },
        page: PagePolicy::Open,
        queues: Queues::Global { reads: 64, writes: 64 },
        drain_high: 48,
        drain_low: 16,
        refresh,
        drain_once: false,
        frontend: 0,
    };
    let mut driver = Driver::new(vec![Controller::new(&config, &org, &t, 0)], outstanding);
    let trace = (0..lines).map(|address| {
        Ok(TraceRequest {
            cycle: 0,
            address,
            access,
        })
    });
    let Ok(driven) = driver.run::<Infallible>(trace, |line| Ok(place(map, &org, &t, line)), &mut Nobody);
    let data: Cycle = driver.controllers()[0].stats().iter().map(|s| s.data_cycles).sum();
    assert_eq!(data, lines * t.line_on_bus(&org));
    (data, driven.end)
}

/// The share of time that refreshes of the one rank leave: in every tREFI, tRFC and the precharge before it are lost,
/// and the opening of a row after it.
fn left_by_refresh(t: &Timing) -> f64 {
    1.0 - (t.rp_ab + t.rfc_ab + t.rcd) as f64 / t.refi as f64
}

#[test]
fn a_single_access_is_over_with_its_data() {
    for name in standards::names() {
        let (org, t) = (devices::organisation(name), devices::timing(name, &[]));
        let end = |access| driven(name, Map::GroupLow, access, RefreshPolicy::None, 1, 1).1;
        // The first command comes in the cycle after the one in which the request arrives.
        assert_eq!(end(Access::Read), 1 + t.rcd + t.read_data(&org), "{name}");
        assert_eq!(end(Access::Write), 1 + t.rcd + t.write_data(&org), "{name}");
    }
}

#[test]
fn a_stream_across_bank_groups_fills_the_bus() {
    for name in standards::names() {
        for access in [Access::Read, Access::Write] {
            let share = used(name, Map::GroupLow, access, RefreshPolicy::None, 64);
            assert!(share >= 0.9, "{name} {access:?}: {share:.3} of the peak");
            assert!(share <= 1.0, "{name} {access:?}: {share:.3} of the peak");
        }
    }
}

#[test]
fn with_refresh_it_fills_what_refreshes_leave() {
    for name in standards::names() {
        let left = left_by_refresh(&devices::timing(name, &[]));
        let share = used(name, Map::GroupLow, Access::Read, RefreshPolicy::AllBankIndependent, 64);
        assert!(
            share >= 0.9 * left,
            "{name}: {share:.3} of the peak, refreshes leave {left:.3}"
        );
        assert!(
            share <= left * 1.01,
            "{name}: {share:.3} of the peak, refreshes leave {left:.3}"
        );
    }
}

#[test]
fn within_one_bank_group_the_long_distance_limits() {
    for name in standards::names() {
        let t = devices::timing(name, &[]);
        // A row of a group holds a quarter of the lines where a line is two bursts of a narrow bus.
        // Rows of HBM3 open later than a dozen of its short lines are over.
        let outstanding = match t.line_bytes {
            0 => 16,
            _ if name == "hbm3-6400" => 12,
            _ => 10,
        };
        let share = used(name, Map::GroupHigh, Access::Read, RefreshPolicy::None, outstanding);
        let limit = t.burst() as f64 / t.ccd_l as f64;
        // Where the queue holds the end of one group and the start of the next, both are served in turn: a little more.
        assert!(
            (0.98 * limit..=1.05 * limit).contains(&share),
            "{name}: {share:.3} of the peak, limit {limit:.3}"
        );
    }
}
