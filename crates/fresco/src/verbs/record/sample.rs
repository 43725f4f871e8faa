// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco record --sample`: of a program that runs once, intervals that stand for all that it does.

use super::{UNWRITTEN, told};
use crate::arguments::integer;
use crate::failure::{Failure, Outcome, tell};
use crate::stop::{STOPPED, Stop};
use crate::verbs::trace::sampled::{Sample, tables};
use crate::verbs::trace::sampling::{Sampling, intervals, name};
use crate::whole::WholeFile;
use fresco_input::InputError;
use fresco_load::trace::ftrace::MAX_THREADS;
use fresco_record::{Ended, Recording};
use std::path::Path;
use std::process::ExitCode;

/// What is kept of a recording.
#[derive(Debug, clap::Args)]
pub struct Parts {
    /// Write, in place of the whole, so many intervals at most of so many instructions each that stand for it: FILE-1.ftrace and so on, as
    /// `fresco trace sample` has them
    #[arg(long, value_name = "COUNTxLENGTH", value_parser = intervals, conflicts_with = "live")]
    sample: Option<(usize, u64)>,

    /// With --sample, put so many intervals before each, as a pass of their own, in which caches fill
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = integer("--warm-up", 0..=1000u32), requires = "sample")]
    warm_up: u32,

    /// With --sample, of this thread; if omitted, the first
    #[arg(long, value_name = "N", value_parser = integer("--thread", 0..=MAX_THREADS - 1), requires = "sample")]
    thread: Option<u16>,
}

impl Parts {
    /// What is to be sampled, of at most so many instructions into parts of `output`.
    ///
    /// # Errors
    /// There cannot be one interval, or a part cannot be written.
    pub fn sampling(
        &self,
        output: &Path,
        instructions: Option<u64>,
        quiet: bool,
    ) -> Result<Option<Sampling>, InputError> {
        let Some(intervals) = self.sample else {
            return Ok(None);
        };
        if let Some(instructions) = instructions.filter(|instructions| *instructions < intervals.1) {
            let found = format!(
                "found intervals of {} instructions, of {instructions} that are recorded",
                intervals.1
            );
            return Err(InputError::new("--sample", found)
                .allowed("intervals that are no longer than what is recorded")
                .help("shorten them, or raise --instructions"));
        }
        let mut parts = (1..=intervals.0).map(|number| name(output, number));
        if let Some(part) = parts.find(|part| part.exists() && !part.is_file()) {
            return Err(InputError::new(part.display().to_string(), "is no regular file")
                .in_field(super::OUTPUT)
                .allowed("a name of which the parts are files, or not there")
                .help("name another file"));
        }
        Ok(Some(Sampling {
            who: "fresco record",
            intervals,
            warm_up: self.warm_up,
            thread: self.thread,
            quiet,
        }))
    }
}

/// Puts parts of a recording in place of the whole, which lies in `whole` and becomes `output` if that cannot be done. `status` is that of
/// the recording.
pub fn keep_parts(
    sampling: &Sampling,
    whole: WholeFile,
    output: &Path,
    recording: &Recording,
    status: ExitCode,
    stop: &Stop,
) -> Outcome {
    if !sampling.quiet {
        told::summary("the whole, of which intervals are kept", recording);
    }
    told::warnings(output, recording);
    if recording.ended == Ended::Asked {
        tell("fresco record: intervals of that are chosen now; another signal keeps the whole in place of them");
        stop.ask_again();
    }
    match sampling.run(whole.partial(), "the recording", output, stop) {
        Ok(Some(sample)) => {
            drop(whole);
            if !sampling.quiet {
                tell(text(&sample)?.trim_end());
            }
            Ok(status)
        }
        Ok(None) => {
            keep_whole(whole, output, "stopped before intervals were chosen")?;
            Ok(ExitCode::from(STOPPED))
        }
        Err(error) => {
            Failure::from(error).report();
            keep_whole(whole, output, "no intervals are chosen")?;
            Ok(match status == ExitCode::SUCCESS {
                true => ExitCode::from(UNWRITTEN),
                false => status,
            })
        }
    }
}

/// The recording is kept as it is.
fn keep_whole(whole: WholeFile, output: &Path, why: &str) -> Result<(), InputError> {
    whole.finish()?;
    let output = output.display();
    tell(&format!(
        "fresco record: {why}; {output} is the whole: `fresco trace sample {output}` samples it"
    ));
    Ok(())
}

fn text(sample: &Sample) -> Result<String, Failure> {
    let tables = tables(sample)?;
    let texts: Vec<String> = tables
        .iter()
        .map(|table| table.to_text(crate::terminal_width()))
        .collect();
    Ok(texts.join("\n"))
}
