// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sweep`: many points of a scenario, each once, here or on a cluster.

mod jobs;
mod page;
mod report;
mod shard;
mod show;
mod waits;

use crate::arguments::integer;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::files::{PAGE, RESULTS, ReportDirectory};
use crate::stop::{STOPPED, Stop};
use crate::{output, outputs, progress};
use fresco_input::InputError;
use fresco_sweep::{
    Effects, Index, Mark, Progress, Runner, Shard, Store, Sweep, Tool, begun, content, look, merge, summarize,
};
use report::Report;
pub use report::{scaled, worded};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use waits::Waits;

/// Arguments of `fresco sweep`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What is there in DIR is not run again; what has changed is: its values, the scenario, the files of machines and traces, the model.
Exit status 1 if points failed.

Examples:
  fresco sweep sweep.toml --list
  fresco sweep sweep.toml --out out/sweep
  fresco sweep sweep.toml --out out/sweep --status
  fresco sweep sweep.toml --out out/sweep --shard 3/8
  fresco sweep sweep.toml --out /shared/sweep --slurm 100 > job.sh
  fresco sweep sweep.toml --out /shared/sweep --slurm 100 --submit
  fresco sweep sweep.toml --out /shared/sweep --merge")]
pub struct Args {
    /// The sweep: which keys of which scenario take which values (docs/sweep.md)
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where results, tables and the report are; may be shared by runners on several machines
    #[arg(long, value_name = "DIR", required_unless_present = "list")]
    out: Option<PathBuf>,

    /// Set a key of the sweep's file (repeatable), e.g. random.samples=10 or set.measure.time=1ms
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Run the I-th of N parts, from 1; auto/N takes I from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX
    #[arg(long, value_name = "I/N", value_parser = shard::parse)]
    shard: Option<Shard>,

    /// Points at the same time; 0, as without this option, is one per processor. Changes no result
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--threads", 0..=1024u16))]
    threads: u16,

    /// Refuse to begin: there must be a sweep in DIR that is continued
    #[arg(long)]
    resume: bool,

    /// Run points that failed once more
    #[arg(long)]
    retry_failed: bool,

    /// Run nothing; say how much there is
    #[arg(long, group = "instead")]
    status: bool,

    /// Run nothing; print the points, with what each sets
    #[arg(long, group = "instead")]
    list: bool,

    /// Run nothing; write the tables and the report of what there is
    #[arg(long, group = "instead")]
    merge: bool,

    /// Run nothing; print a script for Slurm: an array of N jobs, a shard each
    #[arg(long, value_name = "N", group = "instead", value_parser = integer("--slurm", 1..=fresco_sweep::MOST_GROUPS))]
    slurm: Option<u32>,

    /// With --slurm, give the script to sbatch
    #[arg(long, requires = "slurm")]
    submit: bool,

    /// Run nothing; print a manifest for Kubernetes: an indexed Job of N pods, a shard each
    #[arg(long, value_name = "N", group = "instead", value_parser = integer("--kubernetes", 1..=fresco_sweep::MOST_GROUPS))]
    kubernetes: Option<u32>,

    /// Run nothing; print the line for GNU parallel that runs N shards
    #[arg(long, value_name = "N", group = "instead", value_parser = integer("--parallel", 1..=fresco_sweep::MOST_GROUPS))]
    parallel: Option<u32>,

    /// Print JSON instead of text
    #[arg(long, conflicts_with_all = ["slurm", "kubernetes", "parallel"])]
    json: bool,
}

