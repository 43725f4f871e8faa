// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a controller's completions, in its cycles, to samples in picoseconds.

use super::command_log::CommandLog;
use super::fabric::Fabric;
use super::pending::Pending;
use super::sample::{DelayedWrite, Sample};
use super::write_backs::WriteBacks;
use crate::command::Command;
use crate::controller::Sink;
use crate::interconnect::Interconnect;
use crate::request::{Access, Completion};
use fresco_dram::{Clock, Cycle, PhysAddr, Ps};

/// Where the results of one node's controller go while it runs.
pub(super) struct Port<'a> {
    pub node: u32,
    /// From here on devices, not cores.
    pub first_agent: u32,
    pub clock: Clock,
    /// Part of the frontend latency on the way back.
    pub frontend_back: Ps,
    pub interconnect: &'a Interconnect,
    pub pending: &'a mut Pending,
    pub write_backs: &'a mut WriteBacks,
    /// Limits of lines under way, if there are any.
    pub fabric: Option<&'a mut Fabric>,
    /// Collects commands, if anybody wants them.
    pub log: Option<&'a mut CommandLog>,
    /// Collects writes that met a refresh, if anybody wants them.
    pub delayed_writes: Option<&'a mut Vec<DelayedWrite>>,
}

impl Sink for Port<'_> {
    const NEVER_STOPS: bool = true;

    fn completed(&mut self, completion: &Completion) {
        let core = u32::from(completion.source);
        let is_write = completion.access == Access::Write;
        // That a write was taken is known a cycle later.
        if is_write && core < self.first_agent {
            let route = self.interconnect.route(core, self.node);
            let at = self.clock.to_ps(completion.done + 1) + self.frontend_back + route.back;
            self.write_backs.taken(core, at);
            self.arrives(core, at);
            return;
        }
        let slot = completion.id as u32;
        let (waiter, held) = self.pending.waiter(slot);
        let route = self.interconnect.route(waiter.core, self.node);
        let done = self.clock.to_ps(completion.done);
        let known = match is_write {
            true => self.clock.to_ps(completion.done + 1),
            false => done,
        };
        let at = known + self.frontend_back + route.back;
        let latency = at - waiter.since;
        let remote = route.there + route.back;
        let in_controller = done - self.clock.to_ps(completion.arrived);
        let wait = completion.wait;
        let [queue, bank, bus, refresh] = [wait.queue, wait.bank, wait.bus, wait.refresh].map(|c| self.duration(c));
        let sample = Sample {
            latency,
            path: latency - remote - in_controller - held,
            remote,
            queue: queue + held,
            bank,
            bus,
            refresh,
            // Takes what the others lost by rounding down: less than a picosecond each.
            service: in_controller - (queue + bank + bus + refresh),
            in_memory: in_controller,
            merged: 0,
            outcome: completion.outcome,
            node: self.node,
            hops: route.hops,
        };
        debug_assert_eq!(sample.parts(), latency);
        self.pending.finish(slot, at, sample);
        self.arrives(core, at);
    }

    fn write_met_refresh(&mut self, now: Cycle, line: u64, source: u16, cycles: Cycle) {
        let (at, wait) = (self.clock.to_ps(now), self.duration(cycles));
        if let Some(writes) = &mut self.delayed_writes {
            writes.push(DelayedWrite {
                at,
                line: PhysAddr(line),
                core: u32::from(source),
                wait,
            });
        }
    }

    #[inline]
    fn wants_commands(&self) -> bool {
        self.log.is_some()
    }

    fn command(&mut self, command: &Command) {
        if let Some(log) = &mut self.log {
            log.add(command);
        }
    }
}

impl Port<'_> {
    /// A line of `core` is no longer under way from `at` on.
    #[inline]
    fn arrives(&mut self, core: u32, at: Ps) {
        if let Some(fabric) = &mut self.fabric {
            fabric.arrives(core, self.node, at);
        }
    }

    /// `cycles` in picoseconds, rounded down.
    #[inline]
    fn duration(&self, cycles: Cycle) -> Ps {
        if cycles == 0 { 0 } else { self.clock.to_ps(cycles) }
    }
}
