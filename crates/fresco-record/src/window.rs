// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which part of the program is recorded.

/// What is left out at the begin, and how much is recorded after that: instructions of all threads together, in whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    skip: u64,
    left: u64,
    done: u64,
}

impl Window {
    /// After `skip` instructions, `count` of them.
    pub fn new(skip: u64, count: Option<u64>) -> Self {
        Self {
            skip,
            left: count.unwrap_or(u64::MAX),
            done: 0,
        }
    }

    /// Returns true if a run of a block with so many instructions belongs to it.
    #[inline]
    pub fn takes(&mut self, instructions: u64) -> bool {
        self.done += instructions;
        if self.left == 0 {
            return false;
        }
        if self.skip > 0 {
            self.skip = self.skip.saturating_sub(instructions);
            return false;
        }
        self.left = self.left.saturating_sub(instructions);
        true
    }

    /// Returns true if nothing more belongs to it.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// Instructions seen, whether recorded or not.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Returns true if it never began.
    pub fn never_began(&self) -> bool {
        self.skip > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut window: Window, blocks: &[u64]) -> Vec<usize> {
        (0..blocks.len()).filter(|block| window.takes(blocks[*block])).collect()
    }

    #[test]
    fn blocks_are_taken_as_a_whole() {
        let blocks = [10, 10, 10, 10];
        assert_eq!(taken(Window::new(0, None), &blocks), [0, 1, 2, 3]);
        assert_eq!(taken(Window::new(11, None), &blocks), [2, 3]);
        assert_eq!(taken(Window::new(10, Some(11)), &blocks), [1, 2]);
        assert!(Window::new(41, None).never_began());
    }
}
