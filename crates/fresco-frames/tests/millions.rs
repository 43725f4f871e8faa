// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conservation over millions of requests, under every policy: no frame is lost or owned twice, colored frames are of
//! their owner's colors or counted as spilled, and what the tasks have had comes back whole where it merges.
//!
//! `FRESCO_STEPS=10000000 cargo test --release -p fresco-frames --test all millions` runs longer.

use crate::common::{Machine, machine};
use fresco_dram::FrameNumber;
use fresco_frames::{
    Bpm, Camc, Codesign, ColorSet, Coloring, Exhaustion, FrameError, Frames, FramesConfig, ListsBy, Palloc, Partition,
    Placement, Policy, TaskId, TaskMemory, Tintmalloc,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Steps for each of the policies, unless the environment says otherwise.
const STEPS: u64 = 250_000;

/// Two nodes of 16 MiB, 16 banks each; bits 13 and 14 choose bank and LLC set alike.
fn small_numa() -> Machine {
    machine(2, 24, &[13, 14, 17, 19], 12..16)
}

struct Run {
    frames: Frames,
    rng: Pcg64,
    /// By frame: its owner's number + 1, or 0.
    owner: Vec<u8>,
    held: Vec<(TaskId, Vec<FrameNumber>)>,
    next: u32,
    spilled: u64,
    refused: u64,
}

impl Run {
    fn new(policy: Policy) -> Self {
        let lists = ListsBy::BankAndLlc;
        let config = FramesConfig {
            policy,
            lists,
            ..FramesConfig::default()
        };
        let frames = small_numa().frames(config, 3);
        Self {
            frames,
            rng: Pcg64::seed_from_u64(9),
            owner: vec![0; 2 << 12],
            held: Vec::new(),
            next: 1,
            spilled: 0,
            refused: 0,
        }
    }

    fn coloring(&mut self) -> Coloring {
        let policy = self.frames.config().policy;
        if policy == Policy::Buddy || self.rng.random_ratio(1, 5) {
            return Coloring::Off;
        }
        if matches!(policy, Policy::Camc(_)) && self.rng.random_ratio(1, 2) {
            return Coloring::Automatic { colors: 1, llc: None };
        }
        let banks: ColorSet = (0..32).filter(|_| self.rng.random_ratio(1, 4)).collect();
        let llc: ColorSet = (0..16).filter(|_| self.rng.random_ratio(1, 2)).collect();
        let some = |rng: &mut Pcg64, set: ColorSet| Some(set).filter(|set| !set.is_empty() && rng.random_ratio(2, 3));
        Coloring::Explicit {
            banks: some(&mut self.rng, banks),
            llc: some(&mut self.rng, llc),
        }
    }

    fn start(&mut self) {
        let placement = match self.rng.random_range(0..6) {
            0 => Placement::Interleave(vec![1, 0]),
            1 => Placement::Preferred(1),
            2 => Placement::Bind(vec![0]),
            _ => Placement::Local,
        };
        let coloring = self.coloring();
        let memory = TaskMemory {
            placement,
            coloring,
            ..TaskMemory::local(self.rng.random_range(0..2))
        };
        let id = TaskId(self.next);
        if self.frames.register(id, memory).is_ok() {
            self.held.push((id, Vec::new()));
            self.next += 1;
        }
    }

    fn alloc(&mut self, at: usize) -> bool {
        let id = self.held[at].0;
        let before = self.frames.stats(id).unwrap().spilled;
        match self.frames.alloc(id) {
            Ok((frame, _)) => {
                assert_eq!(self.owner[frame.0 as usize], 0, "frame {frame} is owned twice");
                self.owner[frame.0 as usize] = 1;
                let spilled = self.frames.stats(id).unwrap().spilled - before;
                assert_eq!(self.frames.conforms(id, frame), spilled == 0, "frame {frame} of {id}");
                self.spilled += spilled;
                self.held[at].1.push(frame);
                true
            }
            Err(FrameError::OutOfColor { .. } | FrameError::OutOfMemory { .. }) => {
                self.refused += 1;
                false
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn give(&mut self, at: usize, nth: usize) {
        let (id, held) = &mut self.held[at];
        let frame = held.swap_remove(nth);
        self.frames.free(*id, frame).unwrap();
        self.owner[frame.0 as usize] = 0;
    }

    /// A copy of a task with as many pages: fork and copy.
    fn fork(&mut self, at: usize) {
        let pages = self.held[at].1.len();
        self.start();
        let child = self.held.len() - 1;
        for _ in 0..pages.min(500) {
            if child != at && !self.alloc(child) {
                break;
            }
        }
    }

    fn exit(&mut self, at: usize) {
        let (id, held) = self.held.swap_remove(at);
        self.frames.exit(id).unwrap();
        held.iter().for_each(|frame| self.owner[frame.0 as usize] = 0);
    }

    fn recolor(&mut self, at: usize) {
        let coloring = self.coloring();
        let id = self.held[at].0;
        if self.frames.set_coloring(id, coloring).is_err() {
            return;
        }
        for nth in 0..self.held[at].1.len().min(50) {
            let old = self.held[at].1[nth];
            if let Ok((new, _)) = self.frames.migrate(id, old) {
                assert!(self.frames.conforms(id, new));
                self.owner[old.0 as usize] = 0;
                assert_eq!(self.owner[new.0 as usize], 0);
                self.owner[new.0 as usize] = 1;
                self.held[at].1[nth] = new;
            }
        }
    }

    fn step(&mut self) {
        if self.held.is_empty() {
            return self.start();
        }
        let at = self.rng.random_range(0..self.held.len());
        match self.rng.random_range(0..2000) {
            0..1100 => _ = self.alloc(at),
            1100..1985 if !self.held[at].1.is_empty() => {
                let nth = self.rng.random_range(0..self.held[at].1.len());
                self.give(at, nth);
            }
            1985..1990 if self.held.len() < 12 => self.start(),
            1990..1993 if self.held.len() < 12 => self.fork(at),
            1993..1996 => self.exit(at),
            1996..2000 => self.recolor(at),
            _ => {}
        }
    }

    fn check(&self) {
        let census = self.frames.check().unwrap_or_else(|violation| panic!("{violation}"));
        let at_boot = small_numa().frames(*self.frames.config(), 3).census().held;
        let owned = self.owner.iter().filter(|owner| **owner > 0).count() as u64;
        assert_eq!(census.held - at_boot, owned, "{census:?}");
    }
}

fn policies() -> Vec<Policy> {
    let mut policies = vec![Policy::Buddy, Policy::Soft];
    for exhaustion in [Exhaustion::Strict, Exhaustion::Spill] {
        policies.push(Policy::Palloc(Palloc {
            exhaustion,
            ..Palloc::default()
        }));
        policies.push(Policy::Camc(Camc {
            exhaustion,
            ..Camc::default()
        }));
        policies.push(Policy::Tintmalloc(Tintmalloc { exhaustion }));
        policies.push(Policy::Bpm(Bpm { exhaustion }));
    }
    for partition in [Partition::Soft, Partition::Hard] {
        policies.push(Policy::Codesign(Codesign { partition }));
    }
    policies
}

#[test]
fn millions_of_requests_lose_nothing() {
    let steps = std::env::var("FRESCO_STEPS")
        .ok()
        .and_then(|steps| steps.parse().ok())
        .unwrap_or(STEPS);
    let mut total = 0;
    for policy in policies() {
        let mut run = Run::new(policy);
        for step in 0..steps {
            run.step();
            if step % 10_000 == 0 {
                run.check();
            }
        }
        run.check();
        let requests: u64 = steps;
        total += requests;
        while !run.held.is_empty() {
            run.exit(0);
        }
        // RLIM-1: what merges has merged as if nothing had happened; what went to color lists stays there, single, until
        // it is flushed.
        let whole = |frames: &Frames| [0, 1].map(|zone| frames.free_blocks(zone).unwrap());
        let mut untouched = small_numa().frames(*run.frames.config(), 3);
        let census = run.frames.check().unwrap();
        println!(
            "{policy:?}: {} spilled, {} refused; free at the end: {} in buddy lists, {} in color lists",
            run.spilled, run.refused, census.buddy, census.colored
        );
        let keeps = matches!(
            policy,
            Policy::Palloc(_) | Policy::Codesign(_) | Policy::Camc(_) | Policy::Tintmalloc(_)
        );
        if keeps {
            // PALLOC and the co-design keep what they sorted and did not hand out.
            assert!(census.colored > 0);
            run.frames.flush_color_lists();
        }
        untouched.flush_color_lists();
        assert_eq!(run.frames.census().colored, 0);
        assert_eq!(whole(&run.frames), whole(&untouched), "{policy:?}");
        let strict = !matches!(
            policy,
            Policy::Soft
                | Policy::Codesign(Codesign {
                    partition: Partition::Soft
                })
                | Policy::Palloc(Palloc {
                    exhaustion: Exhaustion::Spill,
                    ..
                })
                | Policy::Camc(Camc {
                    exhaustion: Exhaustion::Spill,
                    ..
                })
                | Policy::Tintmalloc(Tintmalloc {
                    exhaustion: Exhaustion::Spill
                })
                | Policy::Bpm(Bpm {
                    exhaustion: Exhaustion::Spill
                })
        );
        assert_eq!(run.spilled == 0, strict, "{policy:?} spilled {}", run.spilled);
    }
    assert!(total >= 2_000_000 || steps != STEPS, "{total}");
    println!("{total} steps");
}
