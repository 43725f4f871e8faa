// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs of several threads (SPMD): the same program on each thread, data shared, serial and parallel sections in
//! turn, all waiting at the end of each (BEN-7, BEN-8).
//!
//! Threads run in any interleaving, a chunk each, so within a section no thread may read what another one writes. Then
//! what each does is the same whatever the interleaving. Trips of a loop are dealt out as OpenMP's static schedule does.

mod fill;
mod member;
mod parameters;
mod share;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub(crate) use fill::Fill;
pub(crate) use member::team;
pub(crate) use parameters::{Settings, TEAM, settings};
pub(crate) use share::{bounds, owned};

use crate::Area;
use crate::recorder::Recorder;

/// A loop that the threads go through together, or the master alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    /// So many iterations, all by the master; ends with [`crate::Marker::Fork`].
    Serial(usize),
    /// So many iterations, dealt out to the threads; ends with [`crate::Marker::Join`].
    Parallel(usize),
}

/// The computation of a team, without the execution of its passes.
pub(crate) trait TeamKernel: Send + 'static {
    /// Name in the table of programs.
    const NAME: &'static str;

    /// See [`crate::Program::footprint`].
    fn areas(&self) -> Vec<Area>;

    /// Whose part of the data each thread initialises.
    fn fills(&self) -> Vec<Fill>;

    /// Called between two sections, when every thread is through the one before: what comes next, `None` at the end of a
    /// pass. The call after that begins the next pass, which has at least one section. The last section of a pass is a
    /// parallel one.
    fn advance(&mut self) -> Option<Section>;

    /// Does the next piece of iteration `iteration` of the section on `thread`, at most a few dozen operations. True when that was
    /// the last piece of the iteration.
    fn step(&mut self, thread: usize, iteration: usize, recorder: &mut Recorder<'_>) -> bool;

    /// `thread` has made its last iteration of the section (of a parallel one each thread, even one that had none): where it
    /// stores what it kept in registers.
    fn close(&mut self, _thread: usize, _recorder: &mut Recorder<'_>) {}

    /// See [`crate::Program::verify`]; may be asked at any time.
    fn verify(&self) -> Result<(), String>;
}
