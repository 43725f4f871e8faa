// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many pages to place at a fault: few where the program jumps about, more where it goes on from page to page.
//!
//! Windows have an odd number of pages. So a program that touches every second, fourth, eighth page, and so on, does not
//! look like one that touches all: its next fault is not where the window ended.

/// Pages at a fault that continues nothing. A page placed in vain costs half a microsecond, and where frames are searched
/// for one by one, eight; a thread that waits, thirty.
const FIRST: u64 = 3;
/// The same where frames are plenty and sequences go on mostly.
const FIRST_OF_PLENTY: u64 = 15;
/// Pages at most, and of a block.
const MOST: u64 = 255;
const LARGEST_BLOCK: u64 = 512;
/// Sequences kept in mind.
const STREAMS: usize = 16;
/// Sequences that begun after which half of the counts is forgotten.
const MEMORY: u32 = 128;
/// So many at least, before they tell anything; and of so many, one has to have gone on.
const SAMPLE: u32 = 32;
const SHARE: u32 = 8;

/// Sequences of faults. Pages are told by number.
#[derive(Debug, Default)]
pub struct Streams {
    known: [Stream; STREAMS],
    /// The one of the last fault.
    last: usize,
    oldest: usize,
    /// Sequences of late, and those of them that went on.
    begun: u32,
    went_on: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    /// The first page placed, and the first after those placed.
    from: u64,
    to: u64,
    /// Pages at the last fault; none if there is no sequence.
    pages: u64,
    /// Whether it has gone on beyond its first window.
    goes_on: bool,
}

impl Stream {
    fn len(&self) -> u64 {
        self.to - self.from
    }
}

/// Pages to place: the one that is missing, and others beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Below the missing page.
    pub before: u64,
    /// From the missing page on, itself included.
    pub after: u64,
}

impl Window {
    fn upwards(after: u64) -> Self {
        Self { before: 0, after }
    }
}

impl Streams {
    /// What to place for page number `page`; more if there are `plenty` of frames.
    ///
    /// Some programs go upwards; some fill a buffer from its end; some take blocks of one length, each below the one
    /// before, and fill each upwards, as the kernel places mappings downwards.
    pub fn window(&mut self, page: u64, plenty: bool) -> Window {
        for (index, stream) in self.known.iter_mut().enumerate().filter(|(_, stream)| stream.pages > 0) {
            let pages = (stream.pages * 2 + 1).min(MOST);
            let window = if stream.to == page {
                stream.to = page + pages;
                Window::upwards(pages)
            } else if stream.from == page + 1 && page >= pages {
                stream.from = page + 1 - pages;
                Window {
                    before: pages - 1,
                    after: 1,
                }
            } else if stream.goes_on && stream.from == page + stream.len() {
                let pages = stream.len().min(LARGEST_BLOCK);
                (stream.from, stream.to) = (page, page + pages);
                Window::upwards(pages)
            } else {
                continue;
            };
            self.went_on += u32::from(!stream.goes_on);
            stream.goes_on = true;
            stream.pages = window.before + window.after;
            self.last = index;
            return window;
        }
        let first = if plenty && self.go_on() { FIRST_OF_PLENTY } else { FIRST };
        self.known[self.oldest] = Stream {
            from: page,
            to: page + first,
            pages: first,
            goes_on: false,
        };
        self.last = self.oldest;
        self.oldest = (self.oldest + 1) % STREAMS;
        self.begun += 1;
        if self.begun == MEMORY {
            (self.begun, self.went_on) = (self.begun / 2, self.went_on / 2);
        }
        Window::upwards(first)
    }

    /// Returns true if enough of the latest sequences went on, or too few have begun to tell.
    fn go_on(&self) -> bool {
        self.begun < SAMPLE || self.went_on * SHARE >= self.begun
    }

    /// The pages placed at the last fault, and those of its sequence before it, end before page `to`; the rest of the
    /// window is another mapping's, or present.
    pub fn ends(&mut self, to: u64) {
        let stream = &mut self.known[self.last];
        stream.to = stream.to.min(to).max(stream.from);
    }

    /// The same for pages below the missing one.
    pub fn begins(&mut self, from: u64) {
        let stream = &mut self.known[self.last];
        stream.from = stream.from.max(from).min(stream.to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_grow_along_a_sequence_and_stay_small_elsewhere() {
        let mut streams = Streams::default();
        let mut page = 1000;
        let mut windows = Vec::new();
        for _ in 0..8 {
            let window = streams.window(page, false);
            assert_eq!(window.before, 0);
            windows.push(window.after);
            page += window.after;
            // Another sequence beside it.
            assert_eq!(streams.window(page + 1_000_000, false).after, FIRST);
        }
        assert_eq!(windows, [3, 7, 15, 31, 63, 127, 255, 255]);
    }

    #[test]
    fn windows_grow_downwards_too_and_leave_nothing_out() {
        let mut streams = Streams::default();
        let mut lowest = 10_000;
        let mut sizes = Vec::new();
        streams.window(lowest, false);
        for _ in 0..8 {
            let window = streams.window(lowest - 1, false);
            assert_eq!(window.after, 1);
            sizes.push(window.before + 1);
            lowest -= window.before + 1;
        }
        assert_eq!(sizes, [7, 15, 31, 63, 127, 255, 255, 255]);
        // At the bottom of the address space there is nothing below.
        let mut streams = Streams::default();
        streams.window(5, false);
        assert_eq!(streams.window(4, false).before, 0);
    }

    #[test]
    fn a_block_below_one_of_the_same_length_is_placed_at_once() {
        let mut streams = Streams::default();
        let block = 100;
        let mut fill = |start: u64| {
            let (mut page, mut faults) = (start, 0);
            while page < start + block {
                page += streams.window(page, false).after;
                // The block above is there already.
                page = page.min(start + block);
                streams.ends(page);
                faults += 1;
            }
            faults
        };
        assert_eq!(fill(1_000_000), 5, "3, 7, 15, 31 and the 44 that are left");
        assert_eq!(fill(1_000_000 - block), 1);
        assert_eq!(fill(1_000_000 - 2 * block), 1);
        assert_eq!(fill(1_000_000 - 4 * block), 5, "not beside it");
    }

    #[test]
    fn a_sequence_goes_on_where_its_pages_really_end() {
        let mut streams = Streams::default();
        streams.window(1000, false);
        streams.ends(1002);
        assert_eq!(streams.window(1002, false).after, 7);
        streams.window(999, false);
        streams.begins(990);
        assert_eq!(streams.window(989, false).before, 30);
    }

    /// Pages placed for a program that touches one page of each `stride`, upwards or downwards, for one touched.
    fn waste(stride: u64, upwards: bool) -> u64 {
        const TOUCHED: u64 = 10_000;
        let mut streams = Streams::default();
        let mut there = std::collections::HashSet::new();
        for touch in 0..TOUCHED {
            let page = (1 << 30) + stride * if upwards { touch } else { TOUCHED - touch };
            if !there.contains(&page) {
                let window = streams.window(page, true);
                there.extend(page - window.before..page + window.after);
            }
        }
        there.len() as u64 / TOUCHED
    }

    #[test]
    fn where_pages_are_touched_far_apart_few_are_placed_in_vain() {
        for stride in [2, 4, 8, 16, 32, 64, 256, 4096] {
            for upwards in [true, false] {
                let waste = waste(stride, upwards);
                assert!(waste <= FIRST, "stride {stride}, upwards {upwards}: {waste}");
            }
        }
    }
}
