// SPDX-License-Identifier: MIT OR Apache-2.0
//! The placement as published (CR-5, CR-6), for comparison: frames first and blind to colors, then colors out of what
//! the frames happen to leave free.

use super::bottleneck::Bottleneck;
use super::memory::{MemoryShortage, assign_memory};
use super::placement::Placement;
use super::problem::Problem;

/// What scanning the frames of one color-blind placement gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NaivePlan {
    /// The placement that was scanned.
    pub placement: Placement,
    /// Colors that each task occupies, ascending.
    pub occupied: Vec<Vec<usize>>,
    /// Colors that each task leaves free, ascending.
    pub available: Vec<Vec<usize>>,
    /// Memory of each task in each color, or why it does not fit. Tasks without an available color would be copied.
    pub memory: Result<Vec<Vec<u64>>, MemoryShortage>,
}

impl NaivePlan {
    /// Tasks without any available color, for which the text creates copies, most of them needlessly (E10, E11).
    pub fn tasks_to_copy(&self) -> Vec<usize> {
        (0..self.available.len())
            .filter(|&task| self.available[task].is_empty())
            .collect()
    }
}

impl Problem {
    /// Places all jobs without regard to colors, scans the table for the colors each task leaves free, and assigns memory
    /// from these.
    ///
    /// On one core the frames are filled by deadline, which is the placement all tables of comparison use; on several, the
    /// flow's. Frames as the text has them come with [`super::Slicing::Frames`] of the color frame.
    ///
    /// # Errors
    /// The bottleneck, if there is no placement at all.
    pub fn naive_plan(&self, memory: &[u64], capacity: &[u64]) -> Result<NaivePlan, Bottleneck> {
        let flow = self.place(|_, _| false)?;
        let placement = if self.cores().count() == 1 {
            self.edf_fill().placement
        } else {
            flow
        };
        let occupied = self.occupied_colors(&placement);
        let available = self.available_colors(&placement);
        let memory = assign_memory(memory, capacity, &available);
        Ok(NaivePlan {
            placement,
            occupied,
            available,
            memory,
        })
    }
}
