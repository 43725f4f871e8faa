// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains that are set apart: a worked example, and every policy on random requests.

use crate::common::{A, B, C, Machine, small, two_nodes};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Bpm, Camc, Codesign, ColorLists, ColorSet, Coloring, Exhaustion, FrameError, Frames, FramesConfig, ListsBy, Palloc,
    Part, Placement, Policy, Shortage, Sorting, TaskId, TaskMemory, Tintmalloc,
};
use rand::{Rng, SeedableRng};

fn set(colors: &[u32]) -> ColorSet {
    colors.iter().copied().collect()
}

fn part(domains: &[u32], frames: &[(u64, u64)]) -> Part {
    Part {
        domains: set(domains),
        frames: frames.iter().map(|(first, end)| *first..*end).collect(),
    }
}

fn divided(machine: &Machine, parts: &[Part], config: FramesConfig, seed: u64) -> Frames {
    let memory = machine.memory().set_apart(parts).unwrap();
    Frames::new(machine.space(), memory, config, seed).unwrap()
}

fn in_rows(rows: &[u32]) -> TaskMemory {
    TaskMemory {
        rows: Some(set(rows)),
        ..TaskMemory::local(0)
    }
}

/// Every frame that is left for a task, and why there is no more.
fn all(frames: &mut Frames, task: TaskId) -> (Vec<u64>, FrameError) {
    let mut got = Vec::new();
    loop {
        match frames.alloc(task) {
            Ok((frame, _)) => got.push(frame.0),
            Err(error) => return (got, error),
        }
    }
}

