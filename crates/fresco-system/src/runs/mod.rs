// SPDX-License-Identifier: MIT OR Apache-2.0
//! The runs of a scenario: each is an [`crate::multitask::Experiment`], whose outcome becomes results of the scenario.
//!
//! Without periodic tasks each task has its core alone, and the run has phases: it lasts until all have been measured. With
//! them the first ready job of a core runs (`policy.scheduler`), a task without a period when no job is ready, and the run
//! has a horizon: jobs released within the warm-up run but are not counted. Memory is refreshed by the machine's own policy.

mod experiment;
mod result;

pub(crate) use experiment::of as experiment;
pub(crate) use result::of as result;
