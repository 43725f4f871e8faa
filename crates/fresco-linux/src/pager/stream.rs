// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many pages to place at a fault: few where the program jumps about, more where it goes on from page to page.

/// Pages at most: what is placed at one fault.
const MOST: u64 = 256;
/// Sequences kept in mind.
const STREAMS: usize = 8;

/// Sequences of faults. Pages are told by number.
#[derive(Debug, Default)]
pub struct Streams {
    known: [Stream; STREAMS],
    /// The one of the last fault.
    last: usize,
    oldest: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    /// The first page placed, and the first after those placed.
    from: u64,
    to: u64,
    /// Pages at the last fault.
    pages: u64,
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
    /// What to place for page number `page`; `first` pages if it continues nothing.
    ///
    /// Some programs go upwards; some fill a buffer from its end; some take blocks of one length, each below the one
    /// before, and fill each upwards, as the kernel places mappings downwards.
    pub fn window(&mut self, page: u64, first: u64) -> Window {
        for (index, stream) in self.known.iter_mut().enumerate().filter(|(_, stream)| stream.pages > 0) {
            let pages = (stream.pages * 2).min(MOST);
            let window = if stream.to == page {
                stream.to = page + pages;
                Window::upwards(pages)
            } else if stream.from == page + 1 && page >= pages {
                stream.from = page + 1 - pages;
                Window {
                    before: pages - 1,
                    after: 1,
                }
            } else if stream.len() >= first && stream.from == page + stream.len() {
                let pages = stream.len().min(MOST);
                (stream.from, stream.to) = (page, page + pages);
                Window::upwards(pages)
            } else {
                continue;
            };
            stream.pages = window.before + window.after;
            self.last = index;
            return window;
        }
        self.known[self.oldest] = Stream {
            from: page,
            to: page + first,
            pages: first,
        };
        self.last = self.oldest;
        self.oldest = (self.oldest + 1) % STREAMS;
        Window::upwards(first)
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

    const FIRST: u64 = 4;

    #[test]
    fn windows_grow_along_a_sequence_and_stay_small_elsewhere() {
        let mut streams = Streams::default();
        let mut page = 1000;
        let mut windows = Vec::new();
        for _ in 0..8 {
            let window = streams.window(page, FIRST);
            assert_eq!(window.before, 0);
            windows.push(window.after);
            page += window.after;
            // Another sequence beside it.
            assert_eq!(streams.window(page + 1_000_000, FIRST).after, FIRST);
        }
        assert_eq!(windows, [4, 8, 16, 32, 64, 128, 256, 256]);
    }

    #[test]
    fn windows_grow_downwards_too_and_leave_nothing_out() {
        let mut streams = Streams::default();
        let mut lowest = 10_000;
        let mut sizes = Vec::new();
        streams.window(lowest, FIRST);
        for _ in 0..8 {
            let window = streams.window(lowest - 1, FIRST);
            assert_eq!(window.after, 1);
            sizes.push(window.before + 1);
            lowest -= window.before + 1;
        }
        assert_eq!(sizes, [8, 16, 32, 64, 128, 256, 256, 256]);
        // At the bottom of the address space there is nothing below.
        let mut streams = Streams::default();
        streams.window(5, FIRST);
        assert_eq!(streams.window(4, FIRST).before, 0);
    }

    #[test]
    fn a_block_below_one_of_the_same_length_is_placed_at_once() {
        let mut streams = Streams::default();
        let block = 100;
        let mut fill = |start: u64| {
            let (mut page, mut faults) = (start, 0);
            while page < start + block {
                page += streams.window(page, FIRST).after;
                // The block above is there already.
                page = page.min(start + block);
                streams.ends(page);
                faults += 1;
            }
            faults
        };
        assert_eq!(fill(1_000_000), 5, "4, 8, 16, 32 and the 40 that are left");
        assert_eq!(fill(1_000_000 - block), 1);
        assert_eq!(fill(1_000_000 - 2 * block), 1);
        assert_eq!(fill(1_000_000 - 4 * block), 5, "not beside it");
    }

    #[test]
    fn a_sequence_goes_on_where_its_pages_really_end() {
        let mut streams = Streams::default();
        streams.window(1000, FIRST);
        streams.ends(1002);
        assert_eq!(streams.window(1002, FIRST).after, 2 * FIRST);
        streams.window(999, FIRST);
        streams.begins(990);
        assert_eq!(streams.window(989, FIRST).before, 4 * 2 * FIRST - 1);
    }
}
