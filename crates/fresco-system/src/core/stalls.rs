// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slots in which a core dispatches nothing although no access that it sees holds it up.

use super::clock::Slot;

/// Instructions that a rate is for.
const THOUSAND: u64 = 1000;

/// Stalls at an even rate, in whole slots.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stalls {
    /// Slots in a thousand instructions.
    rate: u64,
    /// Instructions so far.
    done: u64,
}

impl Stalls {
    /// So many slots in a thousand instructions.
    pub fn of(rate: u64) -> Self {
        Self { rate, done: 0 }
    }

    /// Returns true if there are any.
    #[inline(always)]
    pub fn are_there(&self) -> bool {
        self.rate > 0
    }

    /// The slots of stalls up to the last of so many more instructions. However they are cut, their sum is the same.
    #[inline(always)]
    pub fn within(&mut self, instructions: u64) -> Slot {
        if self.rate == 0 {
            return 0;
        }
        let before = self.through(self.done);
        self.done += instructions;
        self.through(self.done) - before
    }

    /// Those of the last `count` of so many more instructions, which do not count as done yet; of the ones before, too, if there are more.
    pub fn of_last(&self, count: u64, instructions: u64) -> Slot {
        let end = self.done + instructions;
        self.through(end) - self.through(end.saturating_sub(count))
    }

    /// The slots up to an instruction.
    fn through(&self, instruction: u64) -> Slot {
        instruction * self.rate / THOUSAND
    }

    /// Instructions that fit in so many slots: one at least.
    #[inline(always)]
    pub fn room(&self, slots: Slot) -> u64 {
        match self.rate {
            0 => slots,
            rate => (slots.saturating_mul(THOUSAND) / (THOUSAND + rate)).max(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_change_no_sum() {
        for rate in [0, 1, 333, 1000, 4321] {
            let (mut whole, mut cut) = (Stalls::of(rate), Stalls::of(rate));
            let parts: u64 = (0..100).map(|part| cut.within(part % 7)).sum();
            let instructions = (0..100).map(|part| part % 7).sum();
            assert_eq!(whole.of_last(instructions, instructions), parts);
            assert_eq!(whole.within(instructions), parts);
            assert_eq!(parts, instructions * rate / THOUSAND);
            assert_eq!(whole.of_last(instructions, 0), parts);
        }
    }

    #[test]
    fn what_fits_takes_no_more_slots() {
        for (rate, slots) in [(0, 17), (500, 3), (1000, 8), (4321, 1000)] {
            let room = Stalls::of(rate).room(slots);
            assert!(room + Stalls::of(rate).within(room) <= slots, "{rate}");
        }
        assert_eq!(Stalls::of(9000).room(1), 1);
    }
}
