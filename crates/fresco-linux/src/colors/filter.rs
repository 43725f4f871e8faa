// SPDX-License-Identifier: MIT OR Apache-2.0
//! The check that is made millions of times: whether a frame has a color that was asked for.

use super::frames::Span;
use super::{AskedColors, FrameColors};
use fresco_dram::FrameNumber;
use fresco_dram::gf2::LinearMap;

/// Colors of frames, and which are asked for; prepared for speed.
#[derive(Clone, Debug)]
pub struct Filter {
    page_bits: u32,
    parts: Vec<(u32, LinearMap, Vec<Span>)>,
    llc: LinearMap,
    banks: Vec<bool>,
    llcs: Vec<bool>,
}

impl Filter {
    /// Frames with the colors `asked` of `colors`.
    pub fn new(colors: &FrameColors, asked: &AskedColors) -> Self {
        let table = |count: u32, list: &[u32]| (0..count).map(|color| list.binary_search(&color).is_ok()).collect();
        let parts = colors.parts().iter();
        Self {
            page_bits: colors.page_bits(),
            parts: parts
                .map(|part| (part.first, LinearMap::new(&part.functions), part.spans.clone()))
                .collect(),
            llc: LinearMap::new(colors.llc_functions()),
            banks: table(colors.bank_colors(), &asked.banks),
            llcs: table(colors.llc_colors(), &asked.llc),
        }
    }

    /// Bank color and LLC color of a frame; `None` where the map has no memory.
    #[inline]
    pub fn color(&self, frame: FrameNumber) -> Option<(u32, u32)> {
        if frame.0 > u64::MAX >> self.page_bits {
            return None;
        }
        let address = frame.0 << self.page_bits;
        let inside = |span: &&Span| address >= span.base && address - span.base < span.size;
        self.parts.iter().find_map(|(first, functions, spans)| {
            let span = spans.iter().find(inside)?;
            let bank = first + functions.apply(address - span.offset) as u32;
            Some((bank, self.llc.apply(address) as u32))
        })
    }

    /// The lowest bank color of the part that the frame is in; 0 where the map has no memory.
    pub fn first_bank(&self, frame: FrameNumber) -> u32 {
        let address = frame.0 << self.page_bits;
        let inside = |span: &Span| address >= span.base && address - span.base < span.size;
        let mut parts = self.parts.iter();
        parts
            .find(|(_, _, spans)| spans.iter().any(inside))
            .map_or(0, |(first, ..)| *first)
    }

    /// Returns true if the bank color and the LLC color of this pair are both asked for.
    #[inline]
    pub fn asks(&self, (bank, llc): (u32, u32)) -> bool {
        self.banks.get(bank as usize) == Some(&true) && self.llcs.get(llc as usize) == Some(&true)
    }

    /// Returns true if the frame has a color that is asked for.
    #[inline]
    pub fn wants(&self, frame: FrameNumber) -> bool {
        self.color(frame).is_some_and(|color| self.asks(color))
    }

    /// Pairs of colors there are for each that is asked for, rounded up: so many frames have to be looked at for one.
    pub fn rarity(&self) -> u64 {
        let asked = |list: &[bool]| list.iter().filter(|&&asked| asked).count() as u64;
        let all = self.banks.len() as u64 * self.llcs.len() as u64;
        all.div_ceil((asked(&self.banks) * asked(&self.llcs)).max(1))
    }

    /// Returns true if all parts of the memory have the same colors.
    pub fn is_uniform(&self) -> bool {
        self.parts.len() == 1
    }

    /// Number of bank colors, of LLC colors.
    pub fn counts(&self) -> (usize, usize) {
        (self.banks.len(), self.llcs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ColorCounts;
    use super::*;
    use fresco_dram::ColorSpace;
    use fresco_dram::map::BankMap;
    use proptest::prelude::*;

    fn everything(colors: &FrameColors) -> AskedColors {
        AskedColors::all(ColorCounts::of(colors))
    }

    #[test]
    fn frames_have_the_colors_worked_out_by_hand() {
        // Bank bit 0 is address bit 14 with 18, bank bit 1 is bit 15; the cache is indexed by bits up to 12.
        let map = BankMap::new(vec![1 << 14 | 1 << 18, 1 << 15], 0).unwrap();
        let space = ColorSpace::of_bank_map(&map, &[1 << 6, 1 << 12], 12).unwrap();
        let colors = FrameColors::of_bank_map(&map, &space);
        assert_eq!((colors.bank_colors(), colors.llc_colors()), (4, 2));
        let filter = Filter::new(&colors, &everything(&colors));
        for (address, color) in [
            (0u64, (0, 0)),
            (1 << 12, (0, 1)),
            (1 << 14, (1, 0)),
            (1 << 18, (1, 0)),
            (1 << 14 | 1 << 18, (0, 0)),
            (1 << 15 | 1 << 14, (3, 0)),
        ] {
            assert_eq!(filter.color(FrameNumber(address >> 12)), Some(color), "{address:#x}");
        }
        assert_eq!(filter.color(FrameNumber(u64::MAX)), None);
    }

    #[test]
    fn only_the_colors_asked_for_are_wanted() {
        let map = BankMap::new(vec![1 << 14, 1 << 15], 0).unwrap();
        let space = ColorSpace::of_bank_map(&map, &[1 << 12], 12).unwrap();
        let colors = FrameColors::of_bank_map(&map, &space);
        let asked = AskedColors::parse("banks=1,3,llc=1", ColorCounts::of(&colors)).unwrap();
        let filter = Filter::new(&colors, &asked);
        let wanted: Vec<u64> = (0..16).filter(|&frame| filter.wants(FrameNumber(frame))).collect();
        // Bit 0 of the frame is the cache color, bits 2 and 3 the bank color.
        assert_eq!(wanted, [0b0101, 0b0111, 0b1101, 0b1111]);
        assert_eq!(filter.rarity(), 4);
        let most = AskedColors::parse("banks=0-2", ColorCounts::of(&colors)).unwrap();
        assert_eq!(Filter::new(&colors, &most).rarity(), 2, "4 of 3, rounded up");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_map_colors_frames_as_its_color_space_does(
            functions in prop::collection::vec(1u64..1 << 34, 1..6),
            llc in prop::collection::vec(1u64..1 << 30, 0..4),
            offset in (0u64..1 << 20).prop_map(|pages| pages << 12),
            frames in prop::collection::vec(0u64..1 << 24, 50),
        ) {
            let Ok(map) = BankMap::new(functions, offset) else { return Ok(()) };
            let Ok(space) = ColorSpace::of_bank_map(&map, &llc, 12) else { return Ok(()) };
            let colors = FrameColors::of_bank_map(&map, &space);
            prop_assert!(colors.is_sound());
            let filter = Filter::new(&colors, &everything(&colors));
            for frame in frames.into_iter().map(FrameNumber) {
                let expected = space.try_bank_color(frame).map(|bank| (bank, space.llc_color(frame)));
                prop_assert_eq!(filter.color(frame), expected);
            }
        }
    }
}
