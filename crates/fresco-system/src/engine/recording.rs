// SPDX-License-Identifier: MIT OR Apache-2.0
//! The part of a run whose timeline is kept: what happens in it is noted, and cut at its ends.
//!
//! A run with a horizon is recorded from time 0, one of phases from when all measured tasks have warmed up. Nothing here is asked
//! per access: spans are noted when a job leaves its core, a stall ends, or the operating system has answered.

use super::Engine;
use super::watch::Watch;
use crate::experiment::{
    Activity, FaultSpan, LockSpan, ModeSpan, Move, OwnerSpan, Pass, RefreshSpan, RunSpan, ShootdownSpan, StallSpan,
    Timeline,
};
use fresco_dram::{NEVER, Ps};
use std::cell::RefCell;

/// What has been recorded.
pub(super) struct Recording {
    /// Begin; [`NEVER`] as long as nothing is recorded.
    from: Ps,
    /// End; 0 as long as nothing is recorded.
    to: Ps,
    /// How much is wanted.
    length: Ps,
    timeline: Timeline,
}

impl Recording {
    /// So much will be recorded, from when it is [opened](Self::open).
    pub fn new(length: Ps) -> Self {
        Self {
            from: NEVER,
            to: 0,
            length,
            timeline: Timeline::default(),
        }
    }

    /// It begins at `at`, and so does what `watch` sees of the memory.
    pub fn open(&mut self, at: Ps, watch: Option<&RefCell<Watch>>) {
        (self.from, self.to) = (at, at.saturating_add(self.length));
        if let Some(watch) = watch {
            watch.borrow_mut().record((self.from, self.to));
        }
    }

    /// Returns true if what begins at `at` is recorded.
    #[inline]
    pub fn contains(&self, at: Ps) -> bool {
        self.from <= at && at < self.to
    }

    /// What of a span is recorded; `None` if nothing is.
    fn cut(&self, start: Ps, end: Ps) -> Option<(Ps, Ps)> {
        let (start, end) = (start.max(self.from), end.min(self.to));
        (start < end).then_some((start, end))
    }

    /// A core has done this.
    pub fn run(&mut self, core: u32, activity: Activity, start: Ps, end: Ps) {
        if let Some((start_ps, end_ps)) = self.cut(start, end) {
            self.timeline.runs.push(RunSpan {
                core,
                start_ps,
                end_ps,
                activity,
            });
        }
    }

    /// A handler begins at `start`, which is to end at `until`.
    pub fn handler(&mut self, core: u32, activity: Activity, start: Ps, until: Ps) {
        if self.contains(start) {
            self.timeline.runs.push(RunSpan {
                core,
                start_ps: start,
                end_ps: until.min(self.to),
                activity,
            });
        }
    }

    /// The handler of a core that began at `start` has ended.
    pub fn handler_ended(&mut self, core: u32, start: Ps, end: Ps) {
        // What was decided last has been replaced already: the span tells by itself what it is.
        let last = self.timeline.runs.iter_mut().rev().find(|run| run.core == core);
        if let Some(last) = last.filter(|last| last.start_ps == start) {
            last.end_ps = end.min(self.to);
        }
    }

    /// The time of a core was that of a color.
    pub fn owner(&mut self, core: u32, color: usize, start: Ps, end: Ps) {
        let Some((start_ps, end_ps)) = self.cut(start, end) else {
            return;
        };
        let same = |last: &OwnerSpan| (last.color, last.end_ps) == (color, start_ps);
        let mut owners = self.timeline.owners.iter_mut().rev();
        match owners.find(|last| last.core == core) {
            Some(last) if same(last) => last.end_ps = end_ps,
            _ => self.timeline.owners.push(OwnerSpan {
                core,
                color,
                start_ps,
                end_ps,
            }),
        }
    }

    /// A lock window begins; it is told of once.
    pub fn lock(&mut self, lock: LockSpan) {
        if self.timeline.locks.last() != Some(&lock) {
            self.timeline.locks.push(lock);
        }
    }

    /// The mode changes.
    pub fn mode(&mut self, mode: ModeSpan) {
        if self.contains(mode.changes_ps) {
            self.timeline.mode = Some(mode);
        }
    }

