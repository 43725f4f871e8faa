// SPDX-License-Identifier: MIT OR Apache-2.0
//! TintMalloc, BPM, the soft partition and libnuma's placements on small machines, followed by hand.

use crate::common::{A, B, C, machine, small, two_nodes};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Bpm, ColorSet, Coloring, FrameError, Frames, FramesConfig, ListsBy, Placement, Policy, TaskId, TaskMemory,
    Tintmalloc, Work,
};

fn take(frames: &mut Frames, task: TaskId, count: usize) -> Vec<u64> {
    (0..count).map(|_| frames.alloc(task).unwrap().0.0).collect()
}

fn colored(banks: Option<&[u32]>, llc: Option<&[u32]>) -> TaskMemory {
    let set = |set: Option<&[u32]>| set.map(|set| set.iter().copied().collect::<ColorSet>());
    let coloring = Coloring::Explicit {
        banks: set(banks),
        llc: set(llc),
    };
    TaskMemory {
        coloring,
        ..TaskMemory::local(0)
    }
}

/// 128 frames; the bank color is frame bits 1 and 2, the LLC color bits 0 and 1: bit 1 is shared (CON-5).
fn overlapping(policy: Policy) -> Frames {
    let config = FramesConfig {
        lists: ListsBy::BankAndLlc,
        ..FramesConfig::pristine(policy)
    };
    machine(1, 19, &[13, 14], 12..14).frames(config, 0)
}

#[test]
fn tintmalloc_matches_banks_or_cache_or_both() {
    let mut frames = overlapping(Policy::Tintmalloc(Tintmalloc::default()));
    frames.register(A, colored(Some(&[1]), Some(&[3]))).unwrap();
    let (first, work) = frames.alloc(A).unwrap();
    // The block of 128 is sorted into the lists of its pairs (TINT-11), and the list of pair (1, 3) serves.
    assert_eq!((first.0, work.frames_visited), (3, 128));
    let (second, work) = frames.alloc(A).unwrap();
    assert_eq!(
        (second.0, work),
        (
            11,
            Work {
                list_ops: 1,
                lists_probed: 1,
                ..Work::default()
            }
        )
    );
    // TINT-10: banks alone, cache alone. Lists that match take turns.
    frames.register(B, colored(Some(&[0]), None)).unwrap();
    assert_eq!(take(&mut frames, B, 4), [0, 1, 8, 9]);
    frames.register(C, colored(None, Some(&[2]))).unwrap();
    // Task 3 begins with the second of its two lists.
    assert_eq!(take(&mut frames, C, 4), [6, 2, 14, 10]);
    // TINT-12: back to the list of its colors, where it waits single (RLIM-1).
    frames.free(A, FrameNumber(3)).unwrap();
    assert_eq!(take(&mut frames, A, 2), [3, 19]);
    frames.exit(A).unwrap();
    frames.exit(B).unwrap();
    frames.exit(C).unwrap();
    assert_eq!(frames.check().unwrap().colored, 128);
    let error = frames.alloc_order(1, 0).unwrap_err();
    assert!(
        matches!(
            error,
            FrameError::OutOfMemory {
                free: 128,
                in_color_lists: 128,
                ..
            }
        ),
        "{error}"
    );
    // CON-5: no frame is in bank 0 and has LLC color 3.
    let error = frames.register(A, colored(Some(&[0]), Some(&[3]))).unwrap_err();
    assert!(matches!(error, FrameError::NoSuchFrames { .. }), "{error}");
}

