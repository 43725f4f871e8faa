// SPDX-License-Identifier: MIT OR Apache-2.0
//! The co-design's allocator (COD-3 to COD-5, COD-9) on small machines, followed by hand, and for any masks.

use crate::common::{A, B, C, machine, small, two_nodes};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Codesign, ColorSet, FrameError, Frames, FramesConfig, Partition, Policy, TaskId, TaskMemory, Work,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn codesign(partition: Partition) -> FramesConfig {
    FramesConfig::pristine(Policy::Codesign(Codesign { partition }))
}

fn with(banks: impl IntoIterator<Item = u32>) -> TaskMemory {
    TaskMemory::local(0).with_banks(ColorSet::from_iter(banks))
}

fn take(frames: &mut Frames, task: TaskId, count: usize) -> Vec<u64> {
    (0..count).map(|_| frames.alloc(task).unwrap().0.0).collect()
}

#[test]
fn banks_take_turns_and_pages_of_others_go_to_their_caches() {
    // 64 frames of four banks: the bank of frame f is f % 4.
    let mut frames = small().frames(codesign(Partition::Soft), 0);
    frames.register(A, with([1, 3])).unwrap();
    let (first, work) = frames.alloc(A).unwrap();
    // The empty cache of bank 1; frame 0 goes to its bank's cache, 1 is taken; the rest stays in six blocks.
    assert_eq!((first.0, work.frames_visited, work.splits), (1, 2, 0));
    assert_eq!([0, 1, 2, 3].map(|bank| frames.color_list_frames(bank)), [1, 0, 0, 0]);
    // Bank 3: frame 2 goes to its cache. Then bank 1 again, and so on (CON-19: the search advances).
    assert_eq!(take(&mut frames, A, 5), [3, 5, 7, 9, 11]);
    assert_eq!([0, 1, 2, 3].map(|bank| frames.color_list_frames(bank)), [3, 0, 3, 0]);

    // Another task finds what was put by, at the cost of one list.
    frames.register(B, with([0, 2])).unwrap();
    let (first, work) = frames.alloc(B).unwrap();
    let hit = Work {
        list_ops: 1,
        lists_probed: 1,
        ..Work::default()
    };
    assert_eq!((first.0, work), (0, hit));
    assert_eq!(take(&mut frames, B, 5), [2, 4, 6, 8, 10]);

    // What is freed merges in the buddy system; the turn goes on.
    frames.free(A, FrameNumber(3)).unwrap();
    assert_eq!(frames.color_list_frames(3), 0);
    assert_eq!(take(&mut frames, A, 2), [13, 3]);
    frames.check().unwrap();
}

#[test]
fn a_group_shares_banks_and_spills_when_they_are_used_up() {
    let mut frames = small().frames(codesign(Partition::Soft), 0);
    frames.register(A, with([0, 1])).unwrap();
    frames.register(B, with([0, 1])).unwrap();
    frames.register(C, with([3])).unwrap();
    take(&mut frames, A, 24);
    take(&mut frames, B, 8);
    assert_eq!(frames.share_by_bank(A).unwrap(), [(0, 12), (1, 12)]);
    // COD-9: 32 frames are gone; bank 2, which nobody has, comes before bank 3.
    take(&mut frames, B, 18);
    assert_eq!(frames.share_by_bank(B).unwrap(), [(0, 4), (1, 4), (2, 16), (3, 2)]);
    assert_eq!(frames.stats(B).unwrap().spilled, 18);
    assert_eq!(frames.stats(A).unwrap().spilled, 0);

    // A page that comes back is found before another one is spilled.
    let of_a = frames.frames_of(A).unwrap()[0];
    frames.free(A, of_a).unwrap();
    assert_eq!(take(&mut frames, B, 1), [of_a.0]);
    assert_eq!(frames.share_by_bank(A).unwrap(), [(0, 11), (1, 12)]);
    frames.exit(A).unwrap();
    assert!(matches!(frames.share_by_bank(A), Err(FrameError::UnknownTask { .. })));
    frames.check().unwrap();
}

#[test]
fn a_hard_partition_gives_a_bank_to_one_task_and_no_task_more() {
    let mut frames = small().frames(codesign(Partition::Hard), 0);
    frames.register(A, with([0, 1])).unwrap();
    let error = frames.register(B, with([1, 2])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "task 2 wants bank color 1, which task 1 has; a hard partition gives a bank to one task only. Choose other \
         banks, or the soft partition"
    );
    frames.register(B, with([2])).unwrap();
    let coloring = with([1]).coloring;
    assert!(matches!(
        frames.set_coloring(B, coloring),
        Err(FrameError::BankTaken { bank: 1, other: A, .. })
    ));
    take(&mut frames, B, 16);
    let error = frames.alloc(B).unwrap_err();
    let refused = matches!(
        error,
        FrameError::OutOfColor {
            held: 16,
            free_elsewhere: 48,
            ..
        }
    );
    assert!(refused, "{error}");
    frames.check().unwrap();
}

#[test]
fn it_chooses_no_banks_and_keeps_the_order_of_zones() {
    let mut frames = two_nodes().frames(codesign(Partition::Soft), 0);
    let error = frames.register(A, TaskMemory::local(0).automatic(1)).unwrap_err();
    assert!(error.to_string().contains("does not choose banks by itself"), "{error}");
    // Banks 2 (node 0) and 5 (node 1): the own node first, then the other, without a look at zones that have no bank of it.
    frames.register(A, with([2, 5])).unwrap();
    assert_eq!(take(&mut frames, A, 18)[15..], [62, 65, 69]);
    frames.register(B, with([6])).unwrap();
    let (frame, work) = frames.alloc(B).unwrap();
    assert_eq!((frame.0, work.zone_steps), (66, 0));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default()
    })]

    /// While no bank of a task is used up, its pages differ by at most one from bank to bank, and none lies elsewhere.
    #[test]
    fn pages_spread_evenly_over_the_mask(
        masks in prop::collection::vec(1u32..16, 1..4), turns in prop::collection::vec(0usize..4, 1..60),
    ) {
        // 256 frames, 64 of each bank: more than all turns together take.
        let mut frames = machine(1, 20, &[12, 13], 0..0).frames(codesign(Partition::Soft), 0);
        let banks = |mask: u32| (0..4).filter(move |bank| mask >> bank & 1 == 1);
        for (task, &mask) in (0..).zip(&masks) {
            frames.register(TaskId(task), with(banks(mask))).unwrap();
        }
        for turn in turns {
            let number = turn % masks.len();
            let task = TaskId(number as u32);
            frames.alloc(task).unwrap();
            let share = frames.share_by_bank(task).unwrap();
            prop_assert!(share.iter().all(|&(bank, _)| masks[number] >> bank & 1 == 1));
            let held: u64 = share.iter().map(|&(_, pages)| pages).sum();
            let each = held / u64::from(masks[number].count_ones());
            prop_assert!(share.iter().all(|&(_, pages)| pages == each || pages == each + 1), "{share:?}");
        }
    }
}
