// SPDX-License-Identifier: MIT OR Apache-2.0
//! A memory whose latencies are a formula: which bank, which row, and what each case costs.

use crate::timer::{Load, Stream, Timer};
use crate::wide::parity;
use std::ops::Range;

/// Time of a single load, in nanoseconds.
const SINGLE_NS: f64 = 60.0;
/// What a second line in another bank or in the same row adds to a round.
const SECOND_NS: f64 = 4.0;
/// What a row conflict adds: about tRC less the overlap.
const CONFLICT_NS: f64 = 36.0;

/// Where a line lies: its bank, and its row in it.
type Place = dyn Fn(u64) -> (u64, u64) + Send;

/// A timer that knows no cycles: a round takes a fixed time, and longer if its lines are different rows of one bank.
pub struct Formula {
    ranges: Vec<Range<u64>>,
    place: Box<Place>,
    conflict: f64,
    now: f64,
}

impl Formula {
    /// A memory over `ranges` with a given place of each line.
    pub fn new(ranges: Vec<Range<u64>>, place: impl Fn(u64) -> (u64, u64) + Send + 'static) -> Self {
        Self {
            ranges,
            place: Box::new(place),
            conflict: CONFLICT_NS,
            now: 0.0,
        }
    }

    /// The same from address 0.
    pub fn from_zero(bytes: u64, place: impl Fn(u64) -> (u64, u64) + Send + 'static) -> Self {
        Self::new(std::iter::once(0..bytes).collect(), place)
    }

    /// `bytes` of memory from address 0 whose banks are selected by XORs of address bits; rows of 8 KiB.
    pub fn xor(bytes: u64, functions: &[u64]) -> Self {
        let functions = functions.to_vec();
        Self::from_zero(bytes, move |address| (bank_of(&functions, address), address >> 13))
    }

    /// The form of AMD's twelve channels: pages go round three groups, and XORs of the address and of the quotient
    /// choose among 32 banks of each; rows of 32 KiB of quotients.
    pub fn modulo_three(bytes: u64) -> Self {
        Self::from_zero(bytes, |address| {
            let page = address >> 12;
            let quotient = page / 3;
            let low = bank_of(
                &[1 << 6, 1 << 8 | 1 << 14 | 1 << 16 | 1 << 21, 1 << 9 | 1 << 17],
                address,
            );
            let high = bank_of(&[1 << 3 | 1 << 9, 1 << 4 | 1 << 10], quotient);
            ((page % 3) << 8 | high << 4 | low, quotient >> 5)
        })
    }

    /// The same memory without row conflicts: nothing tells banks apart.
    pub fn without_conflicts(mut self) -> Self {
        self.conflict = 0.0;
        self
    }

    fn round(&self, a: u64, b: u64) -> f64 {
        if a == b {
            return SINGLE_NS;
        }
        let ((bank_a, row_a), (bank_b, row_b)) = ((self.place)(a), (self.place)(b));
        let conflict = if bank_a == bank_b && row_a != row_b {
            self.conflict
        } else {
            0.0
        };
        SINGLE_NS + SECOND_NS + conflict
    }
}

fn bank_of(functions: &[u64], address: u64) -> u64 {
    functions.iter().enumerate().fold(0, |bank, (i, function)| {
        bank | parity(u128::from(function & address)) << i
    })
}

impl Timer for Formula {
    fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
        let time = self.round(a, b) * f64::from(rounds);
        self.now += time;
        time
    }

    fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
        // Streams take turns; each access meets the one before it of every other stream.
        let turns = (accesses as usize / streams.len()).max(1);
        let mut total = 0.0;
        for turn in 0..turns {
            let line = |stream: &Stream<'_>| stream.lines[turn % stream.lines.len()];
            let mine = line(&streams[0]);
            let met = streams[1..]
                .iter()
                .map(|other| self.round(mine, line(other)) - SINGLE_NS);
            total += SINGLE_NS + met.sum::<f64>();
        }
        self.now += total;
        total / turns as f64
    }

    fn series(&mut self, _line: u64, accesses: u32) -> Vec<Load> {
        (0..accesses)
            .map(|_| {
                let at = self.now;
                self.now += SINGLE_NS;
                Load { at, took: SINGLE_NS }
            })
            .collect()
    }

    fn wait(&mut self, nanoseconds: f64) {
        self.now += nanoseconds;
    }

    fn now(&self) -> f64 {
        self.now
    }
}
