// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the memory goes on in time.

use super::MemorySystem;
use super::beside::next_of;
use super::fabric::Fabric;
use super::port::Port;
use super::sample::Done;
use crate::controller::Controller;
use crate::request::Access;
use fresco_dram::{Cycle, NEVER, Ps};

/// What the controllers do next, all of them together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Next {
    /// In which cycle; [`NEVER`] if nothing will happen.
    pub cycle: Cycle,
    /// When the cycle begins, rounded down to a picosecond: a time is later than this if and only if it is later than
    /// the begin of the cycle.
    begins: Ps,
    /// Data, and the news that a write was taken, come a cycle after that at the earliest.
    pub(super) answers: Ps,
}

impl Default for Next {
    fn default() -> Self {
        Self {
            cycle: NEVER,
            begins: NEVER,
            answers: NEVER,
        }
    }
}

impl MemorySystem {
    /// No data reach a core before this time, and none that [stands still](Self::take_standing) goes on; [`NEVER`] if no read is under way and none
    /// does. Run to it, and ask again.
    #[inline]
    pub fn next_event(&self) -> Ps {
        match self.is_limited {
            false => self.next_own(),
            true => self.next_limited(),
        }
    }

    #[inline(always)]
    fn next_own(&self) -> Ps {
        if self.is_idle() {
            return NEVER;
        }
        let released = self.write_backs.next_release().unwrap_or(NEVER);
        let returns = self.pending.next_return().unwrap_or(NEVER);
        returns.min(self.next.answers).min(released)
    }

    #[cold]
    fn next_limited(&self) -> Ps {
        if let Some(beside) = &self.beside {
            return match self.is_idle() {
                true => NEVER,
                false => self.next_beside(beside),
            };
        }
        let waited = self.blocking.next_hit().unwrap_or(NEVER);
        let passes = self.fabric.as_ref().map_or(NEVER, Fabric::next_event);
        if self.is_idle() {
            // Only writes are under way, and others may wait for them.
            return match self.waits_in_fabric() {
                true => waited.min(passes).min(self.next.answers),
                false => waited,
            };
        }
        self.next_own().min(passes).min(waited)
    }

    /// Goes on to time `until`, and appends the reads whose data reach their cores up to and including it: by time,
    /// then in the order of the calls, each followed by those that joined it; at equal times those that waited for the
    /// last-level cache, and hit there, come last.
    #[inline]
    pub fn run_until(&mut self, until: Ps, done: &mut Vec<Done>) {
        debug_assert!(until >= self.now, "time {until} has been run, it is {}", self.now);
        match self.is_limited {
            false => self.run_own(until, done),
            true => self.run_limited(until, done),
        }
    }

    /// Returns true if no read is under way, and no core stands still.
    #[inline(always)]
    fn is_idle(&self) -> bool {
        self.pending.is_empty() && !self.write_backs.is_felt()
    }

    fn waits_in_fabric(&self) -> bool {
        self.fabric.as_ref().is_some_and(Fabric::may_wait_for_others)
    }

    /// A register that becomes free on the way is taken at that time, not at `until`, and so is the place of a line that was under way.
    #[cold]
    fn run_limited(&mut self, until: Ps, done: &mut Vec<Done>) {
        if self.beside.is_some() {
            return self.run_to_beside(until, done);
        }
        while self.blocking.is_felt() || self.waits_in_fabric() {
            match self.next_limited() {
                next if next < until => self.run_limited_to(next, done),
                _ => break,
            }
        }
        self.run_limited_to(until, done);
    }

    fn run_limited_to(&mut self, until: Ps, done: &mut Vec<Done>) {
        self.pass_fabric(until);
        self.run_own(until, done);
        if self.blocking.is_felt() {
            self.unblock(until, done);
        }
    }

    #[inline(always)]
    fn run_own(&mut self, until: Ps, done: &mut Vec<Done>) {
        self.now = until;
        if self.next.begins < until.saturating_add(self.outbound) {
            let cycles = self.cycles();
            self.run_controllers(cycles, |controller| controller.next_event() < cycles);
        }
        if let Some(log) = &mut self.log {
            log.hand_out();
        }
        self.deliver(until, done);
    }

