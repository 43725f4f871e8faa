// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command line: one table of verbs, from which the help and the manual page are made.

use crate::failure::Outcome;
use crate::verbs;
use clap::{Parser, Subcommand};

/// Makes DRAM predictable on multicores: models, colors and measures memory interference.
///
/// Results go to standard output, progress and warnings to standard error. `-` is standard input wherever a file is read.
/// Exit status: 0 all is well, 1 what was asked for was found wanting (a claim that differs under --strict, a trace with
/// violations, points of a sweep that failed, no plan, or none within --time-limit), 2 wrong input, or output that cannot be written, 3 right input whose data
/// do not fit the memory they may have, 4 no verdict (a plan too long to be verified, a text file too large to be read), 10 to
/// 13 verdicts of `map detect`, 70 a fault of Fresco itself, 130 stopped by Ctrl-C, 141 the reader of the output has gone away.
#[derive(Debug, Parser)]
#[command(name = "fresco", version = env!("FRESCO_VERSION"), max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a scenario on the model of its machine: how much do tasks slow each other down?
    Sim(verbs::sim::Args),
    /// Run many points of a scenario, each once: grids, samples, lists; on all cores, in shards, on a cluster
    Sweep(verbs::sweep::Args),
    /// Compare what two sets of runs measured: what changed, by how much, and what of it is more than the spread
    Compare(verbs::compare::Args),
    /// Schedule tasks and refresh together, or say why it cannot be done
    Plan(verbs::plan::Args),
    /// Verify a plan without trusting who made it
    Check(verbs::check::Args),
    /// Say the longest that reads and jobs of each task can take, whatever the others do, and why
    Bound(verbs::bound::Args),
    /// Search for the worst that others can do to a task's reads or its work, and show it beside the bound
    Attack(verbs::attack::Args),
    /// Write one folder for an assessor: what is claimed, on what it rests, what is not covered, and how to repeat it
    Evidence(verbs::evidence::Args),
    /// Propose the cheapest partition of banks, cache and bandwidth that keeps tasks from slowing each other down
    Advise(verbs::advise::Args),
    /// Write a partition, a schedule or a task set in the format of a hypervisor, a kernel or another analysis
    Export(verbs::export::Args),
    /// Compare a machine's model with measured curves of bandwidth and latency, and fit what they determine of it
    Calibrate(verbs::calibrate::Args),
    /// Drive the memory core alone with an address trace
    Memory(verbs::memory::Args),
    /// List the built-in machines, or show one
    Machine(verbs::machine::Args),
    /// Show an address map, count and name its colors, decode addresses
    Map(verbs::map::Args),
    /// Record what an unmodified program does in memory, to replay it on the model of a machine
    Record(verbs::record::Args),
    /// Run the programs of a scenario on Linux in a virtual machine, record its processors, and replay them on the model of the machine
    Loop(verbs::in_loop::Args),
    /// What runs within the virtual machine of `loop`
    #[command(hide = true)]
    LoopGuest(verbs::in_loop::guest::Args),
    /// Say what is in a trace, or write it in another format
    Trace(verbs::trace::Args),
    /// List the programs of the gallery, real ones, or record them: recipes, inputs and what they stand for
    Programs(verbs::programs::Args),
    /// Run a program with its memory in frames of chosen colors, on this Linux
    Run(verbs::run::Args),
    /// Look at the pages of a live process: which colors did it ask for, which has it got?
    Verify(verbs::verify::Args),
    /// Let control groups lend each other colors, by what their programs need (BPM's daemon)
    Balance(verbs::balance::Args),
    /// List the processes with colored memory
    Ps(verbs::ps::Args),
    /// Measure latency, bandwidth and deadlines, on this machine or on the model of one
    Bench(verbs::bench::Args),
    /// Judge the papers' claims: theirs beside ours
    Reproduce(verbs::reproduce::Args),
    /// Check the theory of scheduling tasks and refresh against recorded answers
    Sched(verbs::sched::Args),
    /// Print the JSON Schema of machine, scenario or task set files, by which editors complete and check them
    Schema(verbs::schema::Args),
    /// Print the manual page (roff), made from the same table as --help
    Man(verbs::man::Args),
    /// Print what a shell needs to complete verbs, options and their values
    Completions(verbs::completions::Args),
}

impl Verb {
    /// Returns true if all that the verb does is for a result on standard output. A verb that runs a program or writes
    /// pages does not need standard output.
    pub fn prints(&self) -> bool {
        match self {
            Self::Run(_) | Self::Record(_) | Self::LoopGuest(_) => false,
            Self::Man(args) => args.prints(),
            Self::Ps(args) => args.prints(),
            Self::Completions(args) => args.prints(),
            _ => true,
        }
    }

    /// Does it.
    pub fn run(self) -> Outcome {
        match self {
            Self::Sim(args) => verbs::sim::run(args),
            Self::Sweep(args) => verbs::sweep::run(&args),
            Self::Compare(args) => verbs::compare::run(&args),
            Self::Plan(args) => verbs::plan::run(&args),
            Self::Attack(args) => verbs::attack::run(&args),
            Self::Bound(args) => verbs::bound::run(&args),
            Self::Check(args) => verbs::check::run(&args),
            Self::Evidence(args) => verbs::evidence::run(&args),
            Self::Advise(args) => verbs::advise::run(&args),
            Self::Export(args) => verbs::export::run(&args),
            Self::Calibrate(args) => verbs::calibrate::run(&args),
            Self::Memory(args) => verbs::memory::run(&args),
            Self::Machine(args) => verbs::machine::run(args),
            Self::Map(args) => verbs::map::run(args),
            Self::Record(args) => verbs::record::run(&args),
            Self::Loop(args) => verbs::in_loop::run(&args),
            Self::LoopGuest(args) => verbs::in_loop::guest::run(&args),
            Self::Trace(args) => verbs::trace::run(&args),
            Self::Programs(args) => verbs::programs::run(&args),
            Self::Run(args) => verbs::run::run(&args),
            Self::Verify(args) => verbs::verify::run(&args),
            Self::Balance(args) => verbs::balance::run(&args),
            Self::Ps(args) => verbs::ps::run(&args),
            Self::Bench(args) => verbs::bench::run(&args),
            Self::Reproduce(args) => verbs::reproduce::run(args),
            Self::Sched(args) => verbs::sched::run(args),
            Self::Schema(args) => verbs::schema::run(&args),
            Self::Man(args) => verbs::man::run(&args),
            Self::Completions(args) => verbs::completions::run(&args),
        }
    }
}
