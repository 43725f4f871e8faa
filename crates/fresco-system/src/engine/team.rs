// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of one program: one address space, and all of them wait where a section ends (BEN-7).
//!
//! A page that one thread touches first is mapped for all of them; its frame is of that thread's colors. At the end of a
//! section every thread waits for the last one: the barrier itself costs nothing, and a thread that waits keeps its core,
//! unless its dispatcher takes it away. Coherence of private caches is not modelled, as nowhere else: a line that another
//! thread has written is found where this core has it.

use super::Engine;
use crate::experiment::TaskSpec;
use crate::os::pages::Page;
use crate::results::ThreadResult;
use fresco_dram::{FrameNumber, Ps};
use fresco_input::InputError;
use fresco_load::Marker;

/// Threads of one program.
pub(super) struct Team {
    /// Their tasks, by index, the master first.
    pub members: Vec<usize>,
    /// When those that wait at the end of the present section came there, and for how long they had had a core by then; by
    /// place in `members`.
    waiting: Vec<Option<(Ps, Ps)>>,
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
}

impl Waits {
    /// What a thread did that had a core for so long since its counters were `then`.
    pub fn since(&self, then: Self, on_core: Ps) -> ThreadResult {
        let (idle_ps, serial_wait_ps) = (self.idle - then.idle, self.serial - then.serial);
        ThreadResult {
            idle_ps,
            serial_wait_ps,
            // A phase may begin while it waits: the whole wait is counted at its end.
            busy_ps: on_core.saturating_sub(self.on_core - then.on_core),
            sections: self.joins - then.joins,
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
        let Some(team) = self.teams.iter_mut().find(|team| team.members.contains(&task)) else {
            unreachable!("only threads meet");
        };
        let place = team.members.iter().position(|member| *member == task);
        team.waiting[place.expect("it is one of them")] = Some((at, executing));
        self.tasks[task].waits_for_others = true;
        let arrived: Option<Vec<(Ps, Ps)>> = team.waiting.iter().copied().collect();
        let Some(arrived) = arrived else { return Ok(()) };
        team.waiting.fill(None);
        let members = team.members.clone();
        let last = arrived.iter().map(|(at, _)| *at).max().unwrap_or(at);
        for member in &members {
            self.tasks[*member].waits_for_others = false;
        }
        for (member, (arrived, executing)) in std::iter::zip(members, arrived) {
            let on_core = self.executing_of(member, last) - executing;
            let waits = &mut self.tasks[member].met_others;
            waits.on_core += on_core;
            match marker {
                Marker::Fork => waits.serial += last - arrived,
                // Passes end where sections do: only a thread that is taken off its core comes later.
                _ => waits.idle += last - arrived,
            }
            waits.joins += u64::from(marker == Marker::Join);
            if marker == Marker::Pass && !self.pass(member, last)? {
                continue;
            }
            if let Some(core) = self.tasks[member].core {
                let from = self.cpus[core].loaded.as_ref().map_or(0, |loaded| loaded.from);
                let mut resume = last.max(from);
                // Those that waited pay for shootdowns when they take the interrupt.
                if member == task {
                    resume = self.paid(core, member, resume);
                }
                self.cpus[core].core.resume(resume);
            }
        }
        Ok(())
    }

    /// The run ends at `at`: threads that wait then have not executed meanwhile.
    pub(super) fn end_waits(&mut self, at: Ps) {
        let waiting: Vec<(usize, Ps)> = self
            .teams
            .iter()
            .flat_map(|team| std::iter::zip(&team.members, &team.waiting))
            .filter_map(|(member, waiting)| waiting.map(|(_, executing)| (*member, executing)))
            .collect();
        for (member, executing) in waiting {
            self.tasks[member].met_others.on_core += self.executing_of(member, at) - executing;
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
