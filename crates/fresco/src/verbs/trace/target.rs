// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a trace goes, and in which format.

use crate::arguments::{choice, integer};
use crate::outputs::Outputs;
use fresco_input::InputError;
use fresco_load::trace::{Export, Format, Packing};
use std::path::{Path, PathBuf};

/// Options of what is written.
#[derive(Debug, clap::Args)]
pub struct Target {
    /// Write the trace here, compressed if the name ends in .gz, .zst or .xz; a file that is there is replaced once the new one is whole
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Its format; if omitted, what the name says: .ftrace (fresco), .champsim or .champsimtrace (champsim)
    #[arg(long, value_name = "FORMAT", value_parser = choice("--to", &Format::WRITTEN))]
    to: Option<Format>,

    /// Instructions in a cycle of the memory's clock, which make the times of dramsim3 of a trace of instructions
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
          value_parser = integer("--instructions-per-cycle", 1..=1000u32))]
    instructions_per_cycle: u32,
}

impl Target {
    /// Makes sure that it can be written, and is none of `inputs`.
    ///
    /// # Errors
    /// It cannot, or is one.
    pub fn check(&self, inputs: &[&Path]) -> Result<(), InputError> {
        Outputs::new().file("--output", Some(&self.output)).check(false, inputs)
    }

    /// What is to be written.
    ///
    /// # Errors
    /// Neither the option nor the name says the format.
    pub fn export(&self, thread: Option<u16>) -> Result<Export, InputError> {
        let name = self.output.file_name().unwrap_or_default().to_string_lossy();
        let (_, stem) = Packing::of_name(&name);
        let ending = Path::new(stem).extension().unwrap_or_default().to_string_lossy();
        let said = match &*ending {
            "ftrace" => Some(Format::Fresco),
            "champsim" | "champsimtrace" => Some(Format::ChampSim),
            _ => None,
        };
        let format = self.to.or(said).ok_or_else(|| {
            let names: Vec<&str> = Format::WRITTEN.iter().map(|(name, _)| *name).collect();
            InputError::new(self.output.display().to_string(), "the name does not say the format")
                .in_field("--output")
                .allowed("a name in .ftrace or .champsim, or any with --to")
                .help(format!("give --to one of {}", names.join(", ")))
        })?;
        Ok(Export {
            format,
            thread,
            instructions_per_cycle: u64::from(self.instructions_per_cycle),
        })
    }
}
