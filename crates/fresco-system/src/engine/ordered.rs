// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads of a recorded program go on in the order in which they waited for each other: at locks, barriers, ends of threads.
//!
//! What orders threads is complete before it is passed, as atomic instructions of x86 and system calls are. Orders of a recording
//! can always be met. Those of a file that was put together otherwise may not: when all threads wait, the one that lacks least goes on.

use super::Engine;
use super::team::Team;
use fresco_dram::Ps;
use fresco_load::Order;
use std::collections::{BTreeMap, BTreeSet};

/// What has been passed of each object in this pass over the data.
#[derive(Debug, Default)]
pub(super) struct Passed(BTreeMap<u16, Places>);

#[derive(Debug, Default)]
struct Places {
    /// All lower places are passed.
    next: u32,
    /// Higher ones that are, though some before them are not.
    beyond: BTreeSet<u32>,
}

impl Passed {
    /// How many places, about, are to be passed first.
    fn lacks(&self, order: &Order) -> u32 {
        let next = self.0.get(&order.object).map_or(0, |places| places.next);
        order.place.saturating_sub(next)
    }

    fn pass(&mut self, order: &Order) {
        if !order.is_own {
            return;
        }
        let places = self.0.entry(order.object).or_default();
        places.beyond.insert(order.place);
        while places.beyond.remove(&places.next) {
            places.next += 1;
        }
    }

    /// The next pass over the data begins.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Engine<'_> {
    /// A thread comes to an order. Returns true if it goes on at once.
    pub(super) fn come_to(&mut self, task: usize, at: Ps, order: Order) -> bool {
        let executing = self.executing_of(task, at);
        let (team, member) = self.membership(task);
        let team = &mut self.teams[team];
        #[cfg(debug_assertions)]
        team.witness.comes(member, order);
        if team.passed.lacks(&order) > 0 {
            team.wait(member, at, executing, Some(order));
            self.tasks[task].waits_for_others = true;
            self.untangle(task, at);
            return false;
        }
        #[cfg(debug_assertions)]
        team.witness.goes_on(member, at);
        team.passed.pass(&order);
        self.let_go_on(task, at);
        true
    }

    /// Lets all threads of a program go on that wait for nothing any more.
    fn let_go_on(&mut self, task: usize, at: Ps) {
        let (team, _) = self.membership(task);
        while let Some(member) = self.teams[team].first_waiting(|passed, order| passed.lacks(order) == 0) {
            self.end_wait(team, member, at);
        }
    }

    /// If all threads of a program wait, so that none would ever go on, one of them does.
    pub(super) fn untangle(&mut self, task: usize, at: Ps) {
        let (team, _) = self.membership(task);
        while self.teams[team].is_stuck() {
            let team_of = &mut self.teams[team];
            let least = team_of.orders().map(|(_, order)| team_of.passed.lacks(&order)).min();
            let Some(member) = team_of.first_waiting(|passed, order| Some(passed.lacks(order)) == least) else {
                return;
            };
            #[cfg(debug_assertions)]
            team_of.witness.gives_up(member);
            let master = team_of.members[member];
            self.tasks[master].met_others.given_up += 1;
            self.end_wait(team, member, at);
            self.let_go_on(task, at);
        }
    }

    /// A thread that waits at an order goes on.
    fn end_wait(&mut self, team: usize, member: usize, at: Ps) {
        let team = &mut self.teams[team];
        let Some(waiting) = team.waiting[member].take() else {
            return;
        };
        #[cfg(debug_assertions)]
        team.witness.goes_on(member, at);
        if let Some(order) = waiting.order {
            team.passed.pass(&order);
        }
        let task = team.members[member];
        self.tasks[task].waits_for_others = false;
        let executing = self.executing_of(task, at);
        self.tasks[task].met_others.add(&waiting, at, executing);
        self.resume_thread(task, at, false);
    }

    /// Which program a thread belongs to, and its place in it.
    pub(super) fn membership(&self, task: usize) -> (usize, usize) {
        let place = |team: &Team| team.members.iter().position(|member| *member == task);
        let found = self
            .teams
            .iter()
            .enumerate()
            .find_map(|(team, of)| Some((team, place(of)?)));
        found.expect("only threads meet")
    }

    #[cfg(debug_assertions)]
    pub(super) fn witness_access(&mut self, core: usize, at: Ps) {
        let task = self.cpus[core].loaded.as_ref().map(|loaded| loaded.task);
        if let Some(task) = task.filter(|task| self.is_thread(*task)) {
            let (team, member) = self.membership(task);
            self.teams[team].witness.accesses(member, at);
        }
    }
}
