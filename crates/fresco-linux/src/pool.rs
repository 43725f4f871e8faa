// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of the colours asked for, found by trying: memory is taken, its frames are looked at, those with other
//! colours are given back.
//!
//! What is given back the kernel hands out again first. So a search holds all it has taken until it ends, and what it
//! was in vain to look at is given back only when no search has followed for a while, or memory is short.
//!
//! Single pages only: when a huge page is broken up, recent kernels put one shared frame in place of those of its pages
//! that are all zero, and the frames looked at are gone.

use crate::colors::Filter;
use crate::proc::{Page, PageMap, available_bytes};
use crate::sys::{Area, page_bytes};
use fresco_dram::FrameNumber;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Bytes of the smallest step of a search.
const STEP: u64 = 1 << 20;
/// Bytes of the largest.
const MOST_STEP: u64 = 32 << 20;

/// The frames found.
#[derive(Debug)]
pub struct Pool {
    filter: Filter,
    map: Arc<PageMap>,
    /// Areas that still have frames to give, oldest first.
    slabs: VecDeque<Slab>,
    /// Areas of which nothing is left but frames of other colours.
    spent: Vec<Area>,
    /// Bytes that a search may hold; `None` for half of what is available.
    limit: Option<u64>,
    /// Bytes of the next step.
    step: u64,
    free: u64,
    scanned: u64,
}

#[derive(Debug)]
struct Slab {
    area: Area,
    /// Ranges of pages with the colours asked for, last first.
    runs: Vec<Range<u64>>,
    /// Have the other pages been given back?
    trimmed: bool,
}

impl Pool {
    /// An empty pool of frames that `filter` wants. `map` has to show frame numbers.
    pub fn new(filter: Filter, map: Arc<PageMap>, limit: Option<u64>) -> Self {
        Self {
            filter,
            map,
            slabs: VecDeque::new(),
            spent: Vec::new(),
            limit,
            step: STEP,
            free: 0,
            scanned: 0,
        }
    }

    /// Is the frame one of those that are looked for?
    pub fn wants(&self, frame: FrameNumber) -> bool {
        self.filter.wants(frame)
    }

    /// Pages there are to give.
    pub fn pages(&self) -> u64 {
        self.free
    }

    /// Pages looked at so far.
    pub fn scanned(&self) -> u64 {
        self.scanned
    }

    /// The next pages to give, at most `most` of them, side by side; they stay where they are until they are
    /// [`Pool::taken`].
    pub fn next(&self, most: u64) -> Option<Range<u64>> {
        let run = self.slabs.front()?.runs.last()?;
        Some(run.start..run.end.min(run.start + most * page_bytes()))
    }

    /// The area of [`Pool::next`].
    pub fn next_area(&self) -> Option<&Area> {
        self.slabs.front().map(|slab| &slab.area)
    }

    /// The first `bytes` of [`Pool::next`] have been moved away, or are of no use.
    pub fn taken(&mut self, bytes: u64) {
        let Some(slab) = self.slabs.front_mut() else { return };
        if let Some(run) = slab.runs.last_mut() {
            run.start += bytes;
            self.free -= bytes / page_bytes();
            if run.is_empty() {
                slab.runs.pop();
            }
        }
        if slab.runs.is_empty() {
            let area = self.slabs.pop_front().map(|slab| slab.area);
            self.spent.extend(area);
        }
    }

    /// Looks for frames until there are `wanted` pages to give, or the search may hold no more. Returns whether there
    /// are.
    pub fn search(&mut self, wanted: u64) -> bool {
        let held = |pool: &Self| {
            pool.spent
                .iter()
                .chain(pool.slabs.iter().map(|slab| &slab.area))
                .map(area_bytes)
                .sum::<u64>()
        };
        let limit = self
            .limit
            .or_else(|| available_bytes(Path::new("/proc")).map(|bytes| bytes / 2));
        let limit = limit.unwrap_or(MOST_STEP);
        let mut searched = false;
        while self.free < wanted {
            if held(self) + STEP > limit && !self.spent.is_empty() && !searched {
                // What earlier searches hold leaves no room for this one.
                self.spent.clear();
            }
            searched = true;
            let room = limit.saturating_sub(held(self));
            let step = self.step.min(room) / STEP * STEP;
            if step == 0 || self.scan(step).is_none() {
                break;
            }
            self.step = (self.step * 2).min(MOST_STEP);
        }
        if self.free < wanted {
            self.spent.clear();
        }
        self.free >= wanted
    }

    /// Takes `bytes` of memory and keeps what is wanted; `None` without memory.
    fn scan(&mut self, bytes: u64) -> Option<()> {
        let area = Area::map(bytes, page_bytes()).ok()?;
        area.keep_private().ok()?;
        area.populate().ok()?;
        let page_bytes = page_bytes();
        let mut runs: Vec<Range<u64>> = Vec::new();
        let mut pages = [Page(0); 512];
        let mut at = area.start();
        while at < area.end() {
            let wanted = pages.len().min(((area.end() - at) / page_bytes) as usize);
            let read = self.map.read(at / page_bytes, &mut pages[..wanted]);
            let read = read.ok().filter(|&read| read > 0)?;
            for (page, address) in pages[..read].iter().zip((at..).step_by(page_bytes as usize)) {
                if page.frame().is_some_and(|frame| self.filter.wants(frame)) {
                    match runs.last_mut() {
                        Some(run) if run.end == address => run.end += page_bytes,
                        _ => runs.push(address..address + page_bytes),
                    }
                }
            }
            at += read as u64 * page_bytes;
            self.scanned += read as u64;
        }
        runs.reverse();
        self.free += runs.iter().map(|run| (run.end - run.start) / page_bytes).sum::<u64>();
        match runs.is_empty() {
            true => self.spent.push(area),
            false => self.slabs.push_back(Slab {
                area,
                runs,
                trimmed: false,
            }),
        }
        Some(())
    }

    /// Gives back all frames of other colours that are still held.
    pub fn trim(&mut self) {
        self.spent.clear();
        self.step = STEP;
        for slab in self.slabs.iter_mut().filter(|slab| !slab.trimmed) {
            slab.trimmed = true;
            let mut from = slab.area.start();
            for run in slab
                .runs
                .iter()
                .rev()
                .cloned()
                .chain(std::iter::once(slab.area.end()..slab.area.end()))
            {
                if from < run.start {
                    // Locked memory stays until the area goes.
                    let _ = slab.area.release(from..run.start);
                }
                from = run.end;
            }
        }
    }
}

fn area_bytes(area: &Area) -> u64 {
    area.end() - area.start()
}
