// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs teams in random interleavings and checks what every team owes.

use super::{Section, TeamKernel, bounds};
use crate::recorder::ExecutionState;
use crate::{Batch, Event, Marker, Program, ProgramSpec, Setting};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Builds a team by name.
pub(crate) fn team_of(name: &str, parameters: &str, threads: u32) -> Vec<Box<dyn Program>> {
    let setting = Setting {
        seed: 7,
        ..Setting::default()
    };
    let spec = ProgramSpec::parse(name, parameters).expect("is known, with parameters that it takes");
    spec.build(&setting, threads).expect("is built")
}

/// Runs a team to its end, short batches of threads drawn at random, and returns each thread's events. Operations lie in
/// the footprint and depend on loads; batches end at forks and joins, where all threads meet; the result verifies.
pub(crate) fn run_team(mut team: Vec<Box<dyn Program>>, seed: u64) -> Vec<Vec<Event>> {
    let areas = team[0].footprint();
    assert!(team.iter().all(|thread| thread.footprint() == areas));
    let mut random = Pcg64::seed_from_u64(seed);
    let mut events = vec![vec![]; team.len()];
    let mut loads: Vec<Vec<bool>> = vec![vec![]; team.len()];
    let mut running: Vec<usize> = (0..team.len()).collect();
    let (mut met, mut over) = (vec![], 0);
    let mut batch = Batch::new();
    while over < team.len() {
        let number = random.random_range(0..running.len());
        let thread = running[number];
        batch.clear();
        let capacity = random.random_range(1..100);
        batch.limit(capacity);
        if !team[thread].next(&mut batch).expect("the team runs") {
            running.swap_remove(number);
            over += 1;
            continue;
        }
        assert!(!batch.events().is_empty() && batch.events().len() < capacity + 256);
        for event in batch.events() {
            let Event::Op(op) = event else { continue };
            let end = op.addr.0 + u64::from(op.size);
            let lies = |a: &crate::Area| a.base.0 <= op.addr.0 && end <= a.base.0 + a.bytes;
            assert!(areas.iter().any(lies), "{op:?} in {areas:?}");
            assert!(op.addr.0 / 64 == (end - 1) / 64, "{op:?} crosses a line");
            let loads = &mut loads[thread];
            assert!(
                op.dep == 0 || loads[loads.len() - op.dep as usize],
                "{op:?} depends on a store"
            );
            loads.push(!op.write);
        }
        let meets = |event: &Event| match event {
            Event::Mark { marker, .. } if matches!(marker, Marker::Fork | Marker::Join) => Some(*marker),
            _ => None,
        };
        let inner = &batch.events()[..batch.events().len() - 1];
        assert!(
            inner.iter().all(|event| meets(event).is_none()),
            "a batch ends at a fork or join"
        );
        events[thread].extend_from_slice(batch.events());
        if let Some(marker) = batch.events().last().and_then(meets) {
            running.swap_remove(number);
            met.push((thread, marker));
            if met.len() == team.len() {
                assert!(met.iter().all(|&(_, other)| other == marker));
                running.extend(met.drain(..).map(|(thread, _)| thread));
                assert_eq!(team[thread].verify(), Ok(()));
            }
        }
    }
    assert!(met.is_empty());
    for thread in &team {
        assert_eq!(thread.verify(), Ok(()));
    }
    events
}

/// Runs `passes` passes of `kernel` without the programs around it, the threads' pieces in turn, and returns it.
pub(crate) fn run_kernel<K: TeamKernel>(mut kernel: K, threads: usize, passes: usize) -> K {
    let mut executions = vec![ExecutionState::default(); threads];
    let mut batch = Batch::new();
    for _ in 0..passes {
        while let Some(section) = kernel.advance() {
            let (iterations, threads) = match section {
                Section::Serial(iterations) => (iterations, 1),
                Section::Parallel(iterations) => (iterations, threads),
            };
            let shares = bounds(iterations, threads);
            let mut iteration: Vec<usize> = shares[..threads].to_vec();
            while (0..threads).any(|thread| iteration[thread] < shares[thread + 1]) {
                for thread in (0..threads)
                    .rev()
                    .filter(|&thread| iteration[thread] < shares[thread + 1])
                    .collect::<Vec<_>>()
                {
                    batch.clear();
                    let over = kernel.step(thread, iteration[thread], &mut executions[thread].record(&mut batch));
                    iteration[thread] += usize::from(over);
                }
            }
            (0..threads).for_each(|thread| kernel.close(thread, &mut executions[thread].record(&mut batch)));
        }
        assert_eq!(kernel.verify(), Ok(()));
    }
    kernel
}

/// Marks of a thread, in order.
pub(crate) fn marks(events: &[Event]) -> Vec<Marker> {
    let mark = |event: &Event| match event {
        Event::Mark { marker, .. } => Some(*marker),
        Event::Op(_) | Event::Order { .. } | Event::Fetch { .. } => None,
    };
    events.iter().filter_map(mark).collect()
}

/// Stores and loads of a thread: address, bytes, store.
pub(crate) fn accesses(events: &[Event]) -> Vec<(u64, u8, bool)> {
    let access = |event: &Event| match event {
        Event::Op(op) => Some((op.addr.0, op.size, op.write)),
        Event::Mark { .. } | Event::Order { .. } | Event::Fetch { .. } => None,
    };
    events.iter().filter_map(access).collect()
}
