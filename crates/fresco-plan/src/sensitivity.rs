// SPDX-License-Identifier: MIT OR Apache-2.0
//! How far a task set can be pushed under a method: longer execution times, denser devices, hotter memory.

use crate::Method;
use crate::alone::beside_others;
use crate::methods::{PlanContext, draft};
use crate::refusal::Refusal;
use crate::watch::Watch;
use fresco_rt::Time;
use fresco_rt::demand::utilization_q64;
use fresco_rt::sensitivity::largest_known_wcet_scale;
use fresco_rt::switches::charged;
use fresco_scenario::TaskSet;
use fresco_scenario::plan::RankMemory;
use serde::Serialize;

/// Greatest scale of execution times that is looked for, in parts per thousand.
const MOST_SCALE: u32 = 100_000;
/// Scales that a bisection up to there looks at, at most: 1, and one for each binary digit.
const SCALES: usize = 1 + MOST_SCALE.ilog2() as usize + 1;
/// Retention times that are tried, in ms: 64 up to 85 °C, 32 above, and further down as rows leak faster still (REF-2).
pub const RETENTIONS_MS: [Time; 9] = [64, 48, 32, 24, 16, 12, 8, 6, 4];

/// What one method stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Sensitivity {
    /// The method.
    pub method: Method,
    /// Why there is no plan as things are; `None` if there is one.
    pub refusal: Option<String>,
    /// Greatest factor for all execution times with which there is still a plan, in parts per thousand; `None` if there is none
    /// even for the shortest.
    pub wcet_scale_permille: Option<u32>,
    /// Densities with a plan, of those asked for, in Gbit: each is tried, for a longer burst may work where a shorter does not
    /// (E32).
    pub densities_gbit: Vec<u32>,
    /// Retention times with a plan, of [`RETENTIONS_MS`].
    pub retentions_ms: Vec<Time>,
    /// What is not decided; `None` if all is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undecided: Option<Undecided>,
}

/// What of a [`Sensitivity`] is not decided, because a search gave up, the time was over, or the user has asked for an end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Undecided {
    /// Why.
    pub reason: String,
    /// Whether there is a plan as things are.
    pub now: bool,
    /// The greatest factor: it is at least the one given.
    pub wcet_scale: bool,
    /// Of these densities it is not known whether there is a plan.
    pub densities_gbit: Vec<u32>,
    /// Of these retention times, likewise.
    pub retentions_ms: Vec<Time>,
}

/// Verdicts that [`sensitivity`] needs at most of one method: as things are, of a bisection, of each density and retention time.
pub fn verdicts(densities: &[u32]) -> usize {
    1 + SCALES + densities.len() + RETENTIONS_MS.len()
}

/// Pushes a task set under one method. It tells `done` of so many verdicts, [`verdicts`] in all.
///
/// # Errors
/// No task has a period. Those without one are not looked at: they run behind the others.
pub fn sensitivity(
    set: &TaskSet,
    method: Method,
    densities: &[u32],
    watch: Watch<'_>,
    done: impl FnMut(usize),
) -> Result<Sensitivity, Refusal> {
    let divided = crate::background::divide(set);
    let set = divided.as_ref().map_or(set, |(periodic, _)| periodic);
    let context = PlanContext::new(set)?;
    context.periodic()?;
    let mut judge = Judge {
        method,
        watch,
        left: verdicts(densities),
        done,
        undecided: Undecided::default(),
    };
    let now = judge.verdict(&context);
    judge.undecided.now = now.is_none();
    let is_accepted = now.as_ref().map(Result::is_ok);
    let (wcet_scale_permille, is_exact) = judge.bisect(&context, is_accepted);
    judge.undecided.wcet_scale = !is_exact;
    let mut densities_gbit = Vec::new();
    for &gbit in densities {
        let at = set.at_density(gbit);
        let verdict = match &at {
            Ok(at) => judge.verdict(&PlanContext::new(at)?).map(|verdict| verdict.is_ok()),
            Err(_) => judge.known(1, Some(false)),
        };
        match verdict {
            Some(true) => densities_gbit.push(gbit),
            Some(false) => {}
            None => judge.undecided.densities_gbit.push(gbit),
        }
    }
    let mut retentions_ms = Vec::new();
    for ms in RETENTIONS_MS {
        let verdict = match ms * 1_000_000 == context.memory.retention_ns {
            true => judge.known(1, is_accepted),
            false => judge.verdict(&hotter(&context, ms)).map(|verdict| verdict.is_ok()),
        };
        match verdict {
            Some(true) => retentions_ms.push(ms),
            Some(false) => {}
            None => judge.undecided.retentions_ms.push(ms),
        }
    }
    Ok(Sensitivity {
        method,
        refusal: now.and_then(|now| now.err()).map(|refusal| refusal.reason),
        wcet_scale_permille,
        densities_gbit,
        retentions_ms,
        undecided: Some(judge.undecided).filter(|undecided| *undecided != Undecided::default()),
    })
}

