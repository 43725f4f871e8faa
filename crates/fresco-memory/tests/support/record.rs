// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sink that keeps what the controller did and puts every command before the timing checker.

use fresco_dram::{Cycle, Organisation, Timing};
use fresco_memory::checker::{Checker, CheckerReport, Hotter, Options};
use fresco_memory::{Command, Completion, Sink};

pub struct Record {
    pub commands: Vec<Command>,
    pub completions: Vec<Completion>,
    checker: Checker,
}

impl Record {
    /// With `retention`, refreshes are demanded.
    pub fn new(org: &Organisation, timing: &Timing, retention: bool) -> Self {
        let options = Options {
            retention,
            ..Options::default()
        };
        Self {
            commands: Vec::new(),
            completions: Vec::new(),
            checker: Checker::new(org, timing, options),
        }
    }

    /// Retention is demanded, also of devices that become hot.
    pub fn hotter(org: &Organisation, timing: &Timing, hotter: Hotter) -> Self {
        let options = Options {
            hotter: Some(hotter),
            ..Options::default()
        };
        Self {
            checker: Checker::new(org, timing, options),
            ..Self::new(org, timing, true)
        }
    }

    /// The checker's verdict on a run until `end`.
    pub fn verdict(self, end: Cycle) -> CheckerReport {
        self.checker.finish(end)
    }
}

impl Sink for Record {
    fn completed(&mut self, completion: &Completion) {
        self.completions.push(*completion);
    }

    fn command(&mut self, command: &Command) {
        self.checker.observe(&command.into());
        self.commands.push(*command);
    }
}
