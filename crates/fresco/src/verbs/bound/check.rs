// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bound --check`: verifies a certificate.

use super::{Args, certify};
use crate::failure::{Outcome, WANTING};
use crate::{output, scenarios, simulate};
use fresco_bound_check::{Failure, Refused, check, parse};
use fresco_input::{InputError, read_file};
use fresco_report::{Cell, Column, Provenance, ReportError, Table};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

/// What became of a certificate: schema `fresco-bound-check/1`.
#[derive(Debug, Serialize)]
struct Checked {
    /// Name of the certificate's scenario.
    scenario: String,
    /// What is known was read from the scenario, too; else it is taken from the certificate.
    with_scenario: bool,
    /// `verified` or `refused`.
    verdict: &'static str,
    /// How many tasks, bounds of reads and bounds of work were verified.
    tasks: usize,
    reads: usize,
    works: usize,
    /// What a verdict `verified` takes as it stands: `what work is alone` where work is bounded.
    on_trust: Vec<&'static str>,
    /// The first fact that does not hold.
    refused: Option<Fact>,
}

#[derive(Debug, Serialize)]
struct Fact {
    place: String,
    term: String,
    formula: String,
    claimed: String,
    found: String,
}

/// Checks the certificate in a file.
pub fn run(args: &Args, path: &Path) -> Outcome {
    let name = path.display().to_string();
    let wrong = |found: String| {
        InputError::new(name.clone(), found)
            .allowed("a file that `fresco bound --certificate` wrote")
            .help("write it once more")
    };
    let text = read_file(path)?;
    let document = parse(&text).map_err(|error| wrong(format!("found no certificate: {error}")))?;
    if document["schema"] != certify::SCHEMA {
        return Err(wrong(format!("found schema {}", document["schema"])).into());
    }
    let mut provenance = crate::provenance::of_this_run(None);
    let scenario = match &args.scenario {
        Some(given) => {
            let (scenario, file) = scenarios::load(given, &args.set)?;
            provenance.scenario = Some(file);
            simulate::add_files(&mut provenance, &scenario)?;
            Some(scenario)
        }
        None => None,
    };
    let result = match scenario.as_ref().and_then(|_| other_files(&document, &provenance)) {
        Some(fact) => Err(Failure::Refused(fact)),
        None => {
            let scenario = scenario.as_ref().map(fresco_bound_check::Scenario::of);
            check(&document["data"], scenario.as_ref())
        }
    };
    let mut checked = Checked {
        scenario: document["data"]["scenario"].as_str().unwrap_or_default().to_owned(),
        with_scenario: scenario.is_some(),
        verdict: "verified",
        tasks: 0,
        reads: 0,
        works: 0,
        on_trust: Vec::new(),
        refused: None,
    };
    match result {
        Ok(verified) => {
            (checked.tasks, checked.reads, checked.works) = (verified.tasks, verified.reads, verified.works);
            checked
                .on_trust
                .extend((verified.works > 0).then_some("what work is alone"));
        }
        Err(Failure::Broken(what)) => return Err(wrong(format!("found no certificate: {what}")).into()),
        Err(Failure::Refused(fact)) => {
            checked.verdict = "refused";
            checked.refused = Some(Fact {
                place: fact.place,
                term: fact.term,
                formula: fact.formula.to_owned(),
                claimed: fact.claimed,
                found: fact.found,
            });
        }
    }
    output::print(args.json, "fresco-bound-check/1", &provenance, &checked, || {
        tables(&checked)
    })?;
    Ok(match checked.refused {
        Some(_) => ExitCode::from(WANTING),
        None => ExitCode::SUCCESS,
    })
}

/// The first file whose digest is another than when the certificate was made.
fn other_files(document: &Value, now: &Provenance) -> Option<Refused> {
    let made = &document["provenance"];
    let now = serde_json::to_value(now).ok()?;
    let other = |what: &str, claimed: &Value, found: &Value| {
        (claimed != found).then(|| Refused {
            place: "files".to_owned(),
            term: what.to_owned(),
            formula: "the files that it was made from",
            claimed: claimed.to_string(),
            found: found.to_string(),
        })
    };
    other(
        "digest of the scenario",
        &made["scenario"]["digest"],
        &now["scenario"]["digest"],
    )
    .or_else(|| {
        other(
            "machines and their digests",
            &made["machine_files"],
            &now["machine_files"],
        )
    })
}

fn tables(checked: &Checked) -> Result<Vec<Table>, ReportError> {
    let on_trust = checked
        .on_trust
        .iter()
        .map(|what| format!("; {what} is taken as it stands"));
    let on_trust: String = on_trust.collect();
    let title = format!(
        "{}, certificate {}: {}{on_trust}",
        checked.scenario,
        match checked.with_scenario {
            true => "against the scenario",
            false => "by itself",
        },
        checked.verdict,
    );
    let Some(fact) = &checked.refused else {
        let columns = ["tasks", "bounds of reads", "bounds of work"].map(|name| Column::number(name, "", 0));
        let mut table = Table::new(title, columns.to_vec());
        table.push(
            [checked.tasks, checked.reads, checked.works]
                .map(|count| Cell::Count(count as u64))
                .to_vec(),
        )?;
        return Ok(vec![table]);
    };
    let columns = ["place", "term", "formula", "claimed", "found"].map(Column::text);
    let mut table = Table::new(title, columns.to_vec());
    let cells = [&fact.place, &fact.term, &fact.formula, &fact.claimed, &fact.found];
    table.push(cells.map(|cell| cell.as_str().into()).to_vec())?;
    Ok(vec![table])
}
