// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory simulator as a timer: the controllers of a machine, cycle by cycle, without cores and caches.

use fresco_detect::{Load, Stream, Timer};
use fresco_dram::{Cycle, PhysAddr};
use fresco_machine::Machine;
use fresco_memory::{Access, Completion, Controller, Interconnect, Request, Sink};
use std::collections::VecDeque;
use std::ops::Range;

/// Cycles between a round and the next: flushes, fences, the loop.
const PAUSE: Cycle = 12;
/// Idle time longer than this many refresh intervals is cut by whole multiples of 64 intervals: every scheme goes round
/// in fewer.
const IDLE_INTERVALS: Cycle = 256;
const ROUND_OF_INTERVALS: Cycle = 64;

/// A machine's memory, timed by core 0.
pub struct MemoryTimer {
    machine: Machine,
    controllers: Vec<Controller>,
    interconnect: Interconnect,
    ranges: Vec<Range<u64>>,
    /// The cycle in which the next request may be sent.
    now: Cycle,
    /// Idle time that was not simulated, in cycles.
    skipped: Cycle,
    requests: u64,
}

/// Collects completions.
#[derive(Default)]
struct Port {
    done: VecDeque<(u64, Cycle)>,
}

impl Sink for Port {
    fn completed(&mut self, completion: &Completion) {
        self.done.push_back((completion.id, completion.done));
    }
}

/// One walk in progress.
struct Walk<'a> {
    lines: &'a [u64],
    next: usize,
}

impl MemoryTimer {
    /// The memory of a machine, idle.
    pub fn new(machine: &Machine) -> Self {
        let memory = &machine.memory;
        let nodes = memory.organisation.nodes;
        let controllers = (0..nodes)
            .map(|node| Controller::new(&memory.controller, &memory.organisation, &memory.timing, node))
            .collect();
        let mut ranges: Vec<Range<u64>> = memory.map.regions().iter().map(|r| r.base..r.end()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        // Ranges that touch are one to an operating system.
        let mut merged: Vec<Range<u64>> = Vec::new();
        for range in ranges {
            match merged.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => merged.push(range),
            }
        }
        Self {
            machine: machine.clone(),
            controllers,
            interconnect: Interconnect::new(&machine.topology, &[]),
            ranges: merged,
            now: 1,
            skipped: 0,
            requests: 0,
        }
    }

    /// Sends a load at cycle `at`; returns its name.
    fn send(&mut self, at: Cycle, line: u64) -> u64 {
        let location = self
            .machine
            .memory
            .map
            .decode(PhysAddr(line))
            .expect("detectors keep to the timer's ranges");
        let id = self.requests;
        self.requests += 1;
        let there = self.cycles_ps(self.interconnect.route(0, location.node).there);
        let request = Request {
            id,
            source: 0,
            access: Access::Read,
            line,
            location,
        };
        self.controllers[location.node as usize].submit(at + there, request);
        id
    }

    /// The cycle in which the data of a line that the controller is done with are at the core.
    fn arrival(&self, line: u64, done: Cycle) -> Cycle {
        let node = self
            .machine
            .memory
            .map
            .decode(PhysAddr(line))
            .map_or(0, |location| location.node);
        let back = self.interconnect.route(0, node).back + self.machine.memory.controller.frontend;
        done + self.cycles_ps(back)
    }

    fn cycles_ps(&self, ps: u64) -> Cycle {
        self.machine.memory.timing.clock.cycles(ps)
    }

    fn nanoseconds(&self, cycles: Cycle) -> f64 {
        self.machine.memory.timing.clock.to_ps(cycles) as f64 / 1000.0
    }

    /// Runs the next event of any controller.
    fn step(&mut self, port: &mut Port) {
        let event = self.controllers.iter().map(Controller::next_event).min().unwrap_or(0);
        for controller in &mut self.controllers {
            if controller.next_event() <= event {
                controller.run_until(event, port);
            }
        }
    }

    /// Loads lines at the same time and waits for all; the cycle in which the last is there.
    fn load(&mut self, lines: &[u64]) -> Cycle {
        let mut port = Port::default();
        let first = self.requests;
        for line in lines {
            self.send(self.now, *line);
        }
        while port.done.len() < lines.len() {
            self.step(&mut port);
        }
        let arrivals = port
            .done
            .iter()
            .map(|(id, done)| self.arrival(lines[(id - first) as usize], *done));
        arrivals.max().unwrap_or(self.now)
    }
}

