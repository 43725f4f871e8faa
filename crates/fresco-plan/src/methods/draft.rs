// SPDX-License-Identifier: MIT OR Apache-2.0
//! What methods start from, and what they return.

use crate::Method;
use crate::alone::beside_others;
use crate::plan::{Color, HighMode, Proof, RefreshPlan, Schedule};
use crate::refusal::Refusal;
use fresco_rt::global;
use fresco_rt::refresh::for_jitter;
use fresco_rt::search::MemoryNeed;
use fresco_rt::switches::{Overcharged, SliceCost, charged, charged_by_dispatch};
use fresco_rt::{Attempts, Patience, Task, Time};
use fresco_scenario::plan::RankMemory;
use fresco_scenario::{BurstLength, TaskSet};

/// What every method starts from.
#[derive(Clone)]
pub(crate) struct PlanContext<'a> {
    /// The input.
    pub set: &'a TaskSet,
    /// Its machine's memory.
    pub memory: RankMemory,
    /// Their WCETs without switches, with what other cores cost.
    pub wcets: Vec<Time>,
    /// The timing of all tasks, their switches charged; empty if they are batch tasks.
    pub tasks: Vec<Task>,
    /// What switches take from them in each slot.
    pub slice: SliceCost,
    /// When to give a search up.
    pub patience: Patience<'a>,
}

/// The parts of a plan that a method decides.
#[derive(Clone)]
pub(crate) struct Draft {
    /// High mode, if tasks have criticality.
    pub high: Option<HighDraft>,
    pub colors: Vec<Color>,
    /// Bytes by color, for each instance of each task.
    pub instances: Vec<Vec<Vec<u64>>>,
    /// Instance of each job, for copy tasks of servers; empty if no task is one.
    pub instance_of_job: Vec<Vec<usize>>,
    /// Core of each task.
    pub cores: Vec<Option<u32>>,
    /// Bound of the response of each task.
    pub bounds: Vec<Option<Time>>,
    /// Time of a copy, for tasks with several instances.
    pub copies: Vec<Option<Time>>,
    pub schedule: Schedule,
    pub refresh: RefreshPlan,
    pub proofs: Vec<Proof>,
    pub reasons: Vec<String>,
}

/// What a method decides of high mode.
#[derive(Clone)]
pub(crate) struct HighDraft {
    pub mode: HighMode,
    /// Virtual deadline of each task; 0 if it is the deadline.
    pub virtual_deadlines: Vec<Time>,
}

impl<'a> PlanContext<'a> {
    /// What methods start from, for tasks that all have periods, or none of which has one; a partition takes both.
    ///
    /// # Errors
    /// A job that takes longer than its deadline with its switches.
    pub fn new(set: &'a TaskSet) -> Result<Self, Refusal> {
        let (timing, switch) = (beside_others(set, set.timing())?, set.options.context_switch_ns);
        let wcets = timing.iter().map(|task| task.wcet).collect();
        Ok(Self {
            set,
            wcets,
            memory: RankMemory::of(&set.machine),
            slice: SliceCost::of(&timing, switch),
            tasks: match set.options.method {
                // A partition proves no deadline.
                Some(Method::Partition) => timing,
                _ if !set.options.migration.is_none() => global::charged(&timing, switch).map_err(overcharged)?,
                _ => charged(&timing, set.options.policy, switch).map_err(overcharged)?,
            },
            patience: Patience::ENDLESS,
        })
    }

