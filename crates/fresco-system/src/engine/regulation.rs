// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth regulation of the running cores (MG-1).
//!
//! After each access that moves a line, the core's counter is looked at. When its budget is used up, an interrupt stops
//! the core before its next operation; the accesses already under way end, and what they move beyond the budget is
//! counted. The handler asks the node's manager, and the core goes on, or waits until its budget is renewed or all are
//! let go on. At the beginning of each period a timer interrupts every core. Each interrupt takes the time that the
//! scenario says, and waits for everything before it to complete, as an exception does.
//!
//! A core under regulation runs ahead of the others by [`RUN_AHEAD`] at most: so late an interrupt may come.

use super::Engine;
use crate::bandwidth::{Counts, Decision, Manager};
use crate::results::{CoreRegulation, NodeRegulation, RegulationResult, ns, ratio};
use crate::scenario::Bandwidth;
use fresco_dram::{NEVER, Ps};
use fresco_memory::Lines;

/// How far a core under regulation may run ahead: 10 ns, about the time in which an instruction window passes through.
pub(super) const RUN_AHEAD: Ps = 10_000;

/// The regulation of a run.
pub(super) struct Regulation {
    /// Time of an interrupt.
    interrupt: Ps,
    /// When the next period begins; [`NEVER`] before the programs do.
    pub next: Ps,
    /// One for each node that has tasks, as the setup has them.
    managers: Vec<Manager>,
    /// By number of the cpu.
    cores: Vec<Watched>,
    /// The beginning of the first whole period that is measured.
    from: Option<Ps>,
}

/// A core under regulation.
struct Watched {
    /// Its manager, and its number there.
    manager: usize,
    member: usize,
    seen: Lines,
    /// It has waited since then.
    waits_since: Option<Ps>,
    /// Time for which it has waited, up to the end of its last wait.
    waited: Ps,
    /// What it used in each whole period that was measured.
    by_period: Vec<u64>,
    /// Counters at the beginning of the first of them.
    then: Counts,
    waited_then: Ps,
}

impl Regulation {
    /// `numbers` has the number of the cpu of each copy.
    pub fn new(bandwidth: &Bandwidth, core_mhz: u32, numbers: &[usize]) -> Self {
        let managers = bandwidth.nodes.iter().map(|node| Manager::new(node.settings.clone()));
        let mut cores: Vec<(usize, Watched)> = Vec::new();
        for (manager, node) in bandwidth.nodes.iter().enumerate() {
            for (member, copy) in node.copies.iter().enumerate() {
                let watched = Watched {
                    manager,
                    member,
                    seen: Lines::default(),
                    waits_since: None,
                    waited: 0,
                    by_period: Vec::new(),
                    then: Counts::default(),
                    waited_then: 0,
                };
                cores.push((numbers[*copy], watched));
            }
        }
        cores.sort_by_key(|(number, _)| *number);
        Self {
            interrupt: bandwidth.interrupt_cycles * 1_000_000 / u64::from(core_mhz),
            next: NEVER,
            managers: managers.collect(),
            cores: cores.into_iter().map(|(_, watched)| watched).collect(),
            from: None,
        }
    }
}

