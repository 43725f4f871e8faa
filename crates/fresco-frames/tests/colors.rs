// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors of tasks: who gets which, what is refused, what happens when they run out.

use crate::common::{A, B, C, Machine, machine, opteron, small, two_nodes, xeon};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Camc, ColorSet, Coloring, Exhaustion, FrameError, Frames, FramesConfig, ListsBy, Palloc, Policy, Shortage, TaskId,
    TaskMemory,
};

pub fn palloc(exhaustion: Exhaustion) -> FramesConfig {
    FramesConfig::pristine(Policy::Palloc(Palloc {
        exhaustion,
        ..Palloc::default()
    }))
}

fn camc(shortage: Shortage, exhaustion: Exhaustion) -> FramesConfig {
    FramesConfig::pristine(Policy::Camc(Camc {
        shortage,
        exhaustion,
        ..Camc::default()
    }))
}

pub fn strict_camc() -> FramesConfig {
    camc(Shortage::Refuse, Exhaustion::Strict)
}

pub fn set(colors: &[u32]) -> ColorSet {
    colors.iter().copied().collect()
}

fn fill(frames: &mut Frames, task: TaskId) -> (u64, FrameError) {
    let mut count = 0;
    loop {
        match frames.alloc(task) {
            Ok(_) => count += 1,
            Err(error) => return (count, error),
        }
    }
}

