// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of NAS IS: sums of four pseudo-random numbers, so that they are distributed like a bell.

/// The seed that the benchmark prescribes.
const SEED: u64 = 314_159_265;
/// 5^13, the multiplier of the NAS recurrence.
const MULTIPLIER: u64 = 1_220_703_125;
const MODULUS_BITS: u32 = 46;

/// NAS `randlc`: x(k+1) = a · x(k) mod 2^46. The original computes it in doubles, split into halves so that nothing is
/// rounded; integers give the same numbers.
#[derive(Clone, Debug)]
struct Randlc {
    x: u64,
}

impl Randlc {
    fn next(&mut self) -> u64 {
        self.x = self.x.wrapping_mul(MULTIPLIER) & ((1 << MODULUS_BITS) - 1);
        self.x
    }
}

/// `count` keys below `2^max_key_log2`: the original's ⌊2^max_key_log2 / 4 · (r1 + r2 + r3 + r4)⌋ with r = x / 2^46.
pub(super) fn create(count: usize, max_key_log2: u32) -> Vec<u32> {
    let mut random = Randlc { x: SEED };
    let mut key = || {
        let sum = random.next() + random.next() + random.next() + random.next();
        (sum >> (MODULUS_BITS + 2 - max_key_log2)) as u32
    };
    (0..count).map(|_| key()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recurrence_in_doubles_as_published() {
        // Report RNR-94-007, section 2.2: a and x split as a1 · 2^23 + a2, all intermediate values below 2^53.
        let (r23, t23, r46, t46) = (0.5f64.powi(23), 2f64.powi(23), 0.5f64.powi(46), 2f64.powi(46));
        let (a, mut x) = (MULTIPLIER as f64, SEED as f64);
        let mut random = Randlc { x: SEED };
        for _ in 0..10_000 {
            let a1 = (r23 * a).trunc();
            let a2 = a - t23 * a1;
            let x1 = (r23 * x).trunc();
            let x2 = x - t23 * x1;
            let t1 = a1 * x2 + a2 * x1;
            let z = t1 - t23 * (r23 * t1).trunc();
            let t3 = t23 * z + a2 * x2;
            x = t3 - t46 * (r46 * t3).trunc();
            assert_eq!(random.next(), x as u64);
        }
    }

    #[test]
    fn keys_are_bell_shaped() {
        let keys = create(1 << 16, 11);
        assert!(keys.iter().all(|&key| key < 1 << 11));
        let middle = keys.iter().filter(|&&key| (512..1536).contains(&key)).count();
        // The sum of four uniform numbers lies in the middle half of its range with probability 11/12 (Irwin-Hall):
        // 60,075 of 65,536, give or take six standard deviations.
        assert!(middle.abs_diff(60_075) < 430, "{middle}");
    }
}
