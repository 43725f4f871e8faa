// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco programs list`.

use super::tell_damaged;
use crate::failure::{Outcome, tell};
use crate::{output, provenance};
use fresco_programs::{Gallery, Recipe, named, packages};
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco programs list`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The directory with recordings
    #[arg(long, value_name = "DIR", default_value = "out/programs")]
    out: PathBuf,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A program in the list.
#[derive(Debug, Serialize)]
struct Line {
    #[serde(flatten)]
    recipe: Recipe,
    /// Packages that are not installed; `None` where that cannot be asked.
    missing: Option<Vec<String>>,
    /// It is recorded.
    recorded: bool,
}

/// Lists the recipes.
pub fn run(args: &Args) -> Outcome {
    let gallery = Gallery::read(&args.out)?;
    tell_damaged(&gallery);
    let recipes = named(&[])?;
    let installed = packages::installed(&recipes);
    let lines = recipes.into_iter().map(|recipe| Line {
        missing: installed.as_ref().map(|there| packages::missing(&recipe, there)),
        recorded: gallery.entry(&recipe.name).is_some(),
        recipe,
    });
    let lines: Vec<Line> = lines.collect();
    output::print(
        args.json,
        "fresco-programs-list/1",
        &provenance::of_this_run(None),
        &lines,
        || Ok(vec![table(&lines)?]),
    )?;
    if !args.json {
        tell_what_is_missing(&lines);
    }
    Ok(ExitCode::SUCCESS)
}

fn table(lines: &[Line]) -> Result<Table, ReportError> {
    let columns = ["name", "what", "stands for", "packages", "recorded"].map(Column::text);
    let mut table = Table::new("Programs to record", columns.to_vec());
    for line in lines {
        let packages = match line.missing.as_deref() {
            Some([]) => Cell::Text("installed".to_owned(), Tone::Good),
            Some(missing) => Cell::Text(format!("missing: {}", missing.join(", ")), Tone::Bad),
            None => line.recipe.packages.join(", ").into(),
        };
        let recorded = match line.recorded {
            true => Cell::Text("yes".to_owned(), Tone::Good),
            false => Cell::Text("no".to_owned(), Tone::Faint),
        };
        table.push(vec![
            line.recipe.name.as_str().into(),
            line.recipe.what.as_str().into(),
            line.recipe.stands_for.as_str().into(),
            packages,
            recorded,
        ])?;
    }
    Ok(table)
}

fn tell_what_is_missing(lines: &[Line]) {
    if lines.iter().any(|line| line.missing.is_none()) {
        tell("fresco: no dpkg-query here, so that nobody knows which packages are installed; their names are Debian's");
        return;
    }
    if let Some(command) = packages::command(lines.iter().flat_map(|line| line.missing.iter().flatten())) {
        tell(&format!("fresco: {command}"));
    }
}
