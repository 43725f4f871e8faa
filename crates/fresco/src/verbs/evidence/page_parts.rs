// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sections of the report: the partition, what was found by running, the live run, the plan.

use super::facts::{Apart, Evidence};
use super::page::{ns, texts};
use super::runs::{ATTACK, CHECK, SIM};
use fresco_report::{Cell, Column, ReportError, Section, Table, Tone};

/// Parts of the memory, and why they are disjoint.
pub fn partition(evidence: &Evidence) -> Result<Vec<Section>, ReportError> {
    let partition = &evidence.partition;
    let parts = partition.parts.iter().map(|part| {
        vec![
            part.part.to_string().into(),
            part.owners.join(", ").into(),
            part.bank_colors.as_str().into(),
            part.banks.as_str().into(),
            part.llc_colors.as_str().into(),
            part.ways.as_str().into(),
            part.rows.as_str().into(),
        ]
    });
    let columns = [
        "part",
        "of",
        "bank colors",
        "banks",
        "cache colors",
        "cache ways",
        "row domains",
    ];
    let strict = match partition.strict {
        true => "a task gets no frame of other colors",
        false => "frames of other colors are taken when its own are used up, so that no part is a task's own",
    };
    let pages = &partition.pages;
    let section = Section::new("3. The partition, and why its parts are disjoint")
        .paragraph(format!("Frames are chosen by {}: {strict}.", partition.policy))
        .table(texts("Parts of the memory", &columns, parts.collect())?);
    let apart = |what: &str, apart: &Apart| -> Vec<Cell> {
        let (word, tone) = match apart.apart {
            true => ("disjoint", Tone::Good),
            false => ("not disjoint", Tone::Faint),
        };
        // Where ways keep two apart they may have sets in common.
        let seen = (apart.by_colors || !apart.apart).then_some(Cell::Count(apart.seen_shared));
        vec![
            what.into(),
            Cell::Text(word.to_owned(), tone),
            apart.why.as_str().into(),
            seen.unwrap_or(Cell::Missing),
        ]
    };
    let mut table = Table::new(
        "Each two parts",
        vec![
            Column::text("parts"),
            Column::text("their"),
            Column::text("are"),
            Column::text("because"),
            Column::number("seen in common", "", 0),
        ],
    );
    for pair in &partition.pairs {
        for (what, of) in [("banks", &pair.banks), ("cache", &pair.cache)] {
            let mut row: Vec<Cell> = vec![format!("{} and {}", pair.parts[0], pair.parts[1]).into()];
            row.extend(apart(what, of));
            table.push(row)?;
        }
    }
    let mut seen = Table::new(
        "Pages that were looked at",
        vec![
            Column::text("part"),
            Column::number("pages", "", 0),
            Column::number("sets of the cache that they touch", "", 0),
        ],
    );
    for part in &partition.parts {
        seen.push(vec![
            part.part.to_string().into(),
            Cell::Count(part.pages),
            Cell::Count(part.sets),
        ])?;
    }
    let looked = match (pages.pages, pages.exhaustive) {
        (0, _) => "No part has colors of its own: no page was looked at.".to_owned(),
        (count, true) => format!("All {count} pages of the memory, {} addresses.", pages.addresses),
        (count, false) => format!(
            "{count} of {} pages, {} addresses; the memory is larger than what is looked at.",
            pages.of_pages, pages.addresses
        ),
    };
    let agrees = match pages.agrees {
        true => "Nothing contradicts the functions.",
        false => "What was seen CONTRADICTS the functions.",
    };
    let mut why = Section::new("Why").part();
    if !partition.pairs.is_empty() {
        why = why.table(table);
    }
    why = why
        .paragraph(format!(
            "Each page was then looked at by code that shares nothing with colors: the parity of address bits was counted for each line, and its bank and \
             cache set marked for the tasks that get the page. {looked} {agrees}"
        ))
        .table(seen);
    if let Some(rows) = &partition.rows {
        why = why.paragraph(format!(
            "Row domains: {} rows were looked at in the simulation by a judge of its own; {} (more than {} must lie between).",
            rows.rows, rows.found, rows.blast
        ));
    }
    Ok(vec![section, why])
}

