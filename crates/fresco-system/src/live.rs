// SPDX-License-Identifier: MIT OR Apache-2.0
//! The run of a scenario one of whose tasks is a program that runs meanwhile: it cannot be run again.

use crate::experiment::{Once, Paging, Work};
use crate::results::ScenarioResult;
use crate::{Extent, Role, RunSpec, Scenario, batch, runs};
use fresco_input::InputError;
use fresco_load::Program;
use fresco_scenario::error_at;

/// The only run of a scenario, of which one task stands for a program that runs meanwhile (`program = "live"`).
pub struct LiveRun {
    /// The scenario, all of which is made with the run.
    whole: Scenario,
    spec: RunSpec,
    /// The copy that stands for it.
    copy: usize,
    thread: u16,
}

impl LiveRun {
    /// The run of this scenario.
    ///
    /// # Errors
    /// It has several runs, none or several such tasks, or asks for what such a program cannot have: a period, passes before
    /// the measured one or after it, pages before they are touched.
    pub fn new(scenario: &Scenario) -> Result<Self, InputError> {
        let found = |found: String| InputError::new("a program that is simulated while it runs", found);
        let [spec] = &scenario.runs()[..] else {
            let found = found(format!("found {} runs", scenario.runs().len()));
            return Err(found
                .allowed("one: it runs once")
                .help("leave out repetitions and axes, or record it first"));
        };
        let setup = &spec.point.setup;
        let thread_of = |copy: usize| setup.program(setup.copies[copy].task).live_thread();
        let live: Vec<usize> = (0..setup.copies.len())
            .filter(|copy| thread_of(*copy).is_some())
            .collect();
        let &[copy] = &live[..] else {
            return Err(found(format!("found {} tasks that stand for it", live.len())).allowed("one"));
        };
        let task = &setup.tasks[setup.copies[copy].task];
        let wrong = |found: &str, allowed: &str, help: &str| {
            let error = error_at(
                &task.place,
                format!("found {found} of a program that is simulated while it runs"),
            );
            Err(error.allowed(allowed).help(help))
        };
        if setup.is_periodic() {
            return wrong(
                "a period",
                "tasks without a period",
                "record it first, and give its trace a period",
            );
        }
        if task.role != Role::Measured {
            return wrong("the role", "measured", "leave its role out");
        }
        if task.paging != Paging::OnTouch {
            return wrong(
                "pages = \"at-start\"",
                "on-touch: nobody knows its pages beforehand",
                "leave it out",
            );
        }
        match setup.measure {
            Extent::Passes(1) if setup.warm_up.is_empty() => {}
            Extent::Passes(1) => {
                return wrong(
                    "a warm-up before the one pass",
                    "a warm-up with a measured phase in operations or time",
                    "add --set 'measure={operations=1000000000}': the phase ends with the program at the latest",
                );
            }
            Extent::Passes(_) => return wrong("several passes", "one", "set measure.passes=1, or record it first"),
            _ if matches!(setup.warm_up, Extent::Passes(1..)) => {
                return wrong(
                    "a warm-up in passes",
                    "one in operations or time",
                    "write warm_up={operations=100000}",
                );
            }
            _ => {}
        }
        Ok(Self {
            whole: scenario.made_part(&[true]).expect("the only run is all of it").0,
            spec: spec.clone(),
            copy,
            thread: thread_of(copy).unwrap_or(0),
        })
    }

    /// The thread of the program that is simulated.
    pub fn thread(&self) -> u16 {
        self.thread
    }

    /// Simulates it while it runs.
    ///
    /// # Errors
    /// As [`crate::run`]; the program was over before its warm-up was.
    pub fn run(&self, program: Box<dyn Program>) -> Result<ScenarioResult, InputError> {
        let mut experiment = runs::experiment(&self.spec)?;
        experiment.tasks[self.copy].work = Work::Live(Once::new(program));
        let result = batch::made(&self.spec, &experiment)?;
        Ok(ScenarioResult::new(&self.whole, vec![result], 1))
    }
}
