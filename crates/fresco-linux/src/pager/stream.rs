// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many pages to place at a fault: few where the program jumps about, more where it goes on from page to page.

/// Pages at a fault that continues nothing. The allocator begins a run of 16 for each size of blocks, and many stay almost
/// empty: a page placed in vain costs half as much as a fault.
const FIRST: u64 = 4;
/// Pages at most: what a thread waits for.
const MOST: u64 = 128;
/// Sequences kept in mind.
const STREAMS: usize = 8;

/// Sequences of faults.
#[derive(Debug, Default)]
pub struct Streams {
    known: [Stream; STREAMS],
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

/// Pages to place: the one that is missing, and others beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Below the missing page.
    pub before: u64,
    /// From the missing page on, itself included.
    pub after: u64,
}

impl Streams {
    /// What to place for page number `page`. Some programs go upwards; some fill a buffer from its end.
    pub fn window(&mut self, page: u64) -> Window {
        for stream in &mut self.known {
            let pages = (stream.pages * 2).min(MOST);
            if stream.pages > 0 && stream.to == page {
                (stream.to, stream.pages) = (page + pages, pages);
                return Window {
                    before: 0,
                    after: pages,
                };
            }
            if stream.pages > 0 && stream.from == page + 1 && page >= pages {
                (stream.from, stream.pages) = (page + 1 - pages, pages);
                return Window {
                    before: pages - 1,
                    after: 1,
                };
            }
        }
        self.known[self.oldest] = Stream {
            from: page,
            to: page + FIRST,
            pages: FIRST,
        };
        self.oldest = (self.oldest + 1) % STREAMS;
        Window {
            before: 0,
            after: FIRST,
        }
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
        for _ in 0..7 {
            let window = streams.window(page);
            assert_eq!(window.before, 0);
            windows.push(window.after);
            page += window.after;
            // Another sequence beside it.
            assert_eq!(streams.window(page + 1_000_000).after, FIRST);
        }
        assert_eq!(windows, [4, 8, 16, 32, 64, 128, 128]);
    }

    #[test]
    fn windows_grow_downwards_too_and_leave_nothing_out() {
        let mut streams = Streams::default();
        let mut lowest = 10_000;
        let mut sizes = Vec::new();
        streams.window(lowest);
        for _ in 0..7 {
            let window = streams.window(lowest - 1);
            assert_eq!(window.after, 1);
            sizes.push(window.before + 1);
            lowest -= window.before + 1;
        }
        assert_eq!(sizes, [8, 16, 32, 64, 128, 128, 128]);
        // At the bottom of the address space there is nothing below.
        let mut streams = Streams::default();
        streams.window(5);
        assert_eq!(streams.window(4).before, 0);
    }
}
