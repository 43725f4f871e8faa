// SPDX-License-Identifier: MIT OR Apache-2.0
//! How other threads reach the pager: they leave an order and touch a missing page, and sleep until it is answered.
//!
//! The pager has to watch missing pages anyway; and a program that closes file descriptors it does not know, as daemons
//! do, cannot break this door.

use crate::sys::{Area, page_bytes};
use rustix::io::Errno;
use rustix::thread::futex;
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
}

/// There is no pager: in a child, or when it could not start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPager;

/// The door. One order at a time.
#[derive(Debug)]
pub struct Door {
    page: Area,
    locked: AtomicU32,
    order: AtomicU32,
    start: AtomicU64,
    end: AtomicU64,
    answer: AtomicU32,
}

impl Door {
    /// A door that nobody watches yet.
    ///
    /// # Errors
    /// No room in the address space.
    pub fn new() -> Result<Self, Errno> {
        Ok(Self {
            page: Area::map(page_bytes(), page_bytes())?,
            locked: AtomicU32::new(0),
            order: AtomicU32::new(0),
            start: AtomicU64::new(0),
            end: AtomicU64::new(0),
            answer: AtomicU32::new(UNANSWERED),
        })
    }

    /// Addresses of the page to be touched.
    pub fn page(&self) -> Range<u64> {
        self.page.range()
    }

    /// Gives an order and waits for what came of it.
    ///
    /// # Errors
    /// Outside, there is no pager; inside, it could not do it.
    pub fn ask(&self, order: Order, range: Range<u64>) -> Result<Result<(), Errno>, NoPager> {
        self.lock();
        self.order.store(order as u32, Ordering::Relaxed);
        self.start.store(range.start, Ordering::Relaxed);
        self.end.store(range.end, Ordering::Relaxed);
        self.answer.store(UNANSWERED, Ordering::Release);
        // Present from the last order, or because the program locks all its memory. If it stays, no pager is found.
        let _ = self.page.release(self.page());
        let page = with_exposed_provenance::<u8>(self.page.start() as usize);
        // SAFETY: the page is our own mapping, readable as long as the door lives.
        unsafe { page.read_volatile() };
        let answer = self.answer.load(Ordering::Acquire);
        self.unlock();
        match answer {
            UNANSWERED => Err(NoPager),
            0 => Ok(Ok(())),
            code => Ok(Err(Errno::from_raw_os_error(code.cast_signed()))),
        }
    }

    /// The order that waits, for the pager.
    pub(super) fn order(&self) -> (Order, Range<u64>) {
        let order = match self.order.load(Ordering::Acquire) {
            0 => Order::Watch,
            1 => Order::WatchIfAnonymous,
            _ => Order::Fill,
        };
        (
            order,
            self.start.load(Ordering::Relaxed)..self.end.load(Ordering::Relaxed),
        )
    }

    /// What came of it; the one who waits has yet to be woken.
    pub(super) fn answer(&self, result: Result<(), Errno>) {
        let code = result.map_or_else(|error| error.raw_os_error().cast_unsigned(), |()| 0);
        self.answer.store(code, Ordering::Release);
    }

    /// In a child there is one thread, and the lock is free, whoever held it in the parent.
    pub fn reset(&self) {
        self.locked.store(0, Ordering::Relaxed);
    }

    fn lock(&self) {
        // 0 free, 1 locked, 2 locked and waited for.
        if self
            .locked
            .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
        {
            return;
        }
        while self.locked.swap(2, Ordering::Acquire) != 0 {
            // Woken, interrupted or too late: look again in any case.
            let _ = futex::wait(&self.locked, futex::Flags::PRIVATE, 2, None);
        }
    }

    fn unlock(&self) {
        if self.locked.swap(0, Ordering::Release) == 2 {
            // It fails for bad addresses only.
            let _ = futex::wake(&self.locked, futex::Flags::PRIVATE, 1);
        }
    }
}
