// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a report says of the plan that was run: what is promised under which assumptions and whether that held, and why it is so.

pub mod assumptions;
pub mod tables;

use fresco_plan::Plan;
use fresco_report::{Cell, Column, ReportError, Section, Table, Tone};
use fresco_system::results::{RunResult, ScenarioResult};

/// Tasks without a program are run like this.
pub const SYNTHETIC: &str = "A task without a program accesses random lines of its memory for 97 % of its WCET, as measured alone without \
                             refresh.";

/// What is promised: deadlines, tasks, colors and refresh, and under which assumptions; on a page of several the heading names the plan.
///
/// # Errors
/// None in practice: the cells are text and counts.
pub fn promised(plan: &Plan, result: &ScenarioResult, of_several: bool) -> Result<Section, ReportError> {
    let mut section = Section::new(heading("What is promised", plan, of_several));
    for table in [
        promises(result)?,
        Some(tables::tasks(plan)?),
        tables::modes(plan)?,
        Some(tables::schedule(plan)?),
    ] {
        section = table.into_iter().fold(section, Section::table);
    }
    Ok(section
        .paragraph("This holds under these assumptions:")
        .list(assumptions::of(plan)))
}

/// Why the plan is as it is; on a page of several the heading names it.
pub fn reasons(plan: &Plan, of_several: bool) -> Section {
    Section::new(heading("Why this plan", plan, of_several)).list(plan.reasons.clone())
}

fn heading(what: &str, plan: &Plan, of_several: bool) -> String {
    match of_several {
        true => format!("{what}: {}", plan.name),
        false => what.to_owned(),
    }
}

fn runs(result: &ScenarioResult) -> impl Iterator<Item = &RunResult> {
    result.points.iter().flat_map(|point| &point.runs)
}

/// What is promised, and whether it held; `None` if nothing is.
///
/// # Errors
/// None in practice: the cells are text.
pub fn promises(result: &ScenarioResult) -> Result<Option<Table>, ReportError> {
    let Some(run) = runs(result).find(|run| !run.promises.is_empty()) else {
        return Ok(None);
    };
    let method = result.method.map_or("", |method| method.name());
    let title = format!("{}: {method} for {} ms", result.scenario, ms(run));
    let mut table = Table::new(title, ["promise", "kept", "found"].map(Column::text).to_vec());
    for promise in &run.promises {
        let kept = match promise.kept {
            true => Cell::Text("yes".to_owned(), Tone::Good),
            false => Cell::Text("no".to_owned(), Tone::Bad),
        };
        table.push(vec![promise.what.as_str().into(), kept, promise.found.as_str().into()])?;
    }
    for promise in &run.not_looked_at {
        table.push(vec![
            promise.as_str().into(),
            Cell::Missing,
            "not looked at: the mode does not change".into(),
        ])?;
    }
    Ok(Some(table))
}

fn ms(run: &RunResult) -> f64 {
    (run.to_ps - run.from_ps) as f64 / 1e9
}

/// Whether the promises held, in a sentence; `None` if nothing is promised.
pub fn sentence(result: &ScenarioResult) -> Option<String> {
    let run = runs(result).find(|run| !run.promises.is_empty())?;
    let (all, ms) = (run.promises.len(), ms(run));
    let beyond = match run.not_looked_at.len() {
        0 => String::new(),
        more => format!(" {more} are of a change of mode, which was not simulated: --mode-change TIME does."),
    };
    let held = match run.promises.iter().filter(|promise| !promise.kept).count() {
        0 => format!("All {all} promises of the plan held in {ms} ms of its simulation."),
        broken => format!("{broken} of {all} promises of the plan did not hold in {ms} ms of its simulation."),
    };
    Some(held + &beyond)
}
