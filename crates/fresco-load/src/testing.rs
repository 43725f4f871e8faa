// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs a program to its end and checks what every program owes.

use crate::kernel::Kernel;
use crate::recorder::ExecutionState;
use crate::{Batch, Event, Marker, Op, Program};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// Everything a program did.
pub(crate) struct Run {
    pub events: Vec<Event>,
}

impl Run {
    /// Numbers of begin, pass and end marks.
    pub fn marks(&self) -> (usize, usize, usize) {
        let count = |wanted: Marker| {
            let is_it = |event: &&Event| matches!(event, Event::Mark { marker, .. } if *marker == wanted);
            self.events.iter().filter(is_it).count()
        };
        (count(Marker::Begin), count(Marker::Pass), count(Marker::End))
    }

    /// The operations, without the marks.
    pub fn ops(&self) -> Vec<Op> {
        self.events
            .iter()
            .filter_map(|e| if let Event::Op(op) = e { Some(*op) } else { None })
            .collect()
    }

    /// Instructions, memory operations included.
    pub fn instructions(&self) -> u64 {
        let of = |event: &Event| match event {
            Event::Op(op) => u64::from(op.gap) + 1,
            Event::Mark { gap, .. } | Event::Order { gap, .. } | Event::Fetch { gap, .. } => u64::from(*gap),
        };
        self.events.iter().map(of).sum()
    }
}

/// Addresses of all operations, in program order.
pub(crate) fn addresses(run: &Run) -> Vec<u64> {
    run.ops().iter().map(|op| op.addr.0).collect()
}

/// Runs `program` to its end. Each batch is bounded; each operation lies in the footprint and depends on an earlier
/// load; the result verifies after every batch.
pub(crate) fn run(mut program: impl Program) -> Run {
    let areas = program.footprint();
    assert!(
        areas
            .windows(2)
            .all(|pair| pair[0].base.0 + pair[0].bytes <= pair[1].base.0),
        "{areas:?}"
    );
    let (mut events, mut batch) = (Vec::new(), Batch::new());
    let mut loads = vec![];
    loop {
        batch.clear();
        if !program.next(&mut batch).expect("the program runs") {
            break;
        }
        assert!(!batch.events().is_empty() && batch.events().len() < Batch::CAPACITY + 256);
        for event in batch.events() {
            let Event::Op(op) = event else { continue };
            let end = op.addr.0 + u64::from(op.size);
            assert!(
                areas.iter().any(|a| a.base.0 <= op.addr.0 && end <= a.base.0 + a.bytes),
                "{op:?} in {areas:?}"
            );
            assert!(
                (1..=64).contains(&op.size) && op.addr.0 / 64 == (end - 1) / 64,
                "{op:?} crosses a line"
            );
            assert!(
                op.dep == 0 || loads[loads.len() - op.dep as usize],
                "{op:?} depends on a store"
            );
            loads.push(!op.write);
        }
        events.extend_from_slice(batch.events());
        assert_eq!(program.verify(), Ok(()));
    }
    batch.clear();
    assert_eq!(program.next(&mut batch), Ok(false));
    assert!(batch.events().is_empty());
    Run { events }
}

/// Runs `kernel` to the end of its pass and keeps nothing.
pub(crate) fn one_pass(kernel: &mut impl Kernel) {
    let (mut execution, mut batch) = (ExecutionState::default(), Batch::new());
    while !kernel.step(&mut execution.record(&mut batch)) {
        batch.clear();
    }
}

/// `cases` cases, the same ones in every run.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