#[test]
fn strict_exhaustion_names_colors_holdings_and_what_is_free() {
    let mut frames = small().frames(palloc(Exhaustion::Strict), 0);
    frames
        .register(A, TaskMemory::local(0).with_banks(set(&[1, 2])))
        .unwrap();
    // PAL-6: the request fails although half of the memory is free.
    let (count, error) = fill(&mut frames, A);
    assert_eq!(count, 32);
    assert_eq!(
        error,
        FrameError::OutOfColor {
            task: A,
            banks: set(&[1, 2]),
            llc: None,
            rows: None,
            held: 32,
            free_elsewhere: 32,
            unused: set(&[0, 3])
        }
    );
    let text = error.to_string();
    for part in [
        "task 1",
        "bank colors 1-2",
        "holds 32 frames",
        "32 frames of other colors",
        "(in use by no task: 0,3)",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn spilling_serves_from_unused_colors_first_and_counts() {
    let mut frames = small().frames(palloc(Exhaustion::Spill), 0);
    frames.register(A, TaskMemory::local(0).with_banks(set(&[0]))).unwrap();
    frames.register(B, TaskMemory::local(0).with_banks(set(&[1]))).unwrap();
    for _ in 0..16 + 32 {
        frames.alloc(A).unwrap();
    }
    assert_eq!(frames.stats(A).unwrap().spilled, 32);
    let outside = frames.nonconforming(A).unwrap();
    assert_eq!(outside.len(), 32);
    assert!(
        outside.iter().all(|frame| frame.0 % 4 >= 2),
        "colors 2 and 3 belong to nobody"
    );
    // Only then does it take what B might want.
    frames.alloc(A).unwrap();
    assert_eq!(
        frames
            .frames_of(A)
            .unwrap()
            .iter()
            .filter(|frame| frame.0 % 4 == 1)
            .count(),
        1
    );
    let (count, error) = fill(&mut frames, A);
    assert_eq!(count, 15);
    assert!(matches!(error, FrameError::OutOfMemory { free: 0, .. }), "{error}");
}

#[test]
fn an_uncolored_task_is_served_by_the_buddy_system_and_avoids_colors_in_use() {
    let mut frames = two_nodes().frames(strict_camc(), 0);
    frames.register(A, TaskMemory::local(0).automatic(1)).unwrap();
    frames.alloc(A).unwrap();
    frames.register(B, TaskMemory::local(0)).unwrap();
    // A's search has sorted the whole node into color lists; B stays local nevertheless, in turn over the free colors.
    let got: Vec<u64> = (0..4).map(|_| frames.alloc(B).unwrap().0.0).collect();
    assert_eq!(got, [1, 2, 3, 5]);
    let (count, _) = fill(&mut frames, B);
    // 48 frames of node 0, all 64 of node 1, and at last what is left of A's color.
    assert_eq!(count + 4, 48 + 64 + 15);
}

#[test]
fn named_colors_may_be_shared_and_the_assignment_says_so() {
    let mut frames = two_nodes().frames(strict_camc(), 0);
    let first = frames
        .register(A, TaskMemory::local(0).with_banks(set(&[0, 5])))
        .unwrap();
    assert_eq!((first.shared, first.remote), (set(&[]), set(&[5])));
    let second = frames.register(B, TaskMemory::local(0).with_banks(set(&[0]))).unwrap();
    assert_eq!(second.shared, set(&[0]));
    assert_eq!(frames.assignment(A).unwrap().shared, set(&[0]));
    assert_eq!(frames.color_users()[0], [A, B]);
    // The allocator's own choice goes around both.
    assert_eq!(
        frames.register(C, TaskMemory::local(0).automatic(2)).unwrap().banks,
        set(&[1, 2])
    );
}

#[test]
fn sixteen_tasks_of_the_opteron_get_sixteen_private_local_colors() {
    let mut frames = opteron().frames(strict_camc(), 0);
    let mut all = ColorSet::new();
    for task in 0..16 {
        let node = task / 4;
        let got = frames
            .register(TaskId(task), TaskMemory::local(node).automatic(2))
            .unwrap();
        assert_eq!((got.banks.len(), got.remote.len(), got.shared.len()), (2, 0, 0));
        assert!(got.banks.is_disjoint(&all) && got.banks.iter().all(|bank| bank / 32 == node));
        got.banks.iter().for_each(|bank| assert!(all.insert(bank)));
        for _ in 0..3 {
            let (frame, _) = frames.alloc(TaskId(task)).unwrap();
            assert!(frames.conforms(TaskId(task), frame));
        }
        assert_eq!(frames.stats(TaskId(task)).unwrap().remote, 0);
    }
    frames.check().unwrap();
}

#[test]
fn what_happens_without_an_unused_local_color_is_a_choice() {
    let run = |shortage| {
        let mut frames = two_nodes().frames(camc(shortage, Exhaustion::Strict), 0);
        frames.register(A, TaskMemory::local(0).automatic(3)).unwrap();
        frames.register(B, TaskMemory::local(0).automatic(2))
    };
    let error = run(Shortage::Refuse).unwrap_err();
    assert!(
        matches!(
            error,
            FrameError::NoFreeColor {
                task: B,
                node: 0,
                wanted: 2,
                ..
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("there are 1 (3)"), "{error}");
    let remote = run(Shortage::Remote).unwrap();
    assert_eq!(
        (remote.banks, remote.remote, remote.shared.len()),
        (set(&[3, 4]), set(&[4]), 0)
    );
    let shared = run(Shortage::Share).unwrap();
    assert_eq!(
        (shared.banks, shared.shared, shared.remote.len()),
        (set(&[0, 3]), set(&[0]), 0)
    );
}

#[test]
fn camc_grows_to_the_last_local_color_and_then_fails_or_spills() {
    let run = |exhaustion| {
        let mut frames = two_nodes().frames(camc(Shortage::Refuse, exhaustion), 0);
        frames.register(A, TaskMemory::local(0).automatic(1)).unwrap();
        frames.register(B, TaskMemory::local(0).automatic(1)).unwrap();
        let (count, error) = fill(&mut frames, A);
        (count, error, *frames.stats(A).unwrap())
    };
    let (count, error, stats) = run(Exhaustion::Strict);
    assert_eq!((count, stats.grown, stats.spilled), (48, 2, 0));
    assert!(
        matches!(error, FrameError::OutOfColor { free_elsewhere: 80, .. }),
        "{error}"
    );
    let (count, error, stats) = run(Exhaustion::Spill);
    // Node 1 first (64 frames), B's 16 last.
    assert_eq!((count, stats.grown, stats.spilled, stats.remote), (128, 2, 80, 64));
    assert!(matches!(error, FrameError::OutOfMemory { .. }), "{error}");
}

#[test]
fn a_change_of_colors_holds_for_later_allocations_and_pages_can_follow() {
    let mut frames = small().frames(palloc(Exhaustion::Strict), 0);
    frames.register(A, TaskMemory::local(0).with_banks(set(&[0]))).unwrap();
    let old: Vec<FrameNumber> = (0..4).map(|_| frames.alloc(A).unwrap().0).collect();
    let only = |banks| Coloring::Explicit {
        banks: Some(banks),
        llc: None,
    };
    frames.set_coloring(A, only(set(&[3]))).unwrap();
    assert_eq!(frames.alloc(A).unwrap().0.0 % 4, 3);
    assert_eq!(frames.nonconforming(A).unwrap(), old);
    for &frame in &old {
        let (new, work) = frames.migrate(A, frame).unwrap();
        assert_eq!(new.0 % 4, 3);
        assert!(work.list_ops > 0);
        assert_eq!(
            frames.migrate(A, new).unwrap(),
            (new, Default::default()),
            "in its place already"
        );
    }
    assert!(frames.nonconforming(A).unwrap().is_empty());
    assert_eq!(frames.stats(A).unwrap().held, 5);
    assert!(matches!(frames.migrate(A, old[0]), Err(FrameError::NotOwned { .. })));
    // A refused change leaves things as they are.
    assert!(frames.set_coloring(A, only(set(&[4]))).is_err());
    assert_eq!(frames.color_users()[3], [A]);
}

#[test]
fn a_limit_holds_for_what_is_held_at_once() {
    let mut frames = small().frames(palloc(Exhaustion::Strict), 0);
    let memory = TaskMemory {
        limit: Some(3),
        ..TaskMemory::local(0).with_banks(set(&[2]))
    };
    frames.register(A, memory).unwrap();
    assert_eq!(fill(&mut frames, A), (3, FrameError::Limit { task: A, limit: 3 }));
    frames.free(A, FrameNumber(2)).unwrap();
    assert_eq!(fill(&mut frames, A).0, 1);
}

/// Banks by bits 13 and 14, LLC by bits 12 and 13: bit 13 is in both (MAP-16).
fn overlapping() -> Machine {
    machine(1, 18, &[13, 14], 12..14)
}

#[test]
fn bank_and_cache_colors_are_chosen_together() {
    let by_llc = |config| FramesConfig {
        lists: ListsBy::BankAndLlc,
        ..config
    };
    let mut frames = overlapping().frames(by_llc(palloc(Exhaustion::Strict)), 0);
    let both = |banks: &[u32], llc: &[u32]| TaskMemory {
        coloring: Coloring::Explicit {
            banks: Some(set(banks)),
            llc: Some(set(llc)),
        },
        ..TaskMemory::local(0)
    };
    // Bank 1 has bit 13 set, LLC colors 0 and 1 have it clear.
    let error = frames.register(A, both(&[1], &[0, 1])).unwrap_err();
    assert!(matches!(error, FrameError::NoSuchFrames { .. }), "{error}");
    assert!(
        error.to_string().contains("bank colors 1 with LLC colors 0-1"),
        "{error}"
    );
    frames.register(A, both(&[1], &[3])).unwrap();
    let (count, _) = fill(&mut frames, A);
    assert_eq!(count, frames.capacity(Some(&set(&[1])), Some(&set(&[3]))));
    let space = overlapping().space();
    for frame in frames.frames_of(A).unwrap() {
        assert_eq!((space.bank_color(frame), space.llc_color(frame)), (1, 3));
    }
    // LLC colors alone, banks free.
    let llc_only = Coloring::Explicit {
        banks: None,
        llc: Some(set(&[2])),
    };
    frames
        .register(
            B,
            TaskMemory {
                coloring: llc_only,
                ..TaskMemory::local(0)
            },
        )
        .unwrap();
    assert_eq!(fill(&mut frames, B).0, 16);

    // CAMC passes over banks that the LLC colors make impossible.
    let mut frames = overlapping().frames(by_llc(strict_camc()), 0);
    let coloring = Coloring::Automatic {
        colors: 2,
        llc: Some(set(&[2])),
    };
    let got = frames
        .register(
            A,
            TaskMemory {
                coloring,
                ..TaskMemory::local(0)
            },
        )
        .unwrap();
    assert_eq!(got.banks, set(&[1, 3]));
}

#[test]
fn without_llc_colors_a_task_spreads_over_the_cache_however_lists_are_kept() {
    for lists in [ListsBy::Bank, ListsBy::BankAndLlc] {
        // One bank, four LLC colors in each of its blocks of 16 frames.
        let mut frames = machine(1, 18, &[16], 12..14).frames(
            FramesConfig {
                lists,
                ..palloc(Exhaustion::Strict)
            },
            0,
        );
        frames.register(A, TaskMemory::local(0).with_banks(set(&[1]))).unwrap();
        let llc: Vec<u64> = (0..8).map(|_| frames.alloc(A).unwrap().0.0 % 4).collect();
        assert_eq!(llc, [0, 1, 2, 3, 0, 1, 2, 3], "{lists:?}");
    }
}

#[test]
fn the_xeon_partition_of_four_banks_is_1024_mib() {
    // Claim palloc-4c-max-space: 256 MiB per bank.
    let frames = xeon().frames(palloc(Exhaustion::Strict), 0);
    let banks = ColorSet::from_bit_pattern("00XX").unwrap();
    assert_eq!(frames.capacity(Some(&banks), None) * 4096, 1024 << 20);
}
