// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shape of allocation cost: PALLOC's Table I and CAMC's Table 2.2. Nanoseconds come from `CostModel`'s documented
//! assumptions; what is asserted is what grows with what.

use crate::common::{A, Machine, opteron, xeon};
use fresco_frames::{
    Aging, Boot, Camc, ColorLists, ColorSet, CostModel, FramesConfig, Palloc, Policy, TaskId, TaskMemory, WorkSummary,
};

/// Cost per page of one program that allocates `mib` MiB: (average, maximum) in picoseconds, on a core of 2.8 GHz.
fn table_1(machine: &Machine, policy: Policy, boot: Boot, mib: u64) -> (u64, u64) {
    let cost = CostModel::at(2800);
    let mut frames = machine.frames(
        FramesConfig {
            policy,
            boot,
            cost,
            ..FramesConfig::default()
        },
        7,
    );
    let memory = match policy {
        Policy::Buddy => TaskMemory::local(0),
        _ => TaskMemory::local(0).with_banks(ColorSet::from_bit_pattern("00XX").unwrap()),
    };
    frames.register(A, memory).unwrap();
    for _ in 0..mib * 256 {
        frames.alloc(A).unwrap();
    }
    let WorkSummary {
        calls,
        total,
        worst_cycles,
        ..
    } = frames.stats(A).unwrap().alloc;
    assert_eq!(calls, mib * 256);
    (cost.ps(cost.cycles_of(calls, &total)) / calls, cost.ps(worst_cycles))
}

#[test]
fn palloc_costs_more_than_buddy_and_its_worst_case_grows_with_the_size() {
    let machine = xeon();
    let palloc = Policy::Palloc(Palloc::default());
    // A light ageing, so that half a GiB of the partition's one is free.
    let aged = Boot::Aged(Aging {
        occupied_permille: 200,
        ..Aging::default()
    });
    for boot in [Boot::Fresh, aged] {
        let sizes = [1, 8, 64, 512];
        let rows = sizes.map(|mib| {
            (
                table_1(&machine, palloc, boot, mib),
                table_1(&machine, Policy::Buddy, boot, mib),
            )
        });
        for ((mib, row), next) in sizes.iter().zip(&rows).zip(rows.iter().skip(1)) {
            println!(
                "{mib} MiB: (average, maximum) in ps: PALLOC {:?}, buddy {:?}",
                row.0, row.1
            );
            assert!(next.0.1 >= row.0.1, "the worst case does not shrink: {rows:?}");
        }
        println!("512 MiB: PALLOC {:?}, buddy {:?}", rows[3].0, rows[3].1);
        for ((palloc, palloc_max), (buddy, buddy_max)) in rows {
            assert!(palloc > buddy && palloc_max > buddy_max, "{rows:?}");
        }
        assert!(rows[3].0.1 > 2 * rows[0].0.1, "{rows:?}");
    }
}

#[test]
fn every_frame_is_sorted_once() {
    // LIM-3: the first request of a bank pays for all the others that find their frames sorted.
    let mut frames = xeon().frames(FramesConfig::pristine(Policy::Palloc(Palloc::default())), 0);
    frames
        .register(A, TaskMemory::local(0).with_banks(ColorSet::one(5)))
        .unwrap();
    let visited: Vec<u64> = (0..1 << 16)
        .map(|_| frames.alloc(A).unwrap().1.frames_visited)
        .collect();
    assert_eq!(visited.iter().sum::<u64>(), 1 << 20);
    // Each block of 1024 holds 64 frames of each bank: every 64th request sorts one.
    let sorts = (0..1 << 16).map(|request| if request % 64 == 0 { 1024 } else { 0 });
    assert!(visited.iter().copied().eq(sorts));
    // The last request finds nothing, having looked everywhere.
    assert!(frames.alloc(A).unwrap_err().to_string().contains("used up"));
}

#[test]
fn the_last_frames_of_a_bank_cost_the_longest_search() {
    // Banks lie above the block size: each block holds one bank only, and the wanted one comes last.
    let mut frames = crate::common::machine(1, 28, &[26, 27], 0..0)
        .frames(FramesConfig::pristine(Policy::Palloc(Palloc::default())), 0);
    frames
        .register(A, TaskMemory::local(0).with_banks(ColorSet::from_iter([0, 3])))
        .unwrap();
    let visited: Vec<u64> = (0..1 << 15)
        .map(|_| frames.alloc(A).unwrap().1.frames_visited)
        .collect();
    let worst = visited.iter().enumerate().max_by_key(|(_, visited)| **visited).unwrap();
    assert_eq!(
        worst,
        (1 << 14, &(2 * (1 << 14) + 1024)),
        "beyond banks 1 and 2, when bank 0 is used up"
    );
}

/// Four tasks of one node, each with a color of its own, allocate `pages` pages in turn, free them, and do so again.
/// Core cycles of the page faults of each of the two rounds.
fn rounds(policy: Policy, pages: u32, preallocate: bool) -> [u64; 2] {
    let cost = CostModel::default();
    let mut frames = opteron().frames(
        FramesConfig {
            policy,
            boot: Boot::Pristine,
            per_cpu: None,
            cost,
            ..FramesConfig::default()
        },
        0,
    );
    let tasks = [1, 2, 3, 4].map(TaskId);
    for task in tasks {
        let memory = TaskMemory::local(0);
        let memory = if policy == Policy::Buddy {
            memory
        } else {
            memory.automatic(1)
        };
        frames.register(task, memory).unwrap();
        if preallocate {
            frames.preallocate(task, u64::from(pages)).unwrap();
        }
    }
    [(); 2].map(|()| {
        for page in 0..4 * pages {
            frames.alloc(tasks[page as usize % 4]).unwrap();
        }
        let mut cycles = 0;
        for task in tasks {
            let WorkSummary { calls, total, .. } = frames.take_stats(task).unwrap().alloc;
            cycles += calls * (cost.fault + cost.clear) + cost.cycles_of(calls, &total);
            for frame in frames.frames_of(task).unwrap() {
                frames.free(task, frame).unwrap();
            }
        }
        cycles
    })
}

#[test]
fn camc_costs_more_at_first_and_no_more_than_buddy_later() {
    let camc = |start| {
        Policy::Camc(Camc {
            start,
            ..Camc::default()
        })
    };
    let pages = 4096;
    let buddy = rounds(Policy::Buddy, pages, false);
    let [first, second] = rounds(camc(ColorLists::Empty), pages, false);
    println!("cycles of faults: buddy {buddy:?}, CAMC {:?}", [first, second]);
    assert!(first > buddy[0], "empty color lists: the free list is searched");
    assert!(
        second <= buddy[1],
        "a frame comes from the front of a list, without splits"
    );
    // CAMC-25: preallocating and freeing takes the search out of the first round; CAMC-26: so does the reversed design.
    let preallocated = rounds(camc(ColorLists::Empty), pages, true);
    let reversed = rounds(camc(ColorLists::Full), pages, false);
    assert_eq!(preallocated[0], second);
    assert_eq!(reversed, [second, second]);
}