#[test]
fn bpm_halves_the_smallest_block_that_holds_the_color() {
    let mut frames = small().frames(FramesConfig::pristine(Policy::Bpm(Bpm::default())), 0);
    frames.register(A, colored(Some(&[2]), None)).unwrap();
    let (first, work) = frames.alloc(A).unwrap();
    // All 64 frames are one block: halved six times, towards frame 2; of 0 to 3 the upper half goes on.
    assert_eq!(first.0, 2);
    let halved = Work {
        list_ops: 7,
        lists_probed: 7,
        splits: 6,
        frames_visited: 6,
        ..Work::default()
    };
    assert_eq!(work, halved);
    assert_eq!(frames.free_blocks(0).unwrap()[..7], [1, 1, 1, 1, 1, 1, 0]);
    // Frame 3 and block 0-1 are smaller than 4-7 and have nothing of bank 2: the lists of their orders do not say so.
    let (second, work) = frames.alloc(A).unwrap();
    assert_eq!((second.0, work.lists_probed, work.splits), (6, 3, 2));
    frames.check().unwrap();
    // Banks 0 and 3 take what bank 2 has left over, last in, first out.
    frames.register(B, colored(Some(&[3, 0]), None)).unwrap();
    assert_eq!(take(&mut frames, B, 4), [4, 7, 0, 3]);
    // Frees merge up to the whole again (RLIM-1 does not apply).
    frames.exit(A).unwrap();
    frames.exit(B).unwrap();
    assert_eq!(frames.free_blocks(0).unwrap()[6], 1);
    frames.check().unwrap();
}

#[test]
fn bpm_is_blind_to_nodes_and_strict_about_colors() {
    let mut frames = two_nodes().frames(FramesConfig::pristine(Policy::Bpm(Bpm::default())), 0);
    // TINT-17: bank 1 of both nodes.
    frames.register(A, colored(Some(&[1, 5]), None)).unwrap();
    assert_eq!(take(&mut frames, A, 4), [1, 65, 5, 69]);
    assert_eq!(frames.stats(A).unwrap().remote, 2);
    take(&mut frames, A, 28);
    let error = frames.alloc(A).unwrap_err();
    assert!(
        matches!(
            error,
            FrameError::OutOfColor {
                held: 32,
                free_elsewhere: 96,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn a_soft_partition_lends_what_nobody_has_first() {
    let mut frames = small().frames(FramesConfig::pristine(Policy::Soft), 0);
    frames.register(A, colored(Some(&[0]), None)).unwrap();
    frames.register(B, colored(Some(&[1, 2]), None)).unwrap();
    assert_eq!(take(&mut frames, A, 16), (0..16).map(|i| 4 * i).collect::<Vec<_>>());
    // Bank 3 is nobody's, and its frames were left over one by one; then those of B in turn.
    assert_eq!(
        take(&mut frames, A, 16),
        (0..16).map(|i| 63 - 4 * i).collect::<Vec<_>>()
    );
    assert_eq!(
        take(&mut frames, A, 2)
            .into_iter()
            .map(|frame| frame % 4)
            .collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(frames.stats(A).unwrap().spilled, 18);
    // Nothing is refused before the memory is out.
    take(&mut frames, B, 30);
    assert_eq!(frames.stats(B).unwrap().spilled, 0);
    assert!(matches!(frames.alloc(B), Err(FrameError::OutOfMemory { free: 0, .. })));
    frames.check().unwrap();
}

#[test]
fn placements_are_those_of_libnuma() {
    let mut frames = two_nodes().frames(FramesConfig::pristine(Policy::Buddy), 0);
    let at = |placement| TaskMemory {
        placement,
        ..TaskMemory::local(0)
    };
    // CAMC-27: page by page in turn.
    frames.register(A, at(Placement::Interleave(vec![1, 0]))).unwrap();
    assert_eq!(take(&mut frames, A, 5), [64, 0, 65, 1, 66]);
    assert_eq!(frames.stats(A).unwrap().remote, 3);
    frames.register(B, at(Placement::Preferred(1))).unwrap();
    assert_eq!(take(&mut frames, B, 61), (67..128).collect::<Vec<_>>());
    assert_eq!(take(&mut frames, B, 1), [2], "node 1 is used up");
    // Interleaving goes on on the node that is left; a task bound to node 1 gets nothing.
    assert_eq!(take(&mut frames, A, 3), [3, 4, 5]);
    frames.register(C, at(Placement::Bind(vec![1]))).unwrap();
    assert!(matches!(frames.alloc(C), Err(FrameError::OutOfMemory { free: 58, .. })));
    let wrong = |placement| {
        two_nodes()
            .frames(FramesConfig::default(), 0)
            .register(A, at(placement))
            .unwrap_err()
    };
    assert!(matches!(
        wrong(Placement::Preferred(2)),
        FrameError::UnknownNode { node: 2, nodes: 2 }
    ));
    assert!(wrong(Placement::Bind(Vec::new())).to_string().contains("names none"));
}
