// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the pager does all the time: answers faults and orders, searches and mends while nobody asks.

use super::{Order, Pager, PagerPort, Sets, Stats};
use crate::proc::{PROC, anonymous_mappings, available_bytes};
use crate::sys::{Fault, Privileges, page_bytes};
use rustix::io::Errno;
use rustix::stdio::stderr;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Where searches hold so many bytes, it is looked so often whether the machine has as much left.
const MUCH: u64 = 256 << 20;
const LOOK: Duration = Duration::from_millis(200);

impl Pager {
    /// Answers faults and orders; gives memory back when there are none for a while.
    ///
    /// # Errors
    /// The descriptor is of no use any more, or nobody is left to be served.
    pub fn serve(&mut self, port: &PagerPort, stats: &Stats) -> Result<(), Errno> {
        let mut faults = [Fault(0); 16];
        let mut count = 0;
        let timeout = self
            .repair
            .idle()
            .into_iter()
            .chain(self.hungry.then_some(Duration::ZERO))
            .chain(self.kept_for())
            .chain(self.liveness.idle())
            .min();
        self.user.wait(timeout, |fault| {
            faults[count] = fault;
            count += 1;
        })?;
        for &Fault(address) in &faults[..count] {
            if port.page().contains(&address) {
                let (order, range, set) = port.order();
                port.answer(self.obey(order, range, set, port, stats));
                // A page that is present already wakes as well.
                if self.user.zero(port.page()).1.is_err() {
                    self.user.wake(port.page());
                }
            } else {
                self.fault(address, stats);
            }
        }
        let placed = stats.placed.load(Ordering::Relaxed);
        if count > 0 {
            self.hungry = self.supplies.iter().any(|supply| supply.runs_low(placed));
        } else if self.hungry {
            // The program computes meanwhile.
            self.supplies.iter_mut().for_each(|supply| supply.search_ahead(placed));
            self.hungry = false;
        }
        self.give_back();
        self.repair(port, stats);
        if self.liveness.is_over(port.last()) {
            match port.last() {
                // The process ends with this thread.
                0 => return Err(Errno::SRCH),
                // It ends as programs do, whose last thread ends: with what they do at exit.
                _ => port.end(),
            }
        }
        let scanned = self.supplies.iter().map(|supply| supply.pool.scanned()).sum();
        stats.scanned.store(scanned, Ordering::Relaxed);
        Ok(())
    }

    fn obey(
        &mut self,
        order: Order,
        range: Range<u64>,
        set: u32,
        port: &PagerPort,
        stats: &Stats,
    ) -> Result<(), Errno> {
        match order {
            Order::Watch => self.cover(range, set, port.sets()),
            Order::WatchIfAnonymous => self.cover_moved(&range, set, port.sets()),
            Order::Fill => self.fill(range, set, stats),
            Order::Repair => {
                self.repair.forked();
                Ok(())
            }
            Order::Tell if !self.has_stderr => Err(Errno::BADF),
            Order::Tell => rustix::io::write(stderr(), port.text()).map(drop),
            Order::FirstLeaves => {
                self.liveness.first_leaves();
                Ok(())
            }
            Order::Limit => Privileges::of_words(range, set).limit_this_thread(),
        }
    }

    /// Watches what of a range is private anonymous memory, which has been moved there.
    ///
    /// Linux merges it with a mapping beside it that is watched and like it, and then watches none of the two any more. So what
    /// is known to be watched of the whole mapping is watched again.
    fn cover_moved(&mut self, range: &Range<u64>, set: u32, sets: &Sets) -> Result<(), Errno> {
        for whole in anonymous_mappings(range) {
            self.cover(whole.start.max(range.start)..whole.end.min(range.end), set, sets)?;
            let mut at = whole.start;
            while let Some((known, _)) = self.regions.from(at).filter(|(known, _)| known.start < whole.end) {
                at = known.end;
                self.watch(known.start..known.end.min(whole.end))?;
            }
        }
        Ok(())
    }

    /// Time until it is to be looked whether frames of other colors are to be given back; `None` if there are none.
    fn kept_for(&self) -> Option<Duration> {
        let idle = self.supplies.iter().filter_map(|supply| supply.pool.idle()).min()?;
        Some(match self.held() > MUCH {
            true => idle.min(LOOK.saturating_sub(self.looked.elapsed())),
            false => idle,
        })
    }

    /// Gives back frames of other colors: those for which no search has come for long enough, or all of them where the machine,
    /// or the control group, has less left than they are.
    fn give_back(&mut self) {
        if self.supplies.iter().all(|supply| supply.pool.idle().is_none()) {
            return;
        }
        let held = self.held();
        let mut short = false;
        if held > MUCH && self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            short = available_bytes(Path::new(PROC)).is_some_and(|left| left < held);
        }
        for supply in &mut self.supplies {
            // One that is looking for what was promised may hold more: it would look for ever.
            if short && !supply.is_keeping_promise() || supply.pool.idle() == Some(Duration::ZERO) {
                supply.pool.trim();
            }
        }
    }

    /// Bytes that searches hold.
    fn held(&self) -> u64 {
        self.supplies.iter().map(|supply| supply.pool.held()).sum()
    }

    /// Places all missing pages of the range, or says that it cannot, or that it is to be asked again.
    fn fill(&mut self, range: Range<u64>, set: u32, stats: &Stats) -> Result<(), Errno> {
        let missing = self.missing(&range);
        if let Some(supply) = self.supplies.get_mut(set as usize) {
            let kept = supply.keep_promise(missing);
            stats.search.tell(&supply.pool, kept);
            kept?;
        }
        let placed = self.place_missing(range, stats);
        // An address space that keeps changing is no reason to be asked again for ever.
        placed.map_err(|error| if error == Errno::AGAIN { Errno::BUSY } else { error })
    }

    /// Pages of the range that are not in memory.
    fn missing(&self, range: &Range<u64>) -> u64 {
        let (mut at, mut present) = (range.start, 0);
        while at < range.end {
            let found = self.map.first_present(at..range.end, u64::MAX / page_bytes());
            present += (found.end - found.start) / page_bytes();
            at = found.end;
        }
        (range.end - range.start) / page_bytes() - present
    }
}
