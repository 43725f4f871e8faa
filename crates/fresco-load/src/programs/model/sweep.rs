// SPDX-License-Identifier: MIT OR Apache-2.0
//! An order in which each line of an area comes once in a sweep: runs of neighbouring lines, the runs in random order. So a
//! line comes again only after about the whole area, and a smaller cache does not keep it.

use rand::Rng;
use rand_pcg::Pcg64;

/// The order, without end.
pub(super) struct Sweep {
    lines: u64,
    run: u64,
    /// Bits of a number of a run.
    bits: u32,
    /// Multipliers and summands of this sweep.
    keys: [u64; 4],
    /// Position in the order of runs, and line within the run.
    position: u64,
    within: u64,
}

impl Sweep {
    /// Runs of `run` lines over `lines` lines, both at least 1.
    pub fn new(lines: u64, run: u64, random: &mut Pcg64) -> Self {
        let runs = lines.div_ceil(run);
        Self {
            lines,
            run,
            bits: runs.next_power_of_two().trailing_zeros(),
            keys: random.random(),
            position: 0,
            within: 0,
        }
    }

    /// The next line; at the end of a sweep the next one begins, in another order.
    pub fn next(&mut self, random: &mut Pcg64) -> u64 {
        loop {
            let line = self.scatter(self.position) * self.run + self.within;
            if self.within < self.run && line < self.lines {
                self.within += 1;
                return line;
            }
            (self.position, self.within) = (self.position + 1, 0);
            if self.position == 1 << self.bits {
                (self.position, self.keys) = (0, random.random());
            }
        }
    }

    /// A permutation of the numbers of so many bits: adding, multiplying by an odd number and folding upper bits onto lower
    /// ones can each be undone.
    fn scatter(&self, number: u64) -> u64 {
        let mask = (1 << self.bits) - 1;
        let fold = self.bits.div_ceil(2).max(1);
        let [a, b, c, d] = self.keys;
        let mut x = number.wrapping_add(a) & mask;
        x = x.wrapping_mul(b | 1) & mask;
        x ^= x >> fold;
        x = x.wrapping_add(c).wrapping_mul(d | 1) & mask;
        x ^ x >> fold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn each_line_once_in_a_sweep_and_orders_differ() {
        for (lines, run) in [(1, 1), (7, 1), (64, 64), (100, 7), (1000, 16), (513, 2)] {
            let mut random = Pcg64::seed_from_u64(lines);
            let mut sweep = Sweep::new(lines, run, &mut random);
            let mut once = || (0..lines).map(|_| sweep.next(&mut random)).collect::<Vec<u64>>();
            let (first, second) = (once(), once());
            for order in [&first, &second] {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..lines), "{lines} lines, runs of {run}");
                let side_by_side = order.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as u64;
                assert!(
                    side_by_side >= lines - lines.div_ceil(run),
                    "{lines} lines, runs of {run}"
                );
            }
            assert!(lines < 100 || first != second);
        }
    }
}
