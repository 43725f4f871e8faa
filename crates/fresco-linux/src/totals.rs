// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of a program and of all that it starts, for the total that `--stats` tells. They lie in a page that the processes share, and a
//! keeper: where the first program ends without a word, by a signal or `_exit`, the keeper tells the total.

use crate::proc::allows_file;
use crate::sys::{but_standard_error, fork_away};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate, memfd_create};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap};
use rustix::process::{PidfdFlags, getpid, pidfd_open};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, FromRawFd};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

/// The file of the page.
const NAME: &str = "fresco-totals";
/// How a map of memory shows that file.
pub const SHOWN: &str = "/memfd:fresco-totals (deleted)";
/// Tells the first program where the page is: its process number and a descriptor.
pub const ENVIRONMENT: &str = "FRESCO_TOTALS";
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
    /// Not 0 once the first program has told the total.
    pub is_told: AtomicU64,
    /// What the first program is called, up to 16 bytes.
    name: [AtomicU64; 2],
}

impl Totals {
    /// Notes what the first program is called.
    pub fn set_name(&self, name: &[u8]) {
        for (place, piece) in self.name.iter().zip(name.chunks(8)) {
            let mut word = [0; 8];
            word[..piece.len()].copy_from_slice(piece);
            place.store(u64::from_le_bytes(word), Ordering::Relaxed);
        }
    }

    fn name(&self) -> String {
        let words = self.name.iter().map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        let bytes: Vec<u8> = words.flatten().take_while(|byte| *byte != 0).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The total in words; `None` where there was no program but the first.
    pub fn words(&self) -> Option<String> {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (began, told) = (count(&self.began), count(&self.told));
        let silent = match began.saturating_sub(told) {
            0 => String::new(),
            silent => format!("; {silent} of them have told nothing: they still run, or a signal or _exit ended them"),
        };
        (began > 1).then(|| {
            format!(
                "in all, {began} programs: {}{silent}",
                pages(count(&self.placed), count(&self.spilled))
            )
        })
    }
}

/// Where pages are, in words.
pub fn pages(placed: u64, spilled: u64) -> String {
    format!("{placed} pages placed in the colors asked for, {spilled} left to the kernel")
}

/// A new page, all zero. With `inherited` a program that is started has it open.
///
/// # Errors
/// There is no memory, or a limit allows no such file.
pub fn make(inherited: bool) -> Result<File, Errno> {
    if !allows_file(size_of::<Totals>() as u64) {
        return Err(Errno::FBIG);
    }
    let close = match inherited {
        true => MemfdFlags::empty(),
        false => MemfdFlags::CLOEXEC,
    };
    let file = memfd_create(NAME, close | MemfdFlags::ALLOW_SEALING | MemfdFlags::NOEXEC_SEAL)?;
    ftruncate(&file, size_of::<Totals>() as u64)?;
    fcntl_add_seals(&file, SEALS)?;
    Ok(File::from(file))
}

/// Returns true if a file is such a page.
pub fn is_page(file: impl AsFd) -> bool {
    let is_whole = fstat(&file).is_ok_and(|about| about.st_size as usize == size_of::<Totals>());
    is_whole && fcntl_get_seals(file).is_ok_and(|seals| seals.contains(SEALS))
}

/// Maps it, for ever.
pub fn map(file: &File) -> Option<&'static Totals> {
    let access = ProtFlags::READ | ProtFlags::WRITE;
    // SAFETY: the kernel chooses addresses that nothing uses.
    let start = unsafe { mmap(null_mut(), size_of::<Totals>(), access, MapFlags::SHARED, file, 0) };
    // SAFETY: the file has this length for ever, and the mapping stays; any bytes are counts.
    start.ok().map(|start| unsafe { &*start.cast() })
}

/// The page that the value of [`ENVIRONMENT`] names, if it is for the calling process; its descriptor is closed.
pub fn given(value: &str) -> Option<&'static Totals> {
    let (pid, descriptor) = value.split_once(':')?;
    if pid.parse() != Ok(getpid().as_raw_nonzero().get()) {
        return None;
    }
    let descriptor = descriptor.parse().ok().filter(|number| *number > 2)?;
    // SAFETY: looked at before it is owned: another file under this number stays open.
    let borrowed = unsafe { std::os::fd::BorrowedFd::borrow_raw(descriptor) };
    if !is_page(borrowed) {
        return None;
    }
    // SAFETY: it was opened for this one.
    map(&unsafe { File::from_raw_fd(descriptor) })
}

/// Starts the keeper of the program that the calling process is about to become with `command`, which is told where the page is. The file
/// stays open until then. `None` where that cannot be: then a program that ends in silence has no total.
pub fn keep(command: &mut Command) -> Option<File> {
    let file = make(true).ok()?;
    let totals = map(&file)?;
    let own = getpid();
    let first = pidfd_open(own, PidfdFlags::empty()).ok()?;
    fork_away(|| {
        but_standard_error(&first);
        let mut polled = [PollFd::new(&first, PollFlags::IN)];
        while matches!(poll(&mut polled, None), Ok(0) | Err(Errno::INTR)) {}
        if totals.is_told.load(Ordering::Acquire) == 0
            && let Some(words) = totals.words()
        {
            let line = format!("fresco: {}[{}]: {words}\n", totals.name(), own.as_raw_nonzero());
            // Full or closed, it is lost.
            let _ = rustix::io::write(rustix::stdio::stderr(), line.as_bytes());
        }
    })
    .ok()?;
    command.env(ENVIRONMENT, format!("{}:{}", own.as_raw_nonzero(), file.as_raw_fd()));
    Some(file)
}
