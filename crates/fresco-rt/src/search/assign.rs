// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which task runs on which core with which color, under aligned segmented refresh (F29).

use super::Sought;
use super::candidates::{Candidates, Side};
use super::partition::MemoryNeed;
use super::tight::Tight;
use crate::aligned::{AlignedError, AlignedPlan, RefreshDemand, plan};
use crate::demand::utilization_q64;
use crate::patience::Attempts;
use crate::policy::Policy;
use crate::task::Task;
use crate::time::{Time, divisors};

/// Tasks by core and color, and the frame for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Per core, indices of the tasks of each color.
    pub cores: Vec<[Vec<usize>; 2]>,
    /// The frame.
    pub plan: AlignedPlan,
}

/// The longest frame, hence the fewest switches, for which some assignment is found; at most `attempts` splits into colors per
/// core and frame. `longest` limits the frame (the gap between refresh commands).
///
/// Tasks go to cores heaviest first, each to the least loaded core. A segment must lie in the slots of all cores, but what
/// that asks of a border is the same for each, so that every core may be split alone.
///
/// # Errors
/// [`AlignedError::Empty`] without cores or commands; [`AlignedError::Overflow`]; [`AlignedError::Stopped`].
pub fn assign_aligned<'a>(
    tasks: &[Task],
    cores: usize,
    memory: Option<&MemoryNeed>,
    policy: Policy,
    demand: RefreshDemand,
    longest: Option<Time>,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Sought<Assignment>, AlignedError> {
    let groups = spread(tasks, cores);
    let sought = assign_aligned_on(tasks, &groups, memory, policy, demand, longest, attempts)?;
    let is_beyond = || utilization_q64(tasks).0 >> 64 >= cores as u128;
    Ok(match sought {
        // Other tasks may share a core.
        Sought::Nowhere if cores > 1 && !is_beyond() => Sought::Open(1),
        sought => sought,
    })
}

/// As [`assign_aligned`], with the core of each task given: indices of the tasks of each core.
///
/// # Errors
/// As [`assign_aligned`].
pub fn assign_aligned_on<'a>(
    tasks: &[Task],
    groups: &[Vec<usize>],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    demand: RefreshDemand,
    longest: Option<Time>,
    attempts: impl Into<Attempts<'a>>,
) -> Result<Sought<Assignment>, AlignedError> {
    let attempts = attempts.into();
    if groups.is_empty() || demand.commands == 0 {
        return Err(AlignedError::Empty);
    }
    let mut sides: Vec<Sides> = groups.iter().map(|group| Sides::new(pick(tasks, group))).collect();
    // The most splits tried of a frame that has others.
    let mut open = None;
    for period in divisors(demand.retention)
        .into_iter()
        .rev()
        .filter(|&p| longest.is_none_or(|longest| p <= longest))
    {
        match with_period(tasks, groups, &mut sides, memory, policy, demand, period, attempts)? {
            Sought::Found(found) => return Ok(Sought::Found(found)),
            Sought::Open(tried) => open = open.max(Some(tried)),
            Sought::Nowhere => {}
        }
    }
    Ok(open.map_or(Sought::Nowhere, Sought::Open))
}

