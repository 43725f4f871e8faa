// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a cyclic executive is to be found for: tasks, the rotation of refresh, cores, and where jobs may be cut.

use super::cells::{Cell, cells_in, cells_of};
use super::cores::Cores;
use super::error::ProblemError;
use super::jobs::{Job, jobs_of};
use super::rotation::Rotation;
use super::transport::Transport;
use crate::task::{Task, hyperperiod};
use crate::time::{Time, lcm};

/// Most jobs, and most frames of a color, in one turn of a table.
pub const MAX_ENTRIES: u64 = 200_000;
/// Most pairs of a job and a cell it may use.
pub const MAX_PAIRS: usize = 4_000_000;

/// Most cores.
pub const MAX_CORES: usize = 1024;

/// Where a job may be cut into slices (CR-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slicing {
    /// Anywhere: the cells are as fine as needed, and a flow exists iff any preemptive schedule does.
    Anywhere,
    /// In whole scheduling frames of this length: a job runs only in frames that lie inside its window.
    Frames(Time),
}

/// Tasks and refresh laid out over one turn of a table, `L = lcm(p_1, …, p_n, R)` long.
#[derive(Clone, Debug)]
pub struct Problem {
    tasks: Vec<Task>,
    rotation: Rotation,
    cores: Cores,
    length: Time,
    jobs: Vec<Job>,
    cells: Vec<Cell>,
}

impl Problem {
    /// Lays out jobs and cells.
    ///
    /// # Errors
    /// No task, no core or more than [`MAX_CORES`], a partition that does not name the core of each task, a scheduling frame that does not divide the
    /// color frame, or a table beyond 64 bits, [`MAX_ENTRIES`] or [`MAX_PAIRS`].
    pub fn new(tasks: &[Task], rotation: Rotation, cores: Cores, slicing: Slicing) -> Result<Problem, ProblemError> {
        if tasks.is_empty() {
            return Err(ProblemError::NoTasks);
        }
        match &cores {
            _ if cores.count() > MAX_CORES => return Err(ProblemError::TooManyCores { cores: cores.count() }),
            Cores::Global(0) => return Err(ProblemError::NoCores),
            Cores::Partitioned(core_of) if core_of.len() != tasks.len() => {
                return Err(ProblemError::PartitionOfOthers {
                    entries: core_of.len(),
                    tasks: tasks.len(),
                });
            }
            _ => {}
        }
        let frame = match slicing {
            Slicing::Anywhere => 1,
            Slicing::Frames(frame) => frame,
        };
        if frame == 0 || !rotation.frame().is_multiple_of(frame) {
            return Err(ProblemError::FrameOutsideColorFrame {
                frame,
                color_frame: rotation.frame(),
            });
        }
        let length = lcm(hyperperiod(tasks)?, rotation.retention())?;
        let entries = tasks
            .iter()
            .map(|task| length / task.period)
            .chain([length / rotation.frame()]);
        let entries = entries.fold(0u64, u64::saturating_add);
        if entries > MAX_ENTRIES {
            return Err(ProblemError::TableTooLong { length, entries });
        }
        // Supplies and capacities of all networks, and windows that wrap, stay below entries * length * cores.
        let most = u128::from(length) * u128::from(entries) * 4 * cores.count() as u128;
        u64::try_from(most).map_err(|_| crate::time::Overflow)?;
        let jobs = jobs_of(tasks, length, frame);
        let cells = cells_of(&jobs, &rotation, length);
        let pairs = jobs.iter().map(|job| cells_in(job, &cells).count()).sum();
        if pairs > MAX_PAIRS {
            return Err(ProblemError::TooManyPairs { pairs });
        }
        Ok(Problem {
            tasks: tasks.to_vec(),
            rotation,
            cores,
            length,
            jobs,
            cells,
        })
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The rotation of refresh.
    pub fn rotation(&self) -> &Rotation {
        &self.rotation
    }

    /// The cores.
    pub fn cores(&self) -> &Cores {
        &self.cores
    }

    /// L: length of one turn of the table.
    pub fn length(&self) -> Time {
        self.length
    }

    /// The jobs of one turn: task by task, each in the order of its number `k`.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// The cells of one turn in the order of time.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Numbers, in [`Problem::jobs`], of the jobs of a task.
    pub fn jobs_of_task(&self, task: usize) -> std::ops::Range<usize> {
        let first = self.jobs.partition_point(|job| job.task < task);
        first..first + (self.length / self.tasks[task].period) as usize
    }

    /// Sum of the execution times of all jobs.
    pub fn demand(&self) -> Time {
        self.jobs.iter().map(|job| job.demand).sum()
    }

    /// The flow network (F4): a row for each job, a column for each cell (and core, if tasks have cores). An edge carries
    /// no more than the cell's length, so that a job never needs two cores at once.
    pub(super) fn network(&self) -> Transport {
        let columns_per_core = self.cells.len();
        let capacity: Vec<Time> = match &self.cores {
            Cores::Global(cores) => self.cells.iter().map(|cell| cell.length * *cores as Time).collect(),
            Cores::Partitioned(_) => (0..self.cores.count())
                .flat_map(|_| self.cells.iter().map(|cell| cell.length))
                .collect(),
        };
        let mut network = Transport::new(self.jobs.iter().map(|job| job.demand).collect(), capacity);
        for (row, job) in self.jobs.iter().enumerate() {
            let offset = match &self.cores {
                Cores::Global(_) => 0,
                Cores::Partitioned(core_of) => core_of[job.task] * columns_per_core,
            };
            for cell in cells_in(job, &self.cells) {
                network.connect(row, offset + cell, self.cells[cell].length);
            }
        }
        network
    }

    /// The cell behind a column of [`Problem::network`].
    pub(super) fn cell_of_column(&self, column: usize) -> usize {
        column % self.cells.len()
    }
}
