// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs on a machine in place of a scenario: the options that verbs have in common for it.

use fresco_scenario::Comparison;

/// A machine, and what runs beside the programs that are measured.
#[derive(Debug, clap::Args)]
pub struct OnMachine {
    /// Measured programs on this machine, without a scenario: the words are traces (paths with a "/" or a ".") or built-in programs
    #[arg(long, value_name = "MACHINE")]
    on: Option<String>,

    /// With --on, a program in the background (repeatable), on so many cores
    #[arg(long, value_name = "PROGRAM[,COPIES]", requires = "on")]
    beside: Vec<String>,
}

impl OnMachine {
    /// What the options stand for, with all threads of recorded programs; `None` without `--on`.
    pub fn comparison<'a>(&'a self, measured: &'a [String], policies: &'a [String]) -> Option<Comparison<'a>> {
        self.on.as_deref().map(|machine| Comparison {
            machine,
            measured,
            beside: &self.beside,
            policies,
            is_together: true,
        })
    }

    /// Returns true if there is `--on`.
    pub fn is_given(&self) -> bool {
        self.on.is_some()
    }
}