impl Timer for MemoryTimer {
    fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    fn pair(&mut self, a: u64, b: u64, rounds: u32) -> f64 {
        let start = self.now;
        for _ in 0..rounds {
            let end = if a == b { self.load(&[a]) } else { self.load(&[a, b]) };
            self.now = end + PAUSE;
        }
        self.nanoseconds(self.now - start)
    }

    fn streams(&mut self, streams: &[Stream<'_>], accesses: u32) -> f64 {
        let mut walks: Vec<Walk<'_>> = streams
            .iter()
            .map(|s| Walk {
                lines: s.lines,
                next: 0,
            })
            .collect();
        let first = self.requests;
        // Stream and line of each request, by its number.
        let mut owners: Vec<(usize, u64)> = Vec::new();
        let mut left = accesses;
        let mut send = |this: &mut Self, stream: usize, at: Cycle, owners: &mut Vec<(usize, u64)>| {
            let walk = &mut walks[stream];
            let line = walk.lines[walk.next % walk.lines.len()];
            walk.next += 1;
            this.send(at, line);
            owners.push((stream, line));
        };
        let start = self.now;
        for (stream, given) in streams.iter().enumerate() {
            for _ in 0..given.outstanding.min(left) {
                send(self, stream, start, &mut owners);
                left -= 1;
            }
        }
        let (mut finished, mut made, mut last, mut end) = (0, 0u32, start, start);
        let mut port = Port::default();
        while finished < owners.len() {
            self.step(&mut port);
            while let Some((id, done)) = port.done.pop_front() {
                let (stream, line) = owners[(id - first) as usize];
                let arrival = self.arrival(line, done);
                finished += 1;
                end = end.max(arrival);
                if stream == 0 {
                    made += 1;
                    last = arrival;
                }
                if left > 0 {
                    left -= 1;
                    send(self, stream, arrival + 1, &mut owners);
                }
            }
        }
        self.now = end + PAUSE;
        if made == 0 {
            f64::NAN
        } else {
            self.nanoseconds(last - start) / f64::from(made)
        }
    }

    fn series(&mut self, line: u64, accesses: u32) -> Vec<Load> {
        (0..accesses)
            .map(|_| {
                let start = self.now;
                let end = self.load(&[line]);
                self.now = end + PAUSE;
                Load {
                    at: self.nanoseconds(start + self.skipped),
                    took: self.nanoseconds(end - start),
                }
            })
            .collect()
    }

    fn wait(&mut self, nanoseconds: f64) {
        let clock = self.machine.memory.timing.clock;
        let mut cycles = clock.cycles((nanoseconds.clamp(0.0, 1e15) * 1000.0) as u64);
        let refi = self.machine.memory.timing.refi.max(1);
        if cycles > IDLE_INTERVALS * refi {
            let round = ROUND_OF_INTERVALS * refi;
            let cut = (cycles - IDLE_INTERVALS * refi / 2) / round * round;
            self.skipped += cut;
            cycles -= cut;
        }
        self.now += cycles;
    }

    fn now(&self) -> f64 {
        self.nanoseconds(self.now + self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_machine::builtin;

    /// The time of a round on a quiet machine.
    fn round(machine: &str, a: u64, b: u64) -> f64 {
        let mut timer = MemoryTimer::new(&builtin(machine).expect("a built-in machine"));
        timer.pair(a, b, 1);
        timer.pair(a, b, 6) / 6.0
    }

    #[test]
    fn another_row_of_the_bank_takes_longer_than_the_same_row_or_another_bank() {
        // Xeon W3530: bank bits 12, 13, 19; rank 20; row bits from 15 and 21 on.
        let (same_row, conflict, other_bank) = (
            round("xeon-w3530", 0, 1 << 7),
            round("xeon-w3530", 0, 1 << 22),
            round("xeon-w3530", 0, 1 << 12 | 1 << 22),
        );
        assert!(conflict > same_row + 25.0, "{conflict} {same_row}");
        assert!(conflict > other_bank + 25.0, "{conflict} {other_bank}");
    }

    #[test]
    fn time_that_is_not_simulated_passes_nevertheless() {
        let mut timer = MemoryTimer::new(&builtin("xeon-w3530").expect("a built-in machine"));
        timer.wait(30e9);
        assert!((timer.now() - 30e9).abs() < 1e4, "{}", timer.now());
        let first = timer.series(0, 1)[0].took;
        assert!(first < 200.0, "{first}");
    }
}
