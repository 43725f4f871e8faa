// SPDX-License-Identifier: MIT OR Apache-2.0
//! Densities under global EDF (Goossens, Funk and Baruah, Priority-driven scheduling of periodic task systems on multiprocessors, Real-Time Systems
//! 25, 2003): `Σ δ ≤ m - (m - 1) max δ`.
//!
//! Tasks that ran at their densities, each on a core as fast as that, would meet their deadlines; EDF on `m` whole cores then does. What refresh takes
//! enters in one of two ways. All cores stop together: in the time that is left, a job has `sbf(D - J)`, and its density is `e / sbf(D - J)`. Or a job
//! that is stopped holds its core, and takes longer by all that an interval of its length can lose.

use super::Platform;
use crate::supply::Supply;
use crate::task::Task;

/// Whether global EDF meets every deadline, by densities. Reloads after preemptions are not covered, nor arrivals closer than deadlines.
pub fn accepts(tasks: &[Task], platform: &Platform<'_, impl Supply>) -> bool {
    let covered = |task: &Task| task.cache_reload == 0 && u128::from(task.deadline) <= task.spread(1);
    if !tasks.iter().all(covered) {
        return false;
    }
    let left = |task: &Task| platform.supply.sbf(task.window());
    let shorter = |task: &Task| (u128::from(task.wcet), left(task));
    let longer = |task: &Task| {
        let lost = u128::from(task.window() - left(task)) + u128::from(platform.backlog);
        (u128::from(task.wcet) + lost, task.window())
    };
    let fits = |density: &dyn Fn(&Task) -> (u128, u64)| {
        let densities = tasks.iter().map(density);
        // In units of 2⁻⁶⁴, rounded up; `None` beyond a whole core.
        let scaled: Option<Vec<u128>> = densities
            .map(|(need, time)| (need <= u128::from(time)).then(|| (need << 64).div_ceil(u128::from(time.max(1)))))
            .collect();
        let Some(scaled) = scaled else { return false };
        let most = scaled.iter().max().copied().unwrap_or(0);
        let cores = u128::from(platform.cores);
        scaled.iter().sum::<u128>() + (cores - 1) * most <= cores << 64
    };
    platform.backlog == 0 && fits(&shorter) || fits(&longer)
}
