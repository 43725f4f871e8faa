// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of our own whose physical addresses are known.

use super::ProbeRefusal;
use super::counter::{fence, flush};
use crate::proc::{Page, PageMap, ram_ranges};
use crate::sys::page_bytes;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::ops::Range;
use std::path::Path;
use std::ptr::null_mut;

/// Bytes of a huge page, which memory is aligned to.
const HUGE: usize = 2 << 20;
/// Pages that are looked up at once.
const PAGES_AT_ONCE: usize = 4096;
/// Ranges kept at most, the largest: a search in them is made for every line.
const MOST_RANGES: usize = 4096;
/// Bytes of a line.
pub(super) const LINE: usize = 64;
/// Addresses from here on are behind the hole for devices on machines that do not say where their memory lies.
const FOUR_GIB: u64 = 1 << 32;

/// Consecutive frames at consecutive addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    physical: u64,
    /// Distance from the beginning of the mapping.
    offset: u64,
    bytes: u64,
}

/// A mapping with its frames, which go away with it.
#[derive(Debug)]
pub struct Held {
    start: *mut c_void,
    bytes: usize,
    map: PageMap,
    /// By physical address.
    runs: Vec<Run>,
    ranges: Vec<Range<u64>>,
    regions: Vec<Range<u64>>,
}

// SAFETY: the mapping is read and flushed only, from any thread, until it is dropped by its one owner.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Held {
    /// Takes `bytes` of memory, in huge pages where the kernel gives some, and finds its frames.
    ///
    /// # Errors
    /// No memory left, or frame numbers are hidden.
    pub fn take(bytes: u64) -> Result<Self, ProbeRefusal> {
        let map = PageMap::of_self().map_err(|_| ProbeRefusal::Hidden)?;
        let bytes = (bytes as usize).next_multiple_of(HUGE).max(HUGE);
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: the kernel chooses addresses that nothing uses.
        let start = unsafe { mmap_anonymous(null_mut(), bytes, access, flags) }.map_err(ProbeRefusal::Memory)?;
        let mut held = Self {
            start,
            bytes,
            map,
            runs: Vec::new(),
            ranges: Vec::new(),
            regions: Vec::new(),
        };
        held.populate().map_err(ProbeRefusal::Memory)?;
        held.runs = held.look_up()?;
        held.merge();
        held.clean();
        Ok(held)
    }

    fn populate(&self) -> Result<(), Errno> {
        let advise = |advice| {
            // SAFETY: the mapping is ours, and nothing but frames is kept in it.
            unsafe { madvise(self.start, self.bytes, advice) }
        };
        // A kernel without huge pages refuses, and single pages do as well.
        let _ = advise(Advice::LinuxHugepage);
        advise(Advice::LinuxDontFork)?;
        loop {
            match advise(Advice::LinuxPopulateWrite) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                done => break done?,
            }
        }
        // Frames that are locked are moved less often. Without the privilege moves are noticed all the same.
        // SAFETY: the mapping is ours; its contents do not change.
        let _ = unsafe { mlock(self.start, self.bytes) };
        Ok(())
    }

    /// The frames as they are now.
    fn look_up(&self) -> Result<Vec<Run>, ProbeRefusal> {
        let page = page_bytes();
        let first = self.start.addr() as u64 / page;
        let mut runs: Vec<Run> = Vec::new();
        let mut pages = vec![Page(0); PAGES_AT_ONCE];
        let total = self.bytes as u64 / page;
        let mut done = 0;
        while done < total {
            let wanted = (total - done).min(PAGES_AT_ONCE as u64) as usize;
            let read = self
                .map
                .read(first + done, &mut pages[..wanted])
                .map_err(|_| ProbeRefusal::Hidden)?;
            for (index, entry) in (0u64..).zip(&pages[..read]) {
                let frame = entry.frame().ok_or(ProbeRefusal::Hidden)?;
                let (physical, offset) = (frame.0 * page, (done + index) * page);
                match runs.last_mut() {
                    Some(run) if run.physical + run.bytes == physical && run.offset + run.bytes == offset => {
                        run.bytes += page;
                    }
                    _ => runs.push(Run {
                        physical,
                        offset,
                        bytes: page,
                    }),
                }
            }
            if read == 0 {
                return Err(ProbeRefusal::Hidden);
            }
            done += read as u64;
        }
        runs.sort_unstable_by_key(|run| run.physical);
        Ok(runs)
    }

    /// Ranges of physical addresses of the runs, and the regions of memory that they lie in.
    fn merge(&mut self) {
        self.ranges = merged(&self.runs);
        let ram = ram_ranges(Path::new("/proc")).unwrap_or_default();
        self.regions = regions(&self.ranges, &ram);
    }

    /// Writes all lines back, so that a flush of one is no access any more.
    fn clean(&self) {
        for offset in (0..self.bytes).step_by(LINE) {
            // SAFETY: the offset lies within the mapping.
            unsafe { flush(self.start.cast::<u8>().cast_const().wrapping_add(offset)) };
        }
        fence();
    }

    /// Ranges of physical addresses that can be loaded, ascending.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// The machine's ranges of memory that hold them: below and above holes for devices.
    pub fn regions(&self) -> &[Range<u64>] {
        &self.regions
    }

    /// Bytes that are held.
    pub fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Pages whose frame is another one by now, or that cannot be looked at any more.
    ///
    /// # Errors
    /// Frame numbers have been hidden.
    pub fn moved(&self) -> Result<u64, ProbeRefusal> {
        let page = page_bytes();
        let now = self.look_up()?;
        let frames = |runs: &[Run]| {
            let mut frames: Vec<(u64, u64)> = runs
                .iter()
                .flat_map(|run| (0..run.bytes / page).map(move |i| (run.offset + i * page, run.physical + i * page)))
                .collect();
            frames.sort_unstable();
            frames
        };
        let (before, after) = (frames(&self.runs), frames(&now));
        Ok(before.iter().zip(&after).filter(|(a, b)| a != b).count() as u64)
    }

    /// Where the line of a physical address is mapped; `None` if it is not held.
    pub(super) fn address(&self, physical: u64) -> Option<*const u8> {
        let after = self.runs.partition_point(|run| run.physical <= physical);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let within = physical - run.physical;
        (within < run.bytes).then(|| {
            let start = self.start.cast::<u8>().cast_const();
            start.wrapping_add((run.offset + within) as usize)
        })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and its owner is gone.
        let _ = unsafe { munmap(self.start, self.bytes) };
    }
}

