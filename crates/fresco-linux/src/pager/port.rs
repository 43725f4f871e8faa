// SPDX-License-Identifier: MIT OR Apache-2.0
//! How other threads reach the pager: they leave an order and touch a missing page, and sleep until it is answered.
//!
//! The pager has to watch missing pages anyway; and a program that closes file descriptors it does not know, as daemons
//! do, cannot break this port.

use super::{Latch, Sets};
use crate::sys::{Area, page_bytes};
use rustix::io::Errno;
use rustix::thread::gettid;
use std::ops::Range;
use std::ptr::with_exposed_provenance;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const UNANSWERED: u32 = u32::MAX;

/// What the pager is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Watch missing pages of the range, which is private anonymous memory.
    Watch,
    /// The same, where the range is that, which is to be found out first.
    WatchIfAnonymous,
    /// Place all missing pages of the range now.
    Fill,
    /// There has been a fork: look after pages that were copied.
    Repair,
    /// Write the text that lies in the range to standard error as it was when the pager began.
    Tell,
    /// The first thread of the process is about to end.
    FirstLeaves,
    /// Have no more privileges than the thread that asks: the words of [`Privileges`](super::Privileges).
    Limit,
}

/// There is no pager: in a child, or when it could not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPager;

/// The port. One order at a time.
#[derive(Debug)]
pub struct PagerPort {
    page: Area,
    asking: Latch,
    still: Latch,
    sets: Sets,
    order: AtomicU32,
    set: AtomicU32,
    start: AtomicU64,
    end: AtomicU64,
    answer: AtomicU32,
    /// A thread that waits until no other of the program's is left; 0 without one.
    last: AtomicU32,
    over: Latch,
}

impl PagerPort {
    /// A port that nobody watches yet.
    ///
    /// # Errors
    /// No room in the address space.
    pub fn new() -> Result<Self, Errno> {
        Ok(Self {
            page: Area::map(page_bytes(), page_bytes())?,
            asking: Latch::new(),
            still: Latch::new(),
            sets: Sets::new(),
            order: AtomicU32::new(0),
            set: AtomicU32::new(0),
            start: AtomicU64::new(0),
            end: AtomicU64::new(0),
            answer: AtomicU32::new(UNANSWERED),
            last: AtomicU32::new(0),
            over: Latch::new(),
        })
    }

    /// Addresses of the page to be touched.
    pub fn page(&self) -> Range<u64> {
        self.page.range()
    }

    /// Held by whoever forks or moves mappings, and by the pager while a page is not in its place.
    pub fn latch(&self) -> &Latch {
        &self.still
    }

    /// The sets of colors of the process's threads.
    pub fn sets(&self) -> &Sets {
        &self.sets
    }

    /// Gives an order for memory of the set `set` of colors, and waits for what came of it.
    ///
    /// # Errors
    /// Outside, there is no pager; inside, it could not do it.
    pub fn ask(&self, order: Order, range: Range<u64>, set: u32) -> Result<Result<(), Errno>, NoPager> {
        self.asking.lock();
        self.order.store(order as u32, Ordering::Relaxed);
        self.set.store(set, Ordering::Relaxed);
        self.start.store(range.start, Ordering::Relaxed);
        self.end.store(range.end, Ordering::Relaxed);
        self.answer.store(UNANSWERED, Ordering::Release);
        // Present from the last order, or because the program locks all its memory. If it stays, no pager is found.
        let _ = self.page.release(self.page());
        let page = with_exposed_provenance::<u8>(self.page.start() as usize);
        // SAFETY: the page is our own mapping, readable as long as the port lives.
        unsafe { page.read_volatile() };
        let answer = self.answer.load(Ordering::Acquire);
        self.asking.unlock();
        match answer {
            UNANSWERED => Err(NoPager),
            0 => Ok(Ok(())),
            code => Ok(Err(Errno::from_raw_os_error(code.cast_signed()))),
        }
    }

    /// Has the pager write a text to standard error as it was when the pager began, whatever the program has made of its own.
    ///
    /// # Errors
    /// As of [`PagerPort::ask`].
    pub fn tell(&self, text: &[u8]) -> Result<Result<(), Errno>, NoPager> {
        let start = text.as_ptr().expose_provenance() as u64;
        self.ask(Order::Tell, start..start + text.len() as u64, 0)
    }

    /// Keeps the calling thread until the pager and it are the only ones left, or for ever.
    pub fn wait_for_the_end(&self) {
        self.over.lock();
        self.last
            .store(gettid().as_raw_nonzero().get().cast_unsigned(), Ordering::Release);
        self.over.lock();
    }

    /// Who waits for the end, or 0.
    pub(super) fn last(&self) -> u32 {
        self.last.load(Ordering::Acquire)
    }

    /// Lets it go on.
    pub(super) fn end(&self) {
        self.over.unlock();
    }

    /// The text of [`Order::Tell`].
    pub(super) fn text(&self) -> &[u8] {
        let (_, range, _) = self.order();
        let start = with_exposed_provenance::<u8>(range.start as usize);
        // SAFETY: the range is a slice of whoever gave the order, who waits in `tell` until it is answered.
        unsafe { std::slice::from_raw_parts(start, (range.end - range.start) as usize) }
    }

    /// The order that waits, for the pager.
    pub(super) fn order(&self) -> (Order, Range<u64>, u32) {
        let order = match self.order.load(Ordering::Acquire) {
            0 => Order::Watch,
            1 => Order::WatchIfAnonymous,
            2 => Order::Fill,
            3 => Order::Repair,
            4 => Order::Tell,
            5 => Order::FirstLeaves,
            _ => Order::Limit,
        };
        (
            order,
            self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed),
            self.set.load(Ordering::Relaxed),
        )
    }

    /// What came of it; the one who waits has yet to be woken.
    pub(super) fn answer(&self, result: Result<(), Errno>) {
        let code = result.map_or_else(|error| error.raw_os_error().cast_unsigned(), |()| 0);
        self.answer.store(code, Ordering::Release);
    }

    /// In a child there is one thread, and locks are free, whoever held them in the parent.
    pub fn reset(&self) {
        self.asking.reset();
        self.still.reset();
        self.sets.reset();
        self.last.store(0, Ordering::Relaxed);
        self.over.reset();
    }
}
