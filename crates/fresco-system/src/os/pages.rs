// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page table of one task: virtual pages to page frames.

use super::tables::{TableId, Tables};
use fresco_dram::{FrameNumber, PhysAddr, VirtAddr};
use fresco_load::Area;
use std::collections::BTreeMap;

/// A page of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    area: usize,
    index: usize,
}

/// What an address translates to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Translation {
    /// A physical address.
    Mapped(PhysAddr),
    /// The page has no frame yet.
    Fault(Page),
    /// The address lies in no area of the program.
    Outside,
}

/// One vector of frames per area, and the pages looked up last.
#[derive(Clone, Debug)]
pub(crate) struct PageTable {
    page_bits: u32,
    /// The bits of an address within its page.
    offset_mask: u64,
    areas: Vec<MappedArea>,
    /// Translations found before, each in the [`place`] of its page: virtual page number and physical base.
    kept: Box<[(u64, u64); KEPT]>,
    /// The area that was walked last.
    walked: usize,
    /// Every page before this one is mapped.
    scan: Page,
    /// Where areas come when they are touched: their places in `areas`, by their first page. A place never changes.
    grown: Option<BTreeMap<u64, usize>>,
    /// What walks read, on a machine with TLBs.
    tables: Option<Box<Tables>>,
}

#[derive(Clone, Debug)]
struct MappedArea {
    /// First virtual page number.
    first: u64,
    /// Frame of each page, or [`UNMAPPED`].
    frames: Vec<FrameNumber>,
}

const UNMAPPED: FrameNumber = FrameNumber(u64::MAX);

/// A virtual page number that no address has.
const NO_PAGE: u64 = u64::MAX;

/// Pages of an area that comes when it is touched: as many as a page of a real page table knows.
const GROWN: u64 = 512;

/// Translations that are kept, a power of two. They save time alone, and are no TLB.
const KEPT: usize = 64;

/// The place of a page among the translations kept. Hashed (2^64 divided by the golden ratio): arrays of a program often lie a power of
/// two apart, and are read side by side.
#[inline(always)]
fn place(page: u64) -> usize {
    (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - KEPT.trailing_zeros())) as usize % KEPT
}

impl PageTable {
    /// A table in which no page of `areas`, which are in ascending order, is mapped. `page_bytes` is a power of two.
    pub fn new(areas: &[Area], page_bytes: u64) -> Self {
        debug_assert!(page_bytes.is_power_of_two());
        debug_assert!(areas.is_sorted_by_key(|area| area.base.0));
        let page_bits = page_bytes.trailing_zeros();
        let map = |area: &Area| {
            let (first, end) = (
                area.base.0 >> page_bits,
                (area.base.0 + area.bytes).div_ceil(page_bytes),
            );
            MappedArea {
                first,
                frames: vec![UNMAPPED; (end - first) as usize],
            }
        };
        Self {
            page_bits,
            offset_mask: page_bytes - 1,
            areas: areas.iter().map(map).collect(),
            kept: Box::new([(NO_PAGE, 0); KEPT]),
            walked: 0,
            scan: Page { area: 0, index: 0 },
            grown: None,
            tables: None,
        }
    }

    /// With tables in memory, which walks read; `space` is the number of the address space.
    pub fn with_tables(mut self, space: u32) -> Self {
        self.tables = Some(Box::new(Tables::new(space, self.offset_mask + 1)));
        self
    }

    /// A table in which each page of `areas` lies in the frame with its own number.
    pub fn identical(areas: &[Area], page_bytes: u64) -> Self {
        let mut table = Self::new(areas, page_bytes);
        for area in &mut table.areas {
            let numbers = area.first..;
            let placed = area.frames.iter_mut().zip(numbers);
            placed.for_each(|(frame, number)| *frame = FrameNumber(number));
        }
        table
    }

    /// A table to which every address belongs: areas come when they are touched first.
    pub fn growing(page_bytes: u64) -> Self {
        Self {
            grown: Some(BTreeMap::new()),
            ..Self::new(&[], page_bytes)
        }
    }

    /// Looks an address up.
    // Always: for each operation.
    #[inline(always)]
    pub fn translate(&mut self, addr: VirtAddr) -> Translation {
        match self.kept(addr) {
            Some(addr) => Translation::Mapped(addr),
            None => match self.walk(addr.0 >> self.page_bits) {
                Ok(base) => Translation::Mapped(PhysAddr(base | addr.0 & self.offset_mask)),
                Err(other) => other,
            },
        }
    }

    /// The physical address, if the translation of its page has been kept since it was found; `None` if it has not.
    #[inline(always)]
    fn kept(&self, addr: VirtAddr) -> Option<PhysAddr> {
        let page = addr.0 >> self.page_bits;
        let (kept, base) = self.kept[place(page)];
        let addr = PhysAddr(base | addr.0 & self.offset_mask);
        (kept == page).then_some(addr)
    }