/// Runs what is missing, or does what is asked for instead.
pub fn run(args: &Args) -> Outcome {
    let sweep = Sweep::load(&args.file, &args.set)?;
    if !args.merge && !args.status {
        sweep.check()?;
    }
    if args.list {
        output::write(show::list(&sweep, args.shard.unwrap_or(Shard::WHOLE), args.json)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(out) = &args.out else {
        return Ok(ExitCode::SUCCESS);
    };
    if args.status {
        let summary = summarize(&sweep, &look(out)?, args.shard.unwrap_or(Shard::WHOLE));
        output::write(show::status(&summary, args.json)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(text) = jobs::text(args, out, &sweep)? {
        match args.submit {
            true => output::write(jobs::submit(&text)?)?,
            false => output::write_text(&text)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    if args.merge {
        begun(out)?;
    }
    let store = Store::open(out, &sweep, args.resume)?;
    let directory = ReportDirectory::prepare("fresco-sweep", out, vec![args.file.clone()])?;
    if args.merge {
        return finish(args, &sweep, &store, &directory, true);
    }
    let stop = Stop::after_grace("each point that has begun");
    let ran = runner(args, &sweep, &store, &stop)?;
    if ran.settled() < ran.total {
        tell(&format!(
            "fresco: stopped after {} of {} points; the same command goes on",
            ran.settled(),
            ran.total
        ));
        return Ok(ExitCode::from(STOPPED));
    }
    finish(args, &sweep, &store, &directory, false)
}

/// Runs points under a progress bar.
fn runner(args: &Args, sweep: &Sweep, store: &Store, stop: &Stop) -> Result<Progress, InputError> {
    let shard = args.shard.unwrap_or(Shard::WHOLE);
    let bar = progress::bar(shard.points(sweep.points()).count() as u64, "points");
    let start = Instant::now();
    let waits = Waits::default();
    let told = |now: Progress| {
        bar.set_position(u64::from(now.settled()));
        let rate = f64::from(now.run) / start.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("points, {} failed, {rate:.1} a second", now.failed));
        if let Some(message) = waits.message(now.waits_for, store.directory()) {
            bar.suspend(|| tell(&message));
        }
    };
    let runner = Runner {
        sweep,
        store,
        shard,
        threads: usize::from(args.threads),
        retry_failed: args.retry_failed,
        progress: &told,
        stop: &|| stop.is_asked(),
        is_given_up: &|| stop.is_given_up(),
    };
    let ran = runner.run();
    bar.finish_and_clear();
    ran
}

/// Writes the tables of a shard that is complete, and those of the sweep with its report if that is, or if `always`; says how much there is.
fn finish(args: &Args, sweep: &Sweep, store: &Store, directory: &ReportDirectory, always: bool) -> Outcome {
    let tool = Tool {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: option_env!("FRESCO_REVISION").map(str::to_owned),
    };
    let out = store.directory();
    let index = look(out)?;
    let whole = summarize(sweep, &index, Shard::WHOLE);
    let mut lines = Vec::new();
    if let (Some(shard), false) = (args.shard, always) {
        let part = format!("-{:04}-of-{:04}", shard.number + 1, shard.of);
        let into = out.join("shards");
        let written = merge(sweep, &index, shard_points(shard, sweep), (&into, &part), &tool, None)?;
        lines.extend(
            written
                .files
                .iter()
                .map(|file| format!("table    {}\n", file.display())),
        );
    }
    let mut report = None;
    if whole.missing == 0 || always {
        report = merged(sweep, &index, (out, directory), &tool, always)?;
        lines.push(format!("tables   {}\n", out.join("observations.parquet").display()));
        lines.push(format!("report   {}\n", out.join(PAGE).display()));
    } else {
        lines.push(format!(
            "{} points of the sweep are missing: its tables and its report are written with the last of them, or by --merge\n",
            whole.missing
        ));
    }
    match args.json {
        true if whole.missing == 0 || always => output::write(read(&out.join(RESULTS))?)?,
        true => output::write(show::status(&whole, true)?)?,
        false => output::write_text(&show::text(sweep, &whole, report.as_ref(), &lines.concat())?)?,
    }
    let own = summarize(sweep, &index, args.shard.unwrap_or(Shard::WHOLE));
    Ok(match own.failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(WANTING),
    })
}

fn shard_points(shard: Shard, sweep: &Sweep) -> impl Iterator<Item = u32> + Clone {
    let numbers: Vec<u32> = shard.points(sweep.points()).collect();
    numbers.into_iter()
}

/// Writes tables and report, unless `always`, not those that are there already.
fn merged(
    sweep: &Sweep,
    index: &Index,
    (out, directory): (&Path, &ReportDirectory),
    tool: &Tool,
    always: bool,
) -> Result<Option<Report>, Failure> {
    let content = content(sweep, index, tool).to_string();
    let mark = Mark::of(out, MERGED);
    if !always && mark.holds(&content) {
        return Ok(None);
    }
    let mut effects = Effects::of(sweep);
    let merged = merge(sweep, index, 0..sweep.points(), (out, ""), tool, Some(&mut effects))?;
    let report = Report::new(sweep, index, &merged, &effects);
    let (page, figures) = page::of(sweep, &report, &merged.provenance)?;
    let written = directory.write(&page, &report.json(&merged.provenance)?, &figures);
    outputs::all([written.map_err(stored)])?;
    // Points whose frames turned out to be damaged are run again, and merged again then.
    if merged.done == report.index_done {
        let tables = merged.files.iter().filter_map(|file| file.file_name());
        let tables = tables.map(|name| name.to_string_lossy().into_owned());
        let figures = figures.iter().map(|figure| format!("{}.svg", figure.name));
        let report = [PAGE, RESULTS].map(str::to_owned);
        mark.set(&content, tables.chain(report).chain(figures))?;
    } else {
        tell(&format!(
            "fresco: {}: results of {} points are damaged: the same command without --merge runs them again",
            out.display(),
            report.index_done - merged.done
        ));
    }
    Ok(Some(report))
}

/// Says which results the tables and the report are of.
const MERGED: &str = ".fresco-merged";

/// That a report cannot be written costs no result.
fn stored(failure: Failure) -> Failure {
    match failure {
        Failure::Input(error) => {
            let help = format!(
                "{}; the results of all points are stored, and are not run again",
                error.help
            );
            Failure::Input(error.help(help))
        }
        failure => failure,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    fs::read(path).map_err(|error| {
        let error = InputError::new(path.display().to_string(), format!("cannot read it: {error}"));
        error.help("run it again with --merge")
    })
}
