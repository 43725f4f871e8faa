// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the command line of `fresco loop` may say.

use super::recordings::ColorsBy;
use crate::arguments::{count, integer, one_at_least};
use fresco_record::machine::{EMULATOR, MOST_MIB};
use std::path::PathBuf;

/// Arguments of `fresco loop`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each task has a command, a program of this machine, which runs on Linux under QEMU (Debian's package qemu-system-x86), on the processor
of its core and in pages of its colors, beside the other tasks. What each processor loads and stores, kernel and all, goes into a trace
by physical address. Then the scenario is run on the model of its machine with these traces as programs, as `fresco sim SCENARIO
--recorded DIR` does it again. Tasks with colors need a kernel with page coloring (kernel/README.md); others any that has a
console at ttyS0.

Examples:
  fresco loop pair.toml --kernel bzImage --out recorded
  fresco loop pair.toml --kernel bzImage --out recorded --skip 20M --instructions 5M --file data.txt
  fresco sim pair.toml --recorded recorded --out report
  fresco loop pair.toml --kernel bzImage --out closed --closed")]
pub struct Args {
    /// Scenario whose tasks have commands
    #[arg(value_name = "SCENARIO")]
    pub scenario: String,

    /// The kernel that is booted
    #[arg(long, value_name = "FILE")]
    pub kernel: PathBuf,

    /// Write the recordings there; a directory that is new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,

    /// A file of this machine that programs read, or a directory of files, at the same place in the virtual machine (repeatable)
    #[arg(long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// Leave out so many instructions of each processor after its program begins, such as 20M
    #[arg(long, value_name = "N", default_value = "0", value_parser = count)]
    pub skip: u64,

    /// Record so many instructions of each processor, such as 5M
    #[arg(long, value_name = "N", default_value = "10M", value_parser = one_at_least)]
    pub instructions: u64,

    /// Memory of the virtual machine, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = integer("--memory", 256..=MOST_MIB))]
    pub memory: u32,

    /// How programs get their colors in the virtual machine
    #[arg(long, value_name = "WAY", default_value = "run")]
    pub colors_by: ColorsBy,

    /// The emulator
    #[arg(long, value_name = "PROGRAM", default_value = EMULATOR)]
    pub qemu: PathBuf,

    /// Record nothing: run the model meanwhile, whose time is that of the virtual machine
    #[arg(long, conflicts_with_all = ["instructions", "record_only"])]
    pub closed: bool,

    /// With --closed, instructions that a processor executes until the model is asked how late it is
    #[arg(long, value_name = "N", default_value = "2000", value_parser = one_at_least, requires = "closed")]
    pub window: u64,

    /// With --closed, model and machine begin together at a multiple of this time by the machine's CLOCK_MONOTONIC, up to 50 us late, such
    /// as '64 ms': what has a period on both is in phase then. 1 ms to 100 s; without it whenever --skip is over
    #[arg(long, value_name = "TIME", requires = "closed")]
    pub align: Option<String>,

    /// With --closed, kernel modules that are loaded, the last of them MemGuard's, which keeps the scenario's budgets in place of the model
    /// (repeatable)
    #[arg(long, value_name = "FILE", requires = "closed")]
    pub memguard: Vec<PathBuf>,

    /// Set a key of the scenario (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,

    /// Record, and replay nothing
    #[arg(long)]
    pub record_only: bool,

    /// Print JSON instead of tables
    #[arg(long, conflicts_with = "record_only")]
    pub json: bool,
}
