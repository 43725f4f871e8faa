// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds a frame that takes each job whole, for jobs that may not be cut. Exact search, for small sets.

use super::failed;
use fresco_input::InputError;
use fresco_rt::executive::{Cores, Problem, Rotation, Slicing};
use fresco_rt::task::hyperperiod;
use fresco_rt::time::divisors;
use fresco_rt::{Task, Time};

/// The longest frame that divides the hyperperiod and in which all jobs fit whole; `None` if there is none.
pub(super) fn longest_uncut_frame(tasks: &[Task]) -> Result<Option<Time>, InputError> {
    let length = hyperperiod(tasks).map_err(failed)?;
    let longest = tasks.iter().map(|task| task.wcet).max().unwrap_or(0);
    for frame in divisors(length).into_iter().rev().take_while(|&frame| frame >= longest) {
        let frames = (length / frame) as usize;
        let rotation = Rotation::frames(length, frames).map_err(failed)?;
        let problem = Problem::new(tasks, rotation, Cores::ONE, Slicing::Frames(frame)).map_err(failed)?;
        let mut jobs: Vec<Whole> = problem
            .jobs()
            .iter()
            .map(|job| Whole {
                time: job.demand,
                first: (job.start / frame) as usize,
                count: (job.length / frame) as usize,
            })
            .collect();
        jobs.sort_by_key(|job| (std::cmp::Reverse(job.time), job.first));
        if fits(&jobs, &mut vec![frame; frames]) {
            return Ok(Some(frame));
        }
    }
    Ok(None)
}

/// A job and the frames that its window holds, around the end of the table.
struct Whole {
    time: Time,
    first: usize,
    count: usize,
}

/// Returns true if there is a frame for each job, with this room left in the frames.
fn fits(jobs: &[Whole], room: &mut [Time]) -> bool {
    let Some((job, rest)) = jobs.split_first() else {
        return true;
    };
    (0..job.count).any(|number| {
        let frame = (job.first + number) % room.len();
        if room[frame] < job.time {
            return false;
        }
        room[frame] -= job.time;
        let found = fits(rest, room);
        room[frame] += job.time;
        found
    })
}

#[cfg(test)]
mod tests {
    use super::super::tasks;
    use super::*;

    #[test]
    fn the_longest_frame_is_found_or_none() {
        // Two jobs of 3 ms share a frame of 10 ms; frames of 20 ms hold all of the second task's.
        let easy = tasks(&[("a", 10, 3), ("b", 20, 6)]).expect("tasks");
        assert_eq!(longest_uncut_frame(&easy).expect("small"), Some(10_000_000));
        // 5 and 6 ms do not share 10 ms.
        let hard = tasks(&[("a", 10, 5), ("b", 20, 6)]).expect("tasks");
        assert_eq!(longest_uncut_frame(&hard).expect("small"), None);
    }
}
