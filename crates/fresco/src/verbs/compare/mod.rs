// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco compare`: what two sets of runs measured.

mod comparison;
mod page;
mod samples;
mod show;
mod sides;
mod source;
mod welch;

use crate::arguments::number;
use crate::failure::{Failure, Outcome};
use crate::files::{PAGE, ReportDirectory};
use crate::{output, outputs, provenance};
use comparison::Comparison;
use fresco_input::{InputError, closest};
use fresco_load::trace::digest_of_file;
use fresco_report::{Document, InputFile, Provenance};
use source::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco compare`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Values are compared of the same scenario, axes, subject and metric. Samples are the values of seeds and repetitions.
Both sides are files or directories: - is no standard input here.

Examples:
  fresco sim first --set repetitions=5 --out before
  fresco sim first --set repetitions=5 --set policy.boot=pristine --out after
  fresco compare before after --metric slowdown,read_latency_mean
  fresco compare before after --out out/difference
  fresco sim palloc-fig4 --set repetitions=5 --parquet fig4
  fresco compare fig4 --by policy=buddy,palloc")]
pub struct Args {
    /// What was before, or the one side: a directory of fresco sim --out, --parquet or --csv, or of fresco sweep --out; or a file of it, or what fresco sim --json
    /// printed
    #[arg(value_name = "A")]
    before: PathBuf,

    /// What is compared with it; with --by, other values in A if omitted
    #[arg(value_name = "B", required_unless_present = "by")]
    after: Option<PathBuf>,

    /// Compare two values of an axis, the first in A, the second in B, e.g. policy=buddy,palloc (repeatable, for several axes); an empty value is
    /// that of what has none, and scenario is an axis, too
    #[arg(long, value_name = "AXIS=VALUE,VALUE")]
    by: Vec<String>,

    /// These metrics alone, e.g. slowdown,read_latency_mean
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    metric: Vec<String>,

    /// Confidence of the intervals; among the differences that are told, the share of false ones is the rest at most
    #[arg(long, value_name = "SHARE", default_value_t = 0.95, value_parser = number("--confidence", 0.5..=0.999_999, "0.95"))]
    confidence: f64,

    /// Show all that has changed, also what may be chance
    #[arg(long)]
    all: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,

    /// Write a report there: index.html, results.json, a figure as SVG
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Schema of the JSON.
const SCHEMA: &str = "fresco-compare/1";

/// Compares, and shows what has changed.
pub fn run(args: &Args) -> Outcome {
    let paths = [args.before.as_path(), args.after.as_deref().unwrap_or(&args.before)];
    let sources = [Source::of(paths[0])?, Source::of(paths[1])?];
    let inputs = sources.iter().map(|source| source.file.clone());
    let directory = args
        .out
        .as_deref()
        .map(|out| ReportDirectory::prepare("fresco-compare", out, inputs.collect()));
    let directory = directory.transpose()?;
    let comparison = compared(args, paths, &sources)?;
    let mut provenance = provenance::of_this_run(None);
    for source in &sources {
        let file = InputFile::new(source.file.display().to_string(), digest_of_file(&source.file)?);
        if !provenance.inputs.contains(&file) {
            provenance.inputs.push(file);
        }
    }
    let written = match &directory {
        None => Ok(()),
        Some(directory) => {
            let (page, figures) = page::of(&comparison, args.all, &provenance)?;
            directory.write(&page, &json(&comparison, &provenance)?, &figures)
        }
    };
    if args.json {
        output::write(json(&comparison, &provenance)?)?;
    } else {
        let mut text = show::text(&comparison, args.all)?;
        if let (Some(out), true) = (&args.out, written.is_ok()) {
            text.push_str(&format!("report   {}\n", out.join(PAGE).display()));
        }
        output::write_text(&text)?;
    }
    outputs::all([written])?;
    Ok(ExitCode::SUCCESS)
}

/// Compares what was asked for.
///
/// # Errors
/// A file cannot be read, `--metric` or `--by` names what is not there, or nothing is on both sides.
fn compared(args: &Args, paths: [&Path; 2], sources: &[Source; 2]) -> Result<Comparison, Failure> {
    let [first, second] = sources;
    let before = samples::read(first, &args.metric)?;
    let other = match first.file == second.file {
        true => None,
        false => Some(samples::read(second, &args.metric)?),
    };
    let found = [&before, other.as_ref().unwrap_or(&before)];
    refuse_unknown(&args.metric, found)?;
    if let Some((source, _)) = std::iter::zip(sources, found).find(|(_, found)| found.samples.is_empty()) {
        let error = InputError::new(source.file.display().to_string(), "found no value to compare");
        let error = error.allowed("observations with a metric and a value, and the metrics that are asked for");
        return Err(error.help("check the path and --metric").into());
    }
    let all = found.map(|found| &found.samples);
    let (mut sides, samples) = sides::of(
        paths,
        sources.each_ref().map(|source| source.file.as_path()),
        &args.by,
        all,
    )?;
    std::iter::zip(&mut sides, found).for_each(|(side, found)| side.missing_values = found.missing);
    let labels = [&sides[0].label, &sides[1].label].map(String::clone);
    let comparison = Comparison::of(sides, &samples, args.confidence);
    if comparison.rows.is_empty() {
        let error = InputError::new(&labels[1], format!("found nothing that {} has, too", labels[0]));
        let error = error
            .allowed("values of the same scenario, axes, subject and metric")
            .help("compare runs of one scenario, or points of sweeps with the same axes; --by axis=a,b compares what differs on an axis");
        return Err(error.into());
    }
    Ok(comparison)
}

/// Refuses a metric that neither side has: a misspelled one among others would be passed over.
fn refuse_unknown(asked: &[String], found: [&samples::Found; 2]) -> Result<(), InputError> {
    let all: BTreeSet<&str> = found.iter().flat_map(|one| &one.metrics).map(String::as_str).collect();
    let Some(unknown) = asked.iter().find(|name| !all.contains(name.as_str())) else {
        return Ok(());
    };
    let help = match closest(unknown, all.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "choose some of these, with commas between them".to_owned(),
    };
    let names: Vec<&str> = all.into_iter().collect();
    Err(
        InputError::new("--metric", format!("found {unknown:?}, which neither side has"))
            .allowed(names.join(", "))
            .help(help),
    )
}

fn json(comparison: &Comparison, provenance: &Provenance) -> Result<Vec<u8>, Failure> {
    let document = Document {
        schema: SCHEMA,
        provenance,
        data: comparison,
    };
    Ok(document.to_bytes()?)
}