    /// A core had used up its budget.
    pub fn stall(&mut self, core: u32, start: Ps, end: Ps) {
        if let Some((start_ps, end_ps)) = self.cut(start, end) {
            self.timeline.stalls.push(StallSpan { core, start_ps, end_ps });
        }
    }

    /// A page of a task, which now has a frame of this bank color, has faulted.
    pub fn fault(&mut self, core: u32, task: usize, bank_color: Option<u32>, start: Ps, end: Ps) {
        if let Some((start_ps, end_ps)) = self.cut(start, end) {
            self.timeline.faults.push(FaultSpan {
                core,
                task,
                bank_color,
                start_ps,
                end_ps,
            });
        }
    }

    /// A page of a task has gone from a bank color to another.
    pub fn moved(&mut self, at: Ps, task: usize, from_color: Option<u32>, to_color: Option<u32>) {
        if !self.contains(at) {
            return;
        }
        let one = Move {
            at_ps: at,
            task,
            from_color,
            to_color,
            pages: 1,
        };
        let moves = self.timeline.moves.iter_mut().rev();
        let mut now = moves.take_while(|last| last.at_ps == at);
        match now.find(|last| (last.task, last.from_color, last.to_color) == (task, from_color, to_color)) {
            Some(last) => last.pages += 1,
            None => self.timeline.moves.push(one),
        }
    }

    /// A core stood still because pages of the task on it had moved.
    pub fn shootdown(&mut self, core: u32, task: usize, start: Ps, end: Ps) {
        if let Some((start_ps, end_ps)) = self.cut(start, end) {
            self.timeline.shootdowns.push(ShootdownSpan {
                core,
                task,
                start_ps,
                end_ps,
            });
        }
    }

    /// A task without a period has completed a pass of its program.
    pub fn passed(&mut self, at: Ps, task: usize) {
        if self.contains(at) {
            self.timeline.passes.push(Pass { at_ps: at, task });
        }
    }

    /// What was recorded of a run that ended at `end`, with the refreshes that the memory was seen to make.
    pub fn finish(mut self, end: Ps, refreshes: Vec<RefreshSpan>) -> Timeline {
        self.to = self.to.min(end);
        let mut timeline = std::mem::take(&mut self.timeline);
        timeline.from_ps = if self.from == NEVER { 0 } else { self.from };
        timeline.recorded_ps = self.to.saturating_sub(self.from);
        timeline.refreshes = refreshes;
        let cut = |start: &mut Ps, end: &mut Ps| {
            self.cut(*start, *end)
                .map(|(from, to)| (*start, *end) = (from, to))
                .is_some()
        };
        // What the operating system does may last longer than the run.
        timeline.runs.retain_mut(|run| cut(&mut run.start_ps, &mut run.end_ps));
        timeline
            .stalls
            .retain_mut(|stall| cut(&mut stall.start_ps, &mut stall.end_ps));
        timeline
            .faults
            .retain_mut(|fault| cut(&mut fault.start_ps, &mut fault.end_ps));
        let shootdowns = &mut timeline.shootdowns;
        shootdowns.retain_mut(|shootdown| cut(&mut shootdown.start_ps, &mut shootdown.end_ps));
        let refreshes = &mut timeline.refreshes;
        refreshes.retain_mut(|refresh| cut(&mut refresh.start_ps, &mut refresh.end_ps));
        timeline.runs.sort_by_key(|run| (run.start_ps, run.core));
        timeline.stalls.sort_by_key(|stall| (stall.start_ps, stall.core));
        timeline.faults.sort_by_key(|fault| (fault.start_ps, fault.core));
        timeline.moves.sort_by_key(|one| (one.at_ps, one.task));
        timeline
            .shootdowns
            .sort_by_key(|shootdown| (shootdown.start_ps, shootdown.core));
        timeline.passes.sort_by_key(|pass| (pass.at_ps, pass.task));
        timeline
    }
}

impl Engine<'_> {
    /// All measured tasks have warmed up at `at`: the timeline begins.
    pub(super) fn record_from(&mut self, at: Ps) {
        self.recording.open(at, self.watch.as_deref());
    }
}
