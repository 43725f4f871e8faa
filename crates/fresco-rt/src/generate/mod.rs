// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets for experiments: utilisations by UUniFast or DRS, periods log-uniform or from a list.
//!
//! A recipe and the number of a set determine it, whatever else is drawn. Set `i` draws the same random numbers at every
//! utilisation, so that curves over utilisation compare like with like.

mod drs;
mod periods;
mod shares;

pub use drs::drs;
pub use periods::Periods;
pub use shares::uunifast;

use std::fmt;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

use crate::task::Task;
use crate::time::Time;

/// How the utilisation is shared by the tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shares {
    /// UUniFast (Bini and Buttazzo 2005), sets outside the bounds discarded: uniform.
    UUniFast,
    /// Dirichlet-Rescale (Griffin, Bate and Davis 2020).
    Drs,
}

/// Relative deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deadlines {
    /// D = p.
    Implicit,
    /// Uniform from the middle between execution time and period to the period.
    Constrained,
}

/// Releases of the first jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phases {
    /// All at 0.
    Zero,
    /// Uniform within the period.
    Random,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recipe {
    /// Tasks of a set, 1 to [`MAX_TASKS`].
    pub tasks: usize,
    /// How the utilisation is shared.
    pub shares: Shares,
    /// Least and greatest utilisation of a task, in millionths up to 1000000.
    pub bounds: (u32, u32),
    /// Periods.
    pub periods: Periods,
    /// Deadlines.
    pub deadlines: Deadlines,
    /// Phases.
    pub phases: Phases,
    /// Seed of all sets.
    pub seed: u64,
}

/// Most tasks of a set.
pub const MAX_TASKS: usize = 1024;
/// Sets that are drawn before giving up on the bounds.
pub const MAX_DRAWS: u32 = 100_000;

/// Why there is no set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenerateError {
    /// A set of so many tasks.
    Tasks(usize),
    /// The bounds are no range within 0 to 1; holds them in millionths.
    Bounds(u32, u32),
    /// Tasks within the bounds add up to no less and no more than these, in millionths; holds what is wanted, too.
    Unreachable(u32, u64, u64),
    /// The periods are empty, or out of range.
    Periods,
    /// None of [`MAX_DRAWS`] sets was within the bounds.
    Discarded,
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |millionths: u64| millionths as f64 / 1e6;
        match *self {
            GenerateError::Tasks(found) => write!(f, "found {found} tasks; a set has 1 to {MAX_TASKS}"),
            GenerateError::Bounds(low, high) => write!(
                f,
                "found bounds {} and {}; they ascend from 0 to 1",
                share(low.into()),
                share(high.into())
            ),
            GenerateError::Unreachable(wanted, low, high) => write!(
                f,
                "found a utilization of {}; with these bounds, tasks add up to {} at least and {} at most",
                share(wanted.into()),
                share(low),
                share(high)
            ),
            GenerateError::Periods => f.write_str("found no periods; a list or a range from 1 ns to 1000 s is needed"),
            GenerateError::Discarded => write!(f, "none of {MAX_DRAWS} sets was within the bounds"),
        }
    }
}

impl std::error::Error for GenerateError {}

impl Recipe {
    /// Set number `index` with a utilisation in millionths. Times are nanoseconds; execution times are rounded down, to 1 at
    /// least, so that a set has no more than its utilisation but for such tasks.
    ///
    /// # Errors
    /// The recipe is impossible, or its bounds too rarely met.
    pub fn set(&self, utilization: u32, index: u64) -> Result<Vec<Task>, GenerateError> {
        let shares = self.check(utilization)?;
        let mut rng = Pcg64::seed_from_u64(mixed(mixed(self.seed).wrapping_add(index)));
        let utilizations = shares(&mut rng).ok_or(GenerateError::Discarded)?;
        let tasks = utilizations.into_iter().enumerate().map(|(i, share)| {
            let period = self.periods.draw(&mut rng);
            let wcet = ((share * period as f64) as Time).clamp(1, period);
            let late = rng.random_range(wcet + (period - wcet) / 2..=period);
            let deadline = match self.deadlines {
                Deadlines::Implicit => period,
                Deadlines::Constrained => late,
            };
            let later = rng.random_range(0..period);
            let phase = match self.phases {
                Phases::Zero => 0,
                Phases::Random => later,
            };
            Task::new(&format!("t{i}"), phase, period, wcet, deadline).expect("1 ≤ wcet ≤ deadline ≤ period")
        });
        Ok(tasks.collect())
    }

    /// How utilisations are drawn, if they can be.
    fn check(&self, utilization: u32) -> Result<impl Fn(&mut Pcg64) -> Option<Vec<f64>>, GenerateError> {
        let (low, high) = self.bounds;
        let count = self.tasks;
        if !(1..=MAX_TASKS).contains(&count) {
            return Err(GenerateError::Tasks(count));
        }
        if low > high || high > 1_000_000 {
            return Err(GenerateError::Bounds(low, high));
        }
        if !self.periods.are_possible() {
            return Err(GenerateError::Periods);
        }
        let [least, most] = [low, high].map(|bound| u64::from(bound) * count as u64);
        if !(least..=most).contains(&u64::from(utilization)) || utilization == 0 {
            return Err(GenerateError::Unreachable(utilization, least, most));
        }
        let share = |millionths: u32| f64::from(millionths) / 1e6;
        let (total, low, high, method) = (share(utilization), share(low), share(high), self.shares);
        Ok(move |rng: &mut Pcg64| match method {
            Shares::Drs => drs(rng, total, &vec![(low, high); count]),
            Shares::UUniFast => (0..MAX_DRAWS)
                .map(|_| uunifast(rng, count, total))
                .find(|shares| shares.iter().all(|share| (low..=high).contains(share))),
        })
    }
}

/// A number that looks like no other: neighbouring seeds and sets begin far apart (SplitMix64's finaliser).
fn mixed(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
