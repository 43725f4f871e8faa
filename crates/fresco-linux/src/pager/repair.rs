// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages that have lost their colors. When a page is written that parent and child share since a fork, the kernel
//! copies it to a frame of its choice; compaction and balancing move pages. The pager looks for such pages a while after
//! each fork and ever more seldom after, and gives them frames of their colors.
//!
//! For that a page is moved away, copied and moved back. A thread that touches it meanwhile waits as for a missing page.
//! Nothing may fork, move or drop memory in between: it would not see the page. Whoever does takes the port's latch.

use super::{Pager, PagerPort, Stats};
use crate::proc::Page;
use crate::sys::{Area, page_bytes};
use rustix::io::Errno;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// From a fork to the first look.
const FIRST: Duration = Duration::from_millis(200);
/// Between looks at most.
const MOST: Duration = Duration::from_secs(10);
/// After a page that could not be had because somebody forks, moves or drops memory.
const LATER: Duration = Duration::from_millis(1);
/// For so long a page is tried to be put back, while the kernel says that it can later.
const LAST: Duration = Duration::from_secs(60);
/// Pages looked at between two looks at faults.
const STRIDE: usize = 512;

/// When to look, and where.
#[derive(Debug)]
pub(super) struct Repair {
    due: Option<Instant>,
    pause: Duration,
    /// The next address of a look that is under way.
    at: Option<u64>,
    /// When it goes on.
    resume: Instant,
    /// Where a page lies while it is copied.
    desk: Option<Area>,
}

impl Repair {
    pub(super) fn new() -> Self {
        Self {
            due: Some(Instant::now() + FIRST),
            pause: FIRST,
            at: None,
            resume: Instant::now(),
            desk: None,
        }
    }

    /// There has been a fork.
    pub(super) fn forked(&mut self) {
        let soon = Instant::now() + FIRST;
        self.pause = FIRST;
        self.due = Some(self.due.map_or(soon, |due| due.min(soon)));
    }

    /// How long there is nothing to do; `None` for ever.
    pub(super) fn idle(&self) -> Option<Duration> {
        if self.at.is_some() {
            return Some(self.resume.saturating_duration_since(Instant::now()));
        }
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

impl Pager {
    /// There has been a fork: pages are shared, and may be copied.
    pub fn forked(&mut self) {
        self.repair.forked();
    }

    /// Gives pages their colors that were touched before they were watched, by libraries that begin before this one: once a
    /// fork shares them, they are not to be moved until they are written.
    pub(super) fn mend_early(&mut self, port: &PagerPort, stats: &Stats) {
        let mut at = 0;
        while let Some((range, set)) = self.regions.from(at) {
            let present = self.map.first_present(range, STRIDE as u64);
            at = present.end;
            // What somebody is at work on is looked at again later.
            let _ = self.mend_range(present, set, port, stats);
        }
    }

    /// A part of a look, if one is due.
    pub(super) fn repair(&mut self, port: &PagerPort, stats: &Stats) {
        if self.repair.at.is_none() {
            if self.repair.due.is_none_or(|due| Instant::now() < due) {
                return;
            }
            self.repair.at = Some(0);
        }
        if Instant::now() < self.repair.resume {
            return;
        }
        let at = self.repair.at.unwrap_or(0);
        if let Some((range, set)) = self.regions.from(at) {
            let present = self.map.first_present(range, STRIDE as u64);
            let end = present.end;
            let stopped = self.mend_range(present, set, port, stats);
            self.repair.at = Some(stopped.unwrap_or(end));
            if stopped.is_some() {
                self.repair.resume = Instant::now() + LATER;
            }
            return;
        }
        // The look is over. Pages that are shared can still be copied, and any can be moved: again, ever more seldom.
        self.repair.at = None;
        self.repair.pause = (self.repair.pause * 2).min(MOST);
        self.repair.due = Some(Instant::now() + self.repair.pause);
    }

    /// Returns where it stopped because memory was not still.
    fn mend_range(&mut self, range: Range<u64>, set: u32, port: &PagerPort, stats: &Stats) -> Option<u64> {
        let mut pages = [Page(0); STRIDE];
        let wanted = ((range.end - range.start) / page_bytes()) as usize;
        let read = self.map.read(range.start / page_bytes(), &mut pages[..wanted]);
        for (page, address) in pages[..read.unwrap_or(0)]
            .iter()
            .zip((range.start..).step_by(page_bytes() as usize))
        {
            // Files and shared memory that have come here since are not ours.
            let Some(frame) = page
                .frame()
                .filter(|&frame| !page.of_file() && Some(frame) != self.zero)
            else {
                continue;
            };
            // Pages that are shared are not to be moved; nor are some others (locked, in use by a device).
            if !page.exclusive() || self.wants(set, frame) {
                continue;
            }
            match self.recolor(address, set, port, stats) {
                Ok(true) => drop(stats.mended.fetch_add(1, Ordering::Relaxed)),
                Ok(false) => return Some(address),
                // Locked, in use by a device, or gone.
                Err(_) => {}
            }
        }
        None
    }

    /// Gives the page at `address` a frame of its colors; false if memory is not still.
    fn recolor(&mut self, address: u64, set: u32, port: &PagerPort, stats: &Stats) -> Result<bool, Errno> {
        let run = self.next_frame(set, stats).ok_or(Errno::NOMEM)?;
        let desk = self.desk()?;
        if !port.latch().try_lock() {
            return Ok(false);
        }
        // A present page of memory that is watched exists already. What is not watched could not be put back.
        let watched = self.user.zero(address..address + page_bytes()).1 == Err(Errno::EXIST);
        let (moved, result) = match watched {
            true => self.move_pages(desk, address, page_bytes()),
            false => (0, Err(Errno::NOENT)),
        };
        if moved > 0 {
            // SAFETY: both pages are this thread's own: the one at `desk` was moved there above, that of the pool is
            // present and nobody reads it.
            unsafe { crate::sys::copy_page(desk, run) };
            self.put_back(address, run, desk, set);
            if let Some(area) = &self.repair.desk {
                let _ = area.release(desk..desk + page_bytes());
            }
        }
        port.latch().unlock();
        if moved > 0 {
            self.user.wake(address..address + page_bytes());
            return Ok(true);
        }
        result.map(|()| true)
    }

    /// Moves the frame in, or else the old one back, or, where the mapping has changed meanwhile, has the kernel copy the
    /// page: it must not be lost.
    fn put_back(&mut self, address: u64, run: u64, desk: u64, set: u32) {
        let (moved, _) = self.move_pages(address, run, page_bytes());
        // It holds the copy now: no page for anybody else.
        self.frame_used(set, page_bytes());
        if moved > 0 || self.move_pages(address, desk, page_bytes()).0 > 0 {
            return;
        }
        let start = Instant::now();
        while start.elapsed() < LAST {
            match self.user.copy(address, desk, page_bytes()) {
                Err(Errno::AGAIN | Errno::NOMEM) => std::thread::yield_now(),
                _ => return,
            }
        }
    }

    /// The address of the page where copies are made from.
    fn desk(&mut self) -> Result<u64, Errno> {
        if let Some(area) = &self.repair.desk {
            return Ok(area.start());
        }
        let area = Area::map(page_bytes(), page_bytes())?;
        area.keep_private()?;
        self.watch(area.range())?;
        let start = area.start();
        self.repair.desk = Some(area);
        Ok(start)
    }
}
