// SPDX-License-Identifier: MIT OR Apache-2.0
//! Placing pages.

use super::liveness::Liveness;
use super::regions::Regions;
use super::repair::Repair;
use super::stream::Streams;
use super::supply::Supply;
use super::{PagerRefusal, Sets, Stats};
use crate::colors::{Filter, Request, WhenFull};
use crate::pool::{Pool, Short};
use crate::proc::{FrameFlags, Page, PageMap};
use crate::sys::{Access, Area, Userfault, page_bytes, zero_frame};
use fresco_dram::FrameNumber;
use rustix::io::Errno;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Attempts to move a page while the address space changes.
const ATTEMPTS: u32 = 1000;

/// How memory that can be written may be accessed, the pool's way first.
const ACCESSES: [Access; 4] = [
    Access::READ.union(Access::WRITE),
    Access::READ.union(Access::WRITE).union(Access::EXEC),
    Access::WRITE,
    Access::WRITE.union(Access::EXEC),
];

/// What placing pages needs.
#[derive(Debug)]
pub struct Pager {
    pub(super) user: Userfault,
    /// Opened while the privilege was there.
    pub(super) map: Arc<PageMap>,
    flags: Option<Arc<FrameFlags>>,
    pub(super) zero: Option<FrameNumber>,
    request: Request,
    /// Whether the pool that was asked for could be collected.
    pub(super) collected: Result<(), Short>,
    /// Frames for each set of colors, the process's own first.
    pub(super) supplies: Vec<Supply>,
    pub(super) regions: Regions,
    streams: Streams,
    pub(super) repair: Repair,
    pub(super) liveness: Liveness,
    /// Whether standard error was kept.
    pub(super) has_stderr: bool,
    /// When it was last looked whether searches hold too much.
    pub(super) looked: Instant,
    /// Whether a supply has run low, and is to be filled when there is nothing else to do.
    pub(super) hungry: bool,
}

impl Pager {
    /// A pager that watches nothing yet.
    ///
    /// # Errors
    /// What the kernel or the lack of a privilege denies.
    pub fn new(request: &Request, stats: &Stats) -> Result<Self, PagerRefusal> {
        let user = Userfault::open().map_err(PagerRefusal::Userfault)?;
        let map = Arc::new(PageMap::of_self().map_err(|_| PagerRefusal::Hidden)?);
        let zero = zero_frame().ok_or(PagerRefusal::Hidden)?;
        // Without it, searches go on that would be given up.
        let flags = FrameFlags::open().ok().map(Arc::new);
        let mut supply = Supply::new(request.filter(), map.clone(), flags.clone(), request);
        let told = |pool: &Pool| {
            stats.scanned.store(pool.scanned(), Ordering::Relaxed);
            stats.collected.store(pool.pages(), Ordering::Relaxed);
            true
        };
        let collected = supply.pool.search(request.pool_bytes / page_bytes(), told);
        told(&supply.pool);
        // A part of set-up, not of the program's end.
        supply.pool.trim();
        Ok(Self {
            user,
            map,
            flags,
            zero: Some(zero),
            request: request.clone(),
            collected,
            supplies: vec![supply],
            regions: Regions::default(),
            streams: Streams::default(),
            repair: Repair::new(),
            liveness: Liveness::new(),
            has_stderr: false,
            looked: Instant::now(),
            hungry: false,
        })
    }

    /// Watches memory of the set `set` of colors.
    ///
    /// # Errors
    /// As of [`Pager::watch`].
    pub fn cover(&mut self, range: Range<u64>, set: u32, sets: &Sets) -> Result<(), Errno> {
        self.watch(range.clone())?;
        for number in self.supplies.len() as u32..=set {
            // One that is not there is the process's own.
            let asked = sets.get(number).unwrap_or(&self.request.asked);
            let filter = Filter::new(&self.request.colors, asked);
            let supply = Supply::new(filter, self.map.clone(), self.flags.clone(), &self.request);
            self.supplies.push(supply);
        }
        self.regions.put(&range, set);
        Ok(())
    }

    /// Watches missing pages of the range, the port's or a program's.
    ///
    /// # Errors
    /// As of [`Userfault::register`].
    pub fn watch(&self, range: Range<u64>) -> Result<(), Errno> {
        // SAFETY: whoever gives ranges to a pager has just mapped them, private and anonymous, or has looked them up;
        // a pager answers all faults as long as it lives, and the kernel does after.
        unsafe { self.user.register(range) }
    }

