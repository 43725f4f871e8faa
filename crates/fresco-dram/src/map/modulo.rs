// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interleaves over three, six or twelve: not linear over GF(2), so outside [`super::AddressMap`].

use super::Field;
use std::fmt;

/// Granules of `2^granule_bits` bytes dealt in turn over `ways` channels (or other parts), any number of them.
///
/// Granule `g` goes to way `g mod ways`, as granule `g div ways` of it. This is what makes memory with three channels
/// usable; AMD's twelve-channel hashes split into a power of two of this kind and parity functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuloInterleave {
    field: Field,
    ways: u32,
    granule_bits: u32,
}

impl ModuloInterleave {
    /// An interleave of `ways` (at least 1) parts of kind `field`, `2^granule_bits` bytes (below 2^64) each.
    /// `None` outside these limits.
    pub fn new(field: Field, ways: u32, granule_bits: u32) -> Option<Self> {
        (ways > 0 && granule_bits < 64).then_some(Self {
            field,
            ways,
            granule_bits,
        })
    }

    /// The way of an address and the address within it.
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

    /// How many sets of ways pages of `2^page_bits` bytes can be told apart by. The color of a page is its frame
    /// number (of a page within a granule: its granule number) modulo this count; its ways are
    /// [`ModuloInterleave::ways_of`].
    ///
    /// A page that holds `n` granules touches `n` consecutive ways. Pages then touch the same or disjoint ways exactly
    /// if `n` divides the number of ways: 1 KiB granules over twelve channels give three colors to 4 KiB pages,
    /// 1 KiB granules over three channels none.
    ///
    /// # Errors
    /// [`NotColorable`] where the runs of ways that pages cover overlap without being equal: they then overlap in a
    /// chain, and no division of all pages keeps the ways apart.
    pub fn colors(&self, page_bits: u32) -> Result<u32, NotColorable> {
        let refusal = NotColorable {
            interleave: *self,
            page_bits,
        };
        let granules = 1u32
            .checked_shl(page_bits.saturating_sub(self.granule_bits))
            .ok_or(refusal)?;
        if self.ways.is_multiple_of(granules) {
            Ok(self.ways / granules)
        } else {
            Err(refusal)
        }
    }

    /// The color of a frame of `2^page_bits` bytes.
    ///
    /// # Errors
    /// As [`ModuloInterleave::colors`].
    pub fn color(&self, frame: u64, page_bits: u32) -> Result<u32, NotColorable> {
        let unit = frame >> self.granule_bits.saturating_sub(page_bits).min(63);
        Ok((unit % u64::from(self.colors(page_bits)?)) as u32)
    }

    /// The ways that pages of a color touch.
    ///
    /// # Errors
    /// As [`ModuloInterleave::colors`].
    pub fn ways_of(&self, color: u32, page_bits: u32) -> Result<std::ops::Range<u32>, NotColorable> {
        let each = self.ways / self.colors(page_bits)?;
        Ok(color * each..(color + 1) * each)
    }
}

/// Why pages cannot choose a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotColorable {
    /// The interleave.
    pub interleave: ModuloInterleave,
    /// log2 of the page size in bytes.
    pub page_bits: u32,
}

impl fmt::Display for NotColorable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ModuloInterleave {
            field,
            ways,
            granule_bits,
        } = self.interleave;
        write!(
            f,
            "pages of 2^{} bytes cannot choose a {field}: granules of 2^{granule_bits} bytes go round {ways} of them, and \
             the {field}s of one page overlap those of its neighbours",
            self.page_bits
        )
    }
}

impl std::error::Error for NotColorable {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::testing::cases;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn channels(ways: u32, granule_bits: u32) -> ModuloInterleave {
        ModuloInterleave::new(Field::Channel, ways, granule_bits).unwrap()
    }

    #[test]
    fn twelve_channels_of_one_kib_leave_three_colors_to_small_pages() {
        let interleave = channels(12, 10);
        assert_eq!(interleave.colors(12), Ok(3));
        assert_eq!(interleave.ways_of(2, 12), Ok(8..12));
        assert!(
            interleave
                .colors(14)
                .unwrap_err()
                .to_string()
                .contains("cannot choose a channel")
        );
    }

    #[test]
    fn three_channels_are_colorable_only_at_page_granularity() {
        assert_eq!(channels(3, 12).colors(12), Ok(3));
        assert!(channels(3, 8).colors(12).is_err());
        assert!(channels(3, 12).colors(21).is_err());
        assert!(
            channels(6, 10).colors(12).is_err(),
            "four granules do not divide six ways"
        );
    }

    proptest! {
        #![proptest_config(cases(256))]

        #[test]
        fn split_and_join_are_inverse(ways in 1u32..20, granule_bits in 0u32..22, address in 0u64..1 << 40) {
            let interleave = channels(ways, granule_bits);
            let (way, within) = interleave.split(address);
            prop_assert!(way < ways);
            prop_assert_eq!(interleave.join(way, within), Some(address));
        }

        #[test]
        fn pages_touch_exactly_the_ways_of_their_color(
            ways in 1u32..20, granule_bits in 6u32..14, page_bits in 6u32..14, frame in 0u64..1000
        ) {
            let interleave = channels(ways, granule_bits);
            let page = frame << page_bits;
            let touched: BTreeSet<u32> =
                (page..page + (1 << page_bits)).step_by(64).map(|address| interleave.split(address).0).collect();
            if let Ok(color) = interleave.color(frame, page_bits) {
                let ways: BTreeSet<u32> = interleave.ways_of(color, page_bits).unwrap().collect();
                prop_assert_eq!(touched, ways);
            }
        }
    }
}
