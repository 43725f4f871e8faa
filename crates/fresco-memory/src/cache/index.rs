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

/// The index of a cache: plain address bits above the line offset choose the set of a slice, parity functions the
/// slice. The tag keeps every bit above the plain index, so that the line can be named again from set and tag,
/// whatever the slice functions are.
#[derive(Clone, Debug)]
pub(super) struct Index {
    line_bits: u32,
    set_bits: u32,
    set_mask: u64,
    slice_masks: Vec<u64>,
    /// [`Index::UNUSED`] in a cache whose tags may have it, else 0.
    pub mark: u32,
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
            slice_masks: slice_masks.to_vec(),
            mark: 0,
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
        for (bit, mask) in self.slice_masks.iter().enumerate() {
            let parity = u64::from((addr.0 & mask).count_ones() & 1);
            set |= parity << (self.set_bits as usize + bit);
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

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn set_and_tag_name_the_line(addr in 0u64..1 << 40, mask in 0u64..1 << 40, second in 0u64..1 << 40) {
            let index = Index::new(1024, 64, &[mask, second]);
            prop_assert_eq!(index.line_of(index.place(PhysAddr(addr))), PhysAddr(addr & !63));
        }
    }
}
