// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco check`: checks that a plan is sound, whoever made it.

use crate::failure::{Outcome, WANTING};
use crate::output;
use crate::plans::{self, LoadedPlan};
use fresco_input::Kind;
use fresco_machine::Machine;
use fresco_plan::Plan;
use fresco_plan::check::{CheckReport, Objection, Violation};
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Checks, from the plan and its machine alone: that the machine is the one planned for; memory and colors; that no task runs while \
memory that it owns is refreshed; that every row is refreshed in time, from the switch-on on; the proof of every deadline.
Exit status: 0 the plan is sound, 1 it is not (the first fact that does not hold is printed), 2 wrong input, 4 not verifiable: what \
could be looked at holds, but the plan has more events than are looked at, or its file is too large (the limit is printed).

Examples:
  fresco check plan.json
  fresco check plan.json --json
  fresco check table-5.2 --set plan.method=crs")]
pub struct Args {
    /// A plan, as `fresco plan --out` writes it, or a scenario, which is planned first
    #[arg(value_name = "PLAN")]
    plan: PathBuf,

    /// Set a key of the scenario (repeatable), as fresco plan does
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// Schema of the JSON.
pub const SCHEMA: &str = "fresco-check/1";

/// What `--json` prints: schema `fresco-check/1`.
#[derive(Serialize)]
pub struct Verdict {
    /// Name of the plan.
    pub plan: String,
    /// In words: sound, not sound, not verifiable.
    pub verdict: &'static str,
    /// Whether every fact holds; null if that is not known.
    pub sound: Option<bool>,
    /// The first fact that does not.
    pub violation: Option<Violation>,
    /// What was verified.
    #[serde(flatten)]
    pub report: CheckReport,
}

/// Checks the plan.
pub fn run(args: &Args) -> Outcome {
    let LoadedPlan {
        plan,
        machine,
        provenance,
        ..
    } = plans::load(&args.plan, &args.set)?;
    let verdict = verdict(&plan, &machine);
    output::print(args.json, SCHEMA, &provenance, &verdict, || table(&verdict))?;
    Ok(match verdict.sound {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::from(WANTING),
        None => ExitCode::from(Kind::TooLarge.status()),
    })
}

/// Checks a plan.
pub fn verdict(plan: &Plan, machine: &Machine) -> Verdict {
    let (verdict, sound, report, violation) = match fresco_plan::check(plan, machine) {
        Ok(report) => ("sound", Some(true), report, None),
        Err(Objection::Violated(violation)) => ("not sound", Some(false), CheckReport::default(), Some(violation)),
        Err(Objection::Unverifiable(report)) => ("not verifiable", None, report, None),
    };
    Verdict {
        plan: plan.name.clone(),
        verdict,
        sound,
        violation,
        report,
    }
}

fn table(verdict: &Verdict) -> Result<Vec<Table>, ReportError> {
    let mut table = Table::new(
        format!("{}: {}", verdict.plan, verdict.verdict),
        vec![Column::text("verdict"), Column::text("fact")],
    );
    if let Some(violation) = &verdict.violation {
        table.push(vec![
            Cell::Text("violated".to_owned(), Tone::Bad),
            violation.to_string().into(),
        ])?;
    }
    for part in &verdict.report.unverified {
        table.push(vec![
            Cell::Text("too long".to_owned(), Tone::Bad),
            part.to_string().into(),
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
