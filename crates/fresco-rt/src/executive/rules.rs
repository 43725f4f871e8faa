// SPDX-License-Identifier: MIT OR Apache-2.0
//! The frame rules of Colored Refresh (CR-4), as published and as corrected (CON-8, E3 to E5).

use super::rotation::Rotation;
use crate::task::Task;
use crate::time::{Time, divisors, gcd};

/// What each rule says of one color frame `f` and, for rules 3 and 5, of the same `f` as scheduling frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// (1) `2 f ≤ p_i`: a warning at most, neither necessary nor sufficient for an available color (E5).
    pub short_frame: bool,
    /// (2) `R mod f = 0`.
    pub divides_retention: bool,
    /// (3) `2 f − gcd(p_i, f) ≤ D_i`, phases ignored, as published.
    pub whole_frame_published: bool,
    /// (3) as [`holds_a_frame`]: every job's window holds a whole frame, phases included (F2).
    pub whole_frame: bool,
    /// (4) `f K mod R = 0`: the frame is a multiple of `R / K` (E3).
    pub multiple_of_rank_share: bool,
    /// (5) `e_i ≤ f`: jobs need no slicing.
    pub unsliced: bool,
}

impl Rules {
    /// Evaluates rules 1 to 5 for a frame `f ≥ 1`, a retention period of `retention` and `ranks` ranks.
    pub fn of(tasks: &[Task], frame: Time, retention: Time, ranks: usize) -> Rules {
        let product = u128::from(frame) * ranks as u128;
        Rules {
            short_frame: tasks.iter().all(|task| frame <= task.period / 2),
            divides_retention: retention.is_multiple_of(frame),
            whole_frame_published: tasks
                .iter()
                .all(|task| 2 * u128::from(frame) <= u128::from(task.deadline) + u128::from(gcd(task.period, frame))),
            whole_frame: tasks.iter().all(|task| holds_a_frame(task, frame)),
            multiple_of_rank_share: product.is_multiple_of(u128::from(retention)),
            unsliced: tasks.iter().all(|task| task.wcet <= frame),
        }
    }
}

/// Rule 3, exactly (F2). Returns true if the window of every job of the task holds a whole frame of length `frame ≥ 1`.
///
/// Release offsets inside the frame grid run through `ρ + k gcd(p, f)`; the least positive one waits longest. It is a
/// test for all jobs that are ever released, and equivalent to looking at each window.
pub fn holds_a_frame(task: &Task, frame: Time) -> bool {
    let step = gcd(task.period, frame);
    let rho = match task.phase % step {
        0 => step,
        rest => rest,
    };
    // rho = frame stands for offset 0 alone: the window starts with a frame.
    2 * u128::from(frame) <= u128::from(task.deadline) + u128::from(rho)
}

/// Rule 6: the burst of one color with its overheads, `δ + e_rl + e_ru`, fits the color frame (E2).
pub fn burst_fits(frame: Time, burst: Time) -> bool {
    burst <= frame
}

/// The color frames that rules 2 and 4 leave: `f' = R / F` for every `F ≥ 2` that divides the number of ranks,
/// shortest last. Divisors that do not divide the retention period in whole units of time are left out.
pub fn candidates(retention: Time, ranks: usize) -> Vec<Rotation> {
    divisors(ranks as Time)
        .into_iter()
        .filter(|&colors| colors >= 2)
        .filter_map(|colors| Rotation::frames(retention, colors as usize).ok())
        .collect()
}

/// s* (F3): the longest scheduling frame that divides the color frame and all periods, deadlines and phases. Windows
/// are unions of such frames, so that nothing is lost by scheduling in them.
pub fn lossless_frame(tasks: &[Task], color_frame: Time) -> Time {
    tasks.iter().fold(color_frame, |frame, task| {
        gcd(gcd(frame, task.period), gcd(task.deadline, task.phase))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(phase: Time, period: Time, deadline: Time) -> Task {
        Task::new("t", phase, period, 1, deadline).unwrap()
    }

    #[test]
    fn published_lists_of_frames_miss_both_ends() {
        let counts: Vec<usize> = candidates(64, 8).iter().map(Rotation::colors).collect();
        assert_eq!(
            counts,
            [2, 4, 8],
            "one color alone cannot alternate; 64/8 is the least frame"
        );
        let rules = Rules::of(&[task(0, 16, 16)], 1, 64, 8);
        assert!(rules.divides_retention && !rules.multiple_of_rank_share);
    }

    #[test]
    fn phases_decide_rule_three() {
        assert!(holds_a_frame(&task(0, 16, 8), 8), "aligned windows need one frame only");
        assert!(!holds_a_frame(&task(1, 16, 8), 8));
        assert!(
            Rules::of(&[task(1, 16, 8)], 8, 64, 8).whole_frame_published,
            "E4: the published rule ignores phases"
        );
    }

    #[test]
    fn lossless_frame_of_table_4_4() {
        let set: Vec<Task> = [20, 32, 32, 40, 80].iter().map(|&p| task(0, p, p)).collect();
        assert_eq!(lossless_frame(&set, 8), 4);
    }
}