    /// The physical base of a virtual page.
    #[inline(never)]
    fn walk(&mut self, page: u64) -> Result<u64, Translation> {
        let Some(area) = self.area_of(page) else {
            return Err(Translation::Outside);
        };
        let index = (page - self.areas[area].first) as usize;
        match self.areas[area].frames[index] {
            UNMAPPED => Err(Translation::Fault(Page { area, index })),
            frame => {
                let base = frame.0 << self.page_bits;
                self.kept[place(page)] = (page, base);
                Ok(base)
            }
        }
    }

    /// The area of a virtual page, which comes now if the table grows.
    fn area_of(&mut self, page: u64) -> Option<usize> {
        if let Some(grown) = &mut self.grown {
            let first = page / GROWN * GROWN;
            let areas = &mut self.areas;
            return Some(*grown.entry(first).or_insert_with(|| {
                areas.push(MappedArea {
                    first,
                    frames: vec![UNMAPPED; GROWN as usize],
                });
                areas.len() - 1
            }));
        }
        // Most often that of the walk before. Its first page may also be another's, and belong to that one.
        let mapped = self.areas.get(self.walked)?;
        if page > mapped.first && page - mapped.first < mapped.frames.len() as u64 {
            return Some(self.walked);
        }
        // Traces of whole programs have hundreds of areas.
        let behind = self.areas.partition_point(|mapped| mapped.first <= page);
        let holds = |area: &usize| page - self.areas[*area].first < self.areas[*area].frames.len() as u64;
        // Of areas that share a large page it belongs to the first.
        let area = (0..behind).rev().take_while(holds).last()?;
        self.walked = area;
        Some(area)
    }

    /// The first page that is not mapped, in ascending order of addresses; none of a table that grows, as nobody knows which will be
    /// touched.
    pub fn next_unmapped(&mut self) -> Option<Page> {
        if self.grown.is_some() {
            return None;
        }
        let Page { area, index } = &mut self.scan;
        while let Some(mapped) = self.areas.get(*area) {
            if let Some(offset) = mapped.frames[*index..].iter().position(|frame| *frame == UNMAPPED) {
                *index += offset;
                return Some(self.scan);
            }
            (*area, *index) = (*area + 1, 0);
        }
        None
    }

    /// Returns true if the page has a frame.
    pub fn is_mapped(&self, page: Page) -> bool {
        self.areas[page.area].frames[page.index] != UNMAPPED
    }

    /// Pages of all areas; of a table that grows those that are mapped.
    pub fn count(&self) -> u64 {
        match self.grown {
            Some(_) => self.mapped().count() as u64,
            None => self.areas.iter().map(|area| area.frames.len() as u64).sum(),
        }
    }