    /// The same, for as long as the patience lasts.
    pub fn while_patient<'b>(self, patience: Patience<'b>) -> PlanContext<'b>
    where
        'a: 'b,
    {
        PlanContext { patience, ..self }
    }

    /// How far a search among partitions goes.
    pub fn attempts(&self) -> Attempts<'a> {
        Attempts {
            most: self.set.options.attempts,
            patience: self.patience,
        }
    }

    /// Refuses batch tasks.
    pub fn periodic(&self) -> Result<(), Refusal> {
        if self.tasks.is_empty() {
            return Err(Refusal::form(
                "the tasks have no periods; only codesign plans batch tasks (give each task period and wcet)",
            ));
        }
        Ok(())
    }

    /// δ of a color, in commands and in time; the time for which a lock has to last, jitter included, is longer by that.
    pub fn burst(&self) -> (Time, Time) {
        let (memory, all) = (&self.memory, self.memory.commands);
        let (some, slowdown) = match self.set.options.burst {
            BurstLength::Standard => (all, 1),
            BurstLength::AsPublished => (all / Time::from(memory.ranks.max(1)), 1),
            BurstLength::Lpddr2 => (all, 4),
        };
        let commands = some + self.for_jitter();
        (
            commands,
            commands.saturating_mul(memory.trfc_ns).saturating_mul(slowdown),
        )
    }

    /// Commands in each retention time that make up for late bursts and segments.
    pub fn for_jitter(&self) -> Time {
        for_jitter(self.set.options.refresh_jitter_ns, self.memory.trfc_ns)
    }

    /// What a plan says of the jitter that it bears; nothing if it bears none.
    pub fn about_jitter(&self) -> Option<String> {
        let jitter = self.set.options.refresh_jitter_ns;
        (jitter > 0).then(|| {
            format!(
                "refreshes may begin up to {jitter} ns late: {} more commands in each retention time make up for that, and colors are \
                 locked for so much longer",
                self.for_jitter()
            )
        })
    }

    /// The same, with WCETs that contain no switches.
    pub fn uncharged(&self) -> Self {
        let timing = self.tasks.iter().zip(&self.wcets);
        let tasks = timing.map(|(task, &wcet)| Task { wcet, ..task.clone() });
        PlanContext {
            tasks: tasks.collect(),
            ..self.clone()
        }
    }

    /// The same, where each job pays for its own dispatches: each core, with so many interruptions of its tasks in an interval.
    ///
    /// # Errors
    /// A job that takes longer than its deadline with its switches.
    pub fn charged_by_dispatch(
        &self,
        cores: &[Vec<usize>],
        interruptions: impl Fn(Time) -> Time,
    ) -> Result<Self, Refusal> {
        let mut own = self.uncharged();
        if self.slice == SliceCost::default() {
            return Ok(own);
        }
        let options = &self.set.options;
        for core in cores {
            let charged = charged_by_dispatch(
                &own.pick(core),
                options.policy,
                options.context_switch_ns,
                &interruptions,
            );
            for (&task, charged) in core.iter().zip(charged.map_err(overcharged)?) {
                own.tasks[task] = charged;
            }
        }
        Ok(own)
    }

    /// What a plan says of the switches that its schedule counts; nothing if it counts none.
    pub fn about_switches(&self, schedule: &Schedule) -> Option<String> {
        let switch = self.set.options.context_switch_ns;
        (self.slice != SliceCost::default()).then(|| match schedule {
            Schedule::Table { .. } => format!(
                "a switch takes {switch} ns: each job has time for one in each of its slices, and in all but the first for its reload"
            ),
            Schedule::Locked { locks } if locks.phase_ns.len() > 1 => format!(
                "a switch takes {switch} ns: each job is charged two, and one with its reload for each handler in its window and each job that may \
                 preempt it there"
            ),
            _ => format!(
                "a switch takes {switch} ns: each job is charged three and the longest reload of what it may preempt, each slot {} ns at its \
                 begin and {} ns at its end",
                self.slice.front, self.slice.back
            ),
        })
    }

    /// Refuses what jobs at known instants cannot show: bursts, late or blocked jobs.
    ///
    /// # Errors
    /// The first task that would have to be counted otherwise.
    pub fn known_instants(&self) -> Result<(), Refusal> {
        let late = self.tasks.iter().find(|task| !task.is_plain());
        not_of_known_instants(late.map(|task| format!("task {} has jitter or a critical section", task.name)))
    }

    /// As [`Self::known_instants`], and switches too.
    ///
    /// # Errors
    /// As [`Self::known_instants`], or switches have a cost.
    pub fn known_instants_without_switches(&self) -> Result<(), Refusal> {
        self.known_instants()?;
        not_of_known_instants((self.slice != SliceCost::default()).then(|| "switches have a cost".to_owned()))
    }

    /// The ranks of two colors.
    ///
    /// # Errors
    /// There is but one rank.
    pub fn two_groups(&self) -> Result<[Vec<u32>; 2], Refusal> {
        if let Some(groups) = &self.set.options.colors {
            return Ok([groups[0].clone(), groups[1].clone()]);
        }
        let ranks = self.memory.ranks;
        if ranks < 2 {
            return Err(Refusal::machine(format!(
                "machine {} has one rank per channel; two colors need two ranks that are refreshed apart",
                self.set.machine.name
            )));
        }
        Ok([(0..ranks / 2).collect(), (ranks / 2..ranks).collect()])
    }

    /// Memory of the tasks `indices`, and what two groups of ranks hold.
    pub fn need(&self, indices: &[usize], groups: &[Vec<u32>; 2]) -> MemoryNeed {
        let holds = |group: &Vec<u32>| self.memory.rank_bytes.saturating_mul(group.len() as u64);
        MemoryNeed {
            bytes: indices.iter().map(|&i| self.set.tasks[i].memory).collect(),
            capacity: [holds(&groups[0]), holds(&groups[1])],
        }
    }

    /// The color that each task is given in the file; `None` if none is: a file gives one to all that have a period, or to none.
    pub fn given_colors(&self) -> Option<Vec<usize>> {
        self.set.tasks.iter().map(|task| task.color).collect()
    }

    /// Some of the tasks.
    pub fn pick(&self, indices: &[usize]) -> Vec<Task> {
        indices.iter().map(|&i| self.tasks[i].clone()).collect()
    }
}

fn overcharged(error: Overcharged) -> Refusal {
    Refusal::load(format!("{error} (times in ns)"))
}

fn not_of_known_instants(why: Option<String>) -> Result<(), Refusal> {
    match why {
        None => Ok(()),
        Some(why) => Err(Refusal::form(format!(
            "not applicable: {why}, and the method looks at jobs of known instants that run when they can; aligned, crs, auto-refresh and \
             burst have proofs for sporadic tasks that count it"
        ))),
    }
}
