// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of one program: one address space, and all of them wait where a section ends (BEN-7).
//!
//! A page that one thread touches first is mapped for all of them; its frame is of that thread's colors. At the end of a
//! section every thread waits for the last one: the barrier itself costs nothing, and a thread that waits keeps its core,
//! unless its dispatcher takes it away. Where private caches are not coherent, a line that another thread has written is found where this
//! core has it.

use super::Engine;
use super::ordered::Passed;
use crate::experiment::TaskSpec;
use crate::os::pages::Page;
use crate::results::ThreadResult;
use fresco_dram::{FrameNumber, Ps};
use fresco_input::InputError;
use fresco_load::{Marker, Order};

/// Threads of one program.
pub(super) struct Team {
    /// Their tasks, by index, the master first.
    pub members: Vec<usize>,
    /// Those that wait, by place in `members`.
    pub waiting: Vec<Option<Waiting>>,
    /// What has been passed of what orders threads.
    pub passed: Passed,
    #[cfg(debug_assertions)]
    pub witness: super::witness::Witness,
}

/// A thread that waits for others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// Since when.
    pub since: Ps,
    /// For how long it had had a core by then.
    pub executing: Ps,
    /// What it waits at; `None` at the end of a section.
    pub order: Option<Order>,
}

impl Team {
    /// A thread begins to wait.
    pub fn wait(&mut self, member: usize, since: Ps, executing: Ps, order: Option<Order>) {
        self.waiting[member] = Some(Waiting {
            since,
            executing,
            order,
        });
    }

    /// The orders at which threads wait, with the threads.
    pub fn orders(&self) -> impl Iterator<Item = (usize, Order)> + '_ {
        let waiting = self.waiting.iter().enumerate();
        waiting.filter_map(|(member, waiting)| Some((member, waiting.as_ref()?.order?)))
    }

    /// The first thread that waits at an order of which this holds.
    pub fn first_waiting(&self, holds: impl Fn(&Passed, &Order) -> bool) -> Option<usize> {
        let mut orders = self.orders();
        orders.find_map(|(member, order)| holds(&self.passed, &order).then_some(member))
    }

    /// Returns true if all threads wait, and not all of them at the end of a section.
    pub fn is_stuck(&self) -> bool {
        self.waiting.iter().all(Option::is_some) && self.orders().next().is_some()
    }
}

/// How long a thread has waited for the others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// At the end of parallel sections, for the last thread: `max(end) - end[thread]` of algorithm 5 as corrected by CON-22.
    pub idle: Ps,
    /// For the master, while it executed serial sections (LIM-6).
    pub serial: Ps,
    /// The part of both in which it had its core nevertheless.
    pub on_core: Ps,
    /// Parallel sections so far.
    pub joins: u64,
    /// Waits for what would never have come.
    pub given_up: u64,
}

impl Waits {
    /// A wait at an order lasts, or has lasted, until `at`, when the thread has had a core for so long.
    pub fn add(&mut self, waiting: &Waiting, at: Ps, executing: Ps) {
        self.idle += at - waiting.since;
        self.on_core += executing - waiting.executing;
    }

    /// What a thread did that had a core for so long since its counters were `then`.
    pub fn since(&self, then: Self, on_core: Ps) -> ThreadResult {
        let (idle_ps, serial_wait_ps) = (self.idle - then.idle, self.serial - then.serial);
        ThreadResult {
            idle_ps,
            serial_wait_ps,
            // A phase may begin while it waits: the whole wait is counted at its end.
            busy_ps: on_core.saturating_sub(self.on_core - then.on_core),
            sections: self.joins - then.joins,
            given_up: self.given_up - then.given_up,
        }
    }
}

/// The teams that tasks are threads of.
pub(super) fn teams(tasks: &[TaskSpec]) -> Vec<Team> {
    let mut teams: Vec<Team> = Vec::new();
    for (number, task) in tasks.iter().enumerate().filter(|(_, task)| task.team.is_some()) {
        match teams.last_mut().filter(|team| tasks[team.members[0]].team == task.team) {
            Some(team) => team.members.push(number),
            None => teams.push(Team {
                members: vec![number],
                waiting: Vec::new(),
                passed: Passed::default(),
                #[cfg(debug_assertions)]
                witness: super::witness::Witness::default(),
            }),
        }
    }
    teams
        .iter_mut()
        .for_each(|team| team.waiting = vec![None; team.members.len()]);
    teams
}

