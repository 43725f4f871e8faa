// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prefetchers of cores: what they learn from, and what they fetch.

use super::Engine;
use crate::core::{MissTag, User, Victims};
use fresco_dram::{PhysAddr, Ps};
use fresco_memory::{Prefetched, Service, Wanted};

impl Engine<'_> {
    /// A core has sent for a line at `at`.
    #[inline]
    pub(super) fn learn_from_miss(&mut self, number: usize, at: Ps, line: PhysAddr, tag: MissTag) {
        if self.prefetches && self.cpus[number].core.user(tag) == User::Operations {
            self.learn(number, at, line);
        }
    }

    /// A hit that prefetchers watch has happened at `at`.
    pub(super) fn learn_from_hit(&mut self, number: usize, at: Ps, line: PhysAddr, late: bool) {
        let private = self.private_of(number);
        private.count_prefetch(|counts| counts.late += u64::from(late));
        self.learn(number, at, line);
    }

    /// The prefetchers of a core learn from an access, and what they want is fetched as far as registers are free.
    fn learn(&mut self, number: usize, at: Ps, line: PhysAddr) {
        let (mut wanted, line_bytes) = (std::mem::take(&mut self.wanted), self.line_bytes);
        self.private_of(number).learn(line, line_bytes, &mut wanted);
        for wanted in wanted.drain(..) {
            self.prefetch(number, at, wanted);
        }
        self.wanted = wanted;
    }

    fn prefetch(&mut self, number: usize, at: Ps, wanted: Wanted) {
        let (core, line) = (number as u32, wanted.line);
        if !self.private_of(number).lacks(wanted) || self.cpus[number].core.is_under_way(at, line) {
            return;
        }
        let accepts = !self.memory.is_blocked(core) && !self.memory.stands(core);
        if !accepts || !self.cpus[number].core.has_register_for_prefetch(at) {
            self.private_of(number).count_prefetch(|counts| counts.dropped += 1);
            return;
        }
        let private = self.private_of(number);
        let (from, leaving) = private.prefetch(wanted);
        if from == Prefetched::FromShared {
            private.expect(line);
        }
        private.leave_coherently(leaving);
        let mut victims = Victims::default();
        leaving.as_slice().iter().for_each(|line| victims.push(*line));
        let cpu = &mut self.cpus[number];
        let tag = cpu.core.prefetch(line, victims);
        let from_memory = match from {
            Prefetched::FromL2(latency) => {
                cpu.core.complete(tag, at, at + latency);
                false
            }
            Prefetched::FromShared if self.coherence.is_some() => self.ask_early(number, at, line, tag),
            Prefetched::FromShared => match self.memory.prefetch(at, core, line) {
                Service::Done { at: arrival } => {
                    cpu.core.complete(tag, at, arrival);
                    false
                }
                Service::Pending(id) => {
                    cpu.wait_for_prefetch(id, tag);
                    true
                }
            },
        };
        if from_memory {
            self.private_of(number).count_prefetch(|counts| counts.from_memory += 1);
        }
        self.tell_private();
        self.note_sent();
        self.count_lines(number);
    }
}