    /// Answers a thread that waits for a page.
    pub(super) fn fault(&mut self, address: u64, stats: &Stats) {
        let page = address / page_bytes() * page_bytes();
        // Not beyond what is watched together: the port may be next.
        let (set, region) = self.regions.at(page).unwrap_or((0, page + page_bytes()));
        let plenty = self.supply(set).is_some_and(|supply| supply.has_many());
        let window = self.streams.window(page / page_bytes(), plenty);
        stats.faults.fetch_add(1, Ordering::Relaxed);
        let end = page.saturating_add(window.after * page_bytes()).min(region);
        let mut at = page;
        let stopped = loop {
            let (bytes, result) = self.place(at..end, stats);
            at += bytes;
            match result {
                Ok(()) if at < end => {}
                result => break result,
            }
        };
        if at > page || stopped == Err(Errno::EXIST) {
            let at = at.max(page + page_bytes());
            self.user.wake(page..at);
            self.streams.ends(at / page_bytes());
            if window.before > 0 {
                let start = self.place_below(page, window.before, stats);
                self.streams.begins(start / page_bytes());
            }
            return;
        }
        match (self.request.when_full, stopped) {
            // As where huge pages run out.
            (WhenFull::Strict, Err(Errno::NOMEM)) => {
                if self.user.poison(page..page + page_bytes()).is_err() {
                    self.user.wake(page..page + page_bytes());
                }
            }
            (_, Err(Errno::NOMEM)) => self.spill(page..end, stats),
            _ => self.spill(page..page + page_bytes(), stats),
        }
    }

    /// Places so many pages below one, as far as they are watched with it and missing side by side, once nobody waits for it
    /// any more. Returns where they begin.
    fn place_below(&mut self, page: u64, before: u64, stats: &Stats) -> u64 {
        let lowest = page.saturating_sub(before * page_bytes());
        if self.regions.at(lowest).map(|(_, end)| end) != self.regions.at(page).map(|(_, end)| end) {
            return page;
        }
        // All of them, or else, by halves, those above the last one that is present.
        let (mut low, mut top, mut at) = (lowest, page, lowest);
        while low < top {
            match self.place(at..top, stats) {
                (0, Err(Errno::EXIST)) => low = at + page_bytes(),
                (0, _) => break,
                (bytes, _) => {
                    // Nobody waits for these.
                    let _ = self.place_missing(at + bytes..top, stats);
                    top = at;
                }
            }
            at = low + (top.saturating_sub(low) / 2) / page_bytes() * page_bytes();
        }
        // Another thread may have come here meanwhile.
        self.user.wake(top..page);
        top
    }

    /// Places all pages of the range that are missing, until one cannot be.
    pub(super) fn place_missing(&mut self, range: Range<u64>, stats: &Stats) -> Result<(), Errno> {
        let mut at = range.start;
        while at < range.end {
            match self.place(at..range.end, stats) {
                (0, Err(Errno::EXIST)) => at += page_bytes(),
                (0, Err(error)) => return Err(error),
                (bytes, _) => at += bytes,
            }
        }
        Ok(())
    }

    /// Leaves missing pages to the kernel, which places them when they are written.
    fn spill(&self, range: Range<u64>, stats: &Stats) {
        let page = range.start..range.start + page_bytes();
        let (mut bytes, mut result) = self.user.zero(range);
        if bytes == 0 && result.is_err() {
            // A range that leaves its mapping is refused as a whole.
            (bytes, result) = self.user.zero(page.clone());
        }
        stats.spilled.fetch_add(bytes / page_bytes(), Ordering::Relaxed);
        if bytes == 0 && result.is_err() {
            // Present by now, or no longer watched: the thread looks again.
            self.user.wake(page);
        }
    }

