// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frames of the colors asked for, found by trying: memory is taken, its frames are looked at, those with other
//! colors are given back.
//!
//! What is given back the kernel hands out again first. So a search holds all it has taken until it ends, and what it
//! was in vain to look at is given back only when no search has followed for a while, or memory is short ([`Pool::idle`]).
//!
//! Single pages only: when a huge page is broken up, recent kernels put one shared frame in place of those of its pages
//! that are all zero, and the frames looked at are gone.

use crate::colors::Filter;
use crate::proc::{FrameFlags, Headroom, Page, PageMap, Share, available_bytes};
use crate::sys::{Area, page_bytes};
use fresco_dram::FrameNumber;
use std::collections::VecDeque;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bytes of the smallest step of a search.
const STEP: u64 = 64 << 10;
/// Bytes of the largest.
const MOST_STEP: u64 = 32 << 20;
/// Frames of other colors are kept for so many times what it took to look at them,
const KEPT: u32 = 10;
/// for so long at least, and at most.
const LEAST_KEPT: Duration = Duration::from_secs(1);
const MOST_KEPT: Duration = Duration::from_secs(10);
/// For so long it is believed how much memory is available, unless a search could come near.
const BELIEVED: Duration = Duration::from_millis(100);
/// Where areas lie: below heaps. When a process ends its memory is given back from low addresses to high ones, and what
/// was given back last the kernel hands out first. So the next search, be it another process's, finds frames of heaps,
/// which have colors that were asked for, before those that were in vain to look at.
pub(crate) const LOW: Range<u64> = 1 << 40..3 << 39;
/// Where the heap of the library's own code lies. What the program maps and unmaps, and a child watches again, is elsewhere:
/// a pager that waited for a page of its own heap would wait for itself.
pub const OWN_HEAP: Range<u64> = LOW.end..7 << 38;
/// Both: addresses that no program may have, as what it puts there would take the place of frames, or of that heap.
pub const OWN: Range<u64> = LOW.start..OWN_HEAP.end;
/// Where the next one may lie.
static NEXT: AtomicU64 = AtomicU64::new(LOW.start);

/// The frames found.
#[derive(Debug)]
pub struct Pool {
    filter: Filter,
    map: Arc<PageMap>,
    flags: Option<Arc<FrameFlags>>,
    /// Areas that still have frames to give, oldest first.
    slabs: VecDeque<Slab>,
    /// Areas of which nothing is left but frames of other colors.
    spent: Vec<Slab>,
    /// Bytes that a search may hold; `None` for half of what is available.
    limit: Option<u64>,
    /// Bytes available without this search, by the last answer of the kernel, and when that was.
    available: Option<(u64, Instant)>,
    free: u64,
    /// Bytes in memory of all areas.
    held: u64,
    scanned: u64,
    /// How long searches took since frames of other colors were given back, and when the last one ended.
    took: Duration,
    searched: Instant,
}

/// Why a search ended before there were as many frames as were wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Short {
    /// It may hold no more than so many bytes.
    Held(u64),
    /// The kernel gave no more memory.
    Memory,
    /// It took too long.
    Time,
    /// It may hold no more than so many bytes, and would hardly find more than so many of the colors then.
    Hopeless {
        /// Bytes that it may hold.
        limit: u64,
        /// Bytes that it would find.
        likely: u64,
    },
}

#[derive(Debug)]
struct Slab {
    area: Area,
    /// Ranges of pages with the colors asked for, last first.
    runs: Vec<Range<u64>>,
    /// Bytes that it has in memory: those moved away or given back are none.
    held: u64,
    /// Whether the other pages have been given back.
    trimmed: bool,
}

impl Pool {
    /// An empty pool of frames that `filter` wants. `map` has to show frame numbers; without `flags` nobody knows what share
    /// of the memory that is left is wanted.
    pub fn new(filter: Filter, map: Arc<PageMap>, flags: Option<Arc<FrameFlags>>, limit: Option<u64>) -> Self {
        Self {
            filter,
            map,
            flags,
            slabs: VecDeque::new(),
            spent: Vec::new(),
            limit,
            available: None,
            free: 0,
            held: 0,
            scanned: 0,
            took: Duration::ZERO,
            searched: Instant::now(),
        }
    }

    /// Returns true if the frame is one of those that are looked for.
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

