// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of one program: one address space, and all of them wait where a section ends (BEN-7).
//!
//! A page that one thread touches first is mapped for all of them; its frame is of that thread's colours. At the end of a
//! section every thread waits for the last one: the barrier itself costs nothing. Coherence of private caches is not
//! modelled, as nowhere else: a line that another thread has written is found where this core has it.

use super::Engine;
use super::cpu::Cpu;
use crate::os::pages::Page;
use crate::results::ThreadResult;
use crate::scenario::Setup;
use fresco_dram::{FrameNumber, Ps};
use fresco_input::InputError;
use fresco_load::Marker;

/// Threads of one program.
pub(super) struct Team {
    /// Their cpus, by index, the master first.
    members: Vec<usize>,
    /// When those that wait at the end of the present section came there, by place in `members`.
    waiting: Vec<Option<Ps>>,
}

/// How long a thread has waited for the others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waits {
    /// At the end of parallel sections, for the last thread: `max(end) - end[thread]` of algorithm 5 as corrected by CON-22.
    pub idle: Ps,
    /// For the master, while it executed serial sections (LIM-6).
    pub serial: Ps,
    /// Parallel sections so far.
    pub joins: u64,
}

impl Waits {
    /// What a thread did in `time`, which began when its counters were `then`.
    pub fn since(&self, then: Self, time: Ps) -> ThreadResult {
        let (idle_ps, serial_wait_ps) = (self.idle - then.idle, self.serial - then.serial);
        ThreadResult {
            idle_ps,
            serial_wait_ps,
            // A phase may begin while it waits: the whole wait is counted at its end.
            busy_ps: time.saturating_sub(idle_ps + serial_wait_ps),
            sections: self.joins - then.joins,
        }
    }
}

/// The teams of a setup that have threads. `cpus` are in the order in which the engine keeps them.
pub(super) fn teams(setup: &Setup, cpus: &[Cpu]) -> Vec<Team> {
    let of_task = |task: usize| {
        let mut members: Vec<usize> = (0..cpus.len())
            .filter(|cpu| setup.copies[cpus[*cpu].copy].task == task)
            .collect();
        members.sort_by_key(|cpu| cpus[*cpu].copy);
        let waiting = vec![None; members.len()];
        Team { members, waiting }
    };
    let tasks = (0..setup.tasks.len()).filter(|task| setup.tasks[*task].program.is_team());
    // With corunners = 0 or copies = 0 a team has nobody.
    tasks.map(of_task).filter(|team| !team.members.is_empty()).collect()
}

impl Engine<'_> {
    /// A thread has come to the end of a section, or of a pass, which all reach at the same time because a parallel section
    /// ends there. Returns when it goes on; `None` if it waits for others, who let it go.
    ///
    /// # Errors
    /// As [`Engine::pass`].
    pub(super) fn meet(&mut self, number: usize, at: Ps, marker: Marker) -> Result<Option<Ps>, InputError> {
        let team = self.teams.iter_mut().find(|team| team.members.contains(&number));
        // A program of one thread alone meets nobody.
        let Some(team) = team else { return Ok(Some(at)) };
        let place = team.members.iter().position(|member| *member == number);
        team.waiting[place.expect("it is one of them")] = Some(at);
        let arrived: Option<Vec<Ps>> = team.waiting.iter().copied().collect();
        let Some(arrived) = arrived else { return Ok(None) };
        team.waiting.fill(None);
        let members = team.members.clone();
        let last = arrived.iter().copied().max().unwrap_or(at);
        for (&member, arrived) in std::iter::zip(&members, arrived) {
            let waits = &mut self.cpus[member].met;
            match marker {
                Marker::Join => {
                    waits.idle += last - arrived;
                    waits.joins += 1;
                }
                Marker::Fork => waits.serial += last - arrived,
                // Phases begin and end here, before any of the threads goes on.
                _ => self.pass(member, last)?,
            }
        }
        for &member in members.iter().filter(|member| **member != number) {
            self.cpus[member].core.resume(last);
        }
        Ok(Some(last))
    }

    /// Is it a thread of a program of several?
    pub(super) fn is_thread(&self, number: usize) -> bool {
        self.teams.iter().any(|team| team.members.contains(&number))
    }

    /// Is it a thread other than the first one of its program?
    pub(super) fn is_helper(&self, number: usize) -> bool {
        self.teams.iter().any(|team| team.members[1..].contains(&number))
    }

    /// The cpus that share the memory of one of them, itself among them.
    pub(super) fn sharers(&self, number: usize) -> Vec<usize> {
        let team = self.teams.iter().find(|team| team.members.contains(&number));
        team.map_or_else(|| vec![number], |team| team.members.clone())
    }

    /// The page of a thread has got a frame: the others have it too.
    pub(super) fn share_page(&mut self, number: usize, page: Page, frame: FrameNumber) {
        let Some(team) = self.teams.iter().find(|team| team.members.contains(&number)) else {
            return;
        };
        for &member in team.members.iter().filter(|member| **member != number) {
            self.cpus[member].process.pages_mut().map(page, frame);
        }
    }
}
