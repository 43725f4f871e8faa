// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who ran when: what a Gantt chart draws.

use serde::{Deserialize, Serialize};

use crate::time::Time;
use crate::toplevel::LockWindow;

/// What the processor does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// A job runs, in the server of its color where there are servers.
    Run {
        /// Index of the task, through all colors.
        task: usize,
        /// Index of the job.
        job: u64,
        /// Color of its memory.
        color: usize,
    },
    /// An idling server burns budget without work.
    Burn {
        /// The server's color.
        color: usize,
    },
    /// The lock task of a color.
    Lock {
        /// The color.
        color: usize,
    },
    /// The unlock task of a color.
    Unlock {
        /// The color.
        color: usize,
    },
    /// Nothing.
    Idle,
}

/// The processor does one thing during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// First instant.
    pub start: Time,
    /// First instant after.
    pub end: Time,
    /// What it does.
    pub activity: Activity,
}

/// A job that finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// Index of the task, through all colors.
    pub task: usize,
    /// Index of the job.
    pub job: u64,
    /// Its release.
    pub release: Time,
    /// Its absolute deadline.
    pub deadline: Time,
    /// When it finished.
    pub end: Time,
}

/// Listens to a simulation; segments come in time order without gaps, and may be continued by the next one.
pub trait Recorder {
    /// The processor did one thing for a while.
    fn segment(&mut self, _segment: Segment) {}

    /// A color was locked; told when the window begins.
    fn lock(&mut self, _color: usize, _window: LockWindow) {}

    /// The budget of the server of this color was set.
    fn replenished(&mut self, _color: usize, _at: Time, _budget: Time) {}

    /// A job finished.
    fn completed(&mut self, _completion: Completion) {}
}

/// Records nothing.
impl Recorder for () {}

/// Keeps everything, segments of the same activity joined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// What the processor did, in time order.
    pub segments: Vec<Segment>,
    /// Colors and their lock windows, by start.
    pub locks: Vec<(usize, LockWindow)>,
    /// Colors, instants and amounts of replenishments.
    pub replenishments: Vec<(usize, Time, Time)>,
    /// Finished jobs by completion.
    pub completions: Vec<Completion>,
}

impl Recorder for Trace {
    fn segment(&mut self, segment: Segment) {
        match self.segments.last_mut() {
            Some(last) if last.activity == segment.activity && last.end == segment.start => last.end = segment.end,
            _ => self.segments.push(segment),
        }
    }

    fn lock(&mut self, color: usize, window: LockWindow) {
        self.locks.push((color, window));
    }

    fn replenished(&mut self, color: usize, at: Time, budget: Time) {
        self.replenishments.push((color, at, budget));
    }

    fn completed(&mut self, completion: Completion) {
        self.completions.push(completion);
    }
}
