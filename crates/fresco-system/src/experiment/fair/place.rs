// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task runs on which core: as many on each, and each core with tasks that leave all banks free between them.

use fresco_frames::ColorSet;

/// The core of each task, by the tasks' bank colors. In order, each task goes to one of the cores with the fewest tasks so
/// far (COD-6: the load balance of CFS, by number), of these to the one where it adds most bank colors that some task
/// leaves free (COD-11), of these to the lowest. `colors` is the number of bank colors; no cores, no places.
pub fn place(tasks: &[ColorSet], cores: u32, colors: u32) -> Vec<u32> {
    let mut placed: Vec<(u32, ColorSet)> = vec![(0, ColorSet::new()); cores as usize];
    let put = |banks: &ColorSet| {
        let fewest = placed.iter().map(|(count, _)| *count).min()?;
        let free: ColorSet = (0..colors).filter(|&color| !banks.contains(color)).collect();
        let gain = |has: &ColorSet| free.iter().filter(|&color| !has.contains(color)).count();
        let open = placed.iter().enumerate().filter(|(_, (count, _))| *count == fewest);
        let (core, _) = open.max_by_key(|(core, (_, has))| (gain(has), std::cmp::Reverse(*core)))?;
        let (count, has) = &mut placed[core];
        *count += 1;
        for color in free.iter() {
            has.insert(color);
        }
        Some(core as u32)
    };
    tasks.iter().map_while(put).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banks(banks: &[u32]) -> ColorSet {
        banks.iter().copied().collect()
    }

    #[test]
    fn the_tasks_of_figure_9_go_where_both_groups_meet() {
        let tasks = [banks(&[0, 2]), banks(&[1, 3]), banks(&[0, 2]), banks(&[1, 3])];
        assert_eq!(place(&tasks, 2, 4), [0, 1, 1, 0]);
    }

    #[test]
    fn numbers_of_tasks_differ_by_one_at_most() {
        let tasks = vec![banks(&[0]); 7];
        let cores = place(&tasks, 3, 4);
        let count = |core| cores.iter().filter(|&&on| on == core).count();
        assert_eq!([count(0), count(1), count(2)], [3, 2, 2]);
        assert!(place(&tasks, 0, 4).is_empty());
    }
}