#[test]
fn a_task_has_the_frames_of_its_rows_and_nobody_has_guards() {
    // 64 frames in 16 rows of four banks; domains of four rows, the first row of which is a guard but in domain 0. Domain 3 is everybody's.
    let parts = [
        part(&[3], &[(52, 64)]),
        part(&[0], &[(0, 16)]),
        part(&[1, 2], &[(20, 32), (36, 48)]),
    ];
    let mut frames = divided(
        &small(),
        &parts,
        FramesConfig::pristine(Policy::Palloc(Palloc::default())),
        0,
    );
    let with_banks = |rows: &[u32], banks: &[u32]| in_rows(rows).with_banks(set(banks));
    frames.register(A, with_banks(&[0], &[1, 2])).unwrap();
    frames.register(B, in_rows(&[1, 2])).unwrap();
    frames.register(C, TaskMemory::local(0)).unwrap();
    // Rows and banks: every other frame of domain 0 is of bank 1 or 2.
    let (mut got, error) = all(&mut frames, A);
    got.sort_unstable();
    assert_eq!(got, [1, 2, 5, 6, 9, 10, 13, 14]);
    let told = error.to_string();
    assert!(
        told.starts_with("task 1 has used up its bank colors 1-2 in row domains 0: it holds 8 frames, and"),
        "{told}"
    );
    let (mut got, error) = all(&mut frames, B);
    got.sort_unstable();
    assert_eq!(got, (20..32).chain(36..48).collect::<Vec<u64>>());
    assert_eq!(
        error.to_string(),
        "task 2 has used up its row domains 1-2: it holds 24 frames, and 20 are free elsewhere. Give it more or larger domains"
    );
    // The kernel and tasks without rows share what is left: 12 frames. Guards are none of 52.
    let (kernel, _) = frames.alloc_order(2, 0).unwrap();
    assert_eq!(
        (kernel, frames.kernel_blocks().collect::<Vec<_>>()),
        (FrameNumber(52), vec![(kernel, 4)])
    );
    let (got, error) = all(&mut frames, C);
    assert_eq!(got, (56..64).collect::<Vec<u64>>());
    assert!(
        matches!(
            error,
            FrameError::OutOfRows {
                rows: None,
                held: 8,
                free_elsewhere: 8,
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(frames.check().unwrap().held, 8 + 24 + 4 + 8);
    assert!(
        frames.conforms(B, FrameNumber(40))
            && !frames.conforms(B, FrameNumber(0))
            && !frames.conforms(C, FrameNumber(16))
    );
}

#[test]
fn rows_without_memory_are_refused() {
    // Domain 0 on node 0, domain 1 on node 1, all else everybody's; domain 2 has bank 0 alone.
    let parts = [
        part(&[], &[(16, 64), (80, 128)]),
        part(&[0], &[(0, 8)]),
        part(&[1], &[(64, 72)]),
        part(&[2], &[(8, 9)]),
    ];
    let mut frames = divided(
        &two_nodes(),
        &parts,
        FramesConfig::pristine(Policy::Camc(Camc::default())),
        0,
    );
    let bound = TaskMemory {
        placement: Placement::Bind(vec![0]),
        ..in_rows(&[1])
    };
    for memory in [bound, in_rows(&[3]), in_rows(&[0, 3]), in_rows(&[])] {
        let error = frames.register(A, memory).unwrap_err();
        assert!(matches!(error, FrameError::NoSuchRows { task: A, .. }), "{error}");
    }
    let error = frames.register(A, in_rows(&[2]).with_banks(set(&[1]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "task 1: no frame in its zones has bank colors 1 in row domains 2; choose colors that exist together, on nodes the task may use"
    );
    // A task on node 0 with rows of node 1 alone gets these; CAMC finds no bank there for it.
    assert!(frames.register(B, in_rows(&[1])).is_ok());
    assert_eq!(frames.alloc(B).unwrap().0, FrameNumber(64));
    let error = frames.register(A, in_rows(&[1]).automatic(1)).unwrap_err();
    assert!(matches!(error, FrameError::NoFreeColor { .. }), "{error}");
    // Colors are the machine's: what one task has is no unused color in other rows.
    assert_eq!(
        frames.register(A, in_rows(&[0]).automatic(2)).unwrap().banks,
        set(&[0, 1])
    );
    assert_eq!(
        frames.register(C, TaskMemory::local(0).automatic(2)).unwrap().banks,
        set(&[2, 3])
    );
}

/// Every policy in every way that differs in how it searches.
fn policies() -> Vec<Policy> {
    let spill = Exhaustion::Spill;
    let camc = |shortage, start| {
        Policy::Camc(Camc {
            exhaustion: spill,
            shortage,
            start,
            ..Camc::default()
        })
    };
    let palloc = |sorting| {
        Policy::Palloc(Palloc {
            sorting,
            exhaustion: spill,
        })
    };
    vec![
        Policy::Buddy,
        palloc(Sorting::Block),
        palloc(Sorting::Frame),
        camc(Shortage::Remote, ColorLists::Empty),
        camc(Shortage::Share, ColorLists::Full),
        Policy::Codesign(Codesign::default()),
        Policy::Tintmalloc(Tintmalloc { exhaustion: spill }),
        Policy::Bpm(Bpm::default()),
        Policy::Bpm(Bpm { exhaustion: spill }),
        Policy::Soft,
    ]
}

#[test]
fn under_every_policy_frames_are_of_the_rows_asked_for() {
    // Parts at odd places, some of which meet within a block.
    let parts = [
        part(&[3], &[(33, 61), (101, 128)]),
        part(&[0], &[(1, 14), (70, 79)]),
        part(&[1], &[(14, 21), (79, 90)]),
        part(&[2], &[(24, 33), (91, 99)]),
    ];
    let rows: [Option<&[u32]>; 6] = [
        None,
        Some(&[0]),
        Some(&[1]),
        Some(&[2]),
        Some(&[0, 2]),
        Some(&[0, 1, 2]),
    ];
    let domain = |frame: u64| {
        parts
            .iter()
            .find(|part| part.frames.iter().any(|range| range.contains(&frame)))
    };
    for (number, policy) in (0u64..).zip(policies()) {
        let mut got = 0;
        for seed in 0..30 {
            let config = FramesConfig {
                policy,
                lists: ListsBy::BankAndLlc,
                ..FramesConfig::default()
            };
            let machine = if seed % 2 == 0 {
                two_nodes()
            } else {
                crate::common::machine(2, 18, &[12, 14], 13..16)
            };
            let mut frames = divided(&machine, &parts, config, seed);
            let mut rng = rand_pcg::Pcg64::seed_from_u64(100 * number + seed);
            let mut held: Vec<(TaskId, FrameNumber)> = Vec::new();
            for step in 0..400 {
                let task = TaskId(rng.random_range(0..8));
                let wanted = rows[task.0 as usize % rows.len()];
                if step < 20 {
                    let coloring = match rng.random_range(0..3) {
                        0 => Coloring::Off,
                        1 => Coloring::automatic(),
                        _ => Coloring::Explicit {
                            banks: Some((0..8).filter(|_| rng.random()).collect()),
                            llc: None,
                        },
                    };
                    let memory = TaskMemory {
                        coloring,
                        rows: wanted.map(set),
                        ..TaskMemory::local(rng.random_range(0..2))
                    };
                    _ = frames.register(task, memory);
                } else if rng.random_ratio(1, 4) && !held.is_empty() {
                    let (task, frame) = held.swap_remove(rng.random_range(0..held.len()));
                    frames.free(task, frame).unwrap();
                } else if let Ok((frame, _)) = frames.alloc(task) {
                    let part = domain(frame.0).unwrap_or_else(|| panic!("{policy:?}: {frame} is nobody's"));
                    let fits = part
                        .domains
                        .iter()
                        .all(|domain| wanted.unwrap_or(&[3]).contains(&domain));
                    assert!(fits, "{policy:?}: {frame} for {wanted:?}");
                    held.push((task, frame));
                    got += 1;
                }
                if step % 50 == 0 {
                    frames.check().unwrap_or_else(|fault| panic!("{policy:?}: {fault}"));
                }
            }
            for (block, size) in frames.kernel_blocks() {
                assert!(
                    (block.0..block.0 + size).all(|frame| domain(frame).is_some_and(|part| part.domains.contains(3)))
                );
            }
        }
        assert!(got > 1000, "{policy:?}: {got} frames");
    }
}
