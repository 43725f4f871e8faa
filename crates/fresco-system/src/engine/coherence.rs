// SPDX-License-Identifier: MIT OR Apache-2.0
//! Coherent private caches: what a core asks for is asked of the other cores, too, and some answers wait for these.

use super::cpu::Cpu;
use super::jobs::TaskState;
use super::{Done, Engine};
use crate::core::{InOrder, Lookup, MicroOp, MissTag};
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::Inclusion;
use fresco_memory::{Above, Answer, Arrival, Demand, Leaving, PrivateCaches, Purpose, RequestId};

/// What answers wait for beside the memory.
#[derive(Debug, Default)]
pub(super) struct Coherence {
    /// Reads that are not over before a time, whenever their data come.
    not_before: Vec<(RequestId, Ps)>,
    /// Requests that are answered by a core that waits for the line itself.
    followers: Vec<Follower>,
    /// Fetches of cores that have been answered just now, and when.
    answered: Vec<(usize, MissTag, Ps)>,
}

/// A request that is answered when another fetch is: from a time on, and so much later.
#[derive(Clone, Copy, Debug)]
struct Follower {
    of: (usize, MissTag),
    from: Ps,
    extra: Ps,
    core: usize,
    tag: MissTag,
}

/// The cores, while one of them asks.
struct Cores<'a> {
    cpus: &'a mut InOrder<Cpu>,
    tasks: &'a mut [TaskState],
    asking: Option<(u32, MissTag)>,
}

impl Cores<'_> {
    /// The fetch of a core that has been asked for before the present one, if its line may not be there.
    fn awaited(&self, core: u32, line: PhysAddr) -> Option<(MissTag, Option<Ps>)> {
        let but = self.asking.filter(|(asking, _)| *asking == core);
        self.cpus[core as usize].core.awaited(line, but.map(|(_, tag)| tag))
    }
}

impl Above for Cores<'_> {
    fn caches(&mut self, core: u32) -> &mut PrivateCaches {
        let number = core as usize;
        match self.cpus[number].loaded.as_ref().map(|loaded| loaded.task) {
            Some(task) => self.tasks[task].process.caches_mut(),
            None => &mut self.cpus[number].caches,
        }
    }

    fn arrival(&mut self, core: u32, line: PhysAddr) -> Arrival {
        match self.awaited(core, line) {
            None => Arrival::Here,
            Some((_, Some(at))) => Arrival::At(at),
            Some((_, None)) => Arrival::Unknown,
        }
    }
}

