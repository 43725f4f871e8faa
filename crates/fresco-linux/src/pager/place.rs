// SPDX-License-Identifier: MIT OR Apache-2.0
//! Placing pages.

use super::stream::Streams;
use super::{Door, Order, Stats};
use crate::colors::{Request, WhenFull};
use crate::pool::Pool;
use crate::proc::{Kind, Mapping, PageMap};
use crate::sys::{Fault, Userfault, page_bytes, zero_frame};
use rustix::io::Errno;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A search looks for at least so many pages, or for this share of those placed so far if that is more: the frames that
/// an earlier search gave back come first in a later one, so searches have to be few.
const LEAST_SEARCH: u64 = 64;
const SEARCH_SHARE: u64 = 8;
/// After a search in vain, so many faults go without one; twice as many after each further one, up to a limit.
const PATIENCE: u64 = 256;
const MOST_PATIENCE: u64 = 1 << 16;
/// Attempts to move a page while the address space changes.
const ATTEMPTS: u32 = 1000;
/// Without a fault for so long, frames of other colours are given back.
const IDLE: Duration = Duration::from_millis(50);

/// Why there can be no pager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `userfaultfd` is not to be had, or cannot move pages.
    Userfault(Errno),
    /// Frame numbers cannot be seen.
    Hidden,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Userfault(Errno::PERM | Errno::ACCESS) => {
                f.write_str("userfaultfd is not permitted (it needs CAP_SYS_PTRACE; containers forbid it)")
            }
            Self::Userfault(Errno::NOSYS) => f.write_str("the kernel has no userfaultfd"),
            Self::Userfault(Errno::INVAL) => {
                f.write_str("the kernel cannot move pages: UFFDIO_MOVE is supported from Linux 6.8 on")
            }
            Self::Userfault(error) => write!(f, "userfaultfd: {error}"),
            Self::Hidden => f.write_str("/proc/self/pagemap shows no frame numbers (that needs CAP_SYS_ADMIN)"),
        }
    }
}

/// What placing pages needs.
#[derive(Debug)]
pub struct Pager {
    user: Userfault,
    pool: Pool,
    streams: Streams,
    when_full: WhenFull,
    /// Faults to go before the next search.
    patience: u64,
    /// What it was after the last search in vain.
    last_patience: u64,
}

impl Pager {
    /// A pager that watches nothing yet.
    ///
    /// # Errors
    /// What the kernel or the lack of a privilege denies.
    pub fn new(request: &Request) -> Result<Self, Refusal> {
        let user = Userfault::open().map_err(Refusal::Userfault)?;
        let map = PageMap::of_self().map_err(|_| Refusal::Hidden)?;
        zero_frame().ok_or(Refusal::Hidden)?;
        let mut pool = Pool::new(request.filter(), map, request.search_bytes);
        pool.search(request.pool_bytes / page_bytes());
        Ok(Self {
            user,
            pool,
            streams: Streams::default(),
            when_full: request.when_full,
            patience: 0,
            last_patience: 0,
        })
    }

    /// Watches missing pages of the range, the door's or a program's.
    ///
    /// # Errors
    /// As of [`Userfault::register`].
    pub fn watch(&self, range: Range<u64>) -> Result<(), Errno> {
        // SAFETY: whoever gives ranges to a pager has just mapped them, private and anonymous, or has looked them up;
        // a pager answers all faults as long as it lives, and the kernel does after.
        unsafe { self.user.register(range) }
    }

    /// Answers faults and orders; gives memory back when there are none for a while.
    ///
    /// # Errors
    /// The descriptor is of no use any more.
    pub fn serve(&mut self, door: &Door, stats: &Stats) -> Result<(), Errno> {
        let mut faults = [Fault(0); 16];
        let mut count = 0;
        let timeout = Some(IDLE);
        self.user.wait(timeout, |fault| {
            faults[count] = fault;
            count += 1;
        })?;
        for &Fault(address) in &faults[..count] {
            if door.page().contains(&address) {
                let (order, range) = door.order();
                door.answer(self.obey(order, range, stats));
                // A page that is present already wakes as well.
                if self.user.zero(door.page()).1.is_err() {
                    self.user.wake(door.page());
                }
            } else {
                self.fault(address, stats);
            }
        }
        if count == 0 {
            self.pool.trim();
        }
        stats.scanned.store(self.pool.scanned(), Ordering::Relaxed);
        Ok(())
    }

