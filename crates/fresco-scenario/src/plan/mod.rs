// SPDX-License-Identifier: MIT OR Apache-2.0
//! The plan: a task set resolved for a machine. Plain data, stable as JSON; what checks it, simulates it and runs it
//! reads nothing else.

mod bandwidth;
mod draining;
mod fields;
mod frames;
mod high;
mod load;
mod memory;
mod method;
mod migration;
mod misread;
mod proof;
mod schedule;

pub use bandwidth::PlannedBandwidth;
pub use draining::Draining;
pub use frames::PlannedFrames;
pub use high::HighMode;
pub use memory::RankMemory;
pub use method::Method;
pub use migration::Migration;
pub use proof::{Evidence, Proof};
pub use schedule::{CoreServers, CoreSlots, LockTimes, PlannedServer, RefreshPlan, RefreshWindow, Schedule};

use crate::Paging;
pub use fresco_frames::PageTables;
use fresco_rt::Time;
use fresco_rt::policy::Policy;
use serde::{Deserialize, Serialize};

/// Schema of the JSON document.
pub const SCHEMA: &str = "fresco-plan/1";

/// Tasks and refresh, scheduled together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the task set.
    pub name: String,
    /// The machine it is for.
    pub machine: PlannedMachine,
    /// The memory that the schedule is made for.
    pub memory: RankMemory,
    /// How refresh is dealt with.
    pub method: Method,
    /// The order of ready tasks, where the schedule leaves one.
    pub policy: Policy,
    /// Whether jobs may change their cores.
    #[serde(default, skip_serializing_if = "Migration::is_none")]
    pub migration: Migration,
    /// Cores used.
    pub cores: u32,
    /// The colors of the memory; none if tasks are not colored.
    pub colors: Vec<Color>,
    /// The tasks.
    pub tasks: Vec<PlannedTask>,
    /// Who runs when.
    pub schedule: Schedule,
    /// What is refreshed when.
    pub refresh: RefreshPlan,
    /// Budgets of bandwidth that the execution times are counted on with, if cores have any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<PlannedBandwidth>,
    /// Who takes pages from the colors, if there are any.
    #[serde(default, skip_serializing_if = "PlannedFrames::is_camc")]
    pub frames: PlannedFrames,
    /// Where page tables lie, which only a machine with TLBs reads.
    #[serde(default, skip_serializing_if = "PageTables::is_uncolored")]
    pub page_tables: PageTables,
    /// Refreshes in windows may begin so much later than planned, but for the first of each color: until it begins, however late, the
    /// color is refreshed as usual.
    #[serde(default, skip_serializing_if = "is_none")]
    pub refresh_jitter_ns: Time,
    /// What a switch to another task takes, which the proofs count; 0 if WCETs contain their switches.
    #[serde(default, skip_serializing_if = "is_none")]
    pub context_switch_ns: Time,
    /// What changes when high mode begins; `None` if tasks have no criticality.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<HighMode>,
    /// Why every deadline is met (in low mode, if there is a high one); none if the method promises nothing.
    pub proofs: Vec<Proof>,
    /// What was decided and why, in words.
    pub reasons: Vec<String>,
}

fn is_none(time: &Time) -> bool {
    *time == 0
}

/// A machine, and what to change in its file to get it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedMachine {
    /// Name of a built-in machine, or path of a file.
    pub given: String,
    /// Its name.
    pub name: String,
    /// Fingerprint of the file with the changes made.
    pub digest: String,
    /// Keys and values, as `--set` takes them.
    pub changes: Vec<(String, String)>,
}

/// Memory that pages can be kept in: that is refreshed together, or that a partition gives to some tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Color {
    /// Its ranks, in every channel.
    pub ranks: Vec<u32>,
    /// Its bank in that rank, if it is but a bank (COD-1).
    pub bank: Option<u32>,
    /// Numbers of the bank colors whose pages lie in it, as `0-3,8`.
    pub bank_colors: String,
    /// Numbers of the LLC colors whose pages lie in it, if not all do ([`Method::Partition`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub llc_colors: Option<String>,
    /// What it holds.
    pub bytes: u64,
}

