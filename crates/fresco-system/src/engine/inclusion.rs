// SPDX-License-Identifier: MIT OR Apache-2.0
//! Private caches above an inclusive or exclusive last-level cache: what that does to them, before anything else happens.

use super::Engine;
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::Inclusion;
use fresco_memory::{Leaving, PrivateCaches, Upward};

impl Engine<'_> {
    /// A line leaves the private caches of a core. One that an exclusive cache would take, and that the core has asked for anew since it
    /// was displaced, stays instead.
    pub(super) fn leave(&mut self, number: usize, at: Ps, leaving: Leaving) {
        if self.coherence.is_some() {
            return self.leave_coherently(number, at, leaving);
        }
        let core = number as u32;
        if self.experiment.machine.inclusion() == Inclusion::Exclusive
            && self.has_asked_for(number, leaving.line)
            && (!leaving.dirty || self.private_of(number).make_dirty(leaving.line))
        {
            return;
        }
        self.memory.leave(at, core, leaving);
        self.tell_private();
    }

    /// Returns true if the private caches of a core have a line, and it is none that the memory has not been asked for.
    pub(super) fn has_asked_for(&mut self, number: usize, line: PhysAddr) -> bool {
        self.private_of(number).contains(line) && !self.cpus[number].core.is_yet_to_ask(line)
    }

    /// The private caches learn what the last-level cache has done.
    #[inline]
    pub(super) fn tell_private(&mut self) {
        if self.memory.has_upward() {
            self.tell(true);
        }
    }

    /// The same while caches are filled: what they lose is written nowhere.
    #[inline]
    pub(super) fn tell_private_in_no_time(&mut self) {
        if self.memory.has_upward() {
            self.tell(false);
        }
    }

    fn tell(&mut self, is_written: bool) {
        let mut told = std::mem::take(&mut self.told);
        self.memory.take_upward(&mut told);
        for message in told.drain(..) {
            let (at, core, owner, line, lost) = match message {
                Upward::Evicted {
                    at,
                    core,
                    owner,
                    line,
                    dirty,
                } => (at, core, owner, line, self.invalidate(core, line) && !dirty),
                Upward::Dirty { at, core, line } => {
                    let lost = !self.private_of(core as usize).make_dirty(line);
                    (at, core, core, line, lost)
                }
            };
            if lost && is_written {
                self.memory.write_through(at, core, owner, line);
            }
        }
        self.told = told;
    }

    /// A line leaves the private caches of all who share the last-level cache of `core`. Returns whether one held stores.
    fn invalidate(&mut self, core: u32, line: PhysAddr) -> bool {
        let mut was_dirty = false;
        for sharer in self.memory.sharers(core) {
            let sharer = sharer as usize;
            // What has its place already will be there only when it is fetched, from the cache below again.
            // But not a copy that is shared, and that is to be asked for once more only for the sake of a store.
            if !self.cpus[sharer].core.is_yet_to_ask(line) || self.private_of(sharer).is_shared(line) {
                was_dirty |= self.private_of(sharer).invalidate(line) == Some(true);
            }
        }
        was_dirty
    }

    /// The private caches of a core: those of the process on it, or its own while none is.
    pub(super) fn private_of(&mut self, number: usize) -> &mut PrivateCaches {
        match self.cpus[number].loaded.as_ref().map(|loaded| loaded.task) {
            Some(task) => self.tasks[task].process.caches_mut(),
            None => &mut self.cpus[number].caches,
        }
    }

    /// Lines are where the kind of cache says, but for those that a core has not got yet.
    #[cfg(debug_assertions)]
    pub(super) fn check_levels(&mut self) {
        self.check_coherence();
        let inclusion = self.experiment.machine.inclusion();
        if inclusion == Inclusion::NonInclusive {
            return;
        }
        for number in 0..self.cpus.len() {
            let core = number as u32;
            let lines: Vec<PhysAddr> = self.private_of(number).lines().collect();
            for line in lines {
                if self.cpus[number].core.is_yet_to_ask(line) || self.memory.is_refused(core, line) {
                    continue;
                }
                let owner = self.memory.owner(core, line);
                match inclusion {
                    Inclusion::Inclusive => {
                        assert!(owner.is_some(), "{line} of core {core} is not in the inclusive cache")
                    }
                    // Threads may each have read a line that one of them has given up.
                    _ => assert_ne!(owner, Some(core), "{line} of core {core} is in the exclusive cache"),
                }
            }
        }
    }
}
