// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core model against closed formulas and against a plain model of the same rules.

mod fetches;
mod formulas;
mod reference;
mod standing;
mod upgrades;
mod walks;

use super::*;
use fresco_machine::{CoreConfig, CoreKind, Prefetch};

/// A core at 1 GHz: with issue width 1, a slot is a nanosecond.
fn core(kind: CoreKind, issue_width: u32, window: u32, mshrs: u32) -> CoreConfig {
    CoreConfig {
        mhz: 1000,
        kind,
        issue_width,
        window,
        mshrs,
        threads: 1,
        prefetch: Prefetch::default(),
        tlb: None,
    }
}

/// Steps from a list, then the end.
struct List {
    steps: Vec<Step>,
    next: usize,
}

impl List {
    fn new(ops: Vec<MicroOp>) -> Self {
        Self {
            steps: ops.into_iter().map(Step::Op).collect(),
            next: 0,
        }
    }
}

impl Source for List {
    fn next(&mut self) -> Step {
        self.next += 1;
        let step = self.steps.get(self.next - 1);
        step.copied().unwrap_or(Step::Event { gap: 0 })
    }
}

/// A memory that answers every fetch after the same time. Returns when the last operation is complete, and the times
/// of all fetches.
fn run(config: &CoreConfig, ops: Vec<MicroOp>, latency: Ps) -> (Ps, Vec<Ps>) {
    run_ahead(config, ops, 50_000, |_| latency)
}

/// The same with a latency for each line, and a bound on how far the core runs ahead.
fn run_ahead(config: &CoreConfig, ops: Vec<MicroOp>, ahead: Ps, latency: impl Fn(PhysAddr) -> Ps) -> (Ps, Vec<Ps>) {
    run_steps(config, List::new(ops), 0, ahead, latency)
}

/// The same with steps of all kinds, and stalls in cycles in a thousand instructions.
fn run_steps(
    config: &CoreConfig,
    mut source: List,
    stalls: u32,
    ahead: Ps,
    latency: impl Fn(PhysAddr) -> Ps,
) -> (Ps, Vec<Ps>) {
    let mut core = build(config);
    core.set_stalls(stalls);
    core.resume(0);
    let mut answers: Vec<(Ps, MissTag)> = Vec::new();
    let mut fetched = Vec::new();
    loop {
        let first = answers
            .iter()
            .enumerate()
            .min_by_key(|(index, (at, _))| (*at, *index))
            .map(|(index, _)| index);
        if let Some(first) = first.filter(|first| answers[*first].0 <= core.next_time()) {
            let (at, tag) = answers.remove(first);
            core.complete(tag, at, at);
            continue;
        }
        let now = core.next_time();
        match core.step(Some(&mut source), now + ahead) {
            Action::Fetch { at, tag, line, .. } => {
                fetched.push(at);
                answers.push((at + latency(line), tag));
            }
            Action::Event { at } => return (at, fetched),
            Action::Leave { .. } | Action::Watched { .. } | Action::Ran => {}
        }
    }
}

/// A load that misses, of the line with this number.
fn miss(gap: u32, dep: u32, line: u64) -> MicroOp {
    let (line, victims) = (PhysAddr(line * 64), Victims::default());
    MicroOp {
        gap,
        dep,
        write: false,
        line,
        lookup: Lookup::Miss,
        victims,
    }
}

/// A load that hits after `slots`.
fn hit(gap: u32, dep: u32, line: u64, slots: u32) -> MicroOp {
    MicroOp {
        lookup: Lookup::Hit { slots },
        ..miss(gap, dep, line)
    }
}

/// The same as a store.
fn store(op: MicroOp) -> MicroOp {
    MicroOp { write: true, ..op }
}
