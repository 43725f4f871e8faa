// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which set and tag a physical address has.

use fresco_dram::PhysAddr;

/// A line's place: the set it may lie in, and the tag that tells it from the other lines of that set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Set, `0..sets`: the slice above the plain index bits.
    pub set: usize,
    /// All address bits above the plain index; below [`Index::NO_TAG`].
    pub tag: u32,
}

/// The index of a cache: plain address bits above the line offset choose the set of a slice, parity functions or a hash the
/// slice. The tag keeps every bit above the plain index, so that the line can be named again from set and tag,
/// whatever the slice functions are.
#[derive(Clone, Debug)]
pub(super) struct Index {
    line_bits: u32,
    set_bits: u32,
    set_mask: u64,
    slices: Slices,
    /// [`Index::UNUSED`] in a cache whose tags may have it, else 0.
    pub mark: u32,
}

/// How the slice of a line is chosen.
#[derive(Clone, Debug)]
enum Slices {
    /// There is one.
    One,
    /// By parity masks over address bits, the least significant bit of its number first.
    Parity(Vec<u64>),
    /// So many, by a hash of the line number.
    Hashed(u64),
}

impl Slices {
    #[inline(never)]
    fn of(&self, addr: u64, line: u64) -> u64 {
        match self {
            Self::One => 0,
            Self::Parity(masks) => {
                let bits = masks.iter().enumerate();
                bits.fold(0, |slice, (bit, mask)| {
                    slice | u64::from((addr & mask).count_ones() & 1) << bit
                })
            }
            // Multiplication by the golden ratio (Knuth, The Art of Computer Programming 3, §6.4) spreads lines that follow each other evenly; the upper
            // bits of the product are a fraction, and so many times it a slice.
            Self::Hashed(slices) => {
                let fraction = line.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                ((u128::from(fraction) * u128::from(*slices)) >> 64) as u64
            }
        }
    }
}

impl Index {
    /// The tag that no line has; marks a way that holds nothing.
    pub const NO_TAG: u32 = u32::MAX;

    /// The bit of a stored tag that says that the line was prefetched, and not used since. So a demand access does not find the line, and
    /// what is to be done at its first use costs nothing where a line is used again.
    pub const UNUSED: u32 = 1 << 31;

    /// `sets` in all slices together and `line` bytes, both powers of two; `slice_masks` as in
    /// `LlcConfig::slice_functions`, at most `log2(sets)` of them.
    pub fn new(sets: u64, line: u32, slice_masks: &[u64]) -> Self {
        assert!(sets.is_power_of_two(), "the number of sets is a power of two");
        assert!(line.is_power_of_two(), "a line size is a power of two");
        let set_bits = sets.trailing_zeros().checked_sub(slice_masks.len() as u32);
        let set_bits = set_bits.expect("no more slices than sets");
        Self {
            line_bits: line.trailing_zeros(),
            set_bits,
            set_mask: (1 << set_bits) - 1,
            slices: match slice_masks {
                [] => Slices::One,
                masks => Slices::Parity(masks.to_vec()),
            },
            mark: 0,
        }
    }

    /// `sets` in so many slices together, a power of two in each, and `line` bytes, a power of two. A hash of the whole line number chooses the slice.
    pub fn hashed(sets: u64, line: u32, slices: u32) -> Self {
        let slices = u64::from(slices);
        assert!(sets.is_multiple_of(slices), "slices have equally many sets");
        Self {
            slices: Slices::Hashed(slices),
            ..Self::new(sets / slices, line, &[])
        }
    }

    /// Returns true if this stored tag is of a line that was prefetched, and not used since.
    #[inline]
    pub fn is_unused(&self, tag: u32) -> bool {
        tag & self.mark != 0
    }

    /// The place of the line that holds `addr`.
    // Always: for each access to each level.
    #[inline(always)]
    pub fn place(&self, addr: PhysAddr) -> Place {
        let line = addr.0 >> self.line_bits;
        let mut set = line & self.set_mask;
        if !matches!(self.slices, Slices::One) {
            set |= self.slices.of(addr.0, line) << self.set_bits;
        }
        let tag = line >> self.set_bits;
        // 32 bits of tag cover 2^38 bytes per set of 64-byte lines: 256 TiB of memory for a cache of 1024 sets.
        assert!(
            tag < u64::from(Self::NO_TAG),
            "{addr} is beyond what a 32-bit tag can name"
        );
        Place {
            set: set as usize,
            tag: tag as u32,
        }
    }

    /// The address of the first byte of the line at `place`, whose tag may be a stored one.
    pub fn line_of(&self, place: Place) -> PhysAddr {
        let plain = place.set as u64 & self.set_mask;
        PhysAddr((u64::from(place.tag & !self.mark) << self.set_bits | plain) << self.line_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn plain_index_of_a_published_cache() {
        // MAP-7: the 8 MiB 16-way L3 of the Xeon W3530 is indexed by bits 6 to 18.
        let index = Index::new(8192, 64, &[]);
        assert_eq!(index.place(PhysAddr(63)).set, 0);
        assert_eq!(index.place(PhysAddr(64)).set, 1);
        assert_eq!(index.place(PhysAddr(1 << 18)).set, 4096);
        assert_eq!(index.place(PhysAddr(1 << 19)), Place { set: 0, tag: 1 });
    }

    #[test]
    fn slices_are_chosen_by_parity() {
        let index = Index::new(4, 64, &[0b101 << 10]);
        assert_eq!(index.place(PhysAddr(0)).set, 0);
        assert_eq!(index.place(PhysAddr(1 << 10)).set, 2);
        assert_eq!(index.place(PhysAddr(0b101 << 10 | 64)).set, 1);
    }

    #[test]
    fn a_hash_fills_any_number_of_slices_alike() {
        // 105 MiB of 15 ways: 56 slices of 2048 sets.
        let index = Index::hashed(56 * 2048, 64, 56);
        assert_eq!(index.place(PhysAddr(0)).set, 0);
        // The second line is 0.618 of the slices further, of 56 slices 34.
        assert_eq!(index.place(PhysAddr(64)).set, 34 * 2048 + 1);
        // Lines that follow each other, a page apart, and of one set of a slice: no slice has a tenth more or less than its share.
        for stride in [64, 4096, 2048 * 64] {
            let mut lines = [0u32; 56];
            for number in 0..56 * 1000 {
                lines[index.place(PhysAddr(number * stride)).set >> 11] += 1;
            }
            assert!(
                lines.iter().all(|lines| (900..1100).contains(lines)),
                "{stride}: {lines:?}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn set_and_tag_name_the_line(addr in 0u64..1 << 40, mask in 0u64..1 << 40, second in 0u64..1 << 40) {
            let index = Index::new(1024, 64, &[mask, second]);
            prop_assert_eq!(index.line_of(index.place(PhysAddr(addr))), PhysAddr(addr & !63));
            let hashed = Index::hashed(24 * 256, 64, 24);
            let place = hashed.place(PhysAddr(addr));
            prop_assert!(place.set < 24 * 256);
            prop_assert_eq!(hashed.line_of(place), PhysAddr(addr & !63));
        }
    }
}