#[allow(clippy::too_many_arguments)] // one call, of the arguments above
fn with_period(
    tasks: &[Task],
    groups: &[Vec<usize>],
    sides: &mut [Sides],
    memory: Option<&MemoryNeed>,
    policy: Policy,
    demand: RefreshDemand,
    period: Time,
    attempts: Attempts<'_>,
) -> Result<Sought<Assignment>, AlignedError> {
    let mut left = memory.map(|need| need.capacity);
    let mut cores: Vec<[Vec<usize>; 2]> = Vec::new();
    for (group, sides) in groups.iter().zip(sides) {
        let own = memory.zip(left).map(|(need, capacity)| MemoryNeed {
            bytes: group.iter().map(|&i| need.bytes[i]).collect(),
            capacity,
        });
        let mut chosen = None;
        if is_hopeless(&sides.tasks, period, demand) {
            return Ok(Sought::Nowhere);
        }
        let is_limited = groups.len() > 1 && own.is_some();
        sides.within(own);
        let mut tried = 0;
        for number in 0..attempts.most {
            if attempts.are_over(number) {
                return Err(AlignedError::Stopped);
            }
            let Some((side, tight)) = sides.get(number) else {
                break;
            };
            tried = number + 1;
            if tight.are_short(side, period, demand)? {
                continue;
            }
            let of = |wanted: bool| {
                (0..group.len())
                    .filter(|&i| side[i] == wanted)
                    .map(|i| group[i])
                    .collect::<Vec<_>>()
            };
            let split = [of(false), of(true)];
            let [first, second] = [0, 1].map(|color| pick(tasks, &split[color]));
            let sets = [first.as_slice(), &second];
            let may_fit = match policy {
                Policy::Edf => tight.fit(sets, period, demand)?,
                Policy::FixedPriority(order) => tight.may_fit(sets, order, period, demand)?,
            };
            if !may_fit {
                continue;
            }
            match plan(&[sets], policy, period, demand) {
                Ok(plan) => {
                    chosen = Some((split, plan));
                    break;
                }
                Err(AlignedError::Overflow) => return Err(AlignedError::Overflow),
                Err(_) => {}
            }
        }
        let Some((split, plan)) = chosen else {
            // Another split of a core before may have left other memory.
            return Ok(match sides.are_all(tried) && !is_limited {
                true => Sought::Nowhere,
                false => Sought::Open(tried),
            });
        };
        if let (Some(need), Some(left)) = (memory, &mut left) {
            for (left, indices) in left.iter_mut().zip(&split) {
                *left -= indices.iter().map(|&i| need.bytes[i]).sum::<u64>();
            }
        }
        cores.push(split);
        if groups.len() == 1 {
            return Ok(Sought::Found(Assignment { cores, plan }));
        }
    }
    let sets: Vec<[Vec<Task>; 2]> = cores
        .iter()
        .map(|split| [0, 1].map(|color| pick(tasks, &split[color])))
        .collect();
    let slices: Vec<[&[Task]; 2]> = sets.iter().map(|[a, b]| [a.as_slice(), b.as_slice()]).collect();
    plan(&slices, policy, period, demand).map(|plan| Sought::Found(Assignment { cores, plan }))
}

/// The splits of the tasks of a core, made once however often they are asked for.
struct Sides {
    tasks: Vec<Task>,
    memory: Option<MemoryNeed>,
    candidates: Candidates,
    made: Vec<Side>,
    tight: Tight,
}

impl Sides {
    fn new(tasks: Vec<Task>) -> Self {
        Self {
            candidates: Candidates::new(&tasks, None),
            tight: Tight::of(&tasks),
            tasks,
            memory: None,
            made: Vec::new(),
        }
    }

    /// From here on those that fit this memory.
    fn within(&mut self, memory: Option<MemoryNeed>) {
        if self.memory != memory {
            self.candidates = Candidates::new(&self.tasks, memory.as_ref());
            self.memory = memory;
            self.made.clear();
        }
    }

    /// Whether so many are all splits.
    fn are_all(&mut self, tried: usize) -> bool {
        self.made.len() == tried && self.candidates.are_over()
    }

    /// A split, and what is known of others.
    fn get(&mut self, number: usize) -> Option<(&Side, &mut Tight)> {
        while self.made.len() <= number {
            self.made.push(self.candidates.next()?);
        }
        Some((self.made.get(number)?, &mut self.tight))
    }
}

/// Whether no split fits a frame: slots are no shorter than the utilisation of their tasks and a handler, nor than a segment.
fn is_hopeless(tasks: &[Task], period: Time, demand: RefreshDemand) -> bool {
    let (period, handlers) = (u128::from(period), 2 * u128::from(demand.handler));
    let needed = ((utilization_q64(tasks).0 >> 32) * period) >> 32;
    let segment = (u128::from(demand.commands) * period).div_ceil(u128::from(demand.retention.max(1)));
    let segments = segment.saturating_mul(2 * u128::from(demand.trfc));
    needed.max(segments).saturating_add(handlers) > period
}

fn pick(tasks: &[Task], indices: &[usize]) -> Vec<Task> {
    indices.iter().map(|&i| tasks[i].clone()).collect()
}

/// Tasks to cores, heaviest first, each to the least loaded.
fn spread(tasks: &[Task], cores: usize) -> Vec<Vec<usize>> {
    let load = |i: usize| utilization_q64(&tasks[i..=i]).1;
    let mut heaviest: Vec<usize> = (0..tasks.len()).collect();
    heaviest.sort_by_key(|&i| (std::cmp::Reverse(load(i)), i));
    let mut groups = vec![(0u128, Vec::new()); cores];
    for i in heaviest {
        // Without cores there are no groups.
        let Some(least) = groups.iter_mut().min_by_key(|(load, _)| *load) else {
            break;
        };
        least.0 += load(i);
        least.1.push(i);
    }
    groups.into_iter().map(|(_, group)| group).collect()
}
