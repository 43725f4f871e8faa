// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told on standard error: bad news, and at the end what was placed where.

use crate::state;
use fresco_linux::colors::Request;
use fresco_linux::pool::Short;
use rustix::fd::OwnedFd;
use rustix::io::fcntl_dupfd_cloexec;
use rustix::param::page_size;
use rustix::stdio::stderr;
use std::fmt::Arguments;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Standard error as it was at the beginning: many programs close it before they end. At a number that programs do not
/// count on.
static KEPT: Mutex<Option<OwnedFd>> = Mutex::new(None);
const NUMBER: i32 = 200;

/// Keeps standard error open.
pub fn keep_stream() {
    if let (Ok(copy), Ok(mut kept)) = (fcntl_dupfd_cloexec(stderr(), NUMBER), KEPT.try_lock()) {
        *kept = Some(copy);
    }
}

/// In a child: keeps it open no longer. Who reads a pipe to its end would otherwise wait for a daemon that closed it.
pub fn let_stream_go() {
    // Nobody else runs; where another thread of the parent had the lock, the copy stays.
    if let Ok(mut kept) = KEPT.try_lock() {
        *kept = None;
    }
}

/// Tells something about this process.
pub fn tell(message: Arguments) {
    let name = rustix::thread::name().unwrap_or_default();
    let pid = rustix::process::getpid().as_raw_nonzero();
    let line = format!("fresco: {}[{pid}]: {message}\n", name.to_string_lossy());
    // Closed or full, the line is lost.
    let _ = match KEPT.try_lock().as_deref() {
        Ok(Some(kept)) => rustix::io::write(kept, line.as_bytes()),
        _ => rustix::io::write(stderr(), line.as_bytes()),
    };
}

/// Tells how far the pool has been collected, or why it could not be.
pub fn tell_pool(request: &Request, short: Option<Short>) {
    let mebibytes = |pages: &AtomicU64| (pages.load(Ordering::Relaxed) * page_size() as u64) >> 20;
    let stats = state::stats();
    let why = match short {
        None => "and is still at it".to_owned(),
        Some(Short::Held(bytes)) => format!(
            "and may hold no more than {} MiB; --search sets how much; the rest is searched for when it is needed",
            bytes >> 20
        ),
        Some(Short::Memory) => "and the kernel gave no more memory".to_owned(),
        Some(Short::Time) => "and took too long".to_owned(),
    };
    tell(format_args!(
        "--pool: wanted {} MiB, found {} MiB: the search has looked at {} MiB {why}",
        request.pool_bytes >> 20,
        mebibytes(&stats.collected),
        mebibytes(&stats.scanned),
    ));
}

#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

/// Runs when the program exits.
extern "C" fn end() {
    let Some(shared) = state::shared().filter(|_| state::is_colored()) else {
        return;
    };
    let stats = state::stats();
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let spilled = count(&stats.spilled);
    let mended = count(&stats.mended);
    if mended > 0 && shared.request.stats {
        tell(format_args!(
            "{mended} pages had other colours, by forks, by moves of the kernel or for want of frames, and were given theirs"
        ));
    }
    if shared.request.stats {
        let seconds = |microseconds: &AtomicU64| count(microseconds) as f64 / 1e6;
        tell(format_args!(
            "{:.6} s of set-up before the program, {:.6} s of processor time",
            seconds(&stats.set_up),
            seconds(&stats.set_up_processor),
        ));
    }
    if spilled > 0 || shared.request.stats {
        tell(format_args!(
            "{} pages placed in the colours asked for, {spilled} left to the kernel; {} faults answered, {} frames looked at",
            count(&stats.placed),
            count(&stats.faults),
            count(&stats.scanned),
        ));
    }
}
