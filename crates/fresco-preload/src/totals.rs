// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of a program and of all that it starts, for the total that `--stats` tells at its end. They lie in a page that
//! the processes share: a fork passes it on, and a program that is started finds it in its parent.

use fresco_linux::pager::Stats;
use fresco_linux::proc::{Mapping, allows_file};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate, memfd_create};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::process::getppid;
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

const NAME: &str = "fresco-totals";
const SHOWN: &str = "/memfd:fresco-totals (deleted)";
/// Its length stays: whoever maps it may touch it.
const SEALS: SealFlags = SealFlags::SEAL.union(SealFlags::SHRINK).union(SealFlags::GROW);

/// The page.
#[repr(C)]
pub struct Totals {
    /// Programs whose pager has started,
    pub began: AtomicU64,
    /// and those that have told what they did.
    pub told: AtomicU64,
    /// Pages that these had placed,
    pub placed: AtomicU64,
    /// and those left to the kernel.
    pub spilled: AtomicU64,
}

struct Shared {
    totals: &'static Totals,
    /// The process that began them, and tells the total.
    first: i32,
}

static SHARED: OnceLock<Shared> = OnceLock::new();

/// Takes part in the parent's counts, or begins new ones. Without memory, or where a limit allows no such
/// file, nothing is told but the program's own.
pub fn begin() {
    let own = rustix::process::getpid().as_raw_nonzero().get();
    let of_parent = parents().and_then(|file| Some((map(&file)?, 0)));
    if let Some((totals, first)) = of_parent.or_else(|| Some((map(&make().ok()?)?, own))) {
        let _ = SHARED.set(Shared { totals, first });
    }
}

/// A pager has started.
pub fn began() {
    if let Some(shared) = SHARED.get() {
        shared.totals.began.fetch_add(1, Ordering::Relaxed);
    }
}

/// Adds what the calling process did. The totals, if it began them.
pub fn add(stats: &Stats) -> Option<&'static Totals> {
    let shared = SHARED.get()?;
    let totals = shared.totals;
    totals.told.fetch_add(1, Ordering::Relaxed);
    for (sum, count) in [(&totals.placed, &stats.placed), (&totals.spilled, &stats.spilled)] {
        sum.fetch_add(count.load(Ordering::Relaxed), Ordering::Relaxed);
    }
    (shared.first == rustix::process::getpid().as_raw_nonzero().get()).then_some(totals)
}

fn make() -> Result<File, Errno> {
    if !allows_file(size_of::<Totals>() as u64) {
        return Err(Errno::FBIG);
    }
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING | MemfdFlags::NOEXEC_SEAL;
    let file = memfd_create(NAME, flags)?;
    ftruncate(&file, size_of::<Totals>() as u64)?;
    fcntl_add_seals(&file, SEALS)?;
    Ok(File::from(file))
}

/// The page of the parent.
fn parents() -> Option<File> {
    let parent = getppid()?.as_raw_nonzero();
    let maps = fs::read_to_string(format!("/proc/{parent}/maps")).ok()?;
    let line = maps.lines().find(|line| line.ends_with(SHOWN))?;
    let mapping = Mapping::parse(line)?;
    let path = format!("/proc/{parent}/map_files/{:x}-{:x}", mapping.start, mapping.end);
    let file = File::options().read(true).write(true).open(path).ok()?;
    let is_whole = fstat(&file).is_ok_and(|about| about.st_size as usize == size_of::<Totals>());
    let is_sealed = fcntl_get_seals(file.as_fd()).is_ok_and(|seals| seals.contains(SEALS));
    (is_whole && is_sealed).then_some(file)
}

fn map(file: &File) -> Option<&'static Totals> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the kernel chooses addresses that nothing uses.
    let start = unsafe { mmap(null_mut(), size_of::<Totals>(), access, MapFlags::SHARED, file, 0) };
    // SAFETY: the file has this length for ever, and the mapping stays; any bytes are counts.
    start.ok().map(|start| unsafe { &*start.cast() })
}
