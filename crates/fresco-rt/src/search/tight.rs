// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lengths of time that were too short for splits of the same tasks: most other splits are refused by them at once.

use super::candidates::Side;
use crate::aligned::{AlignedError, RefreshDemand, busy};
use crate::budget::{Family, least_for_rate, least_of_rank, least_slot};
use crate::demand::{blocking, dbf, equally_blocked, last_deadline};
use crate::edf::demand_horizon;
use crate::policy::Order;
use crate::supply::{Supply, Tdma};
use crate::task::Task;
use crate::time::{Overflow, Time};

/// Lengths that are kept.
const KEPT: usize = 8;

/// Lengths in which slots have fallen short, the latest first.
pub(super) struct Tight {
    tasks: Vec<Task>,
    lengths: Vec<Length>,
}

/// A length of time, and what each task demands in it.
struct Length {
    length: Time,
    demand: Vec<u128>,
}

impl Tight {
    /// Nothing is known of these tasks.
    pub fn of(tasks: &[Task]) -> Self {
        let (tasks, lengths) = (tasks.to_vec(), Vec::new());
        Tight { tasks, lengths }
    }

    /// Whether the demand in one of the lengths alone asks for slots that are longer than the frame, under any policy.
    ///
    /// # Errors
    /// As [`plan`](crate::aligned::plan).
    pub fn are_short(&mut self, side: &Side, period: Time, demand: RefreshDemand) -> Result<bool, AlignedError> {
        let frame = SlotsOf::new(period, demand)?;
        let is_short = |kept: &Length| {
            let mut of_color = [0u128; 2];
            for (demand, &color) in kept.demand.iter().zip(side) {
                of_color[usize::from(color)] += demand;
            }
            let slots = of_color.map(|demand| {
                let demand = Time::try_from(demand).ok()?;
                Family::Tdma.least_budget_at(period, kept.length, demand)
            });
            frame.left_by(slots).is_none()
        };
        let Some(place) = self.lengths.iter().position(is_short) else {
            return Ok(false);
        };
        self.lengths[..=place].rotate_right(1);
        Ok(true)
    }

    /// Whether the least slots of both colors under EDF fit the frame; remembers what was too short.
    ///
    /// How long the least slots are need not be known for that. What they have at least is raised until it does not fit, or until slots that share what
    /// is left of the frame are long enough: the slots looked at are longer than the utilisation asks for, so that few lengths of time matter.
    ///
    /// # Errors
    /// As [`plan`](crate::aligned::plan).
    pub fn fit(&mut self, sets: [&[Task]; 2], period: Time, demand: RefreshDemand) -> Result<bool, AlignedError> {
        let frame = SlotsOf::new(period, demand)?;
        let mut least = [Some(0); 2];
        for (least, tasks) in least.iter_mut().zip(sets).filter(|(_, tasks)| !tasks.is_empty()) {
            *least = least_for_rate(tasks, period);
        }
        loop {
            let Some((slots, left)) = frame.left_by(least) else {
                return Ok(false);
            };
            let slots = [slots[0] + left / 2, slots[1] + (left - left / 2)];
            let mut are_enough = true;
            for (color, tasks) in sets.into_iter().enumerate().filter(|(_, tasks)| !tasks.is_empty()) {
                match shortage(tasks, period, slots[color])? {
                    Shortage::None => {}
                    Shortage::At(length, needed) => {
                        self.remember(length);
                        least[color] = needed;
                        are_enough = false;
                        break;
                    }
                }
            }
            if are_enough {
                return Ok(true);
            }
        }
    }