impl Engine<'_> {
    /// The programs begin, and with them the first period.
    pub(super) fn regulate_from(&mut self, at: Ps) {
        if let (Some(regulation), Some(bandwidth)) = (&mut self.regulation, &self.setup.bandwidth) {
            regulation.next = at + bandwidth.period;
        }
    }

    /// When the timer of the next period fires.
    pub(super) fn next_period(&self) -> Ps {
        self.regulation.as_ref().map_or(NEVER, |regulation| regulation.next)
    }

    /// Looks at the counter of a core.
    pub(super) fn count_lines(&mut self, number: usize) {
        let (Some(regulation), Some(bandwidth)) = (&mut self.regulation, &self.setup.bandwidth) else {
            return;
        };
        let (cpu, watched) = (&mut self.cpus[number], &mut regulation.cores[number]);
        let now = self.memory.lines(cpu.number);
        let seen = std::mem::replace(&mut watched.seen, now);
        let mut moved = now.read - seen.read;
        if bandwidth.count_write_backs {
            moved += now.written - seen.written;
        }
        if moved > 0
            && regulation.managers[watched.manager].used(watched.member, moved)
            && watched.waits_since.is_none()
        {
            cpu.process.interrupt();
        }
    }

    /// A core takes an interrupt. Returns when it goes on; `None` if it has to wait.
    pub(super) fn interrupted(&mut self, number: usize, at: Ps) -> Option<Ps> {
        let Some(regulation) = &mut self.regulation else {
            return Some(at);
        };
        let on = at + regulation.interrupt;
        let Watched { manager, member, .. } = regulation.cores[number];
        match regulation.managers[manager].exhausted(member) {
            Decision::GoOn => {}
            Decision::Stall => {
                regulation.cores[number].waits_since = Some(at);
                return None;
            }
            Decision::AllGoOn => {
                let of_node = |watched: &Watched| watched.manager == manager;
                for (cpu, watched) in std::iter::zip(&mut self.cpus, &mut regulation.cores) {
                    if of_node(watched) && watched.go_on(at) {
                        cpu.core.resume(on);
                    }
                }
            }
        }
        Some(on)
    }

    /// A period begins: budgets are renewed, cores that waited go on, the others are interrupted by the timer.
    pub(super) fn renew_budgets(&mut self, now: Ps) {
        let (Some(regulation), Some(bandwidth)) = (&mut self.regulation, &self.setup.bandwidth) else {
            return;
        };
        if regulation.next > now {
            return;
        }
        regulation.next += bandwidth.period;
        for watched in &mut regulation.cores {
            let used = regulation.managers[watched.manager].used_now(watched.member);
            watched.by_period.extend(regulation.from.map(|_| used));
        }
        regulation.managers.iter_mut().for_each(Manager::begin_period);
        for (cpu, watched) in std::iter::zip(&mut self.cpus, &mut regulation.cores) {
            if watched.go_on(now) {
                cpu.core.resume(now + regulation.interrupt);
            } else {
                cpu.process.interrupt();
            }
        }
        if regulation.from.is_none() && self.opened.is_some() {
            regulation.from = Some(now);
            for watched in &mut regulation.cores {
                watched.then = regulation.managers[watched.manager].counts(watched.member);
                watched.waited_then = watched.waited;
            }
        }
    }

    /// What the regulation did, and what it did to each cpu.
    pub(super) fn regulation_result(&self) -> Option<(RegulationResult, Vec<CoreRegulation>)> {
        let (regulation, bandwidth) = (self.regulation.as_ref()?, self.setup.bandwidth.as_ref()?);
        let line_bytes = bandwidth.guaranteed.line_bytes;
        let cores = regulation.cores.iter().map(|watched| {
            let node = &bandwidth.nodes[watched.manager];
            let counts = regulation.managers[watched.manager].counts(watched.member);
            let counts = counts.since(&watched.then);
            let reservation = node.settings.reservations[watched.member];
            let used: u64 = watched.by_period.iter().sum();
            let time = counts.periods * bandwidth.period;
            // A wait that has not ended began in the last period, which is not a whole one.
            let waited = watched.waited - watched.waited_then;
            CoreRegulation {
                node: node.node,
                kind: reservation.kind,
                weight: reservation.weight,
                reserved_bytes_per_s: node.reserved[watched.member],
                reserved_lines: reservation.lines,
                guaranteed_bytes_per_s: if node.keeps(watched.member) {
                    per_second(reservation.lines * line_bytes, bandwidth.period)
                } else {
                    0.0
                },
                achieved_bytes_per_s: per_second(used * line_bytes, time),
                stalled_ns: ns(waited),
                stalled_share: ratio(waited as f64, time as f64),
                error_rate: ratio(counts.errors as f64, counts.periods as f64),
                counts,
                lines_by_period: watched.by_period.clone(),
            }
        });
        let nodes = bandwidth.nodes.iter().map(|node| NodeRegulation {
            node: node.node,
            guaranteed_bytes_per_s: bandwidth.guaranteed.bytes_per_s(),
            total_bytes_per_s: node.total,
            total_lines: node.settings.total,
            reserved_bytes_per_s: node.reserved.iter().sum(),
        });
        let result = RegulationResult {
            period_ps: bandwidth.period,
            from_ps: regulation.from.unwrap_or(0),
            count_write_backs: bandwidth.count_write_backs,
            reclaim: bandwidth.reclaim(),
            interrupt_ps: regulation.interrupt,
            line_bytes,
            in_flight: self.setup.machine.core.mshrs,
            nodes: nodes.collect(),
        };
        Some((result, cores.collect()))
    }
}

impl Watched {
    /// Ends its wait, if it waits.
    fn go_on(&mut self, now: Ps) -> bool {
        let since = self.waits_since.take();
        self.waited += since.map_or(0, |since| now - since);
        since.is_some()
    }
}

/// Bytes per second.
fn per_second(bytes: u64, time: Ps) -> f64 {
    ratio(bytes as f64, time as f64 * 1e-12)
}
