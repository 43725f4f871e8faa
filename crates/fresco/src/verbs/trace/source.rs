// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a trace comes from, and which part of it is meant.

use crate::arguments::{choice, integer};
use fresco_input::{InputError, file_name};
use fresco_load::trace::ftrace::MAX_THREADS;
use fresco_load::trace::{AnyTrace, Format};
use std::path::PathBuf;

/// Options of what is read.
#[derive(Debug, clap::Args)]
pub struct Source {
    /// A trace of any format, plain or compressed; - is standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The format of FILE, if it is not to be found out
    #[arg(long, value_name = "FORMAT", value_parser = choice("--format", &Format::ALL))]
    format: Option<Format>,

    /// Write this thread alone; formats without threads hold the first one if none is chosen
    #[arg(long, value_name = "N", value_parser = integer("--thread", 0..=MAX_THREADS - 1))]
    pub thread: Option<u16>,
}

impl Source {
    /// Opens it.
    ///
    /// # Errors
    /// The file cannot be read, or is no trace of that (or any) format, or holds samples.
    pub fn open(&self) -> Result<AnyTrace, InputError> {
        let trace = AnyTrace::open(&self.file, self.format)?;
        trace.format().check_whole(&file_name(&self.file))?;
        Ok(trace)
    }
}
