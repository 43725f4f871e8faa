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
    /// A page that is touched lies in the frame with its own number.
    identical: bool,
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
            identical: false,
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

    /// The same, in which each page lies in the frame with its own number.
    pub fn growing_identical(page_bytes: u64) -> Self {
        let identical = true;
        Self {
            identical,
            ..Self::growing(page_bytes)
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
        let frame = &mut self.areas[area].frames[index];
        if self.identical {
            *frame = FrameNumber(page);
        }
        match *frame {
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
mod tests;
