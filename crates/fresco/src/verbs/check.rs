// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco check`: is a plan sound? Whoever made it.

use crate::failure::{Outcome, WANTING};
use crate::output;
use crate::provenance;
use fresco_plan::Plan;
use fresco_plan::check::{Report, Violation};

use fresco_report::{Cell, Column, InputFile, Provenance, ReportError, Table, Tone};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Checks, from the plan and its machine alone: that the machine is the one planned for; memory and colors; that no task runs while \
memory that it owns is refreshed; that every row is refreshed in time, from the switch-on on; the proof of every deadline.
Exit status: 0 the plan is sound, 1 it is not (the first fact that does not hold is printed), 2 wrong input.

Examples:
  fresco check plan.json
  fresco check plan.json --json")]
pub struct Args {
    /// A plan, as `fresco plan --out` writes it
    #[arg(value_name = "PLAN")]
    plan: PathBuf,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What `--json` prints: schema `fresco-check/1`.
#[derive(Serialize)]
struct Verdict {
    /// Name of the plan.
    plan: String,
    /// Whether every fact holds.
    sound: bool,
    /// The first fact that does not.
    violation: Option<Violation>,
    /// What was verified.
    #[serde(flatten)]
    report: Report,
}

/// Checks the plan.
pub fn run(args: &Args) -> Outcome {
    let (plan, machine, provenance) = load(&args.plan)?;
    let (report, violation) = match fresco_plan::check(&plan, &machine) {
        Ok(report) => (report, None),
        Err(violation) => (Report::default(), Some(violation)),
    };
    let verdict = Verdict {
        plan: plan.name,
        sound: violation.is_none(),
        violation,
        report,
    };
    output::print(args.json, "fresco-check/1", &provenance, &verdict, || table(&verdict))?;
    Ok(match verdict.sound {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

/// A plan, its machine, and what was read for them.
pub fn load(path: &Path) -> Result<(Plan, fresco_machine::Machine, Provenance), fresco_input::InputError> {
    let plan = Plan::load(path)?;
    let machine = fresco_machine::load_with(&plan.machine.given, &plan.machine.changes)?;
    let mut provenance = provenance::of_this_run(None);
    let digest = provenance::digest(&fresco_input::read_file(path)?);
    provenance
        .inputs
        .push(InputFile::new(fresco_input::file_name(path), digest));
    provenance
        .machine_files
        .push(provenance::machine_file(&machine, &plan.machine.given));
    Ok((plan, machine, provenance))
}

fn table(verdict: &Verdict) -> Result<Vec<Table>, ReportError> {
    let words = if verdict.sound { "sound" } else { "not sound" };
    let mut table = Table::new(
        format!("{}: {words}", verdict.plan),
        vec![Column::text("verdict"), Column::text("fact")],
    );
    if let Some(violation) = &verdict.violation {
        table.push(vec![
            Cell::Text("violated".to_owned(), Tone::Bad),
            violation.to_string().into(),
        ])?;
    }
    for fact in &verdict.report.facts {
        table.push(vec![Cell::Text("holds".to_owned(), Tone::Good), fact.as_str().into()])?;
    }
    for warning in &verdict.report.warnings {
        table.push(vec!["note".into(), warning.as_str().into()])?;
    }
    Ok(vec![table])
}
