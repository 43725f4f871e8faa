// SPDX-License-Identifier: MIT OR Apache-2.0
//! Non-uniform cells: the table cut wherever anything changes (F3, Horn's theorem).
//!
//! Within a cell the same jobs may run and the same color is blocked, so that only the amount of each job in each cell
//! matters: any preemptive schedule is a flow into cells, and any such flow is a schedule.

use super::jobs::Job;
use super::rotation::Rotation;
use crate::time::Time;

/// A stretch of the table in which nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Start within the table.
    pub start: Time,
    /// Length, at least 1.
    pub length: Time,
    /// The color that is out of bounds here.
    pub blocked: Option<usize>,
}

/// Cuts `[0, length)` at the ends of all windows and of all blocked intervals; `length` is a multiple of the retention
/// period.
pub(super) fn cells_of(jobs: &[Job], rotation: &Rotation, length: Time) -> Vec<Cell> {
    let mut cuts: Vec<Time> = vec![length];
    for frame in 0..length / rotation.frame() {
        let start = frame * rotation.frame();
        cuts.extend([start, start + rotation.blocked()]);
    }
    for job in jobs.iter().filter(|job| job.length > 0) {
        cuts.extend([job.start, (job.start + job.length) % length]);
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2)
        .map(|pair| Cell {
            start: pair[0],
            length: pair[1] - pair[0],
            blocked: rotation.blocked_at(pair[0]),
        })
        .collect()
}

/// The numbers of the cells that make up the window of a job, in the order of time.
pub(super) fn cells_in<'a>(job: &Job, cells: &'a [Cell]) -> impl Iterator<Item = usize> + use<'a> {
    let first = cells.partition_point(|cell| cell.start < job.start);
    let mut rest = job.length;
    (first..cells.len()).chain(0..first).take_while(move |&number| {
        let inside = rest > 0;
        rest = rest.saturating_sub(cells[number].length);
        inside
    })
}

#[cfg(test)]
mod tests {
    use super::super::jobs::jobs_of;
    use super::*;
    use crate::task::Task;

    #[test]
    fn cells_follow_windows_and_bursts() {
        let tasks = [Task::new("t", 0, 20, 2, 15).unwrap()];
        let jobs = jobs_of(&tasks, 40, 1);
        let rotation = Rotation::bursts(20, 2, 4).unwrap();
        let cells = cells_of(&jobs, &rotation, 40);
        let starts: Vec<Time> = cells.iter().map(|cell| cell.start).collect();
        assert_eq!(starts, [0, 4, 10, 14, 15, 20, 24, 30, 34, 35]);
        assert_eq!(cells[2].blocked, Some(1));
        assert_eq!(cells[3].blocked, None);
        assert_eq!(cells_in(&jobs[1], &cells).collect::<Vec<_>>(), [5, 6, 7, 8]);
    }

    #[test]
    fn a_window_may_wrap_or_cover_the_whole_table() {
        let tasks = [Task::new("t", 30, 40, 2, 40).unwrap()];
        let jobs = jobs_of(&tasks, 40, 1);
        let cells = cells_of(&jobs, &Rotation::frames(20, 2).unwrap(), 40);
        assert_eq!(cells_in(&jobs[0], &cells).collect::<Vec<_>>(), [3, 0, 1, 2]);
    }
}