/// Physical addresses of runs, neighbours joined; the largest ones, if there are very many.
fn merged(runs: &[Run]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for run in runs {
        let end = run.physical + run.bytes;
        match ranges.last_mut() {
            Some(last) if last.end == run.physical => last.end = end,
            _ => ranges.push(run.physical..end),
        }
    }
    ranges.sort_by_key(|range| std::cmp::Reverse(range.end - range.start));
    ranges.truncate(MOST_RANGES);
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}

/// The machine's ranges of memory that hold something of `ranges`, or one below and one above 4 GiB where they are not
/// known. What the firmware keeps for itself within memory makes no hole for a controller: below 4 GiB all is one.
fn regions(ranges: &[Range<u64>], ram: &[Range<u64>]) -> Vec<Range<u64>> {
    let below = ram
        .iter()
        .filter(|range| range.end <= FOUR_GIB)
        .map(|range| range.end)
        .max();
    let mut all: Vec<Range<u64>> = std::iter::once(0..below.unwrap_or(FOUR_GIB)).collect();
    let above: Vec<Range<u64>> = ram.iter().filter(|range| range.start >= FOUR_GIB).cloned().collect();
    if above.is_empty() {
        all.push(FOUR_GIB..ranges.last().map_or(FOUR_GIB, |range| range.end.max(FOUR_GIB + 1)));
    }
    all.extend(above);
    let known = |range: &Range<u64>| all.iter().any(|all| all.start <= range.start && range.end <= all.end);
    if !ranges.iter().all(known) {
        // Memory that was added later, or a list that is not what it seems.
        let whole = ranges.first().zip(ranges.last());
        return whole.map(|(first, last)| first.start..last.end).into_iter().collect();
    }
    all.retain(|all| {
        ranges
            .iter()
            .any(|range| all.start <= range.start && range.end <= all.end)
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_touch_are_one_range() {
        let run = |physical, offset| Run {
            physical,
            offset,
            bytes: 0x1000,
        };
        let runs = [run(0x1000, 0x2000), run(0x2000, 0), run(0x5000, 0x1000)];
        assert_eq!(merged(&runs), [0x1000..0x3000, 0x5000..0x6000]);
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn regions_end_at_the_hole_for_devices() {
        const GIB: u64 = 1 << 30;
        let ram = [0x1000..0x9f000, 0x10_0000..3 * GIB, 4 * GIB..7 * GIB];
        let low = GIB..GIB + 4096;
        let high = 5 * GIB..6 * GIB;
        assert_eq!(
            regions(&[low.clone(), high.clone()], &ram),
            [0..3 * GIB, 4 * GIB..7 * GIB]
        );
        assert_eq!(regions(std::slice::from_ref(&high), &ram), [4 * GIB..7 * GIB]);
        assert_eq!(regions(&[low.clone(), high], &[]), [0..4 * GIB, 4 * GIB..6 * GIB]);
        let outside = 8 * GIB..9 * GIB;
        assert_eq!(regions(&[low, outside], &ram), [GIB..9 * GIB]);
    }

    #[test]
    fn every_held_line_is_found_where_it_is() {
        let held = match Held::take(8 << 20) {
            Ok(held) => held,
            Err(reason) => return fresco_testing::skip(fresco_testing::Need::Coloring, reason),
        };
        let total: u64 = held.ranges().iter().map(|range| range.end - range.start).sum();
        assert_eq!(total, held.bytes());
        for range in held.ranges() {
            assert!(
                held.regions()
                    .iter()
                    .any(|all| all.start <= range.start && range.end <= all.end)
            );
            let (first, last) = (held.address(range.start), held.address(range.end - 64));
            assert!(first.is_some() && last.is_some());
        }
        let last = held.ranges().last().map_or(0, |range| range.end);
        assert_eq!(held.address(last), None);
        assert!(held.moved().is_ok());
    }
}
