// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth regulation of the running cores (MG-1): what a [`Regulator`] decides is done to them.
//!
//! After each access that moves a line, the core's counter is looked at. When its budget is used up, an interrupt stops
//! the core before its next operation. At the beginning of each period a timer interrupts every core. What a moved page
//! costs its core (`recoloring.rs`) is the core's own traffic, and uses up its budget.
//!
//! A core under regulation runs ahead of the others by [`RUN_AHEAD`](crate::bandwidth::RUN_AHEAD) at most.

use super::Engine;
use crate::bandwidth::{Regulator, Renewal};
use fresco_dram::{NEVER, Ps};

impl Engine<'_> {
    /// The programs begin, and with them the first period.
    pub(super) fn regulate_from(&mut self, at: Ps) {
        if let Some(regulator) = &mut self.regulator {
            regulator.begin(at, false);
        }
    }

    /// When the timer of the next period fires.
    pub(super) fn next_period(&self) -> Ps {
        self.regulator.as_ref().map_or(NEVER, Regulator::next)
    }

    /// Looks at the counter of a core.
    pub(super) fn count_lines(&mut self, number: usize) {
        let Some(regulator) = &mut self.regulator else { return };
        let cpu = &mut self.cpus[number];
        if regulator.counted(cpu.number, self.memory.lines(cpu.number)) {
            cpu.process.interrupt();
        }
    }

    /// A core takes an interrupt: the regulator's, or a shootdown that is paid for afterwards. Returns when it goes on; `None`
    /// if it has to wait.
    pub(super) fn interrupted(&mut self, number: usize, at: Ps) -> Option<Ps> {
        let is_shot = self.owes(number);
        let regulator = self.regulator.as_mut();
        let Some(regulator) = regulator.filter(|one| !is_shot || one.is_due(self.cpus[number].number)) else {
            return Some(at);
        };
        let answer = regulator.interrupted(self.cpus[number].number, at);
        for core in answer.others {
            self.end_wait(core, at);
        }
        answer.goes_on
    }

    /// A period begins: budgets are renewed, cores that waited go on, the others are interrupted by the timer.
    pub(super) fn renew_budgets(&mut self, now: Ps) {
        let Some(regulator) = self.regulator.as_mut().filter(|regulator| regulator.next() <= now) else {
            return;
        };
        for (core, renewal) in regulator.renew(now, self.opened.is_some()) {
            match renewal {
                Renewal::GoesOn => self.end_wait(core, now),
                Renewal::Interrupted => {
                    // Only cores with tasks have budgets.
                    self.cpus[self.cpu_of[core as usize]].process.interrupt();
                }
            }
        }
    }

    /// A core that has waited up to `at` goes on. Shootdowns that came meanwhile are paid for now.
    fn end_wait(&mut self, core: u32, at: Ps) {
        let number = self.cpu_of[core as usize];
        let on = self.regulator.as_ref().map_or(at, |regulator| regulator.resumes(at));
        let on = on + self.pay(number);
        self.cpus[number].core.resume(on);
    }
}
