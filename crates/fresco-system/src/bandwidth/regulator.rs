// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth regulation of the cores of a run (MG-1).
//!
//! The engine tells how many lines a core has moved, which interrupts cores have taken, and when the timer fires. The
//! regulator says which core to interrupt, which one waits, and which go on. Each interrupt takes the time that the budgets
//! say, and waits for everything before it to complete, as an exception does: what the accesses under way move beyond a
//! budget is counted.

use super::{Budgets, Counts, Decision, Manager};
use fresco_dram::{NEVER, Ps};
use fresco_machine::CoreConfig;
use fresco_memory::Lines;

/// How far a core under regulation may run ahead of the others: 10 ns, about the time in which an instruction window passes
/// through. So late an interrupt may come.
pub(crate) const RUN_AHEAD: Ps = 10_000;

/// The regulation of a run.
pub(crate) struct Regulator {
    pub(super) budgets: Budgets,
    /// Time of an interrupt.
    pub(super) interrupt: Ps,
    /// Misses that a core may have in flight.
    pub(super) in_flight: u32,
    /// When the next period begins; [`NEVER`] before the first has.
    next: Ps,
    /// One for each node, as the budgets have them.
    pub(super) managers: Vec<Manager>,
    /// By number; `None` for a core without a budget.
    pub(super) cores: Vec<Option<Watched>>,
    /// The beginning of the first whole period that counts.
    pub(super) from: Option<Ps>,
}

/// A core under regulation.
pub(super) struct Watched {
    /// Its manager, and its number there.
    pub manager: usize,
    pub member: usize,
    seen: Lines,
    /// It has been interrupted, and has not come to that yet.
    is_due: bool,
    /// It has waited since then.
    waits_since: Option<Ps>,
    /// Time for which it has waited, up to the end of its last wait.
    pub waited: Ps,
    /// What it used in each whole period that counts.
    pub by_period: Vec<u64>,
    /// Counters at the beginning of the first of them.
    pub then: Counts,
    pub waited_then: Ps,
}

/// What follows from the interrupt of a core.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// When it goes on; `None` if it waits.
    pub goes_on: Option<Ps>,
    /// Cores that have waited and go on, [`Regulator::resumes`] later.
    pub others: Vec<u32>,
}

/// What happens to a core when a period begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renewal {
    /// It has waited, and goes on [`Regulator::resumes`] later.
    GoesOn,
    /// The timer interrupts it.
    Interrupted,
}

impl Regulator {
    /// Before the first period.
    pub fn new(budgets: &Budgets, core: &CoreConfig) -> Self {
        let mut cores: Vec<Option<Watched>> = Vec::new();
        for (manager, node) in budgets.nodes.iter().enumerate() {
            for (member, &core) in node.cores.iter().enumerate() {
                let number = core as usize;
                if cores.len() <= number {
                    cores.resize_with(number + 1, || None);
                }
                cores[number] = Some(Watched::new(manager, member));
            }
        }
        let managers = budgets.nodes.iter().map(|node| Manager::new(node.settings.clone()));
        Self {
            interrupt: budgets.interrupt_cycles * 1_000_000 / u64::from(core.mhz),
            in_flight: core.mshrs,
            next: NEVER,
            managers: managers.collect(),
            cores,
            from: None,
            budgets: budgets.clone(),
        }
    }

    /// The first period begins; it is one of those that count, or not.
    pub fn begin(&mut self, at: Ps, counts: bool) {
        self.next = at + self.budgets.period;
        self.from = counts.then_some(at);
    }

    /// When the timer of the next period fires.
    pub fn next(&self) -> Ps {
        self.next
    }

    /// When a core goes on that has waited up to `at`: the handler has to return.
    pub fn resumes(&self, at: Ps) -> Ps {
        at + self.interrupt
    }

    /// The counter of a core, of which what was moved since the last time uses up nobody's budget.
    pub fn passed_over(&mut self, core: u32, now: Lines) {
        if let Some(watched) = self.cores.get_mut(core as usize).and_then(Option::as_mut) {
            watched.seen = now;
        }
    }

