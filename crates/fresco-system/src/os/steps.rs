// SPDX-License-Identifier: MIT OR Apache-2.0
//! The steps of a process: what its core executes next.

use super::pages::Translation;
use super::process::{Failure, Process, Stop};
use crate::core::{Lookup, MicroOp, Source, Step, Victims};
use fresco_dram::PhysAddr;
use fresco_load::{Event, Op};
use fresco_memory::{LineState, PrivateOutcome, Watched};

/// Instructions without memory access that may be put off until the next operation: a program that has no operations
/// must let time pass too.
const MOST_CARRIED: u32 = 1 << 12;

impl Process {
    /// More events from the program, or why there are none.
    fn refill(&mut self) -> Option<Stop> {
        self.batch.clear();
        self.next = 0;
        match self.program.next(&mut self.batch) {
            Ok(true) => None,
            Ok(false) => Some(Stop::Over),
            Err(error) => Some(Stop::Failed(Failure::Input(error))),
        }
    }

    // Always: for each operation.
    #[inline(always)]
    pub(super) fn operation(&mut self, op: &Op, addr: PhysAddr, gap: u32) -> MicroOp {
        self.operations += 1;
        self.next += 1;
        let line = PhysAddr(addr.0 >> self.line_bits << self.line_bits);
        self.access(line, op.write, op.dep, gap)
    }

    /// What has not been executed yet of the instructions before an event whose turn has come.
    pub(super) fn gap_left(&mut self, gap: u32) -> u32 {
        let gap = if std::mem::take(&mut self.gap_done) {
            0
        } else {
            gap - std::mem::take(&mut self.cut)
        };
        gap.saturating_add(std::mem::take(&mut self.carried))
    }

    /// Looks a line up in the private caches.
    // Always: for each operation.
    #[inline(always)]
    pub(super) fn access(&mut self, line: PhysAddr, write: bool, dep: u32, gap: u32) -> MicroOp {
        let mut victims = Victims::default();
        let lookup = match self.caches.access(line, write) {
            PrivateOutcome::Hit {
                level, leaves, watched, ..
            } => {
                if let Some(victim) = leaves {
                    victims.push(victim);
                }
                let [first, second] = self.hit_slots;
                let slots = if level == 1 { first } else { second };
                match watched {
                    None => Lookup::Hit { slots },
                    Some(Watched { first_use }) => Lookup::Watched { slots, first_use },
                }
            }
            PrivateOutcome::Miss => {
                for victim in self.caches.fill(line, write).as_slice() {
                    victims.push(*victim);
                }
                Lookup::Miss
            }
        };
        MicroOp {
            gap,
            dep,
            write,
            line,
            lookup,
            victims,
        }
    }

    /// The next event is no operation, and its turn has come: the instructions before it.
    fn pass_by(&mut self, gap: u32) -> u32 {
        self.next += 1;
        let gap = gap - std::mem::take(&mut self.cut);
        gap.saturating_add(std::mem::take(&mut self.carried))
    }

    /// The instructions before the next operation or fetch, executed before it stops there.
    pub(super) fn gap_before(&mut self, gap: u32) -> u32 {
        let left = self.gap_left(gap);
        self.gap_done = true;
        left
    }
}

impl Source for Process {
    // Always: there is one place that calls it, for each operation.
    #[inline(always)]
    fn next_within(&mut self, room: u64) -> Step {
        // Nearly always: an operation that nothing stops, of a page that has a frame.
        if self.plain
            && self.operations < self.stop_at
            && let Some(&Event::Op(op)) = self.batch.events().get(self.next)
            && u64::from(op.gap) <= room
            && let Translation::Mapped(addr) = self.pages.translate(op.addr)
        {
            return Step::Op(self.operation(&op, addr, op.gap));
        }
        self.next_of_any(room)
    }

    fn next(&mut self) -> Step {
        self.next_within(u64::MAX)
    }

    fn owns(&mut self, line: PhysAddr) -> bool {
        matches!(self.caches.state(line), LineState::Exclusive | LineState::Modified)
    }
}

impl Process {
    /// The next step, whatever it is.
    #[inline(never)]
    fn next_of_any(&mut self, room: u64) -> Step {
        let step = self.next_within_copy_or_program(room);
        self.plain = self.is_plain();
        step
    }

    fn next_within_copy_or_program(&mut self, room: u64) -> Step {
        if !self.begun {
            return self.stopped(Stop::Start, 0);
        }
        // No time goes by between the reads of a walk and the operation.
        if let Some(step) = self.go_on_translating() {
            return step;
        }
        if let Some(step) = self.copy_on() {
            return step;
        }
        if self.preemptible {
            if self.batch.events().get(self.next).is_none()
                && let Some(stop) = self.refill()
            {
                return self.stopped(stop, 0);
            }
            if let Some(step) = self.work_within(room) {
                return step;
            }
        }
        loop {
            match self.batch.events().get(self.next) {
                Some(&Event::Op(op)) => {
                    if let Some(stop) = self.stop_here() {
                        // A process that can be stopped anywhere stops before the instructions that lead to it.
                        let gap = if self.preemptible { 0 } else { self.gap_before(op.gap) };
                        return self.stopped(stop, gap);
                    }
                    return match self.pages.translate(op.addr) {
                        Translation::Mapped(addr) => match self.look_up(&op, addr) {
                            Some(step) => step,
                            None => {
                                let gap = self.gap_left(op.gap);
                                match self.caches.are_coherent() {
                                    false => Step::Op(self.operation(&op, addr, gap)),
                                    true => self.execute_coherently(&op, addr, gap),
                                }
                            }
                        },
                        Translation::Fault(page) => {
                            let gap = self.gap_before(op.gap);
                            self.stopped(Stop::Fault(page), gap)
                        }
                        Translation::Outside => self.stopped(Stop::Failed(Failure::Outside(op.addr)), 0),
                    };
                }
                Some(&Event::Mark { marker, gap }) => {
                    if let Some(stop) = self.stop_here() {
                        let gap = std::mem::take(&mut self.carried);
                        return self.stopped(stop, gap);
                    }
                    let gap = self.pass_by(gap);
                    if self.heeds_marks {
                        return self.stopped(Stop::Mark(marker), gap);
                    }
                    if gap >= MOST_CARRIED {
                        return self.stopped(Stop::Elapsed, gap);
                    }
                    self.carried = gap;
                }
                Some(&Event::Order { order, gap }) => {
                    if let Some(stop) = self.stop_here() {
                        let gap = std::mem::take(&mut self.carried);
                        return self.stopped(stop, gap);
                    }
                    let gap = self.pass_by(gap);
                    return self.stopped(Stop::Order(order), gap);
                }
                Some(&Event::Fetch { line, gap }) => {
                    if let Some(step) = self.fetch(line, gap) {
                        return step;
                    }
                }
                None => {
                    if let Some(stop) = self.refill() {
                        return self.stopped(stop, 0);
                    }
                }
            }
        }
    }
}
