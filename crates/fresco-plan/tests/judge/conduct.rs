// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a plan leaves open, one choice of it: when jobs come, how long they take, how late timers are.

use super::plan::{Ns, Plan};

/// One way in which the world may behave under a plan.
#[derive(Clone, Copy, Debug)]
pub struct Conduct {
    /// With 0 refreshes of the controller begin at 0, and each costs the most.
    pub seed: u64,
    pub arrivals: Arrivals,
    pub work: Work,
    pub late: Late,
    /// Under EDF, of equal deadlines the job that the documented order puts last goes first. Only where any order is proved.
    pub reversed_ties: bool,
    /// Steps of each core that are looked at, at most.
    pub steps: u64,
}

/// When jobs come. Tasks proved for known phases come as planned in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// At their phases, a period apart.
    Planned,
    /// All at once, when the time of their color has just gone, a period apart.
    Together,
    /// Each when time of its color goes, then a period apart, or at times when time goes once more.
    Apart,
    /// With random pauses.
    Random,
}

/// How long jobs take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Full,
    /// From 1 ns to all.
    Random,
}

/// How late the timer of a refresh window is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    Never,
    Always,
    /// Whenever it can be, but for the first time: until that window begins the rank is refreshed as usual.
    AfterFirst,
    /// In every other retention time, the even or the odd ones.
    Alternate(bool),
    Random,
}

impl Conduct {
    /// Everything as planned, and as long as it may take.
    pub const PLANNED: Self = Self {
        seed: 0,
        arrivals: Arrivals::Planned,
        work: Work::Full,
        late: Late::Never,
        reversed_ties: false,
        steps: 1 << 20,
    };

    /// A number below `limit`, the same for the same place in the run.
    pub fn below(&self, limit: u64, place: [u64; 3]) -> u64 {
        let mut hash = self.seed ^ 0x9e37_79b9_7f4a_7c15;
        for part in place {
            hash = mixed(hash ^ part);
        }
        if limit == 0 { 0 } else { hash % limit }
    }

    /// How long job `job` of a task takes.
    pub fn work(&self, wcet: Ns, task: usize, job: u64) -> Ns {
        match self.work {
            Work::Full => wcet,
            Work::Random if self.below(3, [1, task as u64, job]) == 0 => wcet,
            Work::Random => 1 + self.below(wcet, [2, task as u64, job]),
        }
    }

    /// How late the refresh window `number` of a period, which should begin at `at`, begins.
    pub fn lateness(&self, plan: &Plan, number: usize, at: i64) -> i64 {
        let most = plan.refresh_jitter_ns;
        let turn = at.div_euclid(plan.memory.retention_ns.max(1) as i64);
        let late = match self.late {
            Late::Never => 0,
            Late::Always => most,
            Late::AfterFirst => {
                let first = plan.first_window(number);
                if at == first as i64 { 0 } else { most }
            }
            Late::Alternate(odd) => {
                if (turn.rem_euclid(2) == 1) == odd {
                    most
                } else {
                    0
                }
            }
            Late::Random => self.below(most + 1, [3, number as u64, at as u64]),
        };
        late as i64
    }
}

/// Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014), the finalizer of SplitMix64.
pub fn mixed(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
