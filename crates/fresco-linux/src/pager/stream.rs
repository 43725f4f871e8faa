// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many pages to place at a fault: few where the program jumps about, more where it goes on from page to page.

/// Pages at a fault that continues nothing.
const FIRST: u64 = 16;
/// Pages at most: what a thread waits for.
const MOST: u64 = 128;
/// Sequences kept in mind.
const STREAMS: usize = 8;

/// Sequences of faults.
#[derive(Debug, Default)]
pub struct Streams {
    /// Where each would go on, and with how many pages.
    known: [(u64, u64); STREAMS],
    oldest: usize,
}

impl Streams {
    /// Pages to place from page number `page` on.
    pub fn window(&mut self, page: u64) -> u64 {
        match self.known.iter_mut().find(|(next, _)| *next == page) {
            Some((next, pages)) => {
                *pages = (*pages * 2).min(MOST);
                *next = page + *pages;
                *pages
            }
            None => {
                self.known[self.oldest] = (page + FIRST, FIRST);
                self.oldest = (self.oldest + 1) % STREAMS;
                FIRST
            }
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
        for _ in 0..5 {
            let window = streams.window(page);
            windows.push(window);
            page += window;
            // Another sequence beside it.
            assert_eq!(streams.window(page + 1_000_000), FIRST);
        }
        assert_eq!(windows, [16, 32, 64, 128, 128]);
    }
}
