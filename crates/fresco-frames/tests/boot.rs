// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starting states: reproducible, different between seeds, and as fragmented as they claim.

use crate::common::{A, B, machine, opteron, xeon};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Aging, Boot, Camc, ColorLists, ColorSet, FrameError, Frames, FramesConfig, MAX_ORDER, PerCpu, Policy, TaskMemory,
};

fn first_frames(boot: Boot, seed: u64) -> Vec<FrameNumber> {
    let mut frames = xeon().frames(
        FramesConfig {
            boot,
            ..FramesConfig::default()
        },
        seed,
    );
    frames.register(A, TaskMemory::local(0)).unwrap();
    (0..2000).map(|_| frames.alloc(A).unwrap().0).collect()
}

/// Frames whose successor in time is their successor in memory.
fn sequential(frames: &[FrameNumber]) -> usize {
    frames.windows(2).filter(|pair| pair[0].0 + 1 == pair[1].0).count()
}

#[test]
fn the_seed_decides_which_frames_are_handed_out() {
    let aged = Boot::Aged(Aging::default());
    for boot in [Boot::Fresh, aged] {
        assert_eq!(
            first_frames(boot, 1),
            first_frames(boot, 1),
            "the same seed gives the same frames"
        );
        assert_ne!(first_frames(boot, 1), first_frames(boot, 2));
    }
    assert_eq!(first_frames(Boot::Pristine, 1), first_frames(Boot::Pristine, 2));
    let [pristine, fresh, aged] = [Boot::Pristine, Boot::Fresh, aged].map(|boot| sequential(&first_frames(boot, 1)));
    assert_eq!(pristine, 1999);
    assert!(
        aged < 100 && 100 < fresh,
        "an aged machine starts with its single frames: {fresh}, {aged}"
    );
}

#[test]
fn a_fresh_machine_keeps_most_of_its_large_blocks() {
    let frames = xeon().frames(FramesConfig::default(), 3);
    let blocks = frames.free_blocks(0).unwrap();
    let held = frames.census().held;
    // 4 % of 1024 blocks are cut or held, a little more for the last one of each kind.
    assert!((970..=990).contains(&blocks[10]), "{blocks:?}");
    assert!(
        (1 << 20) / 100 < held && held < (1 << 20) * 3 / 100,
        "about half of 4 %: {held}"
    );
    frames.check().unwrap();
}

#[test]
fn an_aged_machine_has_the_fragments_it_was_asked_for() {
    let total = f64::from(1 << 20);
    for occupied_permille in [300, 900] {
        let aging = Aging {
            occupied_permille,
            ..Aging::default()
        };
        let frames = xeon().frames(
            FramesConfig {
                boot: Boot::Aged(aging),
                ..FramesConfig::default()
            },
            5,
        );
        frames.check().unwrap();
        let held = frames.census().held as f64 / total;
        assert!((held - f64::from(occupied_permille) / 1000.0).abs() < 0.05, "{held}");
        if occupied_permille == 900 {
            // So few leaves are free that hardly any merge: each order has an eleventh of the free memory.
            let blocks = frames.free_blocks(0).unwrap();
            for order in 0..=7u32 {
                let share = f64::from(blocks[order as usize] << order) / (0.1 * total);
                assert!(
                    (share - 1.0 / 11.0).abs() < 0.03,
                    "order {order}: {share} of {blocks:?}"
                );
            }
        }
    }
    let only = |order: usize| {
        let mut shares = [0; MAX_ORDER as usize + 1];
        shares[order] = 1;
        Boot::Aged(Aging {
            occupied_permille: 0,
            shares,
        })
    };
    let whole = xeon().frames(
        FramesConfig {
            boot: only(10),
            ..FramesConfig::default()
        },
        5,
    );
    assert_eq!(whole.free_blocks(0).unwrap()[10], 1024);
    let merged = xeon().frames(
        FramesConfig {
            boot: only(2),
            ..FramesConfig::default()
        },
        5,
    );
    assert_eq!(merged.free_blocks(0).unwrap()[10], 1024, "free buddies merge");
}

#[test]
fn nonsense_is_refused() {
    for aging in [
        Aging {
            occupied_permille: 1000,
            ..Aging::default()
        },
        Aging {
            occupied_permille: 1,
            shares: [0; 11],
        },
    ] {
        let machine = xeon();
        let config = FramesConfig {
            boot: Boot::Aged(aging),
            ..FramesConfig::default()
        };
        let error = Frames::new(machine.space(), machine.memory(), config, 0)
            .map(drop)
            .unwrap_err();
        assert!(matches!(error, FrameError::Boot { .. }), "{error}");
    }
}

