// SPDX-License-Identifier: MIT OR Apache-2.0
//! The test of a workload on a supply, for searches that ask it of many alike: most refusals are found at once, where earlier ones were.

use crate::demand::dbf;
use crate::edf::{EdfVerdict, edf_test};
use crate::fixed_priority::fixed_priority_test;
use crate::policy::Policy;
use crate::supply::Supply;
use crate::task::Task;
use crate::time::{Overflow, Time};

/// Lengths that are kept.
pub(super) const KEPT: usize = 6;

/// What stands in the way of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    /// Nothing: it is served.
    None,
    /// In this length the supply, given second, is less than the demand.
    At(Time, Time),
    /// It is not served, and no length is known that shows it.
    Elsewhere,
}

/// Lengths of time in which a supply has fallen short of a demand, the latest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Doubts(Vec<Time>);

impl Doubts {
    /// As [`fits`](crate::toplevel::fits): what is refused early has a length with more demand than supply, which is the reason for any
    /// refusal.
    ///
    /// # Errors
    /// As [`edf_test`], of sets that are not refused early.
    pub fn fits(&mut self, tasks: &[Task], policy: Policy, supply: &impl Supply) -> Result<bool, Overflow> {
        Ok(self.shortage(tasks, policy, supply)? == Shortage::None)
    }

    /// As [`Self::fits`], and where the supply falls short.
    ///
    /// # Errors
    /// As [`Self::fits`].
    pub fn shortage(&mut self, tasks: &[Task], policy: Policy, supply: &impl Supply) -> Result<Shortage, Overflow> {
        let order = match policy {
            Policy::Edf => None,
            Policy::FixedPriority(order) => Some(order),
        };
        // Without a schedule by EDF there is none by priorities.
        for (place, &t) in self.0.iter().enumerate() {
            let supplied = supply.sbf(t);
            if dbf(tasks, t) > u128::from(supplied) {
                self.0[..=place].rotate_right(1);
                return Ok(Shortage::At(t, supplied));
            }
        }
        if let Some(order) = order {
            return Ok(match fixed_priority_test(tasks, order, supply) {
                Some(_) => Shortage::None,
                None => Shortage::Elsewhere,
            });
        }
        Ok(match edf_test(tasks, supply)? {
            EdfVerdict::Violated { t, supply, .. } => {
                self.0.truncate(KEPT - 1);
                self.0.insert(0, t);
                Shortage::At(t, supply)
            }
            EdfVerdict::Overloaded => Shortage::Elsewhere,
            EdfVerdict::Schedulable(_) => Shortage::None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Order;
    use crate::supply::SlotTable;
    use crate::toplevel::fits;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// Whatever has been asked before, the answer is that of the plain test.
    #[test]
    fn doubts_change_no_answer() {
        let mut random = Pcg64::seed_from_u64(3);
        for policy in [Policy::Edf, Policy::FixedPriority(Order::DeadlineMonotonic)] {
            let mut doubts = Doubts::default();
            let mut accepted = 0;
            for _ in 0..2000 {
                let task = |random: &mut Pcg64| {
                    let period = random.random_range(8..60);
                    let wcet = random.random_range(1..=period / 6);
                    Task::new("t", 0, period, wcet, random.random_range(period / 2..=period)).unwrap()
                };
                let tasks: Vec<Task> = (0..random.random_range(1..6)).map(|_| task(&mut random)).collect();
                let (a, b) = (random.random_range(1..12), random.random_range(14..23));
                let supply = SlotTable::new(24, &[(0, a), (13, b)]).unwrap();
                let plain = fits(&tasks, policy, &supply).unwrap();
                assert_eq!(doubts.fits(&tasks, policy, &supply), Ok(plain));
                accepted += u32::from(plain);
            }
            assert!((200..1800).contains(&accepted), "{accepted}");
        }
    }
}
