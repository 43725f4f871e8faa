// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the machine has left, by a sample of all its frames: `/proc/kpageflags`, eight bytes per frame. Whoever takes frames
//! from the kernel to look at them gets first what was given back last; a sample has no such order.

use fresco_dram::FrameNumber;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of an entry.
const ENTRY: usize = 8;
/// Frames side by side that are looked at together: a call of the kernel costs as much as a few of them.
const RUN: u64 = 16;
/// Runs of a sample: some ten milliseconds.
const RUNS: u64 = 8192;
/// Standard deviations that a share may be beyond what was found.
const DEVIATIONS: f64 = 4.0;

/// Bits of an entry, from `include/uapi/linux/kernel-page-flags.h`.
const LRU: u64 = 1 << 5;
const BUDDY: u64 = 1 << 10;
const ANONYMOUS: u64 = 1 << 12;
const SWAP_BACKED: u64 = 1 << 14;
const UNEVICTABLE: u64 = 1 << 18;

/// The open list of what each frame is used for.
#[derive(Debug)]
pub struct FrameFlags {
    file: File,
}

/// Shares of the frames that can be had, by a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Of those wanted, as found,
    pub found: f64,
    /// and at most, within four standard deviations.
    pub most: f64,
}

impl FrameFlags {
    /// Opens that of this machine.
    ///
    /// # Errors
    /// As of opening a file: it is root's, and a kernel need not have it.
    pub fn open() -> io::Result<Self> {
        Self::at(Path::new("/proc/kpageflags"))
    }

    fn at(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        Ok(Self { file })
    }

    /// How many of the frames that are free, or of a file's pages that the kernel gives up for others, are wanted. `None` if
    /// nothing can be told.
    pub fn share(&self, wants: impl Fn(FrameNumber) -> bool) -> Option<Share> {
        let frames = self.frames();
        let runs = (frames / RUN).min(RUNS);
        let mut sums = Sums::default();
        let mut bytes = [0; ENTRY * RUN as usize];
        for run in 0..runs {
            // One at random of each part of the machine, so that no stride of the colors meets one of ours.
            let (from, to) = (run * frames / runs, (run + 1) * frames / runs);
            let first = (from + random(run) % (to - from)) / RUN * RUN;
            let read = self.file.read_at(&mut bytes, first * ENTRY as u64).unwrap_or(0) / ENTRY;
            let (mut available, mut wanted) = (0, 0);
            for (entry, frame) in bytes.chunks_exact(ENTRY).take(read).zip(first..) {
                if can_be_had(u64::from_ne_bytes(entry.try_into().unwrap_or_default())) {
                    available += 1;
                    wanted += u64::from(wants(FrameNumber(frame)));
                }
            }
            sums.add(available, wanted);
        }
        sums.share()
    }

    /// Frames that the list has: those after it read as nothing.
    fn frames(&self) -> u64 {
        let has = |frame: u64| {
            let read = self.file.read_at(&mut [0; ENTRY], frame * ENTRY as u64);
            read.is_ok_and(|read| read == ENTRY)
        };
        let (mut some, mut none) = (0, 1u64 << 52);
        while some < none {
            let middle = some + (none - some) / 2;
            match has(middle) {
                true => some = middle + 1,
                false => none = middle,
            }
        }
        some
    }
}

/// Returns true for what a search can get: free frames, and pages of files that are no longer needed.
fn can_be_had(flags: u64) -> bool {
    let given_up = flags & LRU != 0 && flags & (ANONYMOUS | SWAP_BACKED | UNEVICTABLE) == 0;
    flags & BUDDY != 0 || given_up
}

/// A number that looks like none before (SplitMix64, from its reference implementation).
fn random(number: u64) -> u64 {
    let mut state = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ state >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ state >> 31
}

/// Sums over runs of the frames `a` that can be had, and of those `w` of them that are wanted.
#[derive(Debug, Default)]
struct Sums {
    runs: f64,
    a: f64,
    w: f64,
    aa: f64,
    aw: f64,
    ww: f64,
}

impl Sums {
    fn add(&mut self, available: u64, wanted: u64) {
        let (a, w) = (available as f64, wanted as f64);
        self.runs += if available > 0 { 1.0 } else { 0.0 };
        self.a += a;
        self.w += w;
        self.aa += a * a;
        self.aw += a * w;
        self.ww += w * w;
    }

    /// The ratio, with its variance by runs: frames side by side are used alike.
    fn share(&self) -> Option<Share> {
        if self.a == 0.0 {
            return None;
        }
        let found = self.w / self.a;
        let squares = self.ww - 2.0 * found * self.aw + found * found * self.aa;
        let deviation = squares.max(0.0).sqrt() / self.a;
        // What is in none of so many runs may be in one of as many.
        let most = found + DEVIATIONS * (deviation + 1.0 / self.runs);
        Some(Share { found, most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of so many frames with these flags.
    fn list(name: &str, frames: u64, flags: impl Fn(u64) -> u64) -> (FrameFlags, std::path::PathBuf) {
        let path = std::env::temp_dir().join(format!("fresco-flags-{name}-{}", std::process::id()));
        let bytes: Vec<u8> = (0..frames).flat_map(|frame| flags(frame).to_ne_bytes()).collect();
        std::fs::write(&path, bytes).expect("writable");
        (FrameFlags::at(&path).expect("it is there"), path)
    }

    #[test]
    fn what_can_be_had_is_free_or_of_files() {
        assert!(can_be_had(BUDDY) && can_be_had(LRU) && can_be_had(LRU | 1 << 2));
        assert!(!can_be_had(0) && !can_be_had(LRU | ANONYMOUS | SWAP_BACKED) && !can_be_had(LRU | UNEVICTABLE));
    }

    #[test]
    fn a_share_is_that_of_the_frames_that_can_be_had() {
        // A quarter is wanted, by bits above those of a run. Of the wanted ones half are in use, of the others none.
        let wants = |frame: FrameNumber| frame.0 >> 6 & 3 == 1;
        let flags = |frame: u64| match wants(FrameNumber(frame)) && frame >> 8 & 1 == 1 {
            true => LRU | ANONYMOUS,
            false => BUDDY,
        };
        let (list, path) = list("share", 1 << 20, flags);
        assert_eq!(list.frames(), 1 << 20);
        let share = list.share(wants).expect("there are frames");
        let is = 0.5 / 3.5;
        assert!(
            share.found < share.most && (share.found - is).abs() < share.most - share.found,
            "{share:?}"
        );
        assert!(share.most < is * 1.3, "{share:?}");
        // What nobody has is not there, but for a few that the sample may have missed.
        let none = list.share(|_| false).expect("there are frames");
        assert!(none.found == 0.0 && none.most < 0.001, "{none:?}");
        std::fs::remove_file(path).expect("ours");
    }

    #[test]
    fn a_machine_of_which_nothing_is_left_or_known_tells_nothing() {
        let (used, path) = list("used", 1000, |_| LRU | ANONYMOUS);
        assert_eq!(used.share(|_| true), None);
        std::fs::write(&path, "").expect("writable");
        assert_eq!((used.frames(), used.share(|_| true)), (0, None));
        std::fs::remove_file(path).expect("ours");
    }

    #[test]
    fn this_machine_has_frames_of_all_kinds() {
        let Ok(flags) = FrameFlags::open() else { return };
        let share = flags.share(|frame| frame.0 & 1 == 0).expect("there is memory left");
        assert!((share.found - 0.5).abs() < 0.1, "{share:?}");
    }
}
