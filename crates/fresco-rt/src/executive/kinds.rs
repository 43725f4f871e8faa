// SPDX-License-Identifier: MIT OR Apache-2.0
//! Long and huge tasks: what refresh leaves to them (CR-12, CR-18).

use super::rotation::Rotation;
use crate::supply::Ratio;
use crate::time::Time;

/// Huge: needs more than all ranks but one, so that some rank it owns is refreshed whenever it runs.
pub fn is_huge(ranks_needed: usize, ranks: usize) -> bool {
    ranks_needed + 1 > ranks
}

/// Least time for which a color is blocked in any window of the task's deadline, wherever the window lies.
///
/// A job that avoids the color has at most the rest: `e ≤ D − blocked_at_least` is necessary for one color. A task with
/// `D = p = R` gets `1 − 1/C` of the processor in frame mode, `1 − B/R` in burst mode.
pub fn blocked_at_least(deadline: Time, rotation: &Rotation) -> Time {
    let (turns, rest) = (deadline / rotation.retention(), deadline % rotation.retention());
    turns * rotation.blocked() + rest.saturating_sub(rotation.retention() - rotation.blocked())
}

/// Most time for which the bursts of `colors` colors can stop a job within its window, if it is not kept away from them:
/// each burst that can overlap the window, in full, for every color. The bound for a huge task; a rotation has bursts of
/// [`Rotation::blocked`]. Saturates.
pub fn blocking_at_most(deadline: Time, colors: usize, rotation: &Rotation) -> Time {
    let reach = u128::from(deadline) + u128::from(rotation.blocked());
    let bursts = reach.div_ceil(u128::from(rotation.retention())) * colors as u128;
    Time::try_from(bursts * u128::from(rotation.blocked())).unwrap_or(Time::MAX)
}

/// Whether one burst `t_BST` covers what a huge task meets, as published: only with one color and `D ≤ R − B`.
pub fn one_burst_covers(deadline: Time, colors: usize, rotation: &Rotation) -> bool {
    colors <= 1 && deadline <= rotation.retention() - rotation.blocked()
}

/// Utilisation a long task can have (F14): `1 − q δ / R` when its memory lies in `q` colors with bursts of `burst`; zero if
/// they take all the time. With all of its ranks in one color it is no better off than under simultaneous auto-refresh.
pub fn long_task_limit(colors: usize, burst: Time, retention: Time) -> Ratio {
    let lost = (colors as Time).saturating_mul(burst);
    Ratio::new(retention.saturating_sub(lost), retention).unwrap_or(Ratio::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_task_needs_all_ranks() {
        assert!(is_huge(8, 8) && !is_huge(7, 8));
    }

    #[test]
    fn blocked_time_has_bounds_on_both_sides_for_every_window() {
        for rotation in [Rotation::frames(64, 4).unwrap(), Rotation::bursts(64, 4, 5).unwrap()] {
            for deadline in 1..200 {
                for start in 0..64 {
                    let window = start..start + deadline;
                    let blocked = window.clone().filter(|&t| rotation.blocked_at(t) == Some(1)).count() as Time;
                    assert!(
                        blocked >= blocked_at_least(deadline, &rotation),
                        "{deadline} from {start}"
                    );
                    assert!(
                        blocked <= blocking_at_most(deadline, 1, &rotation),
                        "{deadline} from {start}"
                    );
                    let one = blocked <= rotation.blocked();
                    assert!(one || !one_burst_covers(deadline, 1, &rotation));
                }
            }
        }
    }

    #[test]
    fn a_long_task_loses_the_bursts_of_its_colors() {
        let exact = long_task_limit(1, 8192 * 350, 64_000_000);
        assert_eq!(exact, Ratio::new(64_000_000 - 2_867_200, 64_000_000).unwrap());
        assert_eq!(long_task_limit(8, 8192 * 2000, 64_000_000), Ratio::ZERO);
    }
}
