// SPDX-License-Identifier: MIT OR Apache-2.0
//! The facts of an evidence folder, typed: what `evidence.json` holds, and what the page and the PDF show. Times in picoseconds.

mod partition;

pub use partition::{Apart, PageCheck, PairFacts, PartFacts, PartitionFacts, RowCheck};

use fresco_dram::Ps;
use fresco_plan::plan::Method;
use serde::Serialize;

/// Schema of `evidence.json`.
pub const SCHEMA: &str = "fresco-evidence/1";

/// Everything that the folder claims, and what of it rests on what.
#[derive(Debug, Serialize)]
pub struct Evidence {
    /// Name of the scenario or plan.
    pub name: String,
    /// What it is about.
    pub subject: SubjectFacts,
    /// Whether all that is claimed holds.
    pub holds: bool,
    /// What is claimed, and what is not.
    pub claims: Vec<Claim>,
    /// The machine.
    pub machine: MachineFacts,
    /// Which memory whose is.
    pub partition: PartitionFacts,
    /// Bounds of each copy of each task.
    pub bounds: Vec<BoundFacts>,
    /// The worst that was found by attacks; `None` if none were tried.
    pub attacks: Option<Vec<AttackFacts>>,
    /// What a simulation showed.
    pub simulation: SimulationFacts,
    /// What live processes were asked for and had; `None` without a record of them.
    pub live: Option<LiveFacts>,
    /// The plan, if it is about one.
    pub plan: Option<PlanFacts>,
    /// What nothing here speaks of.
    pub not_covered: Vec<Gap>,
    /// The other files of the folder.
    pub files: Vec<FileFacts>,
}

/// What the evidence is about.
#[derive(Debug, Serialize)]
pub struct SubjectFacts {
    /// A scenario as it stands, a scenario that was planned, or a plan.
    pub kind: Kind,
    /// As the user named it.
    pub given: String,
    /// Its copy in the folder, or the plan that was made of it.
    pub file: String,
    /// Keys set on the command line, `key=value`.
    pub set: Vec<String>,
    /// Why commands do not repeat everything from the folder alone; empty if they do.
    pub needs: Vec<String>,
}

/// Kinds of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Simulated as it stands.
    Scenario,
    /// A scenario with `[plan]`, which was planned first.
    Planned,
    /// The file of a plan.
    Plan,
}

/// On what a claim rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It follows from the model of the machine, whatever the programs do.
    Proven,
    /// It was so in what was run.
    Observed,
    /// It holds if assumptions hold that nobody checked here.
    Assumed,
    /// Nothing is claimed.
    NotCovered,
    /// It does not hold.
    Refuted,
}

impl Verdict {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Observed => "observed",
            Self::Assumed => "assumed",
            Self::NotCovered => "not covered",
            Self::Refuted => "refuted",
        }
    }
}

/// A claim, or that there is none.
#[derive(Debug, Serialize)]
pub struct Claim {
    /// Its task, or what else it is about.
    pub about: String,
    /// The claim.
    pub claim: String,
    /// On what it rests.
    pub verdict: Verdict,
    /// Why, or why not.
    pub basis: String,
    /// Files of the folder that have its numbers.
    pub files: Vec<String>,
    /// Without it the whole does not hold.
    pub needed: bool,
}

/// The machine.
#[derive(Debug, Serialize)]
pub struct MachineFacts {
    /// Its name.
    pub name: String,
    /// A line for people.
    pub title: String,
    /// The copy of its file.
    pub file: String,
    /// Digest of the file's text and of what is changed.
    pub digest: String,
    /// Keys changed by the scenario or plan, `key=value`.
    pub changes: Vec<String>,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Functions that choose a bank.
    pub functions: Vec<FunctionFacts>,
    /// Sums of these that read no bit within a page: what pages can be told apart by.
    pub color_bits: Vec<String>,
    /// How it is known that this is the map.
    pub map_evidence: MapFacts,
    /// Published sources of the machine's numbers.
    pub sources: Vec<String>,
    /// Numbers that no source gives.
    pub assumptions: Vec<String>,
}

/// A parity function.
#[derive(Debug, Serialize)]
pub struct FunctionFacts {
    /// What it selects: a bit of the node, channel, rank, bank group or bank.
    pub selects: String,
    /// The bits whose XOR it is.
    pub function: String,
    /// Those of them that lie within a page.
    pub within_page: Vec<u32>,
}

/// How the map is known.
#[derive(Debug, Serialize)]
pub struct MapFacts {
    /// `published`: only sources; else the schema of the record that was given.
    pub from: String,
    /// The record's copy.
    pub file: Option<String>,
    /// The verdict of the record.
    pub verdict: Option<String>,
    /// In words.
    pub found: String,
    /// Whether a machine was asked, not a simulation of one.
    pub on_hardware: bool,
}

