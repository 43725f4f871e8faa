// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the engine needs of a core, and which models there are.

use super::{Action, MissTag, Pipeline, SlotClock, Source, User, Victims, WalkCounts};
use fresco_dram::{PhysAddr, Ps};
use fresco_machine::{CoreConfig, CoreKind};
use fresco_memory::Purpose;

/// A model of a core: it decides when the accesses of a [`Source`] reach the shared memory. A new core has executed
/// nothing; it is halted at time 0 and waits for [`CoreModel::resume`].
pub trait CoreModel<S: Source>: Send {
    /// The core's clock: instructions begin at its slots.
    fn clock(&self) -> SlotClock;

    /// From the next step on it stalls for so many cycles in a thousand instructions ([`fresco_load::Program::stalls`]). What has not come to
    /// a whole slot before is dropped.
    fn set_stalls(&mut self, cycles: u32);

    /// Instructions dispatched so far.
    fn instructions(&self) -> u64;

    /// When [`CoreModel::step`] is to be called next; [`fresco_dram::NEVER`] while the core can only wait for
    /// [`CoreModel::complete`] or [`CoreModel::resume`].
    fn next_time(&self) -> Ps;

    /// Does what is due at [`CoreModel::next_time`]. Where that is to run on, the core runs ahead on private state until
    /// `limit`, until it stalls or until the source stops at an event. Accesses, write-backs and events leave it in order of
    /// time, so that how far it runs ahead changes nothing. A halted core has no source: what it still does is to fetch lines
    /// and to write them back.
    fn step(&mut self, source: Option<&mut S>, limit: Ps) -> Action;

    /// After [`CoreModel::complete`]: if the core is to run ahead from this very time on, it does so at once, as the next
    /// [`CoreModel::step`] would.
    fn run_on(&mut self, source: &mut S, limit: Ps);

    /// Returns true if it has given a line a place in the private caches and has not asked the memory for it yet.
    fn is_yet_to_ask(&self, line: PhysAddr) -> bool;

    /// Returns true if a line that the core has asked for, or will, is not there at `at`.
    fn is_under_way(&self, at: Ps, line: PhysAddr) -> bool;

    /// Returns true if a register is free at `at`, and no operation waits for one.
    fn has_register_for_prefetch(&self, at: Ps) -> bool;

    /// A prefetch takes the register that is free; answered by [`CoreModel::complete`], with which the victims leave.
    fn prefetch(&mut self, line: PhysAddr, victims: Victims) -> MissTag;

    /// Who needs the line of a fetch.
    fn user(&self, tag: MissTag) -> User;

    /// Before [`CoreModel::complete`], of a core with TLBs: the line of a fetch comes from the memory, or from the last-level cache.
    fn note_source(&mut self, tag: MissTag, from_memory: bool);

    /// What page walks have done so far.
    fn walks(&self) -> WalkCounts;

    /// What a fetch is for.
    fn purpose(&self, tag: MissTag) -> Purpose;

    /// The fetch of a line that the memory has been asked for last, `but` for this one, and when it arrives if that is known; `None` if there is
    /// none, or if its register has been used again since it arrived.
    fn awaited(&self, line: PhysAddr, but: Option<MissTag>) -> Option<(MissTag, Option<Ps>)>;

    /// The line of [`Action::Fetch`] arrives at `at`. Called at the global time `now`, which may be earlier.
    fn complete(&mut self, tag: MissTag, now: Ps, at: Ps);

    /// From `now` on the memory accepts nothing of the core, or does again: what it fetches, lets leave or reports waits until then. In order it
    /// executes nothing either; out of order it goes on with what it has.
    fn stand(&mut self, now: Ps, standing: bool);

    /// After [`Action::Event`], at any later call: goes on at `at`, which is no earlier than the event and than the last
    /// completion.
    fn resume(&mut self, at: Ps);
}

/// A core as a machine describes it.
pub fn build<S: Source>(config: &CoreConfig) -> Box<dyn CoreModel<S>> {
    match config.kind {
        CoreKind::InOrder => Box::new(Pipeline::in_order(config)),
        CoreKind::OutOfOrder => Box::new(Pipeline::out_of_order(config)),
    }
}