#[test]
fn zones_age_independently() {
    let state = |seed| {
        opteron().frames(
            FramesConfig {
                boot: Boot::Aged(Aging::default()),
                ..FramesConfig::default()
            },
            seed,
        )
    };
    let (a, b) = (state(1), state(1));
    for zone in 0..4 {
        assert_eq!(a.free_blocks(zone), b.free_blocks(zone));
        assert!((0..zone).all(|other| a.free_blocks(other) != a.free_blocks(zone)));
    }
}

#[test]
fn per_cpu_lists_give_neighbouring_frames_to_tasks_that_fault_in_turn() {
    let run = |per_cpu| {
        let config = FramesConfig {
            per_cpu,
            ..FramesConfig::pristine(Policy::Buddy)
        };
        let mut frames = machine(1, 22, &[12, 13], 0..0).frames(config, 0);
        frames.register(A, TaskMemory::local(0)).unwrap();
        frames.register(B, TaskMemory::local(0)).unwrap();
        let turns = (0..100).map(|_| [A, B].map(|task| frames.alloc(task).unwrap().0));
        let of_a: Vec<FrameNumber> = turns.map(|[a, _]| a).collect();
        (frames, of_a)
    };
    // Without them A has every other frame, that is two of four banks, by accident.
    let (_, frames) = run(None);
    assert!(frames.iter().all(|frame| frame.0 % 2 == 0));
    let (mut frames, of_a) = run(Some(PerCpu::default()));
    assert_eq!(sequential(&of_a), 96, "runs of 31");
    // Freed frames stay at hand up to the mark, and go back when somebody needs them.
    frames.exit(B).unwrap();
    assert_eq!(frames.census().per_cpu, 4 * 31 - 100);
    of_a.iter().for_each(|&frame| _ = frames.free(A, frame).unwrap());
    assert_eq!((frames.census().per_cpu, frames.census().held), (124, 0));
    assert_eq!(frames.alloc_order(10, 0).unwrap().0, FrameNumber(0));
}

#[test]
fn a_per_cpu_list_gives_a_batch_back_when_it_is_above_the_mark() {
    let per_cpu = Some(PerCpu { batch: 4, high: 6 });
    let config = FramesConfig {
        per_cpu,
        ..FramesConfig::pristine(Policy::Buddy)
    };
    let mut frames = machine(1, 18, &[12, 13], 0..0).frames(config, 0);
    frames.register(A, TaskMemory::local(0)).unwrap();
    let held: Vec<FrameNumber> = (0..8).map(|_| frames.alloc(A).unwrap().0).collect();
    let kept: Vec<u64> = held
        .iter()
        .map(|&frame| {
            frames.free(A, frame).unwrap();
            frames.census().per_cpu
        })
        .collect();
    assert_eq!(kept, [1, 2, 3, 4, 5, 6, 3, 4]);
    // The oldest went back; the last one freed is the next one handed out.
    assert_eq!(frames.alloc(A).unwrap().0, held[7]);
    assert_eq!(frames.free_blocks(0).unwrap()[2], 1, "0 to 3 have merged");
}

#[test]
fn a_tebibyte_costs_no_more_than_its_blocks_and_what_is_touched() {
    // Four nodes of 256 GiB: 262,144 blocks of 16 bytes, and what the boot allocations of 64 GiB split: 4 % of 16,384 blocks.
    let machine = machine(4, 38, &[13, 14, 15, 37], 16..19);
    let at_most = (4 << 20) + 16_384 * 4 / 100 * (12 << 10) + (1 << 20);
    for start in [ColorLists::Empty, ColorLists::Full] {
        let policy = Policy::Camc(Camc {
            start,
            ..Camc::default()
        });
        let config = FramesConfig {
            policy,
            ..FramesConfig::default()
        };
        let mut frames = machine.frames(config, 1);
        assert!(
            frames.table_bytes() < at_most,
            "{start:?}: {} bytes",
            frames.table_bytes()
        );
        let (total, held) = ((1u64 << 28) as f64, frames.census().held as f64);
        assert!((0.019..0.021).contains(&(held / total)), "2 % of all are held: {held}");
        frames
            .register(A, TaskMemory::local(3).with_banks(ColorSet::one(9)))
            .unwrap();
        (0..5000).for_each(|_| assert!(frames.alloc(A).is_ok()));
        frames.check().unwrap();
        assert!(
            frames.table_bytes() < at_most + (1 << 20),
            "{start:?}: {} bytes",
            frames.table_bytes()
        );
    }
}
