// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a handler that locks a color has to wait for before the first refresh: requests under way, and dirty lines.

use super::{Plan, Schedule};
use fresco_machine::{Machine, Queues};
use fresco_rt::Time;

/// Picoseconds in a nanosecond.
const PS_PER_NS: u64 = 1000;
/// Entries of a core's write-back buffer at least, as the model has them (docs/model.md, write-backs).
const WRITE_BACKS: u64 = 8;

/// What is under way when a color is locked, at worst: everything in one bank, each request with a row of its own, as conflicts leave
/// them. Controllers drain side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draining {
    /// Reads of all cores, write-back buffers, a controller's buffer of writes, and the precharge, in ns. No handler may take less.
    pub requests_ns: Time,
    /// One line that is written back: a row cycle, in ps.
    pub line_ps: u64,
    /// Lines that the caches hold.
    pub lines: u64,
}

impl Draining {
    /// That of so many cores of a machine.
    pub fn of(machine: &Machine, cores: u32) -> Self {
        let (timing, org) = (&machine.memory.timing, &machine.memory.organisation);
        let read = timing.rcd + (timing.bursts_of_line(org) - 1) * timing.ccd_l + timing.rtp + timing.rp;
        let write = timing.rcd + timing.write_data(org) + timing.wr + timing.rp;
        let [read, write] = [read, write].map(|cycles| timing.clock.to_ps(cycles.max(timing.rc)));
        let (Queues::Global { writes, .. } | Queues::PerBank { writes, .. } | Queues::FrontQueue { writes, .. }) =
            machine.memory.controller.queues;
        let (cores, misses) = (u64::from(cores), u64::from(machine.core.mshrs));
        let writes = u64::from(writes) + cores * misses.max(WRITE_BACKS);
        let settled = timing.clock.to_ps(timing.settling());
        let requests = cores * misses * read + writes * write + settled + machine.memory.controller.frontend;
        let private = [&machine.l1, &machine.l2].into_iter().flatten().map(|cache| cache.size);
        let shared = machine
            .llc
            .iter()
            .map(|llc| llc.cache.size * cores.div_ceil(u64::from(llc.cores_per_cache).max(1)));
        let bytes = private.map(|size| size * cores).chain(shared).sum::<u64>();
        Self {
            requests_ns: requests.div_ceil(PS_PER_NS),
            line_ps: write,
            lines: bytes / timing.bytes_of_line(org).max(1),
        }
    }

    /// Time for the requests and so many dirty lines, in ns.
    pub fn with_lines_ns(&self, lines: u64) -> Time {
        self.requests_ns
            .saturating_add(lines.saturating_mul(self.line_ps).div_ceil(PS_PER_NS))
    }

    /// Dirty lines that a handler of so many ns is sure to write back; `None` if it is too short for the requests alone.
    pub fn lines_in(&self, handler_ns: Time) -> Option<u64> {
        let left = handler_ns.checked_sub(self.requests_ns)?;
        Some(left.saturating_mul(PS_PER_NS) / self.line_ps.max(1))
    }
}

impl Plan {
    /// The place and the length of the handlers that lock colors; `None` if no color is locked.
    pub fn locking(&self) -> Option<(&'static str, Time)> {
        match &self.schedule {
            Schedule::Locked { locks } | Schedule::Servers { locks, .. } => {
                Some(("schedule.locks.lock_ns", locks.lock_ns))
            }
            Schedule::Slots { handler_ns, .. } => Some(("schedule.handler_ns", *handler_ns)),
            Schedule::Table { lock_ns, .. } => Some(("schedule.lock_ns", *lock_ns)),
            Schedule::Priorities | Schedule::Fair { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, DDR3-1600. gem5-2core: 8 reads of 39 clocks, 64 + 16 writes of 46, and 61 to settle, of 1.25 ns. ss-rtmc: 8 reads
    /// of 36, 16 + 8 writes of 40, 52 to settle.
    #[test]
    fn requests_under_way_take_a_row_cycle_each() {
        let of = |name: &str, cores| Draining::of(&fresco_machine::builtin(name).expect("built in"), cores);
        let two = of("gem5-2core", 2);
        assert_eq!(two.requests_ns, (8 * 39 + 80 * 46 + 61) * 5 / 4 + 1);
        assert_eq!((two.line_ps, two.lines), (57_500, 2 * (32 + 1024) * 16));
        let one = of("ss-rtmc", 1);
        assert_eq!((one.requests_ns, one.line_ps, one.lines), (1625, 50_000, 2304));
        assert_eq!(one.with_lines_ns(2304), 1625 + 115_200);
        assert_eq!([1624, 1625, 2000].map(|ns| one.lines_in(ns)), [None, Some(0), Some(7)]);
    }
}