impl Engine<'_> {
    fn cores(&mut self, asking: Option<(u32, MissTag)>) -> (&mut fresco_memory::MemorySystem, Cores<'_>) {
        let cores = Cores {
            cpus: &mut self.cpus,
            tasks: &mut self.tasks,
            asking,
        };
        (&mut self.memory, cores)
    }

    /// A core sends for a line, for an operation or for code. Returns what for.
    pub(super) fn ask(&mut self, number: usize, at: Ps, line: PhysAddr, for_write: bool, tag: MissTag) -> Purpose {
        let purpose = self.cpus[number].core.purpose(tag);
        let demand = Demand {
            at,
            core: number as u32,
            line,
            purpose,
            for_write,
            is_prefetch: false,
        };
        if let Some(id) = self.ask_of_all(&demand, tag) {
            self.cpus[number].wait(id, tag);
        }
        purpose
    }

    /// A core sends for a line that it prefetches. Returns whether it comes from memory.
    pub(super) fn ask_early(&mut self, number: usize, at: Ps, line: PhysAddr, tag: MissTag) -> bool {
        let demand = Demand {
            at,
            core: number as u32,
            line,
            purpose: Purpose::Load,
            for_write: false,
            is_prefetch: true,
        };
        let id = self.ask_of_all(&demand, tag);
        if let Some(id) = id {
            self.cpus[number].wait_for_prefetch(id, tag);
        }
        id.is_some()
    }

    /// The read of the memory that a request waits for; `None` if it waits for none.
    fn ask_of_all(&mut self, demand: &Demand, tag: MissTag) -> Option<RequestId> {
        let number = demand.core as usize;
        let (memory, mut cores) = self.cores(Some((demand.core, tag)));
        match memory.ask(demand, &mut cores) {
            Answer::At(arrival) => {
                self.cpus[number].core.complete(tag, demand.at, arrival);
                None
            }
            Answer::Memory { id, not_before } => {
                let waits = self.coherence.as_mut().filter(|_| not_before > 0);
                if let Some(coherence) = waits {
                    coherence.not_before.push((id, not_before));
                }
                Some(id)
            }
            Answer::After { of, from, extra } => {
                let awaited = cores.awaited(of, demand.line);
                let (waited_for, _) =
                    awaited.expect("a core of which it is not known when its line comes waits for it");
                let follower = Follower {
                    of: (of as usize, waited_for),
                    from,
                    extra,
                    core: number,
                    tag,
                };
                self.coherence
                    .iter_mut()
                    .for_each(|coherence| coherence.followers.push(follower));
                None
            }
        }
    }

    /// Lines arrive from memory: those that are not over yet, as copies elsewhere are being invalidated, are held back.
    pub(super) fn hold_back(&mut self, done: &mut [Done]) {
        let Some(coherence) = &mut self.coherence else { return };
        for done in done {
            let number = done.core as usize;
            if let Some(at) = coherence.not_before.iter().position(|(id, _)| *id == done.id) {
                let late = coherence.not_before.swap_remove(at).1.saturating_sub(done.at);
                done.at += late;
                if let Some(sample) = &mut done.sample {
                    sample.latency += late;
                    sample.path += late;
                }
            }
            let tag = self.cpus[number].tag_of(done.id);
            coherence.answered.push((number, tag, done.at));
        }
    }

    /// What waited for lines that other cores have got at `now` is answered.
    pub(super) fn let_follow(&mut self, now: Ps) {
        let Some(coherence) = &mut self.coherence else { return };
        while let Some((core, tag, at)) = coherence.answered.pop() {
            let follows = |follower: &Follower| follower.of == (core, tag);
            while let Some(first) = coherence.followers.iter().position(follows) {
                let Follower {
                    from, extra, core, tag, ..
                } = coherence.followers.remove(first);
                let at = at.max(from) + extra;
                self.cpus[core].core.complete(tag, now, at);
                coherence.answered.push((core, tag, at));
            }
        }
    }

    /// A line leaves the private caches of a core, unless another core has taken it over since. As of [`leave`](Self::leave), one that an
    /// exclusive cache would take, and that the core has again, stays.
    pub(super) fn leave_coherently(&mut self, number: usize, at: Ps, leaving: Leaving) {
        let core = number as u32;
        if self.experiment.machine.inclusion() == Inclusion::Exclusive
            && self.has_asked_for(number, leaving.line)
            && (!leaving.dirty || self.private_of(number).make_dirty(leaving.line))
        {
            self.private_of(number).left(leaving);
            return;
        }
        let (memory, mut cores) = self.cores(None);
        memory.leave_coherent(at, core, leaving, &mut cores);
        self.tell_private();
    }

    /// A line that fills the caches of a core is granted in no time, to a task that shares it with nobody; so is what leaves for it.
    pub(super) fn grant_in_no_time(&mut self, number: usize, op: &MicroOp, is_code: bool) {
        if self.coherence.is_none() {
            return;
        }
        let caches = self.private_of(number);
        match op.lookup {
            Lookup::Miss if is_code => caches.grant_shared(op.line),
            Lookup::Miss => caches.grant(op.line),
            Lookup::Upgrade { .. } => {
                caches.grant(op.line);
                caches.make_dirty(op.line);
            }
            Lookup::Hit { .. } | Lookup::Watched { .. } => {}
        }
        for victim in op.victims {
            caches.left(victim);
        }
    }

    /// States fit together.
    #[cfg(debug_assertions)]
    pub(super) fn check_coherence(&mut self) {
        if self.coherence.is_some() {
            let (memory, mut cores) = self.cores(None);
            memory.check_coherence(&mut cores);
        }
    }
}