impl Engine<'_> {
    /// A thread has come to the end of a section, or of a pass, which all reach at the same time because a parallel section
    /// ends there. It waits for the others; the last one lets all go on.
    ///
    /// # Errors
    /// As [`Engine::pass`].
    pub(super) fn meet(&mut self, task: usize, at: Ps, marker: Marker) -> Result<(), InputError> {
        let executing = self.executing_of(task, at);
        let (number, place) = self.membership(task);
        let team = &mut self.teams[number];
        team.wait(place, at, executing, None);
        self.tasks[task].waits_for_others = true;
        if self.teams[number].waiting.iter().any(Option::is_none) {
            return Ok(());
        }
        // Only threads of a file that is no recording are not all here then.
        self.untangle(task, at);
        let team = &mut self.teams[number];
        let arrived: Option<Vec<Waiting>> = team.waiting.iter().copied().collect();
        let Some(arrived) = arrived else { return Ok(()) };
        team.waiting.fill(None);
        if marker == Marker::Pass {
            team.passed.clear();
            #[cfg(debug_assertions)]
            team.witness.begins_anew();
        }
        let members = team.members.clone();
        let last = arrived.iter().map(|waiting| waiting.since).max().unwrap_or(at);
        for member in &members {
            self.tasks[*member].waits_for_others = false;
        }
        for (member, Waiting { since, executing, .. }) in std::iter::zip(members, arrived) {
            let on_core = self.executing_of(member, last) - executing;
            let waits = &mut self.tasks[member].met_others;
            waits.on_core += on_core;
            match marker {
                Marker::Fork => waits.serial += last - since,
                // Passes end where sections do: only a thread that is taken off its core comes later.
                _ => waits.idle += last - since,
            }
            waits.joins += u64::from(marker == Marker::Join);
            if marker == Marker::Pass && !self.pass(member, last)? {
                continue;
            }
            self.resume_thread(member, last, member == task);
        }
        Ok(())
    }

    /// A thread goes on at `at`, if it has a core; it has waited, unless it `came` just now.
    pub(super) fn resume_thread(&mut self, task: usize, at: Ps, came: bool) {
        let Some(core) = self.tasks[task].core else { return };
        let from = self.cpus[core].loaded.as_ref().map_or(0, |loaded| loaded.from);
        let mut resume = at.max(from);
        // Those that waited pay for shootdowns when they take the interrupt.
        if came {
            resume = self.paid(core, task, resume);
        }
        self.cpus[core].core.resume(resume);
    }

    /// How long a thread has waited up to `at`. What it waits for at the end of a section is counted when that is over.
    pub(super) fn waits_of(&self, task: usize, at: Ps) -> Waits {
        let mut waits = self.tasks[task].met_others;
        let waiting = self.waiting(task).filter(|waiting| waiting.order.is_some());
        if let Some(waiting) = waiting {
            waits.add(waiting, at, self.executing_of(task, at));
        }
        waits
    }

    fn waiting(&self, task: usize) -> Option<&Waiting> {
        let (team, member) = self.is_thread(task).then(|| self.membership(task))?;
        self.teams[team].waiting[member].as_ref()
    }

    /// The run ends at `at`: threads that wait then have not executed meanwhile.
    pub(super) fn end_waits(&mut self, at: Ps) {
        for task in 0..self.tasks.len() {
            let mut waits = self.waits_of(task, at);
            if let Some(waiting) = self.waiting(task).filter(|waiting| waiting.order.is_none()) {
                waits.on_core += self.executing_of(task, at) - waiting.executing;
            }
            self.tasks[task].met_others = waits;
        }
    }

    /// Returns true if the task is a thread of a program of several other than the first one.
    pub(super) fn is_helper(&self, task: usize) -> bool {
        self.teams.iter().any(|team| team.members[1..].contains(&task))
    }

    /// Returns true if the task is a thread of a program of several.
    pub(super) fn is_thread(&self, task: usize) -> bool {
        self.experiment.tasks[task].team.is_some()
    }

    /// The tasks that share the memory of one of them, itself among them.
    pub(super) fn sharers(&self, task: usize) -> Vec<usize> {
        let team = self.teams.iter().find(|team| team.members.contains(&task));
        team.map_or_else(|| vec![task], |team| team.members.clone())
    }

    /// The page of a task has got a frame: the other threads of its program have it too.
    pub(super) fn share_page(&mut self, task: usize, page: Page, frame: FrameNumber) {
        for sharer in self.sharers(task).into_iter().filter(|sharer| *sharer != task) {
            self.tasks[sharer].process.pages_mut().map(page, frame);
        }
    }
}
