// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conservation under every policy: whatever the order of requests, no frame is lost, none is handed out twice, and
//! each is of the colors of whom it was given to.

use crate::common::{Machine, machine, small, three_channels, two_nodes};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Aging, Boot, Bpm, Camc, Codesign, ColorLists, ColorSet, Coloring, Exhaustion, FrameError, Frames, FramesConfig,
    ListsBy, MAX_ORDER, Palloc, Partition, PerCpu, Placement, Policy, Shortage, Sorting, TaskId, TaskMemory,
    Tintmalloc,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
enum Step {
    Register {
        task: u32,
        node: u32,
        coloring: Coloring,
        placement: Placement,
        limit: Option<u64>,
    },
    Alloc {
        task: u32,
        count: u32,
    },
    Free {
        task: u32,
        nth: usize,
    },
    Recolor {
        task: u32,
        coloring: Coloring,
    },
    Migrate {
        task: u32,
        nth: usize,
    },
    Preallocate {
        task: u32,
        frames: u64,
    },
    Exit {
        task: u32,
    },
    Block {
        order: u32,
        node: u32,
    },
    FreeBlock {
        nth: usize,
    },
    Flush,
}

fn colorings() -> impl Strategy<Value = Coloring> {
    let set = |max| proptest::collection::btree_set(0..max, 0..4).prop_map(|set| set.into_iter().collect::<ColorSet>());
    let llc = || proptest::option::weighted(0.2, set(4u32));
    prop_oneof![
        1 => Just(Coloring::Off),
        3 => (proptest::option::weighted(0.8, set(5)), llc()).prop_map(|(banks, llc)| Coloring::Explicit { banks, llc }),
        3 => (0u32..3, llc()).prop_map(|(colors, llc)| Coloring::Automatic { colors, llc }),
    ]
}

