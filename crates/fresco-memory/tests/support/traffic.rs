// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random traffic with a character that changes: locality, share of writes, bursts, lulls.

use super::devices::line_columns;
use super::random::Random;
use fresco_dram::{Cycle, Location, Organisation, Timing};
use fresco_memory::{Access, Request};

/// Requests in order of arrival, without end.
pub struct Traffic {
    random: Random,
    org: Organisation,
    timing: Timing,
    /// Node the requests are for.
    node: u32,
    now: Cycle,
    next_id: u64,
    location: Location,
    phase: Phase,
}

/// The character of some requests in a row.
struct Phase {
    left: u64,
    /// Longest pause between two requests.
    gap: Cycle,
    /// Percentages: stay in the row; write; repeat an earlier line of the row.
    local: u64,
    writes: u64,
    /// Rows and banks are drawn from so many.
    rows: u64,
    banks: u64,
}

impl Traffic {
    pub fn new(seed: u64, org: &Organisation, timing: &Timing) -> Self {
        Self::of_node(seed, org, timing, 0)
    }

    pub fn of_node(seed: u64, org: &Organisation, timing: &Timing, node: u32) -> Self {
        Self {
            random: Random::new(seed),
            org: *org,
            timing: timing.clone(),
            node,
            now: 0,
            next_id: 0,
            location: Location {
                node,
                ..Location::default()
            },
            phase: Phase {
                left: 0,
                gap: 0,
                local: 0,
                writes: 0,
                rows: 1,
                banks: 1,
            },
        }
    }

    fn start_phase(&mut self) {
        let random = &mut self.random;
        if random.percent(15) {
            // Long enough for refreshes to find the banks idle.
            self.now += random.below(2 * self.timing.refi);
        }
        let per_channel = u64::from(self.org.banks_per_channel());
        self.phase = Phase {
            left: 1 + random.below(60),
            gap: random.pick(&[0, 1, self.timing.burst(), 2 * self.timing.burst(), 60]),
            local: random.pick(&[0, 30, 60, 95]),
            writes: random.pick(&[0, 10, 35, 80, 100]),
            rows: random.pick(&[1, 2, 4, u64::from(self.org.rows)]),
            banks: random.pick(&[1, 2, per_channel, per_channel]),
        };
    }

    fn move_elsewhere(&mut self) {
        let org = &self.org;
        let bank = self.random.below(self.phase.banks) as u32;
        // Neighbouring numbers lie in different ranks and groups.
        let (rank, rest) = (bank % org.ranks, bank / org.ranks);
        self.location = Location {
            node: self.node,
            channel: self.random.below(u64::from(org.channels)) as u32,
            rank,
            bank_group: rest % org.bank_groups,
            bank: rest / org.bank_groups,
            row: self.random.below(self.phase.rows) as u32,
            column: 0,
        };
    }

    /// The next request and its arrival.
    pub fn draw(&mut self) -> (Cycle, Request) {
        if self.phase.left == 0 {
            self.start_phase();
        }
        self.phase.left -= 1;
        self.now += self.random.below(self.phase.gap + 1);
        if !self.random.percent(self.phase.local) {
            self.move_elsewhere();
        }
        // Few columns, so that lines come again: reads of buffered writes, writes of buffered lines.
        self.location.column = line_columns(&self.org, &self.timing) * self.random.below(8) as u32;
        let l = &self.location;
        let bank = u64::from(l.bank_in_machine(&self.org));
        let request = Request {
            id: self.next_id,
            source: (self.next_id % 4) as u16,
            access: if self.random.percent(self.phase.writes) {
                Access::Write
            } else {
                Access::Read
            },
            line: ((bank * u64::from(self.org.rows) + u64::from(l.row)) * u64::from(self.org.columns)
                + u64::from(l.column))
                * u64::from(self.org.bus_bytes),
            location: self.location,
        };
        self.next_id += 1;
        (self.now, request)
    }
}
