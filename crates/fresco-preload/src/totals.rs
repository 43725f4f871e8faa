// SPDX-License-Identifier: MIT OR Apache-2.0
//! This process's part in the counts of a program and of all that it starts: a fork passes the page on, the first program is told where it
//! is, and a program that is started finds it in its parent.

use fresco_linux::pager::Stats;
use fresco_linux::proc::Mapping;
use fresco_linux::totals::{ENVIRONMENT, SHOWN, Totals, given, is_page, make, map};
use rustix::process::getppid;
use std::ffi::CString;
use std::fs::{self, File};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

struct Shared {
    totals: &'static Totals,
    /// The process that began them, and tells the total.
    first: i32,
}

static SHARED: OnceLock<Shared> = OnceLock::new();

/// Takes part in the counts that this process was given or that its parent has, or begins new ones. Without memory, or where a limit
/// allows no such file, nothing is told but the program's own.
pub fn begin() {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let value = std::env::var(ENVIRONMENT).ok();
    if value.is_some()
        && let Ok(name) = CString::new(ENVIRONMENT)
    {
        // SAFETY: before the program's own code there is one thread.
        unsafe { libc::unsetenv(name.as_ptr()) };
    }
    let of_fresco = value.and_then(|value| Some((given(&value)?, own)));
    let of_parent = || parents().and_then(|file| Some((map(&file)?, 0)));
    let new = || Some((map(&make(false).ok()?)?, own));
    if let Some((totals, first)) = of_fresco.or_else(of_parent).or_else(new) {
        if first == own {
            totals.set_name(rustix::thread::name().unwrap_or_default().to_bytes());
        }
        let _ = SHARED.set(Shared { totals, first });
    }
}

/// A pager has started.
pub fn began() {
    if let Some(shared) = SHARED.get() {
        shared.totals.began.fetch_add(1, Ordering::Relaxed);
    }
}

/// Adds what the calling process did. The totals, if it began them and so is to tell them.
pub fn add(stats: &Stats) -> Option<&'static Totals> {
    let shared = SHARED.get()?;
    let totals = shared.totals;
    totals.told.fetch_add(1, Ordering::Relaxed);
    for (sum, count) in [(&totals.placed, &stats.placed), (&totals.spilled, &stats.spilled)] {
        sum.fetch_add(count.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    if shared.first != rustix::process::getpid().as_raw_nonzero().get() {
        return None;
    }
    totals.is_told.store(1, Ordering::Release);
    Some(totals)
}

/// The page of the parent.
fn parents() -> Option<File> {
    let parent = getppid()?.as_raw_nonzero();
    let maps = fs::read_to_string(format!("/proc/{parent}/maps")).ok()?;
    let line = maps.lines().find(|line| line.ends_with(SHOWN))?;
    let mapping = Mapping::parse(line)?;
    let path = format!("/proc/{parent}/map_files/{:x}-{:x}", mapping.start, mapping.end);
    let file = File::options().read(true).write(true).open(path).ok()?;
    is_page(&file).then_some(file)
}
