// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked examples of Colored Refresh (CR-14, CR-25): what is printed, put to the theory.

use super::executive::Example;
use super::packing::longest_uncut_frame;
use super::{TABLE_4_4, ms, one_if, task_set, tasks};
use fresco_input::InputError;
use fresco_report::claims::Row;

/// Frames that table 4.2 and table 4.5 give to each task, numbered from 1.
const TABLE_4_2: [&[usize]; 3] = [&[1, 3, 5, 7], &[1, 2, 5, 6], &[3, 4, 7]];
const TABLE_4_5: [&[usize]; 5] = [
    &[1, 2, 3, 4, 5, 6, 7, 8],
    &[1, 3, 4, 5, 7, 8],
    &[3, 4, 7, 8],
    &[2, 4, 6, 8],
    &[2, 3, 4, 6, 7, 8],
];
/// Colors of example 1, of the copies of example 2, and of table 4.6, where lms has a copy.
const COLORS_1: [&[usize]; 3] = [&[2], &[3], &[5]];
const COLORS_2: [&[usize]; 2] = [&[1, 2], &[3, 4]];
const TABLE_4_6: [&[usize]; 5] = [&[7, 8], &[2], &[1], &[3], &[5]];
/// The copied task of table 4.6, and the releases and frames of figure 4.6 in which the copy is said to run.
const LMS: usize = 0;
const COPIES_MS: [(u64, u64); 2] = [(180, 176), (240, 240)];

/// Example 1 of section 4.3.5.
pub fn example_1() -> Result<Vec<Row>, InputError> {
    let example = Example::new(&tasks(&[("A", 16, 4), ("B", 32, 12), ("C", 64, 16)])?)?;
    let set = example.set_row()?;
    let set = set
        .value("published_flow_ms", example.flow_in_frames(&TABLE_4_2))
        .value("published_colors_flow_ms", example.in_colors(&COLORS_1).flow_ms);
    Ok(with_available(&example, set, &TABLE_4_2, example.task_rows()?))
}

/// Example 2 of section 4.3.5.
pub fn example_2() -> Result<Vec<Row>, InputError> {
    let example = Example::new(&tasks(&[("A", 20, 8), ("B", 40, 16)])?)?;
    let copies = example.in_colors(&COLORS_2);
    let mut set = example.set_row()?.value("copies_flow_ms", copies.flow_ms);
    if let Some(conflicts) = copies.conflicts {
        set = set.value("copies_conflicts", conflicts as f64);
    }
    Ok(std::iter::once(set).chain(example.task_rows()?).collect())
}

/// Tables 4.4 to 4.6.
pub fn table_4_4() -> Result<Vec<Row>, InputError> {
    let tasks = task_set(TABLE_4_4)?.timing();
    let example = Example::new(&tasks)?;
    let usable = COPIES_MS.map(|(release, frame)| one_if(example.is_usable(LMS, release, frame)));
    let frame = example.problem.rotation().frame();
    let cut = tasks.iter().filter(|task| task.wcet > frame).count();
    let set = example.set_row()?;
    let set = set
        .value("published_flow_ms", example.flow_in_frames(&TABLE_4_5))
        .value("published_colors_flow_ms", example.in_colors(&TABLE_4_6).flow_ms)
        .value("copy_180_ms_usable", usable[0])
        .value("copy_240_ms_usable", usable[1])
        .value("uncut_frame_ms", ms(longest_uncut_frame(&tasks)?.unwrap_or(0)))
        .value("tasks_cut", cut as f64);
    Ok(with_available(&example, set, &TABLE_4_5, example.task_rows()?))
}

/// The rows, with the colors that the printed frames leave to each task.
fn with_available(example: &Example, set: Row, occupied: &[&[usize]], tasks: Vec<Row>) -> Vec<Row> {
    let colors = example.problem.rotation().colors();
    let left = occupied.iter().map(|frames| (colors - frames.len()) as f64);
    let tasks = tasks.into_iter().zip(left);
    let tasks = tasks.map(|(row, left)| row.value("published_available", left));
    std::iter::once(set).chain(tasks).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(rows: &[Row], value: &str) -> f64 {
        rows[0].values[value]
    }

    #[test]
    fn no_copy_is_needed_anywhere() {
        for rows in [example_1(), example_2(), table_4_4()].map(|rows| rows.expect("rows")) {
            assert_eq!(all(&rows, "copies_needed"), 0.0, "E10, E11");
            assert_eq!(all(&rows, "flow_ms"), all(&rows, "demand_ms"));
            assert_eq!(all(&rows, "private_assignment_found"), 1.0);
        }
    }

    #[test]
    fn placements_blind_to_colors_leave_none_in_example_2() {
        let rows = example_2().expect("rows");
        let of_tasks = |value: &str| [rows[1].values[value], rows[2].values[value]];
        assert_eq!(of_tasks("edf_available"), [0.0, 0.0], "table 4.3");
        assert!(of_tasks("avoidable_colors").iter().all(|&colors| colors > 0.0), "E10");
        assert_eq!(all(&rows, "copies_flow_ms"), 256.0);
        assert_eq!(all(&rows, "copies_conflicts"), 0.0);
    }

    #[test]
    fn the_printed_tables_are_feasible_but_for_the_copy_at_180_ms() {
        let rows = table_4_4().expect("rows");
        for value in ["published_flow_ms", "published_colors_flow_ms"] {
            assert_eq!(all(&rows, value), 308.0, "{value}");
        }
        assert_eq!(
            (all(&rows, "copy_180_ms_usable"), all(&rows, "copy_240_ms_usable")),
            (0.0, 1.0),
            "E12"
        );
        assert_eq!(
            (all(&rows, "uncut_frame_ms"), all(&rows, "tasks_cut")),
            (0.0, 1.0),
            "E13"
        );
    }
}