/// What attacks and the simulation found.
pub fn attacks_and_runs(evidence: &Evidence) -> Result<Section, ReportError> {
    let mut section = Section::new("5. The worst that was found");
    match &evidence.attacks {
        None => section = section.paragraph("No attack was tried; section 8 says why."),
        Some(attacks) => {
            let mut table = Table::new(
                "The longest read under attack",
                vec![
                    Column::text("task"),
                    Column::number("found", "ns", 1),
                    Column::number("bound", "ns", 1),
                    Column::number("share", "%", 0),
                    Column::number("attacks", "", 0),
                    Column::number("cycles each", "", 0),
                    Column::number("seed", "", 0),
                ],
            );
            for attack in attacks {
                let share = attack
                    .bound_ps
                    .map(|bound| 100.0 * attack.observed_ps as f64 / bound.max(1) as f64);
                table.push(vec![
                    attack.task.as_str().into(),
                    ns(attack.observed_ps),
                    attack.bound_ps.map_or(Cell::Text("no bound".to_owned(), Tone::Bad), ns),
                    share.into(),
                    Cell::Count(attack.tries),
                    Cell::Count(attack.cycles),
                    Cell::Count(attack.seed),
                ])?;
            }
            section = section
                .paragraph(format!(
                    "From {ATTACK}. Cores and devices become attackers within what the machine lets them have under way, in their own banks; a search makes \
                     them worse. What it finds is a lower bound of the worst case, the truth lies between it and the bound."
                ))
                .table(table);
        }
    }
    let simulation = &evidence.simulation;
    let mut table = Table::new(
        format!("The simulation: runs {}, seed {}", simulation.runs, simulation.seed),
        vec![
            Column::text("task"),
            Column::number("reads", "", 0),
            Column::number("longest read", "ns", 1),
            Column::number("jobs", "", 0),
            Column::number("deadlines missed", "", 0),
        ],
    );
    for task in &simulation.tasks {
        table.push(vec![
            task.task.as_str().into(),
            Cell::Count(task.reads),
            ns(task.longest_read_ps),
            Cell::Count(task.jobs),
            Cell::Count(task.missed),
        ])?;
    }
    section = section.paragraph(format!("From {SIM}.")).table(table);
    if !simulation.promises.is_empty() {
        let rows = simulation.promises.iter().map(|promise| {
            let kept = match promise.kept {
                true => Cell::Text("yes".to_owned(), Tone::Good),
                false => Cell::Text("no".to_owned(), Tone::Bad),
            };
            vec![promise.what.as_str().into(), kept, promise.found.as_str().into()]
        });
        section = section.table(texts(
            "Promises of the plan in the simulation",
            &["promise", "kept", "found"],
            rows.collect(),
        )?);
    }
    Ok(section)
}

/// Requested, applied, measured.
pub fn live(evidence: &Evidence) -> Result<Section, ReportError> {
    let section = Section::new("6. Requested, applied, measured");
    let Some(live) = &evidence.live else {
        return Ok(section.paragraph(
            "Not measured on hardware: no record of live processes was given (--live, with what `fresco verify --json` wrote).",
        ));
    };
    let rows = live.processes.iter().map(|process| {
        let pid = process.pid.map_or_else(|| "-".to_owned(), |pid| pid.to_string());
        let holds = match process.holds {
            Some(true) => Cell::Text("yes".to_owned(), Tone::Good),
            Some(false) => Cell::Text("no".to_owned(), Tone::Bad),
            None => Cell::Missing,
        };
        vec![
            process.tasks.join(", ").into(),
            format!("{} ({pid})", process.program).into(),
            process.requested.as_str().into(),
            process.applied.as_str().into(),
            process.measured.as_str().into(),
            holds,
        ]
    });
    let ran = match live.ran {
        true => "pages of live processes were looked at one by one",
        false => "a preview: nothing ran, and nothing was measured on hardware",
    };
    let columns = ["task", "program", "requested", "applied", "measured", "holds"];
    Ok(section
        .paragraph(format!("From {} ({}): {ran}.", live.file, live.schema))
        .table(texts("Live processes", &columns, rows.collect())?))
}

/// Promises of a plan, and what was verified of it.
pub fn plan(evidence: &Evidence) -> Result<Section, ReportError> {
    let section = Section::new("7. The plan");
    let Some(plan) = &evidence.plan else {
        return Ok(section.paragraph("The evidence is of a scenario as it stands: there is no plan."));
    };
    let row = |word: &str, tone: Tone, text: &String| vec![Cell::Text(word.to_owned(), tone), text.as_str().into()];
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    rows.extend(plan.objections.iter().map(|text| row("objection", Tone::Bad, text)));
    rows.extend(plan.facts.iter().map(|text| row("holds", Tone::Good, text)));
    rows.extend(plan.warnings.iter().map(|text| row("note", Tone::Plain, text)));
    Ok(section
        .paragraph(format!(
            "Method {}; `fresco check`, which trusts no planner, says: {} ({CHECK}).",
            plan.method.name(),
            plan.verdict
        ))
        .paragraph(plan.deadlines.as_str())
        .table(texts("What was verified", &["verdict", "fact"], rows)?))
}