/// A task with its place in the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannedTask {
    /// Unique name.
    pub name: String,
    /// φ: first release.
    pub phase_ns: Time,
    /// p; 0 for a batch task, which runs for ever.
    pub period_ns: Time,
    /// e without refresh, with what tasks of other cores cost; 0 for a batch task.
    pub wcet_ns: Time,
    /// The part of it that was measured alone; 0 if all of it was measured beside others.
    #[serde(default, skip_serializing_if = "is_none")]
    pub wcet_alone_ns: Time,
    /// Lines that a job reads beyond its core's caches at most, where its WCET was measured alone.
    #[serde(default, skip_serializing_if = "is_none")]
    pub reads: u64,
    /// And lines that it writes back.
    #[serde(default, skip_serializing_if = "is_none")]
    pub write_backs: u64,
    /// D, from an arrival.
    pub deadline_ns: Time,
    /// A: jobs arrive up to so much later than at the period.
    #[serde(default, skip_serializing_if = "is_none")]
    pub arrival_jitter_ns: Time,
    /// d: and no closer together than this.
    #[serde(default, skip_serializing_if = "is_none")]
    pub min_distance_ns: Time,
    /// J: jobs are ready up to so much later than they arrive.
    #[serde(default, skip_serializing_if = "is_none")]
    pub jitter_ns: Time,
    /// c: the longest part of a job in which others of its core and color may wait for it.
    #[serde(default, skip_serializing_if = "is_none")]
    pub critical_section_ns: Time,
    /// γ: how much longer a job takes after a preemption at most.
    #[serde(default, skip_serializing_if = "is_none")]
    pub cache_reload_ns: Time,
    /// What a job takes at most in high mode; 0 if the task is dropped there, or there is none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub wcet_high_ns: Time,
    /// The relative deadline by which EDF takes its jobs in low mode; 0 if that is the deadline.
    #[serde(default, skip_serializing_if = "is_none")]
    pub virtual_deadline_ns: Time,
    /// Memory of one instance.
    pub memory_bytes: u64,
    /// Data that one job leaves to the next; copied where instances change.
    pub global_bytes: u64,
    /// Core it is bound to; `None` if the table says so for each slot, or if its jobs migrate.
    pub core: Option<u32>,
    /// Bytes by color, for each instance; two instances make a copy task (CR-10). Empty without colors.
    pub instances: Vec<Vec<u64>>,
    /// The instance of job `k`, at place `k` modulo the length; empty if there is one, or if the table says so (CRS-11).
    pub instance_of_job: Vec<usize>,
    /// Most a job may take from release to end, as proved.
    pub response_bound_ns: Option<Time>,
    /// Time of a copy between instances.
    pub copy_ns: Option<Time>,
    /// What it executes.
    pub work: Work,
    /// Cycles in a thousand instructions in which its core goes on with none; `None` for those of its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls: Option<u32>,
    /// When its pages get their frames. Page faults are a part of its WCET.
    #[serde(default, skip_serializing_if = "Paging::is_at_start")]
    pub pages: Paging,
    /// Of a thread of a program of several, the number of the first thread, which the others follow. Each may touch all of the
    /// program's memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<usize>,
    /// What it is on a real machine: a program and its arguments; empty if the scenario names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// What a task executes when the plan is simulated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Work {
    /// A built-in program; a job is one pass.
    Program {
        /// Its name.
        name: String,
        /// Its parameters, in TOML.
        parameters: String,
    },
    /// Random accesses to its memory for (nearly) the whole of its WCET.
    Synthetic,
}

impl PlannedTask {
    /// Its timing, if it has one: `None` for a batch task, or times that make no task.
    pub fn timing(&self) -> Option<fresco_rt::Task> {
        fresco_rt::Task::new(
            &self.name,
            self.phase_ns,
            self.period_ns,
            self.wcet_ns,
            self.deadline_ns,
        )
        .and_then(|task| task.arriving(self.arrival_jitter_ns, self.min_distance_ns))
        .and_then(|task| task.ready_late(self.jitter_ns))
        .and_then(|task| task.blocking(self.critical_section_ns))
        .map(|task| task.reloading(self.cache_reload_ns))
        .ok()
    }

    /// The deadline by which its jobs are ordered in low mode.
    pub fn low_deadline_ns(&self) -> Time {
        match self.virtual_deadline_ns {
            0 => self.deadline_ns,
            earlier => earlier,
        }
    }

    /// Colors in which an instance has memory.
    pub fn colors_of(&self, instance: usize) -> Vec<usize> {
        let bytes = self.instances.get(instance).map_or(&[][..], Vec::as_slice);
        (0..bytes.len()).filter(|&color| bytes[color] > 0).collect()
    }
}
