// SPDX-License-Identifier: MIT OR Apache-2.0
//! Options of what times memory: `fresco map detect` and `fresco map verify`.

use super::live::{LEAST_BYTES, PROC, most_bytes};
use crate::arguments::integer;
use crate::verbs::map::source::size;
use fresco_input::InputError;
use fresco_linux::proc::available_bytes;
use std::path::Path;

/// How memory is timed.
#[derive(Debug, clap::Args)]
pub struct TimingArgs {
    /// Timing this machine: how much memory to probe [default: half of what is available, at most 4G]
    #[arg(long, value_name = "SIZE", conflicts_with = "simulate")]
    memory: Option<String>,

    /// Look for row conflicts no longer than so many seconds [default: 900]; too few by then are a reason to refuse. It
    /// shortens nothing else: what follows takes minutes of its own
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = integer("--limit", 1..=1_000_000u32))]
    limit: Option<u32>,

    /// Seed of all random choices [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: Option<u32>,
}

impl TimingArgs {
    /// Bytes of this machine's memory to probe, if they are said.
    ///
    /// # Errors
    /// What was written is no size, or too little or more than this machine has to give.
    pub fn memory(&self) -> Result<Option<u64>, InputError> {
        let Some(text) = &self.memory else { return Ok(None) };
        let asked = size("--memory", text, LEAST_BYTES..=1 << 50)?;
        let available = available_bytes(Path::new(PROC)).unwrap_or(u64::MAX);
        match asked <= most_bytes(available) {
            true => Ok(Some(asked)),
            false => Err(InputError::new("--memory", format!("found {text}"))
                .allowed(format!(
                    "256M to nine tenths of what is available, which is {} MiB",
                    most_bytes(available) >> 20
                ))
                .help("ask for less, or leave it out: half of what is available, at most 4G")),
        }
    }

    /// Seconds of looking.
    pub fn limit(&self) -> f64 {
        f64::from(self.limit.unwrap_or(900))
    }

    /// The first of these options that was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--memory", self.memory.is_some()),
            ("--limit", self.limit.is_some()),
            ("--seed", self.seed.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        u64::from(self.seed.unwrap_or(1))
    }
}
