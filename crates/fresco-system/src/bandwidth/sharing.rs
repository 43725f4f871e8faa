// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is left of a period when all budgets are used up, in proportion to weights (MG-8).

use super::budget::Budget;

/// All cores have used up their budgets: gives every core that used any `chunk` lines times its weight, as often as it
/// takes to give each a budget again. Returns how many lines that were.
pub(super) fn by_weight(cores: &mut [Budget], chunk: u64) -> u64 {
    let mut all = 0;
    // A core that was far beyond its budget needs more than one turn; who has a budget already takes part all the same,
    // or the weights would not hold.
    while cores.iter().any(|core| core.used > 0 && core.is_spent()) {
        for core in cores.iter_mut().filter(|core| core.used > 0) {
            let lines = chunk * u64::from(core.reservation.weight);
            core.given += lines;
            core.counts.shared += lines;
            all += lines;
        }
    }
    all
}
