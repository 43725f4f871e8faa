// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is told on standard error: bad news, and at the end what was placed where.

use crate::{state, threads, totals};
use fresco_linux::colors::Request;
use fresco_linux::pager::PagerRefusal;
use fresco_linux::pool::Short;
use fresco_linux::proc::{Headroom, PROC, allows_file, available_bytes};
use fresco_linux::totals::{Totals, pages};
use rustix::fs::{FileType, fstat};
use rustix::io::Errno;
use rustix::param::page_size;
use rustix::stdio::stderr;
use std::ffi::CStr;
use std::fmt::Arguments;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Device and number of the file that standard error was at the beginning; 0 without one.
static BEGAN: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Stands in the environment of what a process starts that has told why it has no colors.
const TOLD: &CStr = c"FRESCO_TOLD";

fn own_stream() -> [u64; 2] {
    fstat(stderr()).map_or([0; 2], |about| [about.st_dev, about.st_ino])
}

/// Remembers what standard error is. Programs close it, and may open something else in its place.
pub fn remember_stream() {
    for (began, is) in BEGAN.iter().zip(own_stream()) {
        began.store(is, Ordering::Relaxed);
    }
}

/// Writes to standard error as it was at the beginning: the pager does, which has its own table of descriptors; without one,
/// if it is still the same file.
fn write(line: &[u8]) {
    let by_pager = state::shared().filter(|_| state::is_colored());
    match by_pager.map(|shared| shared.port.tell(line)) {
        // It has none in a child.
        Some(Ok(Err(Errno::BADF)) | Err(_)) | None => {}
        // Nobody reads it: that is not the program's affair.
        Some(Ok(_)) => return,
    }
    let own = own_stream();
    let is_same = own
        .iter()
        .zip(&BEGAN)
        .all(|(is, began)| began.load(Ordering::Relaxed) == *is);
    if own != [0; 2] && is_same && may_grow(line.len()) {
        // Full, the line is lost.
        let _ = rustix::io::write(stderr(), line);
    }
}

/// Returns true if standard error takes so many bytes more: a file may be no longer than a limit of the process, which kills.
fn may_grow(bytes: usize) -> bool {
    fstat(stderr()).is_ok_and(|about| {
        let is_file = FileType::from_raw_mode(about.st_mode) == FileType::RegularFile;
        !is_file || allows_file(about.st_size.cast_unsigned() + bytes as u64)
    })
}

/// Tells something about this process.
pub fn tell(message: Arguments) {
    write(line(message).as_bytes());
}

/// A line about this process.
pub fn line(message: Arguments) -> String {
    let name = rustix::thread::name().unwrap_or_default();
    let pid = rustix::process::getpid().as_raw_nonzero();
    format!("fresco: {}[{pid}]: {message}\n", name.to_string_lossy())
}

/// Tells why this process has no colors, unless a program that started this one has told so already: who drops
/// privileges often starts many.
pub fn tell_refusal(refusal: PagerRefusal, forked: bool) {
    // SAFETY: before the program's own code there is one thread, and in a child one is left.
    if !unsafe { libc::getenv(TOLD.as_ptr()) }.is_null() {
        return;
    }
    tell(format_args!("memory is not colored: {refusal}"));
    // In a child another thread of the parent may have had the environment's lock.
    if !forked {
        // SAFETY: before the program's own code there is one thread. Without memory it is not set, and told once more.
        unsafe { libc::setenv(TOLD.as_ptr(), c"1".as_ptr(), 1) };
    }
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
        Some(Short::Hopeless { .. }) => String::new(),
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

/// Colors that the calling thread is promised.
fn promised(request: &Request) -> String {
    let shared = state::shared().and_then(|shared| shared.port.sets().get(threads::set()));
    shared.unwrap_or(&request.asked).to_string()
}

/// Tells how far the search is for so many bytes that are promised at once.
pub fn tell_search(bytes: u64) {
    let Some(shared) = state::shared() else { return };
    let search = &state::stats().search;
    let [found, held] = [&search.found, &search.held].map(|bytes| size(bytes.load(Ordering::Relaxed)));
    tell(format_args!(
        "--strict: looking for {} of the colors {}: found {found} so far, and holds {held} to find them",
        size(bytes),
        promised(&shared.request),
    ));
}

/// Tells why so many bytes that were to be promised at once are refused, and what would help.
pub fn tell_refused(bytes: u64) {
    let Some(shared) = state::shared() else { return };
    let search = &state::stats().search;
    let [found, limit, likely] = [&search.found, &search.limit, &search.likely];
    let [found, limit, likely] = [found, limit, likely].map(|bytes| bytes.load(Ordering::Relaxed));
    let why = match (limit, likely) {
        (0, _) => "and the kernel gave no more memory".to_owned(),
        (_, 0) => format!("with the {} that a search may hold", size(limit)),
        _ => format!(
            "and the {} that a search may hold would give about {}",
            size(limit),
            size(likely)
        ),
    };
    tell(format_args!(
        "--strict: {} are refused (ENOMEM): found {} of the colors {}, {why}; more colors help, less memory at a \
         time, or {}",
        size(bytes),
        size(found),
        promised(&shared.request),
        what_holds_more(&shared.request),
    ));
}

/// What lets a search hold more: where a limit of the process is narrower than the memory there is, that.
fn what_holds_more(request: &Request) -> &'static str {
    let root = Path::new(PROC);
    let (limits, available) = (Headroom::of_self(root), available_bytes(root).unwrap_or(u64::MAX));
    // As the search itself reckons: of what a limit leaves it holds an eighth, half of a quarter.
    let binds = |left: Option<u64>| left.is_some_and(|left| left / 4 < available);
    match (
        request.search_bytes.is_some(),
        binds(limits.data),
        binds(limits.addresses),
    ) {
        (false, true, _) => "a higher limit of data (ulimit -d): a search may hold an eighth of what it leaves",
        (false, _, true) => "a higher limit of addresses (ulimit -v): a search may hold an eighth of what it leaves",
        _ => "--search SIZE, which lets it hold more",
    }
}

/// So many bytes, whole MiB, or KiB where it is less than one.
fn size(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{} KiB", bytes >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    }
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
    let request = &shared.request;
    if request.details {
        let seconds = |microseconds: &AtomicU64| count(microseconds) as f64 / 1e6;
        tell(format_args!(
            "{:.6} s of set-up before the program, {:.6} s of processor time; {} faults answered, {} frames looked at, {} \
             pages given their colors back after forks and moves",
            seconds(&stats.set_up),
            seconds(&stats.set_up_processor),
            count(&stats.faults),
            count(&stats.scanned),
            count(&stats.mended),
        ));
    }
    if spilled > 0 || request.stats {
        tell(format_args!("{}", pages(count(&stats.placed), spilled)));
    }
    if let Some(words) = totals::add(stats).and_then(Totals::words) {
        tell(format_args!("{words}"));
    }
}
