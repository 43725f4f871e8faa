// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of tasks in the colors they may have: a transportation flow (F7).

use std::fmt;

use super::transport::Transport;

/// Tasks whose memory, together, is more than the colors they may have can hold: a certificate that no assignment exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryShortage {
    /// Numbers of the tasks, ascending.
    pub tasks: Vec<usize>,
    /// Sum of their memory.
    pub needed: u128,
    /// Numbers of the colors that any of them may have, ascending.
    pub colors: Vec<usize>,
    /// What these colors hold; less than `needed`.
    pub room: u128,
}

impl fmt::Display for MemoryShortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tasks, needed, colors, room) = (&self.tasks, self.needed, &self.colors, self.room);
        write!(
            f,
            "tasks {tasks:?} need {needed} units of memory, but the colors they may have, {colors:?}, hold {room}"
        )
    }
}

impl std::error::Error for MemoryShortage {}

/// Gives every task its memory in colors it may have: `result[i][c]` units of task `i` in color `c`, whole units
/// (pages, say), at most `capacity[c]` in a color.
///
/// `memory[i]` is the task's need and `allowed[i]` lists its colors, below `capacity.len()`; colors beyond are ignored.
/// With a need of one unit and a capacity of one unit each, this is the matching of tasks to private ranks.
///
/// # Errors
/// The tasks of a minimum cut, if their memory does not fit.
pub fn assign_memory(
    memory: &[u64],
    capacity: &[u64],
    allowed: &[Vec<usize>],
) -> Result<Vec<Vec<u64>>, MemoryShortage> {
    let mut network = network(memory, capacity, allowed);
    if network.solve() {
        let units = |task| {
            let mut units = vec![0; capacity.len()];
            network
                .edges_of_row(task)
                .for_each(|(_, edge)| units[edge.column()] += edge.flow);
            units
        };
        return Ok((0..memory.len()).map(units).collect());
    }
    let short = (0..memory.len())
        .find(|&task| network.missing(task) > 0)
        .expect("the flow is not complete");
    let cut = network.cut_from(short);
    let tasks: Vec<usize> = (0..memory.len()).filter(|&task| cut.rows[task]).collect();
    let colors: Vec<usize> = (0..capacity.len()).filter(|&color| cut.columns[color]).collect();
    Err(MemoryShortage {
        needed: tasks.iter().map(|&task| u128::from(memory[task])).sum(),
        room: colors.iter().map(|&color| u128::from(capacity[color])).sum(),
        tasks,
        colors,
    })
}

/// How many units can be placed at most, when not all can; arguments as of [`assign_memory`].
pub fn memory_flow(memory: &[u64], capacity: &[u64], allowed: &[Vec<usize>]) -> u128 {
    let mut network = network(memory, capacity, allowed);
    network.solve();
    (0..memory.len())
        .map(|task| u128::from(memory[task] - network.missing(task)))
        .sum()
}

fn network(memory: &[u64], capacity: &[u64], allowed: &[Vec<usize>]) -> Transport {
    let mut network = Transport::new(memory.to_vec(), capacity.to_vec());
    for (task, colors) in allowed.iter().enumerate().take(memory.len()) {
        for &color in colors.iter().filter(|&&color| color < capacity.len()) {
            network.connect(task, color, u64::MAX);
        }
    }
    network
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_ranks_are_a_matching() {
        let allowed = [vec![0, 1], vec![0]];
        assert_eq!(
            assign_memory(&[1, 1], &[1, 1], &allowed),
            Ok(vec![vec![0, 1], vec![1, 0]])
        );
        let crowded = assign_memory(&[1, 1], &[1, 1], &[vec![0], vec![0]]).unwrap_err();
        assert_eq!((crowded.tasks, crowded.colors, crowded.room), (vec![0, 1], vec![0], 1));
    }

    #[test]
    fn huge_needs_do_not_overflow() {
        let shortage = assign_memory(&[u64::MAX, u64::MAX], &[u64::MAX], &[vec![0], vec![0]]).unwrap_err();
        assert_eq!(
            (shortage.needed, shortage.room),
            (2 * u128::from(u64::MAX), u128::from(u64::MAX))
        );
    }
}
