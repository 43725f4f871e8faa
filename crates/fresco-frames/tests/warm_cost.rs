// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a colored allocation costs once the lists are warm, against the plain buddy system (TINT-18). Cycles are counted
//! work times `CostModel`'s documented assumptions.

use crate::common::machine;
use fresco_frames::shares::{Divide, Seat, Share, Taken, Tint, Variant, equal, tintmalloc};
use fresco_frames::{
    Bpm, Camc, Codesign, CostModel, FramesConfig, ListsBy, Palloc, Policy, TaskId, TaskMemory, Tintmalloc, Work,
};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// Mean cycles of an allocation and of its whole page fault: in the first round, and in the second. Sixteen threads of the
/// Opteron take pages in turn, give them back in random order, and take them again.
fn rounds(policy: Policy, shares: &[Share]) -> [(f64, f64); 2] {
    let machine = machine(4, 30, &[15, 16, 18, 28, 29], 6..17);
    let cost = CostModel::default();
    let config = FramesConfig {
        policy,
        lists: ListsBy::BankAndLlc,
        cost,
        ..FramesConfig::default()
    };
    let mut frames = machine.frames(config, 1);
    for thread in 0..16u32 {
        let mut memory = TaskMemory::local(thread / 4);
        if policy != Policy::Buddy {
            memory.coloring = shares[thread as usize].clone().coloring();
        }
        frames.register(TaskId(thread), memory).unwrap();
    }
    let mut rng = Pcg64::seed_from_u64(2);
    [(); 2].map(|()| {
        let (pages, mut calls, mut total) = (1024, 0, Work::default());
        for _ in 0..pages {
            (0..16).for_each(|thread| _ = frames.alloc(TaskId(thread)).unwrap());
        }
        for thread in (0..16).map(TaskId) {
            let of_task = frames.take_stats(thread).unwrap().alloc;
            calls += of_task.calls;
            total += of_task.total;
            let mut held = frames.frames_of(thread).unwrap();
            held.shuffle(&mut rng);
            held.into_iter()
                .for_each(|frame| _ = frames.free(thread, frame).unwrap());
        }
        let cycles = cost.cycles_of(calls, &total) as f64 / calls as f64;
        (cycles, cycles + (cost.fault + cost.clear) as f64)
    })
}

#[test]
fn warm_lists_cost_about_what_the_buddy_system_costs() {
    let space = machine(4, 30, &[15, 16, 18, 28, 29], 6..17).space();
    let seats: Vec<Seat> = (0..16)
        .map(|core| Seat {
            node: core / 4,
            cache: core / 8,
        })
        .collect();
    let tint = |variant| tintmalloc(&space, &seats, Tint::published(variant), &Taken::default()).unwrap();
    let bpm = equal(&space, 16, Divide::Banks, &Taken::default()).unwrap();
    let buddy = rounds(Policy::Buddy, &[]);
    println!("buddy: {buddy:.0?} cycles (allocation, fault), first and second round");
    let cases = [
        (
            "tintmalloc mem",
            Policy::Tintmalloc(Tintmalloc::default()),
            tint(Variant::Mem),
            1.0,
        ),
        (
            "tintmalloc llc",
            Policy::Tintmalloc(Tintmalloc::default()),
            tint(Variant::Llc),
            1.0,
        ),
        (
            "tintmalloc mem+llc",
            Policy::Tintmalloc(Tintmalloc::default()),
            tint(Variant::MemLlc),
            1.0,
        ),
        ("camc", Policy::Camc(Camc::default()), tint(Variant::Mem), 0.8),
        ("palloc", Policy::Palloc(Palloc::default()), tint(Variant::Mem), 1.5),
        (
            "codesign",
            Policy::Codesign(Codesign::default()),
            tint(Variant::Mem),
            30.0,
        ),
        ("bpm", Policy::Bpm(Bpm::default()), bpm.clone(), 1.5),
        ("soft", Policy::Soft, bpm, 1.5),
    ];
    for (name, policy, shares, most) in cases {
        let [first, second] = rounds(policy, &shares);
        let ratio = second.0 / buddy[1].0;
        println!(
            "{name}: {:.0} then {:.0} cycles, {ratio:.2} times the buddy's; whole faults {:.3}",
            first.0,
            second.0,
            second.1 / buddy[1].1
        );
        assert!(ratio <= most, "{name}: {ratio}");
    }
}
