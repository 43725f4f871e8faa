// SPDX-License-Identifier: MIT OR Apache-2.0
//! What handlers do to the memory: dirty lines of a color leave the caches before its ranks are refreshed (RLIM-7).

use super::Engine;
use crate::experiment::{Activity, Handler};
use fresco_dram::{PhysAddr, Ps};

/// The handler that an activity is, if it locks a color.
fn locking(activity: Activity) -> Option<Handler> {
    match activity {
        Activity::Handler(handler @ (Handler::Lock { .. } | Handler::Slot { .. })) => Some(handler),
        _ => None,
    }
}

impl Engine<'_> {
    /// The decision of a core has changed from one activity to another: while a handler locks a color, controllers
    /// write what they hold.
    pub(super) fn handlers_changed(&mut self, before: Activity, after: Activity) {
        let was = self.locking > 0;
        self.locking -= usize::from(locking(before).is_some());
        self.locking += usize::from(locking(after).is_some());
        let is = self.locking > 0;
        if was != is {
            self.memory.set_eager_writes(is);
        }
    }

    /// The handler that was decided on has the core from `at` on.
    pub(super) fn handler_begins(&mut self, number: usize, at: Ps) {
        let cpu = &mut self.cpus[number];
        cpu.handler_since = Some(at);
        let Some(handler) = locking(cpu.decision.activity) else {
            return;
        };
        let mut ranks = 0;
        for (color, of_color) in self.experiment.color_ranks.iter().enumerate() {
            if handler.locks(color) {
                ranks |= of_color;
            }
        }
        let map = &self.experiment.machine.memory.map;
        let wanted = |line: PhysAddr| map.decode(line).is_some_and(|place| ranks >> place.rank & 1 == 1);
        let lines = cpu.caches.clean(wanted);
        let shared = self.memory.clean(at, cpu.number, &lines, wanted);
        cpu.outcome.lines_cleaned += lines.len() as u64 + shared;
        self.tell_private();
        self.note_sent();
        self.pass_over_lines(number);
    }

    /// Counts lines that have just left the caches for a rank in its window.
    #[inline]
    pub(super) fn note_sent(&mut self) {
        if self.windows.is_some() {
            self.note_sent_in_windows();
        }
    }

    fn note_sent_in_windows(&mut self) {
        let Some(windows) = &self.windows else { return };
        self.memory.take_sent(&mut self.sent);
        let map = &self.experiment.machine.memory.map;
        for (at, core, line) in self.sent.drain(..) {
            let rank = map.decode(line).map(|place| place.rank);
            let inside = rank.is_some_and(|rank| windows.contains(rank, at));
            self.cpus[core as usize].outcome.writes_into_windows += u64::from(inside);
        }
    }
}
