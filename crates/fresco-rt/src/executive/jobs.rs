// SPDX-License-Identifier: MIT OR Apache-2.0
//! The jobs of one turn of a cyclic table and the windows they may run in.

use crate::task::Task;
use crate::time::Time;

/// Job `index` of a task in one turn of the table. Windows are taken modulo the length of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Number of the task in its set.
    pub task: usize,
    /// k: number of the job within one turn of the table.
    pub index: u64,
    /// Release `(φ + k p) mod L`.
    pub release: Time,
    /// Relative deadline.
    pub deadline: Time,
    /// Start of the usable window, modulo L: the release, or the first frame boundary from it on.
    pub start: Time,
    /// Length of the usable window: up to the deadline, or the last frame boundary before it; 0 if no whole frame is left.
    pub length: Time,
    /// Execution time to be placed.
    pub demand: Time,
}

/// The jobs of all tasks in one turn of `length`, task by task, in the order of `k`. With a frame, a job may use whole
/// frames only (F4); a frame of 1 unit of time restricts nothing. `frame` divides `length`, `length` every period.
pub(super) fn jobs_of(tasks: &[Task], length: Time, frame: Time) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (number, task) in tasks.iter().enumerate() {
        for index in 0..length / task.period {
            let release = (task.phase % length + index * task.period) % length;
            let start = release.next_multiple_of(frame);
            let end = (release + task.deadline) / frame * frame;
            jobs.push(Job {
                task: number,
                index,
                release,
                deadline: task.deadline,
                start: start % length,
                length: end.saturating_sub(start),
                demand: task.wcet,
            });
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_wrap_and_shrink_to_whole_frames() {
        let tasks = [Task::new("t", 3, 10, 2, 10).unwrap()];
        let exact = jobs_of(&tasks, 20, 1);
        assert_eq!(
            (exact[1].start, exact[1].length),
            (13, 10),
            "wraps around the end of the table"
        );
        let framed = jobs_of(&tasks, 20, 4);
        assert_eq!((framed[0].start, framed[0].length), (4, 8));
        let coarse = jobs_of(&tasks, 20, 10);
        assert_eq!(coarse[0].length, 0, "no whole frame");
    }
}
