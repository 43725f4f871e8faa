// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests and memory that an allocator refuses.

use crate::colors::{palloc, set, strict_camc};
use crate::common::{A, small, two_nodes};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Coloring, Exhaustion, FrameError, Frames, FramesConfig, ListsBy, Memory, Placement, Policy, Region, TaskId,
    TaskMemory,
};

#[test]
fn wrong_requests_are_refused_with_the_reason() {
    let buddy = FramesConfig::pristine(Policy::Buddy);
    let refuse = |config, memory| small().frames(config, 0).register(A, memory).unwrap_err().to_string();
    let local = TaskMemory::local;
    assert!(refuse(buddy, local(0).automatic(1)).contains("buddy policy knows no colors"));
    assert!(refuse(buddy, local(1)).contains("no node 1; the machine has only 0"));
    assert!(refuse(palloc(Exhaustion::Strict), local(0).automatic(1)).contains("PALLOC does not choose"));
    assert!(refuse(strict_camc(), local(0).automatic(0)).contains("at least one color"));
    assert!(
        refuse(strict_camc(), local(0).with_banks(set(&[2, 4]))).contains("no bank color 4; the machine has 0 to 3")
    );
    assert!(refuse(strict_camc(), local(0).with_banks(set(&[]))).contains("bank colors none"));
    let llc = Coloring::Explicit {
        banks: None,
        llc: Some(set(&[1])),
    };
    let llc = TaskMemory {
        coloring: llc,
        ..local(0)
    };
    let by_llc = FramesConfig {
        lists: ListsBy::BankAndLlc,
        ..strict_camc()
    };
    assert!(refuse(by_llc, llc.clone()).contains("no LLC color 1"));
    assert!(refuse(strict_camc(), llc).contains("kept by bank alone"));
    assert!(
        refuse(
            buddy,
            TaskMemory {
                placement: Placement::Bind(vec![2]),
                ..local(0)
            }
        )
        .contains("no node 2")
    );

    let mut frames = small().frames(buddy, 0);
    assert_eq!(frames.alloc(A), Err(FrameError::UnknownTask { task: A }));
    frames.register(A, local(0)).unwrap();
    assert_eq!(frames.register(A, local(0)), Err(FrameError::DuplicateTask { task: A }));
    assert!(frames.register(TaskId::KERNEL, local(0)).is_err());
    assert!(matches!(frames.preallocate(A, 1), Err(FrameError::Policy { .. })));
    assert!(matches!(
        frames.alloc_order(11, 0),
        Err(FrameError::Order { order: 11 })
    ));
    assert!(matches!(
        frames.alloc_order(0, 9),
        Err(FrameError::UnknownNode { node: 9, nodes: 1 })
    ));
    for frame in [0, 63, 64, u64::MAX] {
        assert!(matches!(
            frames.free(A, FrameNumber(frame)),
            Err(FrameError::NotOwned { .. })
        ));
        assert!(matches!(
            frames.free_order(FrameNumber(frame)),
            Err(FrameError::NotOwned { .. })
        ));
    }
}

#[test]
fn memory_that_contradicts_the_map_is_refused() {
    let two = two_nodes();
    let fault = |regions, hops: &[Vec<u32>]| {
        let memory = Memory::new(regions, hops).unwrap();
        Frames::new(two.space(), memory, FramesConfig::default(), 0)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let region = |zone, first, frames| Region {
        zone,
        first: FrameNumber(first),
        frames,
    };
    let crossed = fault(vec![region(1, 0, 64), region(0, 64, 64)], &two.hops);
    assert!(crossed.contains("frame 0x0 of zone 1 is on node 0"), "{crossed}");
    let beyond = fault(vec![region(0, 0, 200)], &[vec![0]]);
    assert!(beyond.contains("no memory at frame"), "{beyond}");
}
