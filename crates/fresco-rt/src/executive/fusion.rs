// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fusion of scheduling frames into color frames (CR-9): in closed form.

use std::fmt;

use super::bottleneck::Bottleneck;
use super::cores::Cores;
use super::error::ProblemError;
use super::problem::{Problem, Slicing};
use super::rotation::Rotation;
use super::rules::{burst_fits, candidates, holds_a_frame, lossless_frame};
use crate::task::Task;
use crate::time::{Time, divisors};

/// Frames for tasks and frames for colors that fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusion {
    /// The rotation with the color frame f'.
    pub rotation: Rotation,
    /// s: the scheduling frame; `f' / s` of them are fused.
    pub frame: Time,
}

/// Why no frames fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoFusion {
    /// The burst of a color is longer than half the retention period, the longest color frame with two colors.
    BurstTooLong {
        /// δ with overheads.
        burst: Time,
        /// The longest color frame; 0 if the ranks cannot be divided into colors.
        longest: Time,
    },
    /// No preemptive schedule exists, whatever the frame.
    Unschedulable(Bottleneck),
    /// No table can be laid out.
    Problem(ProblemError),
}

impl fmt::Display for NoFusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFusion::BurstTooLong { burst, longest } => {
                write!(
                    f,
                    "a refresh burst of {burst}, overheads included, exceeds the longest color frame, {longest} (rule 6)"
                )
            }
            NoFusion::Unschedulable(bottleneck) => bottleneck.fmt(f),
            NoFusion::Problem(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoFusion {}

impl From<ProblemError> for NoFusion {
    fn from(error: ProblemError) -> Self {
        NoFusion::Problem(error)
    }
}

/// F5: the least color frame `f' = R / F`, `F` a divisor of the number of ranks, that holds a burst (rule 6), and its
/// longest divisor `s` for which every window holds a whole frame (F2) and all jobs fit frames (F4). Frame mode.
///
/// Some divisor always does if any preemptive schedule exists: the lossless frame (F3).
///
/// # Errors
/// Why there are none.
pub fn fuse(tasks: &[Task], retention: Time, ranks: usize, burst: Time, cores: &Cores) -> Result<Fusion, NoFusion> {
    let rotations = candidates(retention, ranks);
    let longest = rotations.first().map_or(0, Rotation::frame);
    let fits = |rotation: &&Rotation| burst_fits(rotation.frame(), burst);
    let rotation = *rotations
        .iter()
        .rev()
        .find(fits)
        .ok_or(NoFusion::BurstTooLong { burst, longest })?;
    let color_frame = rotation.frame();
    let lossless = lossless_frame(tasks, color_frame);
    let mut reason = None;
    // No shorter frame than the lossless one is needed.
    let frames = divisors(color_frame).into_iter().rev();
    for frame in frames.take_while(|&frame| frame >= lossless) {
        if !tasks.iter().all(|task| holds_a_frame(task, frame)) {
            continue;
        }
        let problem = Problem::new(tasks, rotation, cores.clone(), Slicing::Frames(frame))?;
        match problem.place(|_, _| false) {
            Ok(_) => return Ok(Fusion { rotation, frame }),
            Err(bottleneck) => reason = Some(bottleneck),
        }
    }
    Err(NoFusion::Unschedulable(
        reason.expect("every window holds a lossless frame"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_beyond_every_frame_is_refused() {
        let tasks = [Task::new("t", 0, 64, 1, 64).unwrap()];
        let refused = fuse(&tasks, 64, 8, 33, &Cores::ONE);
        assert_eq!(refused, Err(NoFusion::BurstTooLong { burst: 33, longest: 32 }));
    }
}
