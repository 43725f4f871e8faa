// SPDX-License-Identifier: MIT OR Apache-2.0
//! Placement of jobs by maximum flow, and the minimum cut as the reason when there is none (F4, CR-5).

use super::bottleneck::Bottleneck;
use super::jobs::Job;
use super::problem::Problem;
use super::transport::Transport;
use crate::time::Time;

/// Time that a job gets in one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Number of the cell.
    pub cell: usize,
    /// Time in it, at least 1 and at most the cell's length.
    pub time: Time,
}

/// Where every job of one turn runs. Within a cell the order is free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Shares of each job, in the order of [`Problem::jobs`].
    pub shares: Vec<Vec<Share>>,
}

impl Placement {
    /// Takes time away from a job, from its last shares on.
    pub(super) fn shorten(&mut self, job: usize, by: Time) {
        let mut excess = by;
        for share in self.shares[job].iter_mut().rev() {
            let step = excess.min(share.time);
            share.time -= step;
            excess -= step;
        }
        self.shares[job].retain(|share| share.time > 0);
    }
}

/// How much of the demand can be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Maximum flow.
    pub placed: Time,
    /// Sum of all jobs' execution times.
    pub demand: Time,
}

impl Problem {
    /// Maximum flow when the jobs for which `avoids(job, color)` holds must not run while that color is blocked.
    pub fn max_flow(&self, avoids: impl Fn(&Job, usize) -> bool) -> Flow {
        let mut network = self.restricted_network(avoids);
        network.solve();
        Flow {
            placed: network.total(),
            demand: self.demand(),
        }
    }

    /// Places all jobs so that none for which `avoids(job, color)` holds runs while that color is blocked.
    ///
    /// # Errors
    /// The jobs of a minimum cut: together they need more time than the cells they may use have. Exact: with
    /// [`super::Slicing::Anywhere`] no preemptive schedule exists then (Horn).
    pub fn place(&self, avoids: impl Fn(&Job, usize) -> bool) -> Result<Placement, Bottleneck> {
        let mut network = self.restricted_network(avoids);
        if network.solve() {
            Ok(self.placement(&network))
        } else {
            Err(self.bottleneck(&mut network))
        }
    }

    fn restricted_network(&self, avoids: impl Fn(&Job, usize) -> bool) -> Transport {
        let mut network = self.network();
        for (row, job) in self.jobs().iter().enumerate() {
            for color in (0..self.rotation().colors()).filter(|&color| avoids(job, color)) {
                for edge in self.edges_blocked(&network, row, color) {
                    network.close(edge as usize);
                }
            }
        }
        network
    }

    /// Edges from a job to the cells in which the color is blocked.
    pub(super) fn edges_blocked(&self, network: &Transport, row: usize, color: usize) -> Vec<u32> {
        let blocked = |column| self.cells()[self.cell_of_column(column)].blocked == Some(color);
        network
            .edges_of_row(row)
            .filter(|(_, edge)| blocked(edge.column()))
            .map(|(number, _)| number as u32)
            .collect()
    }

    /// Reads a complete flow as a placement.
    pub(super) fn placement(&self, network: &Transport) -> Placement {
        debug_assert!(network.complete());
        let share = |column, time| Share {
            cell: self.cell_of_column(column),
            time,
        };
        let shares = |row| {
            network
                .edges_of_row(row)
                .filter(|(_, edge)| edge.flow > 0)
                .map(|(_, edge)| share(edge.column(), edge.flow))
        };
        Placement {
            shares: (0..self.jobs().len()).map(|row| shares(row).collect()).collect(),
        }
    }

    /// Reads the minimum cut of a maximum flow that is not complete.
    pub(super) fn bottleneck(&self, network: &mut Transport) -> Bottleneck {
        let row = (0..self.jobs().len())
            .find(|&row| network.missing(row) > 0)
            .expect("the flow is not complete");
        let cut = network.cut_from(row);
        let rows: Vec<usize> = (0..self.jobs().len()).filter(|&row| cut.rows[row]).collect();
        let inside: Time = cut
            .columns
            .iter()
            .enumerate()
            .filter(|(_, reached)| **reached)
            .map(|(c, _)| network.capacity(c))
            .sum();
        let across: Time = rows
            .iter()
            .flat_map(|&row| network.edges_of_row(row))
            .filter(|(_, edge)| edge.open && !cut.columns[edge.column()])
            .map(|(_, edge)| edge.capacity)
            .sum();
        Bottleneck {
            demand: rows.iter().map(|&row| network.supply(row)).sum(),
            room: inside + across,
            jobs: rows
                .iter()
                .map(|&row| (self.tasks()[self.jobs()[row].task].name.clone(), self.jobs()[row].index))
                .collect(),
        }
    }
}