    /// The pages that have frames, in ascending order of addresses.
    pub fn mapped(&self) -> impl Iterator<Item = (Page, FrameNumber)> + '_ {
        let order: Vec<usize> = match &self.grown {
            Some(grown) => grown.values().copied().collect(),
            None => (0..self.areas.len()).collect(),
        };
        order.into_iter().flat_map(|area| {
            let pages = self.areas[area].frames.iter().enumerate();
            let having = pages.filter(|(_, frame)| **frame != UNMAPPED);
            having.map(move |(index, frame)| (Page { area, index }, *frame))
        })
    }

    /// The number of a page: its virtual address by the page size.
    pub fn number(&self, page: Page) -> u64 {
        self.areas[page.area].first + page.index as u64
    }

    /// The first byte of a page, and that of a frame.
    pub fn place_of(&self, page: Page, frame: FrameNumber) -> (VirtAddr, PhysAddr) {
        (
            VirtAddr(self.number(page) << self.page_bits),
            PhysAddr(frame.0 << self.page_bits),
        )
    }

    /// Number of the address space; 0 without tables.
    pub fn space(&self) -> u32 {
        self.tables.as_ref().map_or(0, |tables| tables.space)
    }

    /// The tables on the way to a page that have no place yet.
    pub fn missing_tables(&self, page: Page) -> Vec<TableId> {
        let number = self.number(page);
        self.tables
            .as_ref()
            .map_or_else(Vec::new, |tables| tables.missing(number))
    }

    /// A table has its place.
    pub fn add_table(&mut self, table: TableId, at: PhysAddr) {
        if let Some(tables) = &mut self.tables {
            tables.add(table, at);
        }
    }

    /// Where the entry of the page with this number lies in the table of a level.
    pub fn table_entry(&self, level: usize, page: u64) -> PhysAddr {
        let tables = self.tables.as_ref().expect("who walks has tables");
        tables.entry(level, page)
    }

    /// First bytes of all tables, in no order.
    pub fn tables(&self) -> impl Iterator<Item = PhysAddr> + '_ {
        self.tables.iter().flat_map(|tables| tables.places())
    }

    /// Gives a page another frame than it has.
    pub fn remap(&mut self, page: Page, frame: FrameNumber) {
        debug_assert!(self.is_mapped(page), "only a page that has a frame moves");
        self.areas[page.area].frames[page.index] = frame;
        let page = self.number(page);
        self.kept[place(page)] = (NO_PAGE, 0);
    }

    /// Gives a page its frame.
    pub fn map(&mut self, page: Page, frame: FrameNumber) {
        let slot = &mut self.areas[page.area].frames[page.index];
        debug_assert_eq!(*slot, UNMAPPED, "a page is mapped once");
        *slot = frame;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(base: u64, bytes: u64) -> Area {
        Area {
            name: "a".to_owned(),
            base: VirtAddr(base),
            bytes,
        }
    }

    #[test]
    fn pages_fault_once_and_then_translate() {
        let mut table = PageTable::new(&[area(0x10000, 5000), area(0x40000, 4096)], 4096);
        let Translation::Fault(page) = table.translate(VirtAddr(0x11008)) else {
            panic!("nothing is mapped yet")
        };
        table.map(page, FrameNumber(7));
        assert_eq!(
            table.translate(VirtAddr(0x11008)),
            Translation::Mapped(PhysAddr(7 * 4096 + 8))
        );
        assert_eq!(
            table.translate(VirtAddr(0x11fff)),
            Translation::Mapped(PhysAddr(8 * 4096 - 1))
        );
        assert!(matches!(table.translate(VirtAddr(0x10000)), Translation::Fault(_)));
        assert_eq!(table.translate(VirtAddr(0x12000)), Translation::Outside);
        assert_eq!(table.translate(VirtAddr(0xffff)), Translation::Outside);
    }

    #[test]
    fn the_area_of_a_page_is_the_one_that_a_search_one_by_one_finds() {
        let areas: Vec<Area> = (0..50)
            .map(|i| area(i * 0x8000 + (i % 3) * 0x1000, 0x1000 + (i % 6) * 0x1000))
            .collect();
        // Pages of 32 KiB: neighbours share some.
        for page_bytes in [4096u64, 0x8000] {
            let mut table = PageTable::new(&areas, page_bytes);
            for addr in (0..0x1a_0000).step_by(0x1000) {
                let page = addr / page_bytes;
                let holds = |area: &&Area| {
                    (area.base.0 / page_bytes..(area.base.0 + area.bytes).div_ceil(page_bytes)).contains(&page)
                };
                let found = areas.iter().position(|area| holds(&area));
                match (table.translate(VirtAddr(addr)), found) {
                    (Translation::Fault(page), Some(area)) => assert_eq!(page.area, area, "{addr:#x}"),
                    (found, expected) => assert!(found == Translation::Outside && expected.is_none(), "{addr:#x}"),
                }
            }
        }
    }

    #[test]
    fn a_table_that_grows_has_a_page_wherever_it_is_touched() {
        for page_bytes in [4096u64, 2 << 20] {
            let mut table = PageTable::growing(page_bytes);
            // From the top downwards: places of areas are not in the order of their addresses.
            let pages = [0xf_ffff, 0x200, 0x1ff, 0, 0x201];
            for (frame, page) in (0u64..).zip(pages) {
                let addr = VirtAddr(page * page_bytes + 5);
                let Translation::Fault(fault) = table.translate(addr) else {
                    panic!("nothing is mapped at {page:#x}")
                };
                assert!(!table.is_mapped(fault) && table.next_unmapped().is_none());
                assert_eq!(table.translate(addr), Translation::Fault(fault));
                table.map(fault, FrameNumber(frame));
                assert_eq!(table.count(), frame + 1);
            }
            let frames: Vec<u64> = table.mapped().map(|(_, frame)| frame.0).collect();
            assert_eq!(frames, [3, 2, 1, 4, 0], "by address");
            let (second, _) = table.mapped().nth(1).expect("five are mapped");
            table.remap(second, FrameNumber(77));
            let mut at = |page: u64| table.translate(VirtAddr(page * page_bytes));
            assert_eq!(at(0x1ff), Translation::Mapped(PhysAddr(77 * page_bytes)));
            assert_eq!(at(0xf_ffff), Translation::Mapped(PhysAddr(0)));
        }
    }

    #[test]
    fn unmapped_pages_are_found_in_order_of_addresses() {
        let mut table = PageTable::new(&[area(0x10000, 8192), area(0x40000, 8192)], 4096);
        let Translation::Fault(second) = table.translate(VirtAddr(0x11000)) else {
            panic!("nothing is mapped yet")
        };
        table.map(second, FrameNumber(1));
        let mut visited = Vec::new();
        while let Some(page) = table.next_unmapped() {
            visited.push(page);
            table.map(page, FrameNumber(10 + visited.len() as u64));
        }
        let page = |area, index| Page { area, index };
        assert_eq!(visited, [page(0, 0), page(1, 0), page(1, 1)]);
    }
}