    /// What is known to come up to and including `until` comes.
    #[inline(always)]
    pub(super) fn deliver(&mut self, until: Ps, done: &mut Vec<Done>) {
        if self.pending.next_return().is_some_and(|at| at <= until) {
            self.pending.deliver(until, done);
        }
        if self.write_backs.is_due(until) {
            self.release_waiting(until);
        }
    }

    /// Entries of write-back buffers are free at `now`: lines that waited for them go.
    fn release_waiting(&mut self, now: Ps) {
        for (core, line) in self.write_backs.release(now) {
            self.send(now, core, line, Access::Write, 0);
        }
    }

    /// Returns true if cores stand still or go on that have not been [told](Self::take_standing).
    #[inline]
    pub fn has_standing(&self) -> bool {
        !self.write_backs.standing.is_empty()
    }

    /// Appends the cores that stand still from now on (true), or go on (false), since this was asked last, in order. A core stands still while a line that
    /// it displaced waits for an entry of its write-back buffer: it is to ask for no line, and let none leave its private caches. What it does
    /// nevertheless is done, and its lines wait, too.
    pub fn take_standing(&mut self, out: &mut Vec<(u32, bool)>) {
        out.append(&mut self.write_backs.standing);
    }

    /// Returns true if a line of a core waits for an entry of its write-back buffer.
    pub fn stands(&self, core: u32) -> bool {
        self.write_backs.stands(core)
    }

    /// Controller cycles that are run by now: those that begin before a request made now could arrive.
    #[inline]
    fn cycles(&self) -> Cycle {
        self.cycles_at(self.now)
    }

    /// The same of another time.
    #[inline]
    pub(super) fn cycles_at(&self, time: Ps) -> Cycle {
        self.clock.cycle_at_or_after(time.saturating_add(self.outbound))
    }

    /// Brings all controllers to the same cycle, so that their counts cover the same time; returns how many cycles.
    pub(super) fn settle(&mut self) -> Cycle {
        self.come_home();
        let cycles = self.cycles();
        self.run_controllers(cycles, |_| cycles > 0);
        cycles
    }

    /// Runs the controllers that `which` chooses through all cycles before `cycles`.
    #[inline(never)]
    pub(super) fn run_controllers(&mut self, cycles: Cycle, which: impl Fn(&Controller) -> bool) {
        let (controllers, mut port) = self.with_port();
        let mut next = NEVER;
        for (node, controller) in (0u32..).zip(controllers) {
            if which(controller) {
                port.node = node;
                controller.run_until(cycles - 1, &mut port);
            }
            next = next.min(controller.next_event());
        }
        self.next = self.at_cycle(next);
        if self.beside.is_some() {
            self.ran_here(cycles);
        }
    }

    /// The controllers, and where their results go, those of node 0 at first.
    #[inline(always)]
    pub(super) fn with_port(&mut self) -> (&mut [Controller], Port<'_>) {
        let port = Port {
            node: 0,
            first_agent: self.first_agent,
            clock: self.clock,
            frontend_back: self.frontend_back,
            interconnect: &self.interconnect,
            pending: &mut self.pending,
            write_backs: &mut self.write_backs,
            fabric: self.fabric.as_mut().filter(|fabric| fabric.counts()),
            log: self.log.as_mut(),
            delayed_writes: self.watch.as_mut().map(|watch| &mut watch.delayed),
        };
        (&mut self.controllers, port)
    }

    /// Asks the controllers when something happens next: after whatever changes them.
    pub(super) fn find_next(&mut self) {
        self.next = self.at_cycle(next_of(&self.controllers));
    }

    #[inline]
    pub(super) fn at_cycle(&self, cycle: Cycle) -> Next {
        match cycle {
            NEVER => Next::default(),
            _ => Next {
                cycle,
                begins: self.clock.to_ps(cycle),
                answers: self.clock.to_ps(cycle + 1) + self.frontend_back,
            },
        }
    }
}
