// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core's time: issue slots.

use fresco_dram::Ps;
use fresco_machine::CoreConfig;

/// Time in issue slots: a core cycle divided by the issue width. An instruction takes one slot, so that the bandwidth
/// of dispatch and retirement needs no arithmetic but `+ 1`.
pub(crate) type Slot = u64;

/// The slot that is not known yet.
pub(crate) const PENDING: Slot = u64::MAX;

/// Turns slots into picoseconds and back.
#[derive(Clone, Copy, Debug)]
pub struct SlotClock {
    /// Slots per microsecond: MHz times issue width.
    per_us: u64,
    width: u64,
}

/// Picoseconds in a microsecond.
const PS_PER_US: u64 = 1_000_000;

impl SlotClock {
    /// The clock of a core.
    pub fn of(core: &CoreConfig) -> Self {
        Self::new(core.mhz, core.issue_width)
    }

    /// A clock of `mhz` and `width` instructions per cycle, both positive.
    pub(super) fn new(mhz: u32, width: u32) -> Self {
        assert!(
            mhz > 0 && width > 0,
            "a checked machine has a clock and issues instructions"
        );
        Self {
            per_us: u64::from(mhz) * u64::from(width),
            width: u64::from(width),
        }
    }

    /// The slots of so many cycles.
    pub fn slots(self, cycles: u64) -> u64 {
        cycles * self.width
    }

    /// The time at which a slot begins, rounded down to a picosecond.
    pub fn to_ps(self, slot: u64) -> Ps {
        match slot.checked_mul(PS_PER_US) {
            Some(product) => product / self.per_us,
            None => (u128::from(slot) * u128::from(PS_PER_US) / u128::from(self.per_us)) as Ps,
        }
    }

    /// The first slot that begins at or after `t`.
    pub fn from_ps(self, t: Ps) -> u64 {
        match t.checked_mul(self.per_us) {
            Some(product) => product.div_ceil(PS_PER_US),
            None => (u128::from(t) * u128::from(self.per_us)).div_ceil(u128::from(PS_PER_US)) as u64,
        }
    }

    /// A latency as slots: whole core cycles, rounded up, at least one.
    pub fn latency(self, latency: Ps) -> u32 {
        let cycles = (u128::from(latency) * u128::from(self.per_us / self.width)).div_ceil(u128::from(PS_PER_US));
        u32::try_from(self.slots(cycles.max(1) as u64)).expect("a cache answers within 2^32 slots")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_begins_no_later_than_it_is_reached() {
        for (mhz, width) in [(800, 1), (2000, 3), (2667, 4), (3200, 8)] {
            let clock = SlotClock::new(mhz, width);
            for slot in (0..100_000).chain(1 << 45..(1 << 45) + 1000) {
                assert_eq!(clock.from_ps(clock.to_ps(slot)), slot, "{mhz} MHz, width {width}");
            }
        }
    }

    #[test]
    fn latencies_are_whole_cycles() {
        let clock = SlotClock::new(2000, 3);
        assert_eq!(clock.latency(1_500), 9);
        assert_eq!(clock.latency(1_501), 12);
        assert_eq!(clock.latency(0), 3);
    }
}
