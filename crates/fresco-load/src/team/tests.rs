// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds for every team.

use super::testing::{accesses, marks, run_team, team_of};
use crate::Marker::{Begin, End, Fork, Join, Pass};
use crate::testing::cases;
use crate::{Batch, Event, Op, Parameter, ProgramKind, ProgramSpec, Setting, programs};
use fresco_dram::VirtAddr;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Every team, small.
const SMALL: &[(&str, &str)] = &[
    ("strides-parallel", "bytes = '5000 B'\nwrites = 100"),
    ("lbm", "n = 13"),
    ("cg", "rows = 90\ndegree = 6\niterations = 3"),
    ("blackscholes", "options = 300"),
    ("kmeans", "points = 100\ndimensions = 5\nclusters = 3"),
    ("histogram", "elements = 2000\nbins = 40"),
    ("matmult-parallel", "n = 21\nblock = 4"),
    ("fft", "log2 = 8"),
    ("bfs", "vertices = 200\ndegree = 4"),
];

fn with(parameters: &str, more: &str) -> String {
    format!("{parameters}\n{more}")
}

#[test]
fn every_team_has_a_small_case() {
    let computes = |kind: &&&ProgramKind| kind.is_team() && !kind.parameters().any(Parameter::is_file);
    let teams = programs().iter().filter(computes).map(|kind| kind.name);
    assert!(teams.eq(SMALL.iter().map(|(name, _)| *name)));
}

#[test]
fn marks_come_in_the_order_promised() {
    let strides = SMALL[0];
    let of = |more: &str| marks(&run_team(team_of(strides.0, &with(strides.1, more), 2), 1)[1]);
    assert_eq!(of("init = 'none'"), [Begin, Join, Pass, End]);
    assert_eq!(
        of("passes = 2\nwarmup = 1"),
        [Join, Join, Begin, Join, Pass, Join, Pass, End]
    );
    assert_eq!(of("init = 'serial'\nserial = 50"), [Fork, Begin, Fork, Join, Pass, End]);
}

#[test]
fn a_thread_that_does_not_wait_is_refused() {
    let mut team = team_of(SMALL[0].0, SMALL[0].1, 2);
    let mut batch = Batch::new();
    assert_eq!(team[0].next(&mut batch), Ok(true));
    let error = team[0].next(&mut batch).unwrap_err().to_string();
    assert!(
        error.contains("thread 0 went on before all threads had come to the mark"),
        "{error}"
    );
}

#[test]
fn teams_of_no_threads_or_too_many_and_teams_of_other_programs_are_refused() {
    let fault = |name: &str, threads| {
        let spec = ProgramSpec::parse(name, "").expect("a program");
        let team = spec.build(&Setting::default(), threads);
        team.err().expect("a fault").to_string()
    };
    assert!(fault("strides-parallel", 0).contains("allowed: 1 to 64"));
    assert!(fault("strides-parallel", 65).contains("found 65 threads"));
    assert!(fault("latency", 2).contains("allowed: one thread; several of strides-parallel"));
    assert_eq!(team_of("latency", "", 1).len(), 1);
}

#[test]
fn initialisation_stores_to_every_part_once() {
    for (name, parameters) in SMALL {
        let init = |mode: &str| {
            let events = run_team(team_of(name, &with(parameters, &format!("init = '{mode}'")), 3), 1);
            let first = |events: &Vec<Event>| {
                let first: Vec<_> = events.split(|event| matches!(event, Event::Mark { .. })).collect();
                accesses(first[0])
            };
            events.iter().map(first).collect::<Vec<_>>()
        };
        let (parallel, serial) = (init("parallel"), init("serial"));
        assert!(
            serial[1].is_empty() && serial[2].is_empty() && !serial[0].is_empty(),
            "{name}"
        );
        assert!(
            parallel.iter().all(|part| part.iter().all(|&(.., write)| write)),
            "{name}"
        );
        let mut all = parallel.concat();
        all.sort_unstable();
        let mut by_master = serial[0].clone();
        by_master.sort_unstable();
        assert_eq!(all, by_master, "{name}");
        assert!(
            all.windows(2).all(|pair| pair[0].0 + u64::from(pair[0].1) <= pair[1].0),
            "{name}"
        );
        assert!(parallel.iter().filter(|part| !part.is_empty()).count() > 1, "{name}");
    }
}

/// What one thread stores to, no other thread accesses before all have met again.
fn races(threads: &[Vec<Event>]) -> Option<u64> {
    let meets = |event: &Event| {
        matches!(
            event,
            Event::Mark {
                marker: Fork | Join,
                ..
            }
        )
    };
    let sections: Vec<Vec<_>> = threads.iter().map(|events| events.split(meets).collect()).collect();
    (0..sections[0].len()).find_map(|section| {
        let mut writers = BTreeMap::new();
        let accesses: Vec<_> = sections.iter().map(|thread| accesses(thread[section])).collect();
        for (thread, accesses) in accesses.iter().enumerate() {
            let stored = accesses
                .iter()
                .filter(|access| access.2)
                .map(|access| (access.0, thread));
            writers.extend(stored);
        }
        let others = |(thread, access): (usize, &(u64, u8, bool))| {
            writers
                .get(&access.0)
                .is_some_and(|&writer| writer != thread)
                .then_some(access.0)
        };
        let all = accesses.iter().enumerate();
        all.flat_map(|(thread, accesses)| accesses.iter().map(move |access| (thread, access)))
            .find_map(others)
    })
}

#[test]
fn races_are_found() {
    let access = |addr, write| {
        let op = Op {
            addr: VirtAddr(addr),
            gap: 0,
            dep: 0,
            size: 8,
            write,
        };
        Event::Op(op)
    };
    let join = Event::Mark { marker: Join, gap: 0 };
    let writer = vec![access(64, true), join, access(128, false)];
    assert_eq!(
        races(&[writer.clone(), vec![access(128, false), join, access(64, false)]]),
        None
    );
    assert_eq!(races(&[writer.clone(), vec![access(64, false), join]]), Some(64));
    assert_eq!(races(&[vec![access(64, true), join], writer]), Some(64));
}

#[test]
fn teams_have_no_data_races() {
    for (name, parameters) in SMALL {
        for serial in [0, 30] {
            let parameters = with(parameters, &format!("serial = {serial}\npasses = 2"));
            let events = run_team(team_of(name, &parameters, 4), 5);
            assert_eq!(races(&events), None, "{name}");
        }
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn what_threads_do_does_not_depend_on_who_comes_first(
        number in 0..SMALL.len(),
        threads in 1..6u32,
        seeds: (u64, u64),
        serial in prop_oneof![Just(0u64), 1..=100u64],
    ) {
        let (name, parameters) = SMALL[number];
        let parameters = with(parameters, &format!("serial = {serial}\npasses = 2"));
        let once = run_team(team_of(name, &parameters, threads), seeds.0);
        let again = run_team(team_of(name, &parameters, threads), seeds.1);
        prop_assert_eq!(once, again);
    }
}
