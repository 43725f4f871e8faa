// SPDX-License-Identifier: MIT OR Apache-2.0
//! A generator of traffic: bursts of accesses to two arrays in order, one that is loaded and one that is stored, and a pause after each.

use super::LINE;
use super::lines::Lines;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Accesses from pause to pause, each of a line: as in the model's generators, and those of the Mess benchmark.
const BURST: u32 = 3;

/// Words of four bytes in a line.
const WORDS: usize = LINE as usize / 4;

/// How often a generator that has nothing to do looks for something.
const NAP: Duration = Duration::from_micros(200);

/// What all generators do: pause in the lower half, share of reads above it.
pub struct Orders(AtomicU64);

/// The pause of who makes no traffic.
const IDLE: u32 = u32::MAX;

/// No share of reads: the end.
const STOP: u64 = 0;

impl Default for Orders {
    fn default() -> Self {
        let orders = Self(AtomicU64::new(STOP));
        orders.give(100, None);
        orders
    }
}

impl Orders {
    /// Traffic with this share of reads, 50 to 100, and turns of an empty loop after each burst; none if there is no pause.
    pub fn give(&self, reads: u32, pause: Option<u32>) {
        let order = u64::from(reads) << 32 | u64::from(pause.unwrap_or(IDLE));
        self.0.store(order, Ordering::Relaxed);
    }

    /// Generators return.
    pub fn stop(&self) {
        self.0.store(STOP, Ordering::Relaxed);
    }

    fn get(&self) -> Option<(u64, u32)> {
        let order = self.0.load(Ordering::Relaxed);
        (order != STOP).then_some((order >> 32, order as u32))
    }
}

/// What a generator has accessed so far, on lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub struct Moved {
    loads: AtomicU64,
    stores: AtomicU64,
}

impl Moved {
    /// Bytes of the lines: a store moves two, one that is fetched and one that is written back.
    pub fn bytes(&self) -> u64 {
        LINE * (self.loads.load(Ordering::Relaxed) + 2 * self.stores.load(Ordering::Relaxed))
    }
}

/// Follows orders until they end.
pub fn generate(arrays: &mut [Lines; 2], orders: &Orders, moved: &Moved) {
    let [loaded, stored] = arrays.each_mut().map(Lines::words);
    let (mut next, mut owed) = ([0, 0], 0);
    let (mut loads, mut stores) = (0u64, 0u64);
    let advance = |place: &mut usize, words: usize| {
        let now = *place;
        *place = (now + WORDS) % words;
        now
    };
    while let Some((reads, pause)) = orders.get() {
        if pause == IDLE {
            thread::sleep(NAP);
            continue;
        }
        for _ in 0..BURST {
            // Of `reads` accesses `100 - reads` are stores.
            owed += 100 - reads;
            if owed >= reads {
                owed -= reads;
                stored[advance(&mut next[1], stored.len())] = stores as u32;
                stores += 1;
            } else {
                black_box(loaded[advance(&mut next[0], loaded.len())]);
                loads += 1;
            }
        }
        moved.loads.store(loads, Ordering::Relaxed);
        moved.stores.store(stores, Ordering::Relaxed);
        for turn in 0..pause {
            black_box(turn);
        }
    }
    black_box(stored);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_moves_the_share_that_is_asked_for_and_stops() {
        let (orders, moved) = (Orders::default(), Moved::default());
        orders.give(80, Some(0));
        thread::scope(|scope| {
            let mut arrays = [(); 2].map(|()| Lines::take(1 << 16).expect("there is memory"));
            let (orders, moved) = (&orders, &moved);
            let running = scope.spawn(move || {
                generate(&mut arrays, orders, moved);
                let lines = arrays[1].words().chunks(WORDS).map(|line| line[0]).collect::<Vec<_>>();
                lines.iter().filter(|line| **line > 0).count()
            });
            while moved.bytes() < 1 << 26 {
                thread::yield_now();
            }
            orders.stop();
            // Every line was stored to, and all of them many times.
            assert_eq!(running.join().expect("ends"), (2 << 20) / 64);
        });
        // Of 100 accesses 25 are stores: 100 lines read, 25 written.
        let [loads, stores] = [&moved.loads, &moved.stores].map(|one| one.load(Ordering::Relaxed) as f64);
        assert!((stores / (loads + stores) - 0.25).abs() < 1e-3, "{loads} {stores}");
    }
}
