// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace cut`: a part of a trace.

use super::source::Source;
use super::target::Target;
use super::writing::{Writing, each_record, no_access};
use crate::arguments::{count, one_at_least};
use crate::failure::Outcome;
use crate::stop::Stop;
use fresco_input::{InputError, file_name};
use fresco_load::trace::ftrace::Unit;
use fresco_load::trace::{AnyTrace, FETCHES, Format, Lost, Measure, Window};
use std::process::ExitCode;

/// Arguments of `fresco trace cut`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Counts are of each thread by itself. --from counts what --accesses or --instructions does; if neither is given, accesses to the end of the
trace. Dependences on what lies before the cut are left out, and told.

Examples:
  fresco trace cut prog.ftrace -o part.ftrace --from 1M --accesses 200k
  fresco trace cut prog.ftrace -o frame.ftrace --region frame
  fresco trace cut prog.champsim.xz -o part.champsim.xz --from 500M --instructions 100M")]
pub struct Args {
    #[command(flatten)]
    source: Source,

    #[command(flatten)]
    target: Target,

    /// Keep what lies in this region, which the program marks; each visit is a pass of the result, and so a job of a periodic task
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "accesses", "instructions", "format"])]
    region: Option<String>,

    /// Leave out so many at the begin, such as 500M
    #[arg(long, value_name = "COUNT", value_parser = count, default_value = "0")]
    from: u64,

    /// Keep so many accesses
    #[arg(long, value_name = "COUNT", value_parser = one_at_least, conflicts_with = "instructions")]
    accesses: Option<u64>,

    /// Keep so many instructions, of which each access is one
    #[arg(long, value_name = "COUNT", value_parser = one_at_least)]
    instructions: Option<u64>,
}

/// Cuts it.
pub fn run(args: &Args) -> Outcome {
    let Source { file, thread, .. } = &args.source;
    args.target.check(&[file])?;
    let export = args.target.export(*thread)?;
    let mut trace = match &args.region {
        Some(region) => AnyTrace::of_region(file, region)?,
        None => args.source.open()?,
    };
    let unit = trace.header().unit;
    let (measure, count) = match args.instructions {
        Some(count) => (Measure::Instructions, Some(count)),
        None => (Measure::Accesses, args.accesses),
    };
    if measure == Measure::Instructions && (unit == Unit::Cycles || trace.format() == Format::LoadStore) {
        return Err(
            InputError::new(file_name(file), "holds no instructions, but accesses alone")
                .in_field("--instructions")
                .allowed("a trace of instructions")
                .help("give --accesses instead")
                .into(),
        );
    }
    let alone = !trace.format().has_threads();
    let stop = Stop::on_any_end();
    let mut window = Window::new(args.from, count, measure, unit);
    let mut writing = Writing::of(&args.target.output, &export, &trace)?;
    let whole = each_record(&mut trace, file, &stop, |record| {
        if thread.is_none_or(|thread| thread == record.thread)
            && let Some(record) = window.keep(&record)
        {
            writing.push(&record)?;
        }
        // What is left of a trace of several threads may be of another one.
        Ok(!(alone && window.is_over()))
    })?;
    if !whole {
        return Ok(writing.stopped());
    }
    if window.kept() == 0 {
        return Err(nothing(args, &window).into());
    }
    let fetches = trace.lost().into_iter().filter(|lost| lost.what == FETCHES);
    let fetches = fetches.map(|lost| Lost {
        // Those of the region, or of all that was read to find the cut.
        what: if args.region.is_some() {
            FETCHES
        } else {
            "instruction fetches of what was read"
        },
        ..lost
    });
    let lost: Vec<Lost> = std::iter::once(window.lost()).chain(fetches).collect();
    writing.finish("cut", &lost)?;
    Ok(ExitCode::SUCCESS)
}

/// Why the cut holds no access.
fn nothing(args: &Args, window: &Window) -> InputError {
    let Source { file, thread, .. } = &args.source;
    match (*thread, &args.region) {
        (Some(thread), _) if window.length() == 0 => no_access(file, thread),
        (None, Some(region)) if window.length() == 0 => InputError::new(
            file_name(file),
            format!("no access of it lies in the region {region:?}"),
        )
        .in_field("--region")
        .allowed("a region in which something is accessed")
        .help("`fresco trace info` lists them"),
        _ => InputError::new(
            file_name(file),
            format!(
                "no access of it lies in the cut; its longest thread has {}",
                window.length()
            ),
        )
        .in_field("--from")
        .allowed("a place before the end of the trace, and at least one access from there on")
        .help("write a smaller --from, or keep more"),
    }
}
