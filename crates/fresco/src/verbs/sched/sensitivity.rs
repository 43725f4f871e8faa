// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched sensitivity`: how far a task set can be pushed under each method.

use crate::arguments::choice;
use crate::failure::{Outcome, WANTING};
use crate::output;
use crate::plans;
use crate::progress;
use crate::verbs::plan::{Asked, METHODS, densities};
use fresco_input::InputError;
use fresco_plan::{Method, Sensitivity, TaskSet, sensitivity};
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco sched sensitivity`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For each method: by how much all execution times may grow, the densities and the retention times (64 ms up to 85 °C, 32 ms above, \
shorter as it gets hotter) with which there is still a plan. Densities and retention times are tried one by one: a schedule may work \
with a longer burst and not with a shorter. Exit status 1 if no method has a plan as things are.

Examples:
  fresco sched sensitivity tasks/table-5.2.toml
  fresco sched sensitivity tasks/table-5.2.toml --method aligned --density 8,16,32 --json")]
pub struct Args {
    /// Scenario whose tasks are pushed to their limits, or a plan
    #[arg(value_name = "SCENARIO")]
    tasks: PathBuf,

    /// One method; all that plan periodic tasks if omitted
    #[arg(long, value_name = "METHOD", value_parser = choice("--method", &METHODS))]
    method: Option<Asked>,

    /// Set a key of the file (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,

    /// Densities to try, in Gb
    #[arg(long, value_name = "LIST", default_value = "1,2,4,8,16,32,64")]
    density: String,

    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// What `--json` prints: schema `fresco-sched-sensitivity/1`.
#[derive(Serialize)]
struct Found {
    /// Name of the task set.
    name: String,
    /// Each method.
    methods: Vec<Sensitivity>,
}

/// Pushes the task set.
pub fn run(args: &Args) -> Outcome {
    let set = TaskSet::load(&args.tasks, &args.set)?;
    let densities = densities(&args.density)?;
    let methods: Vec<Method> = match args.method.and_then(|asked| asked.0) {
        Some(method) => vec![method],
        None => Method::of_refresh().collect(),
    };
    let bar = progress::bar(methods.len() as u64, &set.name);
    let mut found = Found {
        name: set.name.clone(),
        methods: Vec::new(),
    };
    for method in methods {
        let pushed = sensitivity(&set, method, &densities).map_err(|refusal| {
            InputError::new(
                fresco_input::file_name(&args.tasks),
                format!("found tasks that cannot be pushed: {refusal}"),
            )
            .allowed("periodic tasks")
            .help("give every task a period and a wcet")
        });
        found.methods.push(pushed?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let provenance = plans::provenance(&args.tasks, &set.machine, &set.machine_given)?;
    output::print(args.json, "fresco-sched-sensitivity/1", &provenance, &found, || {
        table(&found)
    })?;
    Ok(match found.methods.iter().any(|method| method.refusal.is_none()) {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

fn table(found: &Found) -> Result<Vec<Table>, ReportError> {
    let columns = vec![
        Column::text("method"),
        Column::text("now"),
        Column::number("largest factor of all WCETs", "", 3),
        Column::text("densities [Gb]"),
        Column::number("hottest: shortest retention", "ms", 0),
        Column::text("all retentions [ms]"),
    ];
    let mut table = Table::new(format!("{}: how far it can be pushed", found.name), columns);
    for method in &found.methods {
        let now = match method.refusal {
            None => Cell::Text("plan".to_owned(), Tone::Good),
            Some(_) => Cell::Text("no plan".to_owned(), Tone::Bad),
        };
        table.push(vec![
            method.method.name().into(),
            now,
            method.wcet_scale_permille.map(|scale| f64::from(scale) / 1000.0).into(),
            list(&method.densities_gbit).into(),
            method.retentions_ms.iter().min().copied().into(),
            list(&method.retentions_ms).into(),
        ])?;
    }
    Ok(vec![table])
}

fn list<T: ToString>(numbers: &[T]) -> String {
    match numbers {
        [] => "none".to_owned(),
        numbers => numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", "),
    }
}