/// The same tasks with memory that keeps its data for so long.
fn hotter<'a>(context: &PlanContext<'a>, ms: Time) -> PlanContext<'a> {
    let memory = &context.memory;
    let retention_ns = ms * 1_000_000;
    let gap = u128::from(memory.longest_gap_ns) * u128::from(retention_ns) / u128::from(memory.retention_ns.max(1));
    PlanContext {
        memory: RankMemory {
            retention_ns,
            longest_gap_ns: gap as Time,
            ..memory.clone()
        },
        ..context.clone()
    }
}

/// Verdicts, one after the other, in the time that there is.
struct Judge<'a, F> {
    method: Method,
    watch: Watch<'a>,
    /// Verdicts that are still to come, at most.
    left: usize,
    done: F,
    undecided: Undecided,
}

impl<F: FnMut(usize)> Judge<'_, F> {
    /// Counts so many verdicts as there.
    fn known<T>(&mut self, count: usize, verdict: T) -> T {
        self.left -= count;
        (self.done)(count);
        verdict
    }

    /// Whether there is a plan; `None` if that is not decided.
    fn verdict(&mut self, context: &PlanContext<'_>) -> Option<Result<(), Refusal>> {
        let share = self.watch.share(self.left);
        let found = share.attempt(self.method, context.memory.density_gbit, |patience| {
            draft(self.method, &context.clone().while_patient(patience)).map(|_| ())
        });
        let decided = match found {
            Err(refusal) if refusal.is_open() => {
                self.undecided.reason = refusal.reason;
                None
            }
            decided => Some(decided),
        };
        self.known(1, decided)
    }

    /// The greatest scale of execution times, and whether it is known to be that; `now` is the verdict on the times as they are.
    fn bisect(&mut self, context: &PlanContext<'_>, now: Option<bool>) -> (Option<u32>, bool) {
        let cores = u128::from(context.set.options.cores) << 64;
        let mut asked = 0;
        let found = largest_known_wcet_scale(&context.set.timing(), MOST_SCALE, now, |tasks| {
            // No method has a plan for more than the cores can do.
            if utilization_q64(tasks).0 > cores {
                return Some(false);
            }
            let options = &context.set.options;
            let counted = beside_others(context.set, tasks.to_vec());
            let counted = counted.map(|tasks| {
                let wcets = tasks.iter().map(|task| task.wcet).collect();
                charged(&tasks, options.policy, options.context_switch_ns).map(|tasks| (wcets, tasks))
            });
            let Ok(Ok((wcets, tasks))) = counted else {
                return Some(false);
            };
            asked += 1;
            let scaled = PlanContext {
                wcets,
                tasks,
                ..context.clone()
            };
            self.verdict(&scaled).map(|verdict| verdict.is_ok())
        });
        self.known(SCALES - asked, found)
    }
}