    /// As [`Self::fit`], with fixed priorities; of tasks with jitter or critical sections it is not known before there is a plan.
    ///
    /// What waits for most others needs most: mostly the first tasks looked at refuse.
    ///
    /// # Errors
    /// As [`plan`](crate::aligned::plan).
    pub fn may_fit(
        &self,
        sets: [&[Task]; 2],
        order: Order,
        period: Time,
        demand: RefreshDemand,
    ) -> Result<bool, AlignedError> {
        if !self.tasks.iter().all(Task::is_plain) {
            return Ok(true);
        }
        let frame = SlotsOf::new(period, demand)?;
        let rankings = sets.map(|tasks| order.ranking(tasks));
        let mut least = [Some(0); 2];
        for behind in 1..=self.tasks.len() {
            for (color, ranking) in rankings.iter().enumerate() {
                if let Some(rank) = ranking.len().checked_sub(behind) {
                    let needed = least_of_rank(sets[color], ranking, rank, Family::Tdma, period);
                    least[color] = needed.and_then(|needed| Some(needed.max(least[color]?)));
                }
            }
            if frame.left_by(least).is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn remember(&mut self, length: Time) {
        if self.lengths.iter().any(|kept| kept.length == length) {
            return;
        }
        let demand = self.tasks.iter().map(|task| dbf(std::slice::from_ref(task), length));
        let demand = demand.collect();
        self.lengths.truncate(KEPT - 1);
        self.lengths.insert(0, Length { length, demand });
    }
}

/// Where slots of a length fall short.
enum Shortage {
    /// They do not.
    None,
    /// In this length of time, for which the least slot is so long; `None` if none is long enough.
    At(Time, Option<Time>),
}

/// Whether slots of this length, no shorter than the utilisation asks for, are long enough under EDF.
fn shortage(tasks: &[Task], period: Time, slot: Time) -> Result<Shortage, Overflow> {
    let supply = Tdma::new(period, slot).expect("a slot within its frame");
    let Ok(Some(horizon)) = demand_horizon(tasks, &supply) else {
        // Where only a hyperperiod beyond 64 bits could tell, the least slot is a little longer.
        let least = least_slot(tasks, period)?;
        return Ok(match least.budget.is_some_and(|budget| budget <= slot) {
            true => Shortage::None,
            false => Shortage::At(least.length.unwrap_or(period), least.budget),
        });
    };
    // Most slots that are too short are so in short lengths.
    let longest = tasks.iter().map(|task| task.period).max().unwrap_or(1);
    let near = longest.saturating_add(period).saturating_mul(2).min(horizon);
    for limit in [near, horizon] {
        let mut next = last_deadline(tasks, limit);
        while let Some(length) = next.filter(|&length| limit == near || length > near) {
            let demand = dbf(tasks, length) + u128::from(blocking(tasks, length));
            if demand > u128::from(supply.sbf(length)) {
                let demand = Time::try_from(demand).ok();
                let needed = demand.and_then(|demand| Family::Tdma.least_budget_at(period, length, demand));
                return Ok(Shortage::At(length, needed));
            }
            let supplied_by = supply.tbf(demand).expect("the slots supply the demand in time");
            next = last_deadline(tasks, supplied_by.max(equally_blocked(tasks, length)) - 1);
        }
    }
    Ok(Shortage::None)
}

/// What slots share a frame with.
struct SlotsOf {
    period: Time,
    /// A segment and its handler.
    busy: Time,
    handler: Time,
    switches: Time,
}

impl SlotsOf {
    fn new(period: Time, demand: RefreshDemand) -> Result<Self, AlignedError> {
        Ok(SlotsOf {
            period,
            busy: busy(period, demand)?,
            handler: demand.handler,
            switches: demand.slice.total(),
        })
    }

    /// The slots of both colors that hold what tasks need at least and the segment of the other color, and what they leave of the frame; `None` if
    /// they do not fit. A need of `None` is more than any slot.
    fn left_by(&self, least: [Option<Time>; 2]) -> Option<([Time; 2], Time)> {
        let mut left = u128::from(self.period);
        let mut slots = [0; 2];
        for (slot, least) in slots.iter_mut().zip(least) {
            let least = least?;
            let others = u128::from(self.handler) + if least == 0 { 0 } else { u128::from(self.switches) };
            let whole = (u128::from(least) + others).max(self.busy.into());
            left = left.checked_sub(whole)?;
            *slot = (whole - others) as Time;
        }
        Some((slots, left as Time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aligned::plan;
    use crate::policy::Policy;
    use crate::switches::SliceCost;
    use rand::{Rng, SeedableRng};
    use rand_pcg::Pcg64;

    /// Slots that share a frame are long enough exactly if the least slots fit, whatever is remembered; what is remembered refuses nothing that fits.
    #[test]
    fn slots_that_share_a_frame_fit_as_the_least_do() {
        let mut random = Pcg64::seed_from_u64(11);
        let mut fitting = 0;
        for number in 0..300 {
            let task = |random: &mut Pcg64| {
                let period = random.random_range(8..60);
                let wcet = random.random_range(1..=period / 5);
                let deadline = random.random_range((period / 2).max(wcet)..=period);
                let task = Task::new("t", 0, period, wcet, deadline).unwrap();
                let section = random.random_range(0..=wcet / 2);
                if number % 2 == 0 {
                    return task;
                }
                task.ready_late(random.random_range(0..=(deadline - wcet) / 4))
                    .unwrap()
                    .blocking(section)
                    .unwrap()
            };
            let tasks: Vec<Task> = (0..random.random_range(1..6)).map(|_| task(&mut random)).collect();
            let mut tight = Tight::of(&tasks);
            for period in [64, 32, 16, 8, 4] {
                let demand = RefreshDemand {
                    retention: 64,
                    commands: random.random_range(1..12),
                    trfc: 1,
                    handler: random.random_range(0..2),
                    jitter: 0,
                    slice: SliceCost::default(),
                };
                for _ in 0..4 {
                    let side: Side = tasks.iter().map(|_| random.random_range(0..2) == 1).collect();
                    let of = |wanted: bool| {
                        let own = (0..tasks.len()).filter(|&i| side[i] == wanted);
                        own.map(|i| tasks[i].clone()).collect::<Vec<Task>>()
                    };
                    let sets = [of(false), of(true)];
                    let sets = [sets[0].as_slice(), sets[1].as_slice()];
                    let plainly = plan(&[sets], Policy::Edf, period, demand).is_ok();
                    assert!(!(plainly && tight.are_short(&side, period, demand).unwrap()));
                    assert_eq!(tight.fit(sets, period, demand), Ok(plainly));
                    for order in [Order::RateMonotonic, Order::DeadlineMonotonic] {
                        let plainly = plan(&[sets], Policy::FixedPriority(order), period, demand).is_ok();
                        let may_fit = tight.may_fit(sets, order, period, demand).unwrap();
                        assert!(may_fit || !plainly);
                        assert!(may_fit == plainly || !tasks.iter().all(Task::is_plain));
                    }
                    fitting += u32::from(plainly);
                }
            }
        }
        assert!((600..5400).contains(&fitting), "{fitting}");
    }
}
