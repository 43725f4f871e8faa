// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of `fresco bench hrt`, which other yardsticks have no use for.

use crate::arguments::integer;
use fresco_input::InputError;

/// Jobs and their times.
#[derive(Debug, clap::Args)]
pub struct HrtArgs {
    /// hrt: jobs [default: 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--jobs", 1..=100_000u32))]
    jobs: Option<u32>,

    /// hrt: microseconds from release to release [default: 20000]
    #[arg(long, value_name = "US", allow_negative_numbers = true, value_parser = integer("--period", 10..=100_000_000u32))]
    period: Option<u32>,

    /// hrt: microseconds from release to deadline, at most the period [default: 13000]
    #[arg(long, value_name = "US", allow_negative_numbers = true, value_parser = integer("--deadline", 1..=100_000_000u32))]
    deadline: Option<u32>,
}

impl HrtArgs {
    /// Jobs that are released.
    pub fn jobs(&self) -> u32 {
        self.jobs.unwrap_or(100)
    }

    /// Microseconds between releases.
    pub fn period(&self) -> u32 {
        self.period.unwrap_or(20_000)
    }

    /// Microseconds from release to deadline.
    pub fn deadline(&self) -> u32 {
        self.deadline.unwrap_or(13_000)
    }

    /// Refuses options that the yardstick, which is `hrt` or another, would ignore.
    ///
    /// # Errors
    /// The option.
    pub fn check(&self, hrt: bool, repetitions: bool) -> Result<(), InputError> {
        let given = [
            ("--jobs", self.jobs.is_some() && !hrt),
            ("--period", self.period.is_some() && !hrt),
            ("--deadline", self.deadline.is_some() && !hrt),
            ("--repetitions", repetitions && hrt),
        ];
        let Some((option, _)) = given.into_iter().find(|(_, ignored)| *ignored) else {
            return Ok(());
        };
        let (found, allowed) = match hrt {
            true => ("found it with hrt", "--jobs with hrt, each of which is measured"),
            false => (
                "found it with a yardstick that has no jobs",
                "--jobs, --period and --deadline with hrt alone",
            ),
        };
        Err(InputError::new(option, found)
            .allowed(allowed)
            .help(format!("leave out {option}")))
    }
}