    fn obey(&mut self, order: Order, range: Range<u64>, stats: &Stats) -> Result<(), Errno> {
        match order {
            Order::Watch => self.watch(range),
            Order::WatchIfAnonymous => anonymous_parts(&range)
                .into_iter()
                .try_for_each(|part| self.watch(part)),
            Order::Fill => self.fill(range, stats),
        }
    }

    /// Places all missing pages of the range, or says that it cannot.
    fn fill(&mut self, range: Range<u64>, stats: &Stats) -> Result<(), Errno> {
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

    /// Answers a thread that waits for a page.
    fn fault(&mut self, address: u64, stats: &Stats) {
        let page = address / page_bytes() * page_bytes();
        let most = self.streams.window(page / page_bytes()) * page_bytes();
        stats.faults.fetch_add(1, Ordering::Relaxed);
        let mut at = page;
        let end = page.saturating_add(most);
        let stopped = loop {
            let (bytes, result) = self.place(at..end, stats);
            at += bytes;
            match result {
                Ok(()) if at < end => {}
                result => break result,
            }
        };
        if at > page || stopped == Err(Errno::EXIST) {
            self.user.wake(page..at.max(page + page_bytes()));
            return;
        }
        match (self.when_full, stopped) {
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
    fn place(&mut self, range: Range<u64>, stats: &Stats) -> (u64, Result<(), Errno>) {
        let pages = (range.end - range.start) / page_bytes();
        if self.pool.pages() == 0 && !self.refill(pages, stats.placed.load(Ordering::Relaxed)) {
            return (0, Err(Errno::NOMEM));
        }
        let Some(run) = self.pool.next(pages) else {
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
            // Pages move only between memory that is locked alike.
            for locked in [true, false] {
                let area = self.pool.next_area();
                if area.is_some_and(|area| area.lock(run.start..run.start + bytes, locked).is_ok()) {
                    (moved, result) = self.move_pages(range.start, run.start, bytes);
                }
                if moved > 0 {
                    break;
                }
            }
        }
        self.pool.taken(moved);
        stats.placed.fetch_add(moved / page_bytes(), Ordering::Relaxed);
        (moved, result)
    }

    fn move_pages(&self, to: u64, from: u64, bytes: u64) -> (u64, Result<(), Errno>) {
        let mut moved = 0;
        for _ in 0..ATTEMPTS {
            // SAFETY: the pages at `from` are the pool's, which nobody reads.
            let (more, result) = unsafe { self.user.move_pages(to + moved, from + moved, bytes - moved) };
            moved += more;
            // The address space is changing, or the kernel works on the frame: again.
            if moved == bytes || result != Err(Errno::AGAIN) {
                return (moved, result);
            }
            std::thread::yield_now();
        }
        (moved, Err(Errno::AGAIN))
    }

    /// Looks for frames, unless the last search was in vain a short while ago.
    fn refill(&mut self, pages: u64, placed: u64) -> bool {
        if self.patience > 0 {
            self.patience -= 1;
            return false;
        }
        self.pool.search(pages.max(LEAST_SEARCH).max(placed / SEARCH_SHARE));
        self.last_patience = match self.pool.pages() {
            0 => (self.last_patience * 2).clamp(PATIENCE, MOST_PATIENCE),
            _ => 0,
        };
        self.patience = self.last_patience;
        self.pool.pages() > 0
    }
}

/// The private anonymous mappings within a range of the calling process.
pub(super) fn anonymous_parts(range: &Range<u64>) -> Vec<Range<u64>> {
    let text = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    text.lines()
        .filter_map(Mapping::parse)
        .filter(|mapping| mapping.kind == Kind::Anonymous)
        .map(|mapping| mapping.start.max(range.start)..mapping.end.min(range.end))
        .filter(|part| !part.is_empty())
        .collect()
}