/// Not [`Placement::Bind`]: a task that is bound to nodes may find no memory although some is free.
fn placements() -> impl Strategy<Value = Placement> {
    prop_oneof![
        4 => Just(Placement::Local),
        1 => (0u32..3).prop_map(Placement::Preferred),
        1 => proptest::collection::vec(0u32..2, 1..3).prop_map(Placement::Interleave),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let task = 0u32..5;
    let nth = 0usize..1000;
    let step = prop_oneof![
        3 => (task.clone(), 0u32..3, colorings(), placements(), proptest::option::weighted(0.2, 0u64..40))
            .prop_map(|(task, node, coloring, placement, limit)| {
                Step::Register { task, node, coloring, placement, limit }
            }),
        8 => (task.clone(), 1u32..40).prop_map(|(task, count)| Step::Alloc { task, count }),
        6 => (task.clone(), nth.clone()).prop_map(|(task, nth)| Step::Free { task, nth }),
        2 => (task.clone(), colorings()).prop_map(|(task, coloring)| Step::Recolor { task, coloring }),
        2 => (task.clone(), nth.clone()).prop_map(|(task, nth)| Step::Migrate { task, nth }),
        1 => (task.clone(), 0u64..20).prop_map(|(task, frames)| Step::Preallocate { task, frames }),
        1 => task.prop_map(|task| Step::Exit { task }),
        2 => (0..MAX_ORDER + 2, 0u32..3).prop_map(|(order, node)| Step::Block { order, node }),
        2 => nth.prop_map(|nth| Step::FreeBlock { nth }),
        1 => Just(Step::Flush),
    ];
    let registered = (0u32..2, colorings()).prop_map(|(node, coloring)| Step::Register {
        task: 0,
        node,
        coloring,
        placement: Placement::Local,
        limit: None,
    });
    let first = proptest::collection::vec(registered, 4).prop_map(|steps| {
        let numbered = |(number, step)| match step {
            Step::Register {
                node,
                coloring,
                placement,
                limit,
                ..
            } => Step::Register {
                task: number,
                node,
                coloring,
                placement,
                limit,
            },
            other => other,
        };
        (0u32..).zip(steps).map(numbered).collect::<Vec<_>>()
    });
    (first, proptest::collection::vec(step, 1..100)).prop_map(|(first, rest)| [first, rest].concat())
}

fn configs() -> impl Strategy<Value = FramesConfig> {
    let exhaustion = || prop_oneof![Just(Exhaustion::Strict), Just(Exhaustion::Spill)];
    let sorting = prop_oneof![Just(Sorting::Block), Just(Sorting::Frame)];
    let shortage = prop_oneof![Just(Shortage::Refuse), Just(Shortage::Remote), Just(Shortage::Share)];
    let start = prop_oneof![Just(ColorLists::Empty), Just(ColorLists::Full)];
    let policy = prop_oneof![
        1 => Just(Policy::Buddy),
        2 => (sorting, exhaustion()).prop_map(|(sorting, exhaustion)| Policy::Palloc(Palloc { sorting, exhaustion })),
        2 => prop_oneof![Just(Partition::Soft), Just(Partition::Hard)]
            .prop_map(|partition| Policy::Codesign(Codesign { partition })),
        1 => exhaustion().prop_map(|exhaustion| Policy::Tintmalloc(Tintmalloc { exhaustion })),
        2 => exhaustion().prop_map(|exhaustion| Policy::Bpm(Bpm { exhaustion })),
        1 => Just(Policy::Soft),
        3 => (exhaustion(), shortage, start).prop_map(|(exhaustion, shortage, start)| {
            Policy::Camc(Camc { exhaustion, shortage, start, ..Camc::default() })
        }),
    ];
    let aging = Aging {
        occupied_permille: 200,
        ..Aging::default()
    };
    let boot = prop_oneof![Just(Boot::Pristine), Just(Boot::Fresh), Just(Boot::Aged(aging))];
    let per_cpu = proptest::option::of((0u32..9, 0u32..20).prop_map(|(batch, high)| PerCpu { batch, high }));
    let lists = prop_oneof![Just(ListsBy::Bank), Just(ListsBy::BankAndLlc)];
    (policy, boot, lists, per_cpu).prop_map(|(policy, boot, lists, per_cpu)| FramesConfig {
        policy,
        boot,
        lists,
        per_cpu,
        ..FramesConfig::default()
    })
}

fn machines() -> impl Strategy<Value = fn() -> Machine> {
    prop_oneof![
        Just(small as fn() -> Machine),
        Just(two_nodes as fn() -> Machine),
        // LLC bits overlap bank bits (MAP-16): of 16 pairs, 8 exist.
        Just((|| machine(1, 19, &[13, 14], 12..14)) as fn() -> Machine),
        // More than one block of the highest order.
        Just((|| machine(2, 23, &[13, 21], 0..0)) as fn() -> Machine),
        // Three channels by pages, which choose among them, and by 256 bytes; blocks are no power of two of all memory.
        Just((|| three_channels(12, 17, &[12], 12..14)) as fn() -> Machine),
        Just((|| three_channels(8, 22, &[13, 21], 0..0)) as fn() -> Machine),
    ]
}

/// What the world outside knows.
#[derive(Default)]
struct Model {
    held: BTreeMap<TaskId, Vec<FrameNumber>>,
    blocks: Vec<(FrameNumber, u32)>,
    taken: BTreeSet<u64>,
}

impl Model {
    fn take(&mut self, frame: FrameNumber, order: u32) {
        for frame in frame.0..frame.0 + (1 << order) {
            assert!(self.taken.insert(frame), "frame {frame} handed out twice");
        }
    }

    fn give(&mut self, frame: FrameNumber, order: u32) {
        for frame in frame.0..frame.0 + (1 << order) {
            assert!(self.taken.remove(&frame));
        }
    }

    fn nth(&self, task: TaskId, nth: usize) -> Option<usize> {
        let count = self.held.get(&task)?.len();
        (count > 0).then(|| nth % count)
    }
}

fn apply(frames: &mut Frames, model: &mut Model, step: &Step) {
    match *step {
        Step::Register {
            task,
            node,
            ref coloring,
            ref placement,
            limit,
        } => {
            let memory = TaskMemory {
                coloring: coloring.clone(),
                placement: placement.clone(),
                limit,
                ..TaskMemory::local(node)
            };
            if frames.register(TaskId(task), memory).is_ok() {
                assert!(model.held.insert(TaskId(task), Vec::new()).is_none());
            }
        }
        Step::Alloc { task, count } => (0..count).for_each(|_| alloc(frames, model, TaskId(task))),
        Step::Free { task, nth } => {
            let task = TaskId(task);
            let Some(nth) = model.nth(task, nth) else { return };
            let frame = model.held.get_mut(&task).unwrap().swap_remove(nth);
            frames.free(task, frame).unwrap();
            assert!(frames.free(task, frame).is_err(), "a double free is noticed");
            model.give(frame, 0);
        }
        Step::Recolor { task, ref coloring } => {
            let before = frames.assignment(TaskId(task));
            if frames.set_coloring(TaskId(task), coloring.clone()).is_err() {
                assert_eq!(frames.assignment(TaskId(task)), before);
            }
        }
        Step::Migrate { task, nth } => {
            let task = TaskId(task);
            let Some(nth) = model.nth(task, nth) else { return };
            let old = model.held[&task][nth];
            if let Ok((new, _)) = frames.migrate(task, old) {
                assert!(frames.conforms(task, new));
                model.give(old, 0);
                model.take(new, 0);
                model.held.get_mut(&task).unwrap()[nth] = new;
            }
        }
        Step::Preallocate { task, frames: count } => {
            let free = free_frames(frames);
            let _ = frames.preallocate(TaskId(task), count);
            assert_eq!(free_frames(frames), free);
        }
        Step::Exit { task } => {
            assert_eq!(
                frames.exit(TaskId(task)).is_ok(),
                model.held.contains_key(&TaskId(task))
            );
            for frame in model.held.remove(&TaskId(task)).unwrap_or_default() {
                model.give(frame, 0);
            }
        }
        Step::Block { order, node } => {
            if let Ok((block, _)) = frames.alloc_order(order, node) {
                model.take(block, order);
                model.blocks.push((block, order));
            }
        }
        Step::FreeBlock { nth } if !model.blocks.is_empty() => {
            let (block, order) = model.blocks.swap_remove(nth % model.blocks.len());
            frames.free_order(block).unwrap();
            model.give(block, order);
        }
        Step::FreeBlock { .. } => {}
        Step::Flush => {
            frames.flush_color_lists();
            assert_eq!(frames.census().colored, 0);
        }
    }
}

fn alloc(frames: &mut Frames, model: &mut Model, task: TaskId) {
    let spilled = frames.stats(task).map(|stats| stats.spilled);
    match frames.alloc(task) {
        Ok((frame, _)) => {
            model.take(frame, 0);
            model.held.get_mut(&task).unwrap().push(frame);
            let spilled = frames.stats(task).unwrap().spilled > spilled.unwrap();
            // A strict policy keeps to the colors; a spilled frame is outside them, else it need not have been spilled.
            assert_eq!(frames.conforms(task, frame), !spilled, "{task}, frame {frame}");
        }
        Err(FrameError::UnknownTask { .. }) => assert!(!model.held.contains_key(&task)),
        Err(FrameError::Limit { limit, .. }) => assert_eq!(model.held[&task].len() as u64, limit),
        Err(FrameError::OutOfColor { held, .. }) => assert_eq!(model.held[&task].len() as u64, held),
        Err(FrameError::OutOfMemory { free, .. }) => assert_eq!(free, 0, "nobody is bound to zones here"),
        Err(error) => panic!("{error}"),
    }
}

fn free_frames(frames: &Frames) -> u64 {
    (0..frames.memory().zones())
        .map(|zone| frames.free_frames(zone).unwrap())
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn no_frame_is_lost_or_handed_out_twice(
        machine in machines(), config in configs(), seed in any::<u64>(), steps in steps(),
    ) {
        let built = machine();
        let dealt = built.map.organisation().channels == 3;
        let mut frames = match built.try_frames(config, seed) {
            Err(error) if dealt && matches!(config.policy, Policy::Bpm(_) | Policy::Soft) => {
                prop_assert!(error.to_string().contains("no power of two"), "{}", error);
                return Ok(());
            }
            frames => frames.unwrap(),
        };
        let at_boot = frames.census().held;
        let mut model = Model::default();
        for step in &steps {
            apply(&mut frames, &mut model, step);
            let census = frames.check().unwrap_or_else(|violation| panic!("{violation} after {step:?}"));
            prop_assert_eq!(census.held - at_boot, model.taken.len() as u64);
            prop_assert_eq!(census.buddy + census.colored + census.per_cpu, free_frames(&frames));
            for (&task, held) in &model.held {
                let of_task = frames.frames_of(task).unwrap();
                prop_assert_eq!(of_task.len(), held.len());
                let mut by_bank = BTreeMap::new();
                for frame in of_task {
                    *by_bank.entry(frames.space().bank_color(frame)).or_insert(0) += 1;
                }
                prop_assert_eq!(frames.share_by_bank(task).unwrap(), Vec::from_iter(by_bank));
            }
        }
        // When everything is given back and flushed it has merged as if nothing had happened.
        model.held.keys().for_each(|&task| { frames.exit(task).unwrap(); });
        model.blocks.iter().for_each(|&(block, _)| { frames.free_order(block).unwrap(); });
        frames.flush_color_lists();
        prop_assert_eq!(frames.check().unwrap().held, at_boot);
        prop_assert!(frames.color_users().iter().all(Vec::is_empty));
        if config.per_cpu.is_none() {
            let mut untouched = built.frames(config, seed);
            untouched.flush_color_lists();
            for zone in 0..frames.memory().zones() {
                prop_assert_eq!(frames.free_blocks(zone), untouched.free_blocks(zone));
            }
        }
    }
}