    /// Frames there are for one of the colors asked for.
    pub fn rarity(&self) -> u64 {
        self.filter.rarity()
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
            slab.held -= bytes;
            self.held -= bytes;
            self.free -= bytes / page_bytes();
            if run.is_empty() {
                slab.runs.pop();
            }
        }
        if slab.runs.is_empty() {
            self.spent.extend(self.slabs.pop_front());
        }
    }

    /// Looks for frames until there are `wanted` pages to give. `goes_on` is asked before each step. What was in vain to
    /// look at is given back if there are fewer.
    ///
    /// # Errors
    /// Why there are fewer.
    pub fn search(&mut self, wanted: u64, goes_on: impl FnMut(&Self) -> bool) -> Result<(), Short> {
        let result = self.look(wanted, goes_on);
        if result.is_err() {
            self.drop_spent();
        }
        result
    }

    /// The same, but nothing is given back: the search goes on later.
    ///
    /// # Errors
    /// Why there are fewer.
    pub fn look(&mut self, wanted: u64, mut goes_on: impl FnMut(&Self) -> bool) -> Result<(), Short> {
        let mut looked = 0;
        let mut short = Short::Time;
        let start = Instant::now();
        while self.free < wanted && goes_on(self) {
            // As many as there are colors for one asked for; more and more where none are found.
            let missing = (wanted - self.free).saturating_mul(self.filter.rarity());
            let pages = missing.max(looked / 2).min(MOST_STEP / page_bytes());
            let mut step = (pages * page_bytes()).next_multiple_of(STEP);
            let mut room = self.room(step);
            if room < STEP && looked == 0 && !self.spent.is_empty() {
                // What earlier searches hold leaves no room for this one.
                self.drop_spent();
                room = self.room(step);
            }
            step = step.min(room / STEP * STEP);
            short = Short::Held(self.held() + room);
            if step == 0 {
                break;
            }
            if self.scan(step).is_none() {
                short = Short::Memory;
                break;
            }
            short = Short::Time;
            looked += step / page_bytes();
        }
        self.searched = Instant::now();
        self.took += self.searched - start;
        match self.free < wanted {
            true => Err(short),
            false => Ok(()),
        }
    }

    /// Bytes that searches may hold in all.
    pub fn limit(&mut self) -> u64 {
        self.held() + self.room(STEP)
    }

    /// Returns true if each color is as likely as the others wherever the kernel takes frames from: not where parts of
    /// the memory have colors of their own.
    pub fn is_uniform(&self) -> bool {
        self.filter.is_uniform()
    }

    /// What share of the memory that is left is wanted, whatever the kernel hands out first; `None` if nobody knows.
    pub fn share(&self) -> Option<Share> {
        self.flags.as_ref()?.share(|frame| self.filter.wants(frame))
    }

    /// Bytes in memory that searches hold.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Time until frames of other colors are to be given back, if no search follows; `None` if there are none.
    ///
    /// The next search would look at them again before it finds any other. So they are kept for ten times as long as it took
    /// to look at them: whatever the program does, searches take little more than a tenth of its time for what they have seen.
    pub fn idle(&self) -> Option<Duration> {
        let kept = (self.took * KEPT).clamp(LEAST_KEPT, MOST_KEPT);
        (self.took > Duration::ZERO).then(|| kept.saturating_sub(self.searched.elapsed()))
    }

    /// Bytes that a search may still take, if it is to take `step`.
    fn room(&mut self, step: u64) -> u64 {
        let held = self.held();
        let limit = self.limit.unwrap_or_else(|| {
            let near = |available: u64| held + step > available / 8;
            let known = self.available.filter(|(_, when)| when.elapsed() < BELIEVED);
            let known = known.filter(|&(available, _)| !near(available));
            let (available, _) = *self.available.insert(known.unwrap_or_else(|| {
                // What the search holds is not available any more, but was.
                let root = Path::new("/proc");
                let rest = available_bytes(root).unwrap_or(2 * MOST_STEP);
                // A limit of the process is the program's, too: of what it leaves, an eighth at most.
                let rest = Headroom::of_self(root).least().map_or(rest, |left| rest.min(left / 4));
                (rest.saturating_add(held), Instant::now())
            }));
            available / 2
        });
        limit.saturating_sub(held)
    }

    /// Takes `bytes` of memory and keeps what is wanted; `None` without memory.
    fn scan(&mut self, bytes: u64) -> Option<()> {
        let at = NEXT.fetch_add(bytes, Ordering::Relaxed);
        if at + bytes > LOW.end {
            NEXT.store(LOW.start, Ordering::Relaxed);
        }
        let area = Area::map_at(at, bytes).ok()?;
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
        self.held += bytes;
        let slab = Slab {
            area,
            runs,
            held: bytes,
            trimmed: false,
        };
        match slab.runs.is_empty() {
            true => self.spent.push(slab),
            false => self.slabs.push_back(slab),
        }
        Some(())
    }

    /// Gives back areas of which nothing is wanted.
    fn drop_spent(&mut self) {
        self.held -= self.spent.drain(..).map(|slab| slab.held).sum::<u64>();
    }

    /// Gives back all frames of other colors that are still held.
    pub fn trim(&mut self) {
        self.drop_spent();
        self.took = Duration::ZERO;
        for slab in self.slabs.iter_mut().filter(|slab| !slab.trimmed) {
            slab.trimmed = true;
            self.held -= slab.held;
            slab.held = slab.runs.iter().map(|run| run.end - run.start).sum();
            self.held += slab.held;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::test_request;

    #[test]
    fn what_is_held_is_what_is_in_memory_and_is_kept_for_the_next_search() {
        if crate::launch::probe().is_err() {
            return;
        }
        let map = PageMap::of_self().expect("every process may open its own");
        let filter = test_request("any").filter();
        let mut pool = Pool::new(filter, Arc::new(map), None, None);
        assert_eq!((pool.held(), pool.idle()), (0, None));
        pool.look(100, |_| true).expect("there is memory");
        let page = page_bytes();
        assert_eq!(pool.held(), pool.scanned() * page);
        assert!(pool.idle().is_some_and(|idle| idle <= MOST_KEPT), "{:?}", pool.idle());
        // What has been moved away is held by whoever has it now.
        let looked = pool.scanned();
        for _ in 0..30 {
            let next = pool.next(1).expect("there are 100");
            pool.taken(next.end - next.start);
        }
        assert_eq!(pool.held(), (looked - 30) * page);
        pool.trim();
        assert_eq!((pool.held(), pool.idle()), (pool.pages() * page, None));
        while let Some(next) = pool.next(7) {
            pool.taken(next.end - next.start);
        }
        assert_eq!((pool.held(), pool.pages()), (0, 0));
    }
}
