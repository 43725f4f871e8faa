// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which part of the program is recorded.

use fresco_ring::Part;

/// What is left out at the begin, and how much is recorded after that: instructions of all threads together, in whole blocks.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    skip: u64,
    left: u64,
    done: u64,
    /// Blocks with which it begins and before which it ends: addresses, once the program has its place.
    between: [Option<u64>; 2],
}

impl Window {
    /// Of this part.
    pub fn new(part: Part) -> Self {
        Self {
            skip: part.skip,
            left: part.count.unwrap_or(u64::MAX),
            done: 0,
            between: [part.from, part.to],
        }
    }

    /// The program's code begins here.
    pub fn placed(&mut self, code: u64) {
        for block in self.between.iter_mut().flatten() {
            *block = block.wrapping_add(code);
        }
    }

    /// The program has done so many instructions by now, of which none was told: they are of what is left out.
    pub fn leave_out(&mut self, instructions: u64) {
        self.skip = self.skip.saturating_sub(instructions.saturating_sub(self.done));
        self.done = self.done.max(instructions);
    }

    /// Returns true if a run of the block at `address` with so many instructions belongs to it.
    #[inline]
    pub fn takes(&mut self, instructions: u64, address: u64) -> bool {
        self.done += instructions;
        if self.between != [None; 2] && !self.is_between(address) || self.left == 0 {
            return false;
        }
        if self.skip > 0 {
            self.skip = self.skip.saturating_sub(instructions);
            return false;
        }
        self.left = self.left.saturating_sub(instructions);
        true
    }

    #[cold]
    fn is_between(&mut self, address: u64) -> bool {
        match self.between {
            [Some(from), _] if from != address => return false,
            [Some(_), _] => self.between[0] = None,
            [None, Some(to)] if to == address => self.left = 0,
            _ => {}
        }
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
        self.skip > 0 || self.between[0].is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(mut window: Window, blocks: &[u64]) -> Vec<usize> {
        (0..blocks.len())
            .filter(|block| window.takes(blocks[*block], *block as u64 % 4))
            .collect()
    }

    #[test]
    fn blocks_are_taken_as_a_whole() {
        let blocks = [10, 10, 10, 10];
        let window = |skip, count| {
            Window::new(Part {
                skip,
                count,
                ..Part::default()
            })
        };
        assert_eq!(taken(window(0, None), &blocks), [0, 1, 2, 3]);
        assert_eq!(taken(window(11, None), &blocks), [2, 3]);
        assert_eq!(taken(window(10, Some(11)), &blocks), [1, 2]);
        assert!(window(41, None).never_began());
    }

    #[test]
    fn from_one_block_to_another() {
        let blocks = [10; 10];
        let between = |from, to| {
            let mut window = Window::new(Part {
                from,
                to,
                ..Part::default()
            });
            window.placed(1);
            window
        };
        assert_eq!(taken(between(Some(1), Some(0)), &blocks), [2, 3, 4]);
        assert_eq!(taken(between(Some(1), None), &blocks), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(taken(between(None, Some(2)), &blocks), [0, 1, 2]);
        // Both the same: from one call to the next.
        assert_eq!(taken(between(Some(1), Some(1)), &blocks), [2, 3, 4, 5]);
        assert!(between(Some(7), None).never_began());
    }
}
