// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose turn it is, where the emulator of a machine and a model of it run in turn: a closed loop.
//!
//! The emulator begins. It executes until it hands over, and waits; the reader takes what was written, goes on with the model up to where
//! that needs more of a processor, and hands over with the number of that processor and the model's time. So neither runs ahead of the
//! other by more than one turn, and what each does depends on nothing but what the other said.

use crate::guest::{wait, wake};
use crate::{Guest, Host};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

/// The emulator's turn. So it is in memory that is all zero.
const EMULATOR: u32 = 0;
const READER: u32 = 1;
/// The loop is left: the emulator runs on by itself.
const NOBODY: u32 = 2;

/// How often it is looked for a turn before whoever waits for it sleeps: some ten microseconds.
const LOOKS: u32 = 300;
/// How long to sleep before it is asked whether the other is still there.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whose turn it is, and what the reader wants.
#[repr(C, align(64))]
pub struct Turn {
    whose: AtomicU32,
    /// Number of the processor that the model needs more of.
    wanted: AtomicU32,
    /// The model's time, in nanoseconds since its begin.
    time: AtomicU64,
}

/// What the reader wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// More of this processor; the model's time in nanoseconds since its begin.
    More {
        /// Number of the processor.
        processor: u32,
        /// The model's time.
        time_ns: u64,
    },
    /// Nothing any more: the model is over.
    Nothing,
}

impl Turn {
    fn give(&self, whom: u32) {
        self.whose.store(whom, Release);
        wake(&self.whose);
    }

    /// Waits while it is the turn of `whose`, for a moment or as long as told; returns whose it is then.
    fn after(&self, whose: u32, most: Duration) -> u32 {
        for _ in 0..LOOKS {
            let now = self.whose.load(Acquire);
            if now != whose {
                return now;
            }
            std::hint::spin_loop();
        }
        wait(&self.whose, whose, most);
        self.whose.load(Acquire)
    }
}

impl Guest {
    /// Hands over to the reader, and waits until it hands back.
    pub fn hand_over(&self) -> Wanted {
        let turn = self.turn();
        if turn.whose.load(Acquire) == NOBODY {
            return Wanted::Nothing;
        }
        turn.give(READER);
        loop {
            match turn.after(READER, PATIENCE) {
                EMULATOR => {
                    return Wanted::More {
                        processor: turn.wanted.load(Relaxed),
                        time_ns: turn.time.load(Relaxed),
                    };
                }
                NOBODY => return Wanted::Nothing,
                _ if self.is_closed() || !self.sees_reader() => return Wanted::Nothing,
                _ => {}
            }
        }
    }
}

impl Host {
    /// Hands over to the emulator, which runs until it has more of this processor; `time_ns` is the model's time since its begin.
    pub fn hand_over(&self, processor: u32, time_ns: u64) {
        let turn = self.turn();
        turn.wanted.store(processor, Relaxed);
        turn.time.store(time_ns, Relaxed);
        turn.give(EMULATOR);
    }

    /// Leaves the loop: the emulator runs on, and hands over no more.
    pub fn let_go(&self) {
        self.close();
        self.turn().give(NOBODY);
    }

    /// Waits for the emulator to hand over, some time at most. Returns true if it has.
    pub fn has_turn(&self) -> bool {
        self.turn().after(EMULATOR, PATIENCE) == READER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_runs_in_its_turn_and_hears_what_the_other_said() {
        let mut host = Host::new().expect("memory");
        let path = host.path();
        let emulator = std::thread::spawn(move || {
            let guest = Guest::open(&path).expect("mapped");
            guest.begin(3, 0);
            let mut heard = Vec::new();
            let mut word = 0;
            loop {
                guest.push(3, word);
                match guest.hand_over() {
                    Wanted::More { processor, time_ns } => heard.push((processor, time_ns)),
                    Wanted::Nothing => break,
                }
                word += 1;
            }
            assert_eq!(guest.hand_over(), Wanted::Nothing);
            heard
        });
        // Many more than fit into the memory at once, so that segments come round.
        let turns = 5_000;
        let mut read = Vec::new();
        for turn in 0..turns {
            while !host.has_turn() {}
            host.take_rest(|_, taken| read.extend_from_slice(taken.words));
            assert_eq!(read.len() as u64, turn + 1);
            match turn + 1 == turns {
                true => host.let_go(),
                false => host.hand_over(turn as u32 % 3, turn * 10),
            }
        }
        let heard = emulator.join().expect("ended");
        assert_eq!(read, (0..turns).collect::<Vec<u64>>());
        let said: Vec<(u32, u64)> = (0..turns - 1).map(|turn| (turn as u32 % 3, turn * 10)).collect();
        assert_eq!(heard, said);
    }

    #[test]
    fn an_emulator_whose_reader_is_gone_goes_on() {
        let host = Host::new().expect("memory");
        let guest = Guest::open(&host.path()).expect("mapped");
        let emulator = std::thread::spawn(move || guest.hand_over());
        while !host.has_turn() {}
        drop(host);
        assert_eq!(emulator.join().expect("ended"), Wanted::Nothing);
    }
}
