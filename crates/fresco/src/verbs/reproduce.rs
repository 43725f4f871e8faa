// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco reproduce`: the papers' claims, each beside what our experiments find.

use crate::arguments::integer;
use crate::failure::{Failure, Outcome, WANTING, tell};
use crate::files::{self, ReportDirectory};
use crate::kept::Kept;
use crate::simulate::add_files;
use crate::stop::{STOPPED, Stop};
use crate::verbs::programs::tell_damaged;
use crate::verdicts;
use crate::{output, progress, provenance};
use fresco_input::InputError;
use fresco_programs::Gallery;
use fresco_report::{Document, Provenance};
use fresco_reproduce::experiments::KERNEL;
use fresco_reproduce::{Ask, Findings, Means, Observer, Runs, SYSTEMS, Steps, Study, System, World, perturb};
use fresco_system::Store;
use indicatif::ProgressBar;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco reproduce`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Runs the experiments of these systems on the models of the papers' machines, and checks each claim that the papers make \
about them by rules that are the same for all claims: see claims/README.md. Takes some minutes.

The result of each run is kept, in the directory for caches: what is asked for again, or was ended by Ctrl-C, is made only as far as it is not there. Another version of the program, file of a program or seed is another result.

\"kernel\" judges what PALLOC and CAMC say of the cost of allocation by the patches for Linux: by the numbers that \
scripts/kernel-test cost recorded, in no time.

Examples:
  fresco reproduce
  fresco reproduce --quick
  fresco reproduce kernel --record out/kernel-cost.toml
  fresco reproduce palloc --out out/palloc
  fresco reproduce palloc --programs out/programs
  fresco reproduce memguard --perturb 3
  fresco reproduce camc --repetitions 10
  fresco reproduce camc --strict --json > camc.json")]
pub struct Args {
    /// Systems whose claims are judged [default: all]
    #[arg(value_name = "SYSTEM", value_parser = SYSTEMS)]
    systems: Vec<String>,

    /// Seed of page frames and programs, for the first repetition
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--seed", 0..=u32::MAX))]
    seed: Option<u32>,

    /// Runs at the same time; 0, as without this option, is one per processor. Changes no result
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--threads", 0..=1024u16))]
    threads: u16,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,

    /// Write a report there: index.html, results.json, each figure as SVG; replaces the report that is there, and no
    /// other file
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Judge "kernel" by the record in this file, instead of the one in the program
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// Put the programs that `fresco programs record` recorded into this directory in the place of statistical models; what the
    /// models say stands beside
    #[arg(long, value_name = "DIR")]
    programs: Option<PathBuf>,

    /// Judge each claim once more in this many other worlds, each with a seed of its own: with memory that is slower by a tenth,
    /// faster by a tenth, as it is, and so on
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, allow_negative_numbers = true, value_parser = integer("--perturb", 0..=100u32))]
    perturb: u32,

    /// Judge each claim once more on machines that have what the papers' platforms had besides what the papers name: inclusive or
    /// exclusive last-level caches, TLBs whose walks read memory, and prefetchers where they were not switched off
    #[arg(long)]
    platform: bool,

    /// Take a minute: one run of each, shorter ones, and none of what takes longest. Verdicts that hang on it are left open
    #[arg(long, conflicts_with_all = ["programs", "perturb", "platform", "repetitions"])]
    quick: bool,

    /// Make each run of a scenario so many times, each with a seed of its own [default: as the scenario says, one to ten times]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = integer("--repetitions", 1..=1000u32))]
    repetitions: Option<u32>,

    /// Make all runs, those too whose results this version of the program has kept
    #[arg(long)]
    again: bool,

    /// Exit with status 1 if a claim differs; one that is refuted is the paper's fault
    #[arg(long)]
    strict: bool,
}

/// Runs the experiments and judges the claims.
pub fn run(args: Args) -> Outcome {
    check_record(&args)?;
    check_programs(&args)?;
    let ask = Ask {
        systems: &args.systems,
        world: World {
            seed: args.seed,
            runs: match args.repetitions {
                _ if args.quick => Runs::Quick,
                Some(times) => Runs::Repeated(times),
                None => Runs::Usual,
            },
            ..World::default()
        },
        record: args.record.as_deref(),
        conditions: !args.quick,
        programs: args.programs.as_deref(),
    };
    let study = Study::new(ask)?;
    let inputs = args.record.iter().cloned().collect();
    let directory = args
        .out
        .as_deref()
        .map(|directory| ReportDirectory::prepare("fresco-reproduce", directory, inputs));
    let directory = directory.transpose()?;
    let user = User {
        stop: Stop::after("each run that has begun"),
        tells: args.systems.len() != 1,
    };
    let kept = Kept::open(args.again);
    let means = Means {
        threads: usize::from(args.threads),
        observer: &user,
        store: kept.as_ref().map(|kept| kept as &dyn Store),
    };
    let mut findings = study.run(means)?;
    let mut worlds = ask.world.others(args.perturb);
    worlds.extend(args.platform.then_some(World {
        platform: true,
        ..ask.world
    }));
    let whole = perturb(&mut findings.reproduction.systems, ask, &worlds, means)?;
    if let Some((found @ 1.., all)) = kept.as_ref().map(Kept::found) {
        tell(&format!(
            "fresco: {found} of {all} results are kept ones of this version; --again makes them anew"
        ));
    }
    let (run, of) = (findings.whole(), findings.experiments.len());
    let is_stopped = user.is_stopped() && (run < of || !findings.all_tried || whole < worlds.len());
    if run == of && is_stopped && !findings.all_tried {
        tell(
            "fresco: stopped before all claims were judged without what their experiments presume: some that hold may hold only if",
        );
    } else if run == of && is_stopped {
        tell(&format!(
            "fresco: stopped after {whole} of {} other worlds",
            worlds.len()
        ));
    } else if is_stopped {
        let nothing = if run == 0 {
            ": no experiment is whole, so that there is nothing to judge"
        } else {
            "; claims of the others cannot be judged"
        };
        tell(&format!("fresco: stopped after {run} of {of} experiments{nothing}"));
        if run == 0 {
            return Ok(ExitCode::from(STOPPED));
        }
    }
    let reproduction = &findings.reproduction;
    let mut provenance = provenance::of_this_run(findings.results.first().map(|result| result.seed));
    match findings.scenarios.as_slice() {
        [(_, file)] => provenance.scenario = Some(file.clone()),
        several => provenance.inputs = several.iter().map(|(_, file)| file.clone()).collect(),
    }
    for (scenario, _) in &findings.scenarios {
        add_files(&mut provenance, scenario)?;
    }
    let traces = reproduction.recordings.iter().flatten().flat_map(|run| &run.traces);
    provenance.inputs.extend(traces.cloned());
    let record = reproduction.record.iter();
    provenance.inputs.extend(record.map(|record| record.file.clone()));
    show(&args, directory.as_ref(), &provenance, &findings)?;
    let differs = reproduction.systems.iter().any(|system| system.tally.differs > 0);
    Ok(if is_stopped {
        ExitCode::from(STOPPED)
    } else if args.strict && differs {
        ExitCode::from(WANTING)
    } else {
        ExitCode::SUCCESS
    })
}

/// A record that nothing is judged by is refused.
fn check_record(args: &Args) -> Result<(), InputError> {
    let judges = args.systems.is_empty() || args.systems.iter().any(|name| name == KERNEL);
    match &args.record {
        Some(file) if !judges => Err(InputError::new(
            "--record",
            format!("found {}, which no claim asked for is judged by", file.display()),
        )
        .allowed("with the system kernel")
        .help("name kernel among the systems, or leave --record out")),
        _ => Ok(()),
    }
}

/// A directory without a recording is told before anything is run.
fn check_programs(args: &Args) -> Result<(), InputError> {
    let Some(directory) = &args.programs else {
        return Ok(());
    };
    let gallery = Gallery::read(directory)?;
    tell_damaged(&gallery);
    if gallery.entries().any(|(_, entry)| !entry.quick) {
        return Ok(());
    }
    let found = match gallery.entries().next() {
        Some(_) => "quick recordings alone, which stand for nothing,",
        None => "no recording of a program",
    };
    Err(
        InputError::new("--programs", format!("found {found} in {}", directory.display()))
            .allowed("a directory of `fresco programs record`")
            .help("record some: fresco programs record --out DIR"),
    )
}

/// Who waits at the terminal: sees a bar, and ends the runs with Ctrl-C.
struct User {
    stop: Stop,
    /// Whether what came of a system is told before all are judged: if there are several.
    tells: bool,
}

impl Observer for User {
    fn begin(&self, what: &str, total: u64) -> Box<dyn Steps> {
        Box::new(Bar(progress::bar(total, what)))
    }

    fn is_stopped(&self) -> bool {
        self.stop.is_asked()
    }

    fn judged(&self, system: &System) {
        if self.tells {
            tell(&format!("fresco: {}: {}", system.name, system.tally));
        }
    }
}

struct Bar(ProgressBar);

impl Steps for Bar {
    fn name(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    fn step(&self) {
        self.0.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn show(
    args: &Args,
    directory: Option<&ReportDirectory>,
    provenance: &Provenance,
    findings: &Findings,
) -> Result<(), Failure> {
    let document = Document {
        schema: "fresco-reproduce/1",
        provenance,
        data: &findings.reproduction,
    };
    // A report that cannot be written does not cost the results: they are printed first.
    let written = match directory {
        Some(directory) => {
            let (page, figures) = verdicts::page(findings, provenance)?;
            directory.write(&page, &document.to_bytes()?, &figures)
        }
        None => Ok(()),
    };
    if args.json {
        output::write(document.to_bytes()?)?;
    } else {
        let mut text = verdicts::text(&findings.reproduction, crate::terminal_width(), provenance)?;
        if let (Some(directory), Ok(())) = (&args.out, &written) {
            text.push_str(&format!("report   {}\n", directory.join(files::PAGE).display()));
        }
        output::write_text(&text)?;
    }
    written
}