    /// Places pages at the beginning of a range, one run of frames. Returns the bytes placed, and why not more.
    pub(super) fn place(&mut self, range: Range<u64>, stats: &Stats) -> (u64, Result<(), Errno>) {
        let (set, end) = self.regions.at(range.start).unwrap_or((0, range.start + page_bytes()));
        let pages = (range.end.min(end) - range.start) / page_bytes();
        let placed = stats.placed.load(Ordering::Relaxed);
        let Some(run) = self.supply(set).and_then(|supply| supply.next(pages, placed)) else {
            return (0, Err(Errno::NOMEM));
        };
        let mut bytes = run.end - run.start;
        let (mut moved, mut result) = self.move_pages(range.start, run.start, bytes);
        // A range that leaves its mapping is refused as a whole.
        while moved == 0 && result == Err(Errno::INVAL) && bytes > page_bytes() {
            bytes = (bytes / 2).next_multiple_of(page_bytes());
            (moved, result) = self.move_pages(range.start, run.start, bytes);
        }
        if moved == 0 && result == Err(Errno::INVAL) {
            (moved, result) = self.move_pages_alike(set, range.start, run.start..run.start + bytes);
        }
        self.frame_used(set, moved);
        stats.placed.fetch_add(moved / page_bytes(), Ordering::Relaxed);
        (moved, result)
    }

    /// Moves frames of the pool to memory that may be locked, executable, or only for writing: pages move only between memory
    /// that is locked and accessed alike.
    fn move_pages_alike(&mut self, set: u32, to: u64, run: Range<u64>) -> (u64, Result<(), Errno>) {
        let area = |this: &mut Self, change: &dyn Fn(&Area) -> Result<(), Errno>| {
            let area = this.supply(set).and_then(|supply| supply.pool.next_area());
            area.is_some_and(|area| change(area).is_ok())
        };
        let mut result = (0, Err(Errno::INVAL));
        for access in ACCESSES {
            let is_other = access != ACCESSES[0];
            if is_other && !area(self, &|area| area.access(run.clone(), access)) {
                break;
            }
            for locked in [true, false] {
                if result.0 == 0 && area(self, &|area| area.lock(run.clone(), locked)) {
                    result = self.move_pages(to, run.start, run.end - run.start);
                }
            }
            if is_other {
                // What stays is one mapping again.
                area(self, &|area| area.access(run.clone(), ACCESSES[0]));
            }
            if result.0 > 0 {
                break;
            }
        }
        result
    }

    pub(super) fn move_pages(&self, to: u64, from: u64, bytes: u64) -> (u64, Result<(), Errno>) {
        let mut moved = 0;
        for _ in 0..ATTEMPTS {
            // SAFETY: the pages at `from` are the pool's, which nobody reads.
            let (more, result) = unsafe { self.user.move_pages(to + moved, from + moved, bytes - moved) };
            moved += more;
            if moved == bytes {
                return (moved, result);
            }
            match result {
                // The address space is changing, or the kernel works on the frame: again.
                Err(Errno::AGAIN) => std::thread::yield_now(),
                // Linux 6.18 has been seen, while pages are compacted, to have moved a page and to say that something is
                // in its place: itself.
                Err(Errno::EXIST) if self.is_gone(from + moved) => {
                    moved += page_bytes();
                    if moved == bytes {
                        return (moved, Ok(()));
                    }
                }
                result => return (moved, result),
            }
        }
        (moved, Err(Errno::AGAIN))
    }

    /// Returns true if there is nothing at an address, not even a page that the kernel is moving to another frame.
    fn is_gone(&self, address: u64) -> bool {
        let mut page = [Page(0)];
        let read = self.map.read(address / page_bytes(), &mut page);
        read.is_ok_and(|read| read == 1) && !page[0].present() && !page[0].swapped()
    }

    fn supply(&mut self, set: u32) -> Option<&mut Supply> {
        self.supplies.get_mut(set as usize)
    }

    /// Returns true if the frame has a color of the set.
    pub(super) fn wants(&self, set: u32, frame: FrameNumber) -> bool {
        let supply = self.supplies.get(set as usize);
        supply.is_some_and(|supply| supply.pool.wants(frame))
    }

    /// Where the next frame of the set lies.
    pub(super) fn next_frame(&mut self, set: u32, stats: &Stats) -> Option<u64> {
        let placed = stats.placed.load(Ordering::Relaxed);
        Some(self.supply(set)?.next(1, placed)?.start)
    }

    /// So many bytes of what was next have been moved away.
    pub(super) fn frame_used(&mut self, set: u32, bytes: u64) {
        if let Some(supply) = self.supply(set).filter(|_| bytes > 0) {
            supply.pool.taken(bytes);
        }
    }
}
