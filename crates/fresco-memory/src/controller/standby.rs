// SPDX-License-Identifier: MIT OR Apache-2.0
//! How long the ranks of a channel have a row open: active standby takes more current than precharged standby.

use fresco_dram::Cycle;

/// Open rows of each rank, and the time with at least one.
#[derive(Debug)]
pub(super) struct Standby {
    /// Open rows, by rank.
    open: Vec<u32>,
    /// Sum of the cycles at which ranks got their last row closed, less those at which they got the first opened, modulo 2⁶⁴: with
    /// `now` for each rank that has one open, the time.
    active: Cycle,
}

impl Standby {
    pub(super) fn new(ranks: u32) -> Self {
        Self {
            open: vec![0; ranks as usize],
            active: 0,
        }
    }

    #[inline]
    pub(super) fn opened(&mut self, now: Cycle, rank: u32) {
        if let Some(open) = self.open.get_mut(rank as usize) {
            if *open == 0 {
                self.active = self.active.wrapping_sub(now);
            }
            *open += 1;
        }
    }

    #[inline]
    pub(super) fn closed(&mut self, now: Cycle, rank: u32) {
        if let Some(open) = self.open.get_mut(rank as usize) {
            debug_assert!(*open > 0, "only an open row is closed");
            *open = open.wrapping_sub(1);
            if *open == 0 {
                self.active = self.active.wrapping_add(now);
            }
        }
    }

    pub(super) fn all_closed(&mut self, now: Cycle, rank: u32) {
        if let Some(open) = self.open.get_mut(rank as usize)
            && *open > 0
        {
            *open = 0;
            self.active = self.active.wrapping_add(now);
        }
    }

    /// Sum over ranks of the cycles with an open row, up to `now`.
    pub(super) fn read(&self, now: Cycle) -> Cycle {
        self.active.wrapping_add(self.until(now))
    }

    pub(super) fn reset(&mut self, now: Cycle) {
        self.active = self.until(now).wrapping_neg();
    }

    /// `now` for each rank that has a row open.
    fn until(&self, now: Cycle) -> Cycle {
        let open = self.open.iter().filter(|open| **open > 0).count();
        now.wrapping_mul(open as Cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_active_while_any_bank_is_open() {
        let mut standby = Standby::new(2);
        standby.opened(10, 0);
        standby.opened(15, 0);
        standby.opened(20, 1);
        standby.closed(30, 0);
        // Rank 0 since 10, rank 1 since 20.
        assert_eq!(standby.read(40), 30 + 20);
        standby.closed(50, 0);
        standby.all_closed(60, 1);
        assert_eq!(standby.read(100), 40 + 40);
        standby.all_closed(70, 1);
        standby.opened(110, 1);
        standby.reset(120);
        assert_eq!(standby.read(150), 30, "an open row goes on, its past is forgotten");
    }
}
