// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must hold whatever the cores do.

use super::*;
use crate::checker::{Checker, Options, parse_line};
use crate::system::Service;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// An access some time after the one before it.
#[derive(Clone, Copy, Debug)]
struct Op {
    after: Ps,
    core: u32,
    addr: PhysAddr,
    write_back: bool,
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let after = prop_oneof![4 => Just(0), 4 => 0u64..20_000, 1 => 0u64..2_000_000];
    let op = (after, 0u32..8, 0u64..4, 0u64..200, prop::bool::weighted(0.3)).prop_map(
        |(after, core, node, number, write_back)| Op {
            after,
            core,
            addr: line(node, number * 7),
            write_back,
        },
    );
    prop::collection::vec(op, 1..300)
}

/// Everything that can be seen of a run: data at cores, commands, counters.
#[derive(Debug, PartialEq)]
struct Run {
    done: Vec<Done>,
    commands: Vec<String>,
    counters: String,
}

/// Runs the accesses, `stride` picoseconds at a time between them (0: from event to event), and has the checker look at the commands.
fn run(machine: &Machine, ops: &[Op], stride: Ps) -> Result<Run, TestCaseError> {
    let mut system = MemorySystem::new(machine);
    let commands = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&commands);
    system.set_command_sink(Box::new(move |command| sink.borrow_mut().push(command.to_string())));
    let (end, run) = run_on(system, ops, stride)?;
    let commands = commands.take();
    check(machine, &commands, end)?;
    Ok(Run { commands, ..run })
}

/// The same without the commands, of a memory system as it is; returns when it ended, too.
fn run_on(mut system: MemorySystem, ops: &[Op], stride: Ps) -> Result<(Ps, Run), TestCaseError> {
    let (mut done, mut now, mut pending) = (Vec::new(), 0, BTreeSet::new());
    for op in ops {
        let until = now + op.after;
        while now < until {
            let before = (now, done.len());
            now = if stride == 0 {
                system.next_event().min(until)
            } else {
                (now + stride).min(until)
            };
            system.run_until(now, &mut done);
            let in_time = |one: &Done| before.0 < one.at && one.at <= now;
            prop_assert!(done[before.1..].iter().all(in_time), "data come when their time comes");
        }
        if op.write_back {
            system.write_back(now, op.core, op.addr);
        } else if let Service::Pending(id) = system.read(now, op.core, op.addr, false) {
            prop_assert!(pending.insert((id, op.core)), "a name is given once");
        }
    }
    // Time enough for all to end; the writes are asked for.
    system.set_eager_writes(true);
    let end = now + 100_000_000;
    system.run_until(end, &mut done);
    prop_assert_eq!(system.outstanding(), 0);
    for one in &done {
        prop_assert!(pending.remove(&(one.id, one.core)), "{:?} was not under way", one);
        if let Some(sample) = &one.sample {
            prop_assert_eq!(sample.parts(), sample.latency);
        }
    }
    prop_assert!(pending.is_empty(), "no data came for {:?}", pending);
    prop_assert!(done.is_sorted_by_key(|one| one.at));
    let run = Run {
        done,
        commands: Vec::new(),
        counters: format!("{:?}{:?}", system.core_stats(), system.node_stats()),
    };
    Ok((end, run))
}

/// The checker finds nothing in the commands.
fn check(machine: &Machine, commands: &[String], end: Ps) -> Result<(), TestCaseError> {
    let memory = &machine.memory;
    let retention = memory.controller.refresh != RefreshPolicy::None;
    let mut checker = Checker::new(
        &memory.organisation,
        &memory.timing,
        Options {
            retention,
            ..Options::default()
        },
    );
    for (number, text) in (1u32..).zip(commands) {
        let command = parse_line("commands", number, text).expect("the trace is what the checker reads");
        checker.observe(&command.expect("no line is empty"));
    }
    let report = checker.finish(memory.timing.clock.cycle_at_or_after(end));
    prop_assert!(report.is_clean(), "{:?}", report);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn every_read_ends_once_however_time_is_cut_and_wherever_controllers_run(
        ops in ops(), has_llc: bool, refresh: bool, front: bool, frontend in 0u64..30_000,
        mshrs in prop::option::of(1u32..5)
    ) {
        let mut machine = machine();
        machine.llc = has_llc.then(|| LlcConfig { mshrs, ..small_llc() });
        let controller = &mut machine.memory.controller;
        controller.frontend = frontend;
        if refresh {
            controller.refresh = RefreshPolicy::AllBankIndependent;
        }
        if front {
            controller.queues = Queues::FrontQueue { front: 4, reads_per_bank: 2, writes: 16 };
        }
        let by_event = run(&machine, &ops, 0)?;
        for stride in [1_250, 333_333, Ps::MAX / 2] {
            prop_assert_eq!(&run(&machine, &ops, stride)?, &by_event);
        }
        for stride in [0, 1_250, 333_333, Ps::MAX / 2] {
            let mut system = MemorySystem::new(&machine);
            prop_assert_eq!(system.run_beside(), machine.llc.is_none() || mshrs.is_none());
            let (_, beside) = run_on(system, &ops, stride)?;
            prop_assert_eq!(&beside.done, &by_event.done);
            prop_assert_eq!(&beside.counters, &by_event.counters);
        }
    }
}
