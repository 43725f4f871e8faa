// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every policy on a machine of 64 frames, followed by hand.

use crate::common::{A, B, C, machine, small, two_nodes};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Camc, ColorLists, ColorSet, FrameError, Frames, FramesConfig, Palloc, Placement, Policy, Search, Sorting, TaskId,
    TaskMemory, Work, printed_create_color_list,
};

fn take(frames: &mut Frames, task: TaskId, count: usize) -> Vec<u64> {
    (0..count).map(|_| frames.alloc(task).unwrap().0.0).collect()
}

fn camc(camc: Camc) -> FramesConfig {
    FramesConfig::pristine(Policy::Camc(camc))
}

#[test]
fn buddy_splits_the_one_block_and_merges_it_again() {
    let mut frames = small().frames(FramesConfig::pristine(Policy::Buddy), 0);
    frames.register(A, TaskMemory::local(0)).unwrap();
    assert_eq!(frames.free_blocks(0).unwrap(), [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);

    let (first, work) = frames.alloc(A).unwrap();
    // Orders 0 to 6 are asked, the block of 64 is taken and halved six times.
    assert_eq!(first.0, 0);
    assert_eq!(
        work,
        Work {
            list_ops: 7,
            lists_probed: 7,
            splits: 6,
            ..Work::default()
        }
    );
    assert_eq!(frames.free_blocks(0).unwrap(), [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);

    assert_eq!(take(&mut frames, A, 4), [1, 2, 3, 4]);
    // Last in, first out: 3 and 1 are single (their buddies are held), 1 was freed last.
    frames.free(A, FrameNumber(3)).unwrap();
    frames.free(A, FrameNumber(1)).unwrap();
    assert_eq!(take(&mut frames, A, 3), [1, 3, 5]);
    for frame in [0, 2, 4, 1, 5] {
        frames.free(A, FrameNumber(frame)).unwrap();
    }
    let work = frames.free(A, FrameNumber(3)).unwrap();
    // 3 joins 2, 0-1, 4-7, and so on up to all 64.
    assert_eq!(work.merges, 6);
    assert_eq!(frames.free_blocks(0).unwrap()[6], 1);
    frames.check().unwrap();
}

#[test]
fn buddy_falls_back_on_the_next_node_when_its_own_is_used_up() {
    let mut frames = two_nodes().frames(FramesConfig::pristine(Policy::Buddy), 0);
    frames.register(A, TaskMemory::local(1)).unwrap();
    assert_eq!(take(&mut frames, A, 64), (64..128).collect::<Vec<_>>());
    let (frame, work) = frames.alloc(A).unwrap();
    assert_eq!((frame.0, work.zone_steps), (0, 1));
    assert_eq!(frames.stats(A).unwrap().remote, 1);

    // Bound to its node, it fails instead.
    let bound = TaskMemory {
        placement: Placement::Bind(vec![1]),
        ..TaskMemory::local(1)
    };
    frames.register(B, bound).unwrap();
    let error = frames.alloc(B).unwrap_err();
    assert!(
        matches!(
            error,
            FrameError::OutOfMemory {
                node: 1,
                order: 0,
                free: 63,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn palloc_sorts_a_block_into_bins_and_frees_into_the_buddy_system() {
    let mut frames = small().frames(FramesConfig::pristine(Policy::Palloc(Palloc::default())), 0);
    frames
        .register(A, TaskMemory::local(0).with_banks(ColorSet::from_iter([2, 3])))
        .unwrap();

    let (first, work) = frames.alloc(A).unwrap();
    // Two empty bins, seven orders, the bin of bank 2; 64 frames sorted, one block and one frame removed.
    assert_eq!(first.0, 2);
    assert_eq!(
        work,
        Work {
            list_ops: 66,
            frames_visited: 64,
            lists_probed: 10,
            ..Work::default()
        }
    );
    // The lowest bank that has a frame (PAL-1): all of bank 2, then bank 3. Nothing is sorted any more.
    let (second, work) = frames.alloc(A).unwrap();
    assert_eq!(
        (second.0, work),
        (
            6,
            Work {
                list_ops: 1,
                lists_probed: 1,
                ..Work::default()
            }
        )
    );
    assert_eq!(
        take(&mut frames, A, 16),
        [10, 14, 18, 22, 26, 30, 34, 38, 42, 46, 50, 54, 58, 62, 3, 7]
    );
    assert_eq!([0, 1, 2, 3].map(|bank| frames.color_list_frames(bank)), [16, 16, 0, 14]);

    // PAL-4: what is freed goes to the buddy system, where 2 and 3 merge; the bins do not see it.
    frames.free(A, FrameNumber(2)).unwrap();
    frames.free(A, FrameNumber(3)).unwrap();
    assert_eq!(frames.free_blocks(0).unwrap()[..2], [0, 1]);
    assert_eq!(
        take(&mut frames, A, 14),
        (0..14).map(|i| 11 + 4 * i).collect::<Vec<_>>()
    );
    // The bins are empty again: the pair comes back.
    assert_eq!(take(&mut frames, A, 2), [2, 3]);
    frames.check().unwrap();
}

#[test]
fn palloc_to_the_letter_walks_frame_by_frame() {
    let letter = Palloc {
        sorting: Sorting::Frame,
        ..Palloc::default()
    };
    let mut frames = small().frames(FramesConfig::pristine(Policy::Palloc(letter)), 0);
    frames
        .register(A, TaskMemory::local(0).with_banks(ColorSet::from_iter([2, 3])))
        .unwrap();
    let (first, work) = frames.alloc(A).unwrap();
    // 0 and 1 go to bins, 2 is taken, 3, 4-7, 8-15, 16-31 and 32-63 stay blocks.
    assert_eq!((first.0, work.frames_visited), (2, 3));
    assert_eq!(frames.free_blocks(0).unwrap()[..7], [1, 0, 1, 1, 1, 1, 0]);
    assert_eq!(take(&mut frames, A, 7), [3, 6, 7, 10, 11, 14, 15]);
    assert_eq!([0, 1, 2, 3].map(|bank| frames.color_list_frames(bank)), [4, 4, 0, 0]);
    frames.check().unwrap();
}

#[test]
fn palloc_knows_no_nodes_and_sorts_its_own_in_vain() {
    let mut frames = two_nodes().frames(FramesConfig::pristine(Policy::Palloc(Palloc::default())), 0);
    // Bank 5 is on node 1; the task runs on node 0.
    frames
        .register(A, TaskMemory::local(0).with_banks(ColorSet::one(5)))
        .unwrap();
    let (frame, work) = frames.alloc(A).unwrap();
    assert_eq!((frame.0, work.frames_visited, work.zone_steps), (65, 128, 1));
}

#[test]
fn camc_gives_each_task_its_own_local_color_and_grows_it() {
    let mut frames = two_nodes().frames(camc(Camc::default()), 0);
    let banks = |frames: &mut Frames, task, node| {
        frames
            .register(task, TaskMemory::local(node).automatic(1))
            .unwrap()
            .banks
            .to_string()
    };
    assert_eq!(banks(&mut frames, A, 0), "0");
    assert_eq!(banks(&mut frames, B, 0), "1");
    assert_eq!(banks(&mut frames, C, 1), "4");

    let (first, work) = frames.alloc(A).unwrap();
    assert_eq!((first.0, work.frames_visited), (0, 64));
    // The lists that A's search has filled serve B at once.
    let (first, work) = frames.alloc(B).unwrap();
    assert_eq!((first.0, work.frames_visited), (1, 0));
    assert_eq!(take(&mut frames, C, 2), [64, 68], "only its own node is searched");

    assert_eq!(take(&mut frames, A, 15), (1..16).map(|i| 4 * i).collect::<Vec<_>>());
    // Color 0 is used up; 2 is the next that nobody has (CAMC-5).
    assert_eq!(take(&mut frames, A, 2), [2, 6]);
    assert_eq!(frames.assignment(A).unwrap().banks.to_string(), "0,2");
    assert_eq!(frames.stats(A).unwrap().grown, 1);

    // CAMC-24: freed frames are in front of the list of their color; colors take turns.
    frames.free(A, FrameNumber(8)).unwrap();
    frames.free(A, FrameNumber(40)).unwrap();
    assert_eq!(take(&mut frames, A, 4), [40, 10, 8, 14]);

    // CAMC-18: at exit the colors return to the pool, the frames to their lists.
    frames.exit(A).unwrap();
    assert_eq!(frames.color_list_frames(0), 16);
    assert_eq!(banks(&mut frames, A, 0), "0");
    frames.check().unwrap();
}

#[test]
fn camc_starves_large_blocks_and_the_reversed_design_does_not() {
    let run = |start| {
        let mut frames = small().frames(
            camc(Camc {
                start,
                ..Camc::default()
            }),
            0,
        );
        frames.register(A, TaskMemory::local(0).automatic(1)).unwrap();
        let (_, work) = frames.alloc(A).unwrap();
        let first = frames.frames_of(A).unwrap()[0];
        frames.free(A, first).unwrap();
        (work.frames_visited, frames)
    };
    // RLIM-1: everything is free and nothing has merged.
    let (visited, mut frames) = run(ColorLists::Empty);
    assert_eq!(visited, 64);
    let error = frames.alloc_order(3, 0).unwrap_err();
    assert!(
        matches!(
            error,
            FrameError::OutOfMemory {
                free: 64,
                in_color_lists: 64,
                ..
            }
        ),
        "{error}"
    );
    frames.flush_color_lists();
    assert_eq!(frames.free_blocks(0).unwrap()[6], 1);
    assert_eq!(frames.alloc_order(3, 0).unwrap().0.0, 0);

    // CAMC-26: no search at the start, blocks on demand.
    let (visited, mut frames) = run(ColorLists::Full);
    assert_eq!(visited, 0);
    let (block, _) = frames.alloc_order(3, 0).unwrap();
    assert_eq!(block.0, 0);
    frames.check().unwrap();
    frames.free_order(block).unwrap();
    assert_eq!(frames.free_blocks(0).unwrap()[3], 1);
    frames.check().unwrap();
}

/// CON-6, first slip: the printed loop sorts one block per order and never looks again.
#[test]
fn algorithm_1_as_printed_fails_although_frames_are_free() {
    let printed = Camc {
        search: Search::AsPublished,
        ..Camc::default()
    };
    let corrected = Camc::default();
    // Banks are selected by frame bits 4 and 5. Of four blocks of 16 frames, 16-31 (bank 1) and 48-63 (bank 3) are free.
    let outcome = |variant| {
        let mut frames = machine(1, 18, &[16, 17], 0..0).frames(camc(variant), 0);
        let blocks: Vec<_> = (0..4).map(|_| frames.alloc_order(4, 0).unwrap().0).collect();
        frames.free_order(blocks[1]).unwrap();
        frames.free_order(blocks[3]).unwrap();
        frames
            .register(A, TaskMemory::local(0).with_banks(ColorSet::one(1)))
            .unwrap();
        let outcome = frames.alloc(A).map(|(frame, _)| frame.0);
        frames.check().unwrap();
        outcome
    };
    assert_eq!(outcome(corrected), Ok(16));
    let error = outcome(printed).unwrap_err();
    assert!(
        matches!(
            error,
            FrameError::OutOfColor {
                held: 0,
                free_elsewhere: 32,
                ..
            }
        ),
        "{error}"
    );

    // A machine of one block of the highest order: the loop ends before the block's frames are looked at.
    let one_block = |variant| {
        let mut frames = machine(1, 22, &[12, 13], 0..0).frames(camc(variant), 0);
        frames
            .register(A, TaskMemory::local(0).with_banks(ColorSet::one(1)))
            .unwrap();
        frames.alloc(A).map(|(frame, _)| frame.0)
    };
    assert_eq!(one_block(corrected), Ok(1));
    assert!(one_block(printed).is_err());
}

/// CON-6, second slip: the printed loop appends the block's first page again and again.
#[test]
fn algorithm_2_as_printed_loses_all_frames_but_one() {
    let appended = printed_create_color_list(4, FrameNumber(32));
    assert_eq!(appended.len(), 9, "0 to 2^(4-1) inclusive");
    assert!(appended.iter().all(|frame| frame.0 == 32));

    let mut frames = small().frames(camc(Camc::default()), 0);
    frames.register(A, TaskMemory::local(0).automatic(4)).unwrap();
    let mut all = take(&mut frames, A, 64);
    all.sort_unstable();
    assert_eq!(all, (0..64).collect::<Vec<_>>(), "corrected: every frame once");
}
