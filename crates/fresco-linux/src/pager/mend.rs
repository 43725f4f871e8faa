// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages that have lost their colours. When a page is written that parent and child share since a fork, the kernel
//! copies it to a frame of its choice; compaction and balancing move pages. The pager looks for such pages a while after
//! each fork and ever more seldom after, and gives them frames of their colours.
//!
//! For that a page is moved away, copied and moved back. A thread that touches it meanwhile waits as for a missing page.
//! Nothing may fork, move or drop memory in between: it would not see the page. Whoever does takes the door's latch.

use super::{Door, Pager, Stats};
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
/// Pages looked at between two looks at faults.
const STRIDE: usize = 512;

/// When to look, and where.
#[derive(Debug)]
pub(super) struct Mending {
    due: Option<Instant>,
    pause: Duration,
    /// The next address of a look that is under way.
    at: Option<u64>,
    /// Where a page lies while it is copied.
    desk: Option<Area>,
}

impl Mending {
    pub(super) fn new() -> Self {
        Self {
            due: Some(Instant::now() + FIRST),
            pause: FIRST,
            at: None,
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
            return Some(Duration::ZERO);
        }
        self.due.map(|due| due.saturating_duration_since(Instant::now()))
    }
}

impl Pager {
    /// There has been a fork: pages are shared, and may be copied.
    pub fn forked(&mut self) {
        self.mending.forked();
    }

    /// A part of a look, if one is due.
    pub(super) fn mend(&mut self, door: &Door, stats: &Stats) {
        if self.mending.at.is_none() {
            if self.mending.due.is_none_or(|due| Instant::now() < due) {
                return;
            }
            self.mending.at = Some(0);
        }
        let at = self.mending.at.unwrap_or(0);
        if let Some((range, set)) = self.regions.from(at) {
            let present = self.map.first_present(range, STRIDE as u64);
            self.mending.at = Some(present.end);
            self.mend_range(present, set, door, stats);
            return;
        }
        // The look is over. Pages that are shared can still be copied, and any can be moved: again, ever more seldom.
        self.mending.at = None;
        self.mending.pause = (self.mending.pause * 2).min(MOST);
        self.mending.due = Some(Instant::now() + self.mending.pause);
    }

    fn mend_range(&mut self, range: Range<u64>, set: u32, door: &Door, stats: &Stats) {
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
            if page.exclusive() && !self.wants(set, frame) && self.recolor(address, set, door, stats).is_ok() {
                stats.mended.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Gives the page at `address` a frame of its colours.
    fn recolor(&mut self, address: u64, set: u32, door: &Door, stats: &Stats) -> Result<(), Errno> {
        let run = self.next_frame(set, stats).ok_or(Errno::NOMEM)?;
        let desk = self.desk()?;
        // A fork is under way: later.
        if !door.latch().try_lock() {
            return Err(Errno::AGAIN);
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
            if let Some(area) = &self.mending.desk {
                let _ = area.release(desk..desk + page_bytes());
            }
        }
        door.latch().unlock();
        if moved > 0 {
            self.user.wake(address..address + page_bytes());
            return Ok(());
        }
        result
    }

    /// Moves the frame in, or, where the mapping has changed meanwhile, has the kernel copy the page: it must not be lost.
    fn put_back(&mut self, address: u64, run: u64, desk: u64, set: u32) {
        let (moved, _) = self.move_pages(address, run, page_bytes());
        self.frame_used(set, moved);
        if moved == 0 {
            for _ in 0..1000 {
                match self.user.copy(address, desk, page_bytes()) {
                    Err(Errno::AGAIN) => std::thread::yield_now(),
                    _ => break,
                }
            }
        }
    }

    /// The address of the page where copies are made from.
    fn desk(&mut self) -> Result<u64, Errno> {
        if let Some(area) = &self.mending.desk {
            return Ok(area.start());
        }
        let area = Area::map(page_bytes(), page_bytes())?;
        area.keep_private()?;
        self.watch(area.range())?;
        let start = area.start();
        self.mending.desk = Some(area);
        Ok(start)
    }
}