/// Bounds of a copy of a task.
#[derive(Debug, Serialize)]
pub struct BoundFacts {
    /// The copy.
    pub task: String,
    /// Its core.
    pub core: u32,
    /// Its speed matters.
    pub is_measured: bool,
    /// The longest that a read takes in its controller.
    pub read_ps: Option<Ps>,
    /// The parts of that sum.
    pub terms: Vec<Term>,
    /// The longest read in a simulation.
    pub observed_read_ps: Option<Ps>,
    /// The longest that its work takes.
    pub work_ps: Option<Ps>,
    /// The work alone.
    pub work_alone_ps: Option<Ps>,
    /// The longest work in a simulation.
    pub observed_work_ps: Option<Ps>,
    /// What has no bound.
    pub unbounded: Vec<Unbounded>,
}

/// A part of the bound of a read.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Term {
    /// Its name, as in `fresco-bound/1`.
    pub term: &'static str,
    /// Cycles of the memory clock.
    pub cycles: u64,
    /// How it is worked out.
    pub formula: &'static str,
}

/// What has no bound, and what gives it one.
#[derive(Debug, Serialize)]
pub struct Unbounded {
    /// `reads` or `work`.
    pub what: &'static str,
    /// Why.
    pub why: String,
    /// The cheapest change.
    pub way_out: String,
}

/// The worst attack that was found on a task.
#[derive(Debug, Serialize)]
pub struct AttackFacts {
    /// The task.
    pub task: String,
    /// Attacks that were tried, and their length in cycles of the memory clock.
    pub tries: u64,
    /// Length of each.
    pub cycles: u64,
    /// Seed of the search.
    pub seed: u64,
    /// The longest read.
    pub observed_ps: Ps,
    /// Its bound.
    pub bound_ps: Option<Ps>,
}

/// What a simulation showed.
#[derive(Debug, Serialize)]
pub struct SimulationFacts {
    /// Runs.
    pub runs: u64,
    /// Seed of the first.
    pub seed: u64,
    /// Tasks.
    pub tasks: Vec<SimulatedTask>,
    /// What a plan promises.
    pub promises: Vec<PromiseFacts>,
}

/// A task in all runs.
#[derive(Debug, Serialize)]
pub struct SimulatedTask {
    /// The copy.
    pub task: String,
    /// Reads that missed all caches.
    pub reads: u64,
    /// The longest of them in its controller.
    pub longest_read_ps: Ps,
    /// Jobs that ended, and those that missed their deadlines.
    pub jobs: u64,
    /// Those that ended too late.
    pub missed: u64,
}

/// A promise of a plan in the simulation.
#[derive(Debug, Serialize)]
pub struct PromiseFacts {
    /// The promise.
    pub what: String,
    /// Whether it was kept.
    pub kept: bool,
    /// What was found.
    pub found: String,
}

/// Requested, applied, measured.
#[derive(Debug, Serialize)]
pub struct LiveFacts {
    /// The record's copy.
    pub file: String,
    /// Its schema.
    pub schema: String,
    /// Whether anything ran: a preview says only what would be asked for.
    pub ran: bool,
    /// Processes.
    pub processes: Vec<LiveProcess>,
}

/// A live process.
#[derive(Debug, Serialize)]
pub struct LiveProcess {
    /// Tasks that it may be.
    pub tasks: Vec<String>,
    /// Its number; `None` if it did not run.
    pub pid: Option<u32>,
    /// Its program.
    pub program: String,
    /// Colors, processors and limits that were asked for.
    pub requested: String,
    /// Processors and limits that it had.
    pub applied: String,
    /// Pages of these colors, of all.
    pub measured: String,
    /// Whether it had what was asked for; `None` if it did not run.
    pub holds: Option<bool>,
}

/// A plan.
#[derive(Debug, Serialize)]
pub struct PlanFacts {
    /// How refresh is dealt with, or `partition`.
    pub method: Method,
    /// Verdict of `fresco check`.
    pub verdict: &'static str,
    /// The same; `None` if it is not verifiable.
    pub sound: Option<bool>,
    /// Facts that were verified.
    pub facts: Vec<String>,
    /// What should be known.
    pub warnings: Vec<String>,
    /// What does not hold, or could not be looked at.
    pub objections: Vec<String>,
    /// What the plan promises.
    pub promises: Vec<String>,
    /// What is said of its deadlines.
    pub deadlines: String,
    /// What it assumes.
    pub assumptions: Vec<String>,
}

/// What nothing here speaks of.
#[derive(Debug, Serialize)]
pub struct Gap {
    /// What.
    pub what: String,
    /// Why it is not covered, or what follows.
    pub why: String,
}

/// A file of the folder.
#[derive(Debug, Serialize)]
pub struct FileFacts {
    /// Its path in the folder.
    pub path: String,
    /// What it is.
    pub what: String,
    /// SHA-256 of it, hexadecimal.
    pub sha256: String,
    /// The command that makes it anew, run in the folder; `None` of a copy.
    pub command: Option<String>,
}
