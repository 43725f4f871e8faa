// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interleaves over three, five or more ways in turn: the part of an address map that is not linear over GF(2).

/// Granules of `2^granule_bits` bytes dealt in turn over an odd number of ways.
///
/// Granule `g` goes to way `g mod ways`, as granule `g div ways` of it. A number of channels is an odd number times a
/// power of two: the odd part is dealt so, and parity functions of the address within the way choose among the rest.
/// Dealing to six channels in turn, 256 bytes each, is the same: 512 bytes to three ways, and bit 8 for the two channels
/// of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuloInterleave {
    ways: u32,
    granule_bits: u32,
}

impl ModuloInterleave {
    /// An interleave of granules of `2^granule_bits` bytes (below 2^64) over `ways`, an odd number from 3 on.
    /// `None` outside these limits.
    pub fn new(ways: u32, granule_bits: u32) -> Option<Self> {
        (ways > 1 && ways % 2 == 1 && granule_bits < 64).then_some(Self { ways, granule_bits })
    }

    /// Ways that granules are dealt over.
    pub fn ways(&self) -> u32 {
        self.ways
    }

    /// log2 of the bytes of a granule.
    pub fn granule_bits(&self) -> u32 {
        self.granule_bits
    }

    /// The way of an address and the address within it.
    #[inline]
    pub fn split(&self, address: u64) -> (u32, u64) {
        let granule = address >> self.granule_bits;
        let ways = u64::from(self.ways);
        let inside = address & ((1 << self.granule_bits) - 1);
        (
            (granule % ways) as u32,
            ((granule / ways) << self.granule_bits) | inside,
        )
    }

    /// The address that [`ModuloInterleave::split`] splits so; `None` if it would not fit 64 bits.
    pub fn join(&self, way: u32, within: u64) -> Option<u64> {
        let granule = (within >> self.granule_bits)
            .checked_mul(u64::from(self.ways))?
            .checked_add(u64::from(way))?;
        let inside = within & ((1 << self.granule_bits) - 1);
        (granule <= u64::MAX >> self.granule_bits).then_some(granule << self.granule_bits | inside)
    }

    /// How many sets of ways pages of `2^page_bits` bytes can be told apart by: all ways where a page lies within a
    /// granule, else one.
    ///
    /// A page of `2^k` granules covers that many ways in turn. As no power of two divides an odd number, the ways of one
    /// page overlap those of the next without being equal, in a chain that joins all ways.
    pub fn ways_of_pages(&self, page_bits: u32) -> u32 {
        if page_bits <= self.granule_bits { self.ways } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::testing::cases;
    use proptest::prelude::*;

    #[test]
    fn ways_are_odd() {
        assert!(
            [0, 1, 2, 4, 6, 12]
                .iter()
                .all(|&ways| ModuloInterleave::new(ways, 8).is_none())
        );
        assert!(ModuloInterleave::new(3, 64).is_none());
    }

    #[test]
    fn three_ways_of_256_bytes_by_hand() {
        let interleave = ModuloInterleave::new(3, 8).unwrap();
        // Granule 7 = 2 x 3 + 1.
        assert_eq!(interleave.split(0x712), (1, 0x212));
        assert_eq!(interleave.join(1, 0x212), Some(0x712));
        assert_eq!(interleave.join(2, u64::MAX), None);
        assert_eq!((interleave.ways_of_pages(8), interleave.ways_of_pages(12)), (3, 1));
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn split_and_join_are_inverse(half in 1u32..20, granule_bits in 0u32..22, address in 0u64..1 << 40) {
            let interleave = ModuloInterleave::new(2 * half + 1, granule_bits).unwrap();
            let (way, within) = interleave.split(address);
            prop_assert!(way < interleave.ways());
            prop_assert_eq!(interleave.join(way, within), Some(address));
        }
    }
}