    /// The counter of a core. True if it is to be interrupted.
    pub fn counted(&mut self, core: u32, now: Lines) -> bool {
        let Some(watched) = self.cores.get_mut(core as usize).and_then(Option::as_mut) else {
            return false;
        };
        let seen = std::mem::replace(&mut watched.seen, now);
        let mut moved = now.read - seen.read;
        if self.budgets.count_write_backs {
            moved += now.written - seen.written;
        }
        if let Some(told) = &self.budgets.told {
            told.add(core, moved);
            return false;
        }
        let is_spent = moved > 0 && self.managers[watched.manager].used(watched.member, moved);
        let interrupts = is_spent && watched.waits_since.is_none();
        watched.is_due |= interrupts;
        interrupts
    }

    /// Returns true if the regulator has interrupted a core, and the core has not come to that yet.
    pub fn is_due(&self, core: u32) -> bool {
        let watched = self.cores.get(core as usize).and_then(Option::as_ref);
        watched.is_some_and(|watched| watched.is_due)
    }

    /// A core takes an interrupt of the regulator's at `at`. One that comes while the core still completes what was before
    /// the last one is taken after it.
    pub fn interrupted(&mut self, core: u32, at: Ps) -> Answer {
        let goes_on = |at| Answer {
            goes_on: Some(at),
            others: Vec::new(),
        };
        let Some(watched) = self.cores.get_mut(core as usize).and_then(Option::as_mut) else {
            return goes_on(at);
        };
        debug_assert_eq!(watched.waits_since, None, "a core that waits takes no interrupt");
        watched.is_due = false;
        let on = at + self.interrupt;
        let manager = watched.manager;
        match self.managers[manager].exhausted(watched.member) {
            Decision::GoOn => goes_on(on),
            Decision::Stall => {
                watched.waits_since = Some(at);
                Answer {
                    goes_on: None,
                    others: Vec::new(),
                }
            }
            Decision::AllGoOn => {
                let of_node = |watched: &&mut Watched| watched.manager == manager;
                let all = (0..).zip(&mut self.cores);
                let waiting = all.filter_map(|(number, watched)| {
                    let watched = watched.as_mut().filter(of_node)?;
                    watched.go_on(at).then_some(number)
                });
                Answer {
                    goes_on: Some(on),
                    others: waiting.collect(),
                }
            }
        }
    }

    /// The next period begins at `now`; it is one of those that count, or not. Budgets are renewed. What each core is to do.
    pub fn renew(&mut self, now: Ps, counts: bool) -> Vec<(u32, Renewal)> {
        self.next += self.budgets.period;
        if self.budgets.told.is_some() {
            return Vec::new();
        }
        let managers = &mut self.managers;
        for watched in self.cores.iter_mut().flatten() {
            let used = managers[watched.manager].used_now(watched.member);
            watched.by_period.extend(self.from.map(|_| used));
        }
        managers.iter_mut().for_each(Manager::begin_period);
        let all = (0..).zip(&mut self.cores);
        let renewed = all.filter_map(|(number, watched)| {
            let watched = watched.as_mut()?;
            if watched.go_on(now) {
                return Some((number, Renewal::GoesOn));
            }
            watched.is_due = true;
            Some((number, Renewal::Interrupted))
        });
        let renewed = renewed.collect();
        if self.from.is_none() && counts {
            self.from = Some(now);
            for watched in self.cores.iter_mut().flatten() {
                watched.then = managers[watched.manager].counts(watched.member);
                watched.waited_then = watched.waited;
            }
        }
        renewed
    }
}

impl Watched {
    fn new(manager: usize, member: usize) -> Self {
        Self {
            manager,
            member,
            seen: Lines::default(),
            is_due: false,
            waits_since: None,
            waited: 0,
            by_period: Vec::new(),
            then: Counts::default(),
            waited_then: 0,
        }
    }

    /// Ends its wait, if it waits.
    fn go_on(&mut self, now: Ps) -> bool {
        let since = self.waits_since.take();
        self.waited += since.map_or(0, |since| now - since);
        since.is_some()
    }
}
