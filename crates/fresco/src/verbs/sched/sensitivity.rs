// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco sched sensitivity`: how far a task set can be pushed under each method.

use crate::arguments::choice;
use crate::failure::{Outcome, WANTING, tell};
use crate::output;
use crate::plans;
use crate::progress;
use crate::stop::{STOPPED, Stop};
use crate::verbs::plan::{Asked, METHODS, densities};
use crate::waiting::{time_limit, watched};
use fresco_input::InputError;
use fresco_plan::{Method, Refusal, Sensitivity, Undecided, sensitivity, verdicts};
use fresco_report::{Cell, Column, ReportError, Table, Tone};
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of `fresco sched sensitivity`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
For each method: by how much all execution times may grow, the densities and the retention times (64 ms up to 85 °C, 32 ms above, \
shorter as it gets hotter) with which there is still a plan. Densities and retention times are tried one by one: a schedule may work \
with a longer burst and not with a shorter. Ctrl-C ends it with what is known by then; so does --time-limit, with which what is found
depends on the machine. What is not decided is marked, and a factor is then at least the one shown.
Exit status: 0 some method has a plan as things are, 1 none has, 2 wrong input, 130 Ctrl-C.

Examples:
  fresco sched sensitivity table-5.2
  fresco sched sensitivity table-5.2 --method aligned --density 8,16,32 --json")]
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

    /// Give up what is not decided within so long; methods and verdicts have equal parts of what is left
    #[arg(long, value_name = "TIME", value_parser = time_limit)]
    time_limit: Option<Duration>,

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
    /// How far it came, if the user has ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped>,
}

/// Methods of which all is known.
#[derive(Serialize)]
struct Stopped {
    made: usize,
    /// Methods that were asked for.
    all: usize,
}

/// Pushes the task set.
pub fn run(args: &Args) -> Outcome {
    let set = plans::task_set(&args.tasks, &args.set)?;
    let densities = densities(&args.density)?;
    let methods: Vec<Method> = match args.method.and_then(|asked| asked.0) {
        Some(method) => vec![method],
        None => Method::of_refresh().collect(),
    };
    let (all, each) = (methods.len(), verdicts(&densities));
    let bar = progress::bar((all * each) as u64, &set.name);
    let stop = Stop::on_any_end();
    let mut found = Found {
        name: set.name.clone(),
        methods: Vec::new(),
        stopped: None,
    };
    let pushed = watched(&bar, &set.name, args.time_limit, &stop, |watch| {
        for (number, &method) in methods.iter().enumerate() {
            if stop.is_asked() {
                break;
            }
            let share = watch.share(all - number);
            found
                .methods
                .push(sensitivity(&set, method, &densities, share, |count| {
                    bar.inc(count as u64)
                })?);
        }
        // What the time was over for may have what the others have left of it.
        while watch.has_time_left() {
            let open = (0..found.methods.len()).filter(|&number| found.methods[number].undecided.is_some());
            let open: Vec<usize> = open.collect();
            if open.is_empty() {
                break;
            }
            for (tried, &number) in open.iter().enumerate() {
                let share = watch.share(open.len() - tried);
                found.methods[number] = sensitivity(&set, methods[number], &densities, share, |_| {})?;
            }
        }
        Ok::<(), Refusal>(())
    });
    pushed.map_err(|refusal| {
        InputError::new(
            fresco_input::file_name(&args.tasks),
            format!("found tasks that cannot be pushed: {refusal}"),
        )
        .allowed("periodic tasks")
        .help("give every task a period and a wcet")
    })?;
    if stop.is_asked() {
        let whole = found.methods.iter().filter(|method| method.undecided.is_none()).count();
        tell(&format!("fresco: stopped after {whole} of {all} methods"));
        found.stopped = Some(Stopped { made: whole, all });
    }
    let provenance = plans::provenance(&args.tasks, &set.machine, &set.machine_given)?;
    output::print(args.json, "fresco-sched-sensitivity/1", &provenance, &found, || {
        table(&found)
    })?;
    let is_planned =
        |method: &Sensitivity| method.refusal.is_none() && !method.undecided.as_ref().is_some_and(|open| open.now);
    Ok(match found.methods.iter().any(is_planned) {
        _ if stop.is_asked() => ExitCode::from(STOPPED),
        true => ExitCode::SUCCESS,
        false => ExitCode::from(WANTING),
    })
}

fn table(found: &Found) -> Result<Vec<Table>, ReportError> {
    let is_open = found.methods.iter().any(|method| method.undecided.is_some());
    let mut columns = vec![
        Column::text("method"),
        Column::text("now"),
        Column::number("largest factor of all WCETs", "", 3),
        Column::text("densities [Gb]"),
        Column::number("hottest: shortest retention", "ms", 0),
        Column::text("all retentions [ms]"),
    ];
    columns.extend(is_open.then(|| Column::text("not decided")));
    let mut table = Table::new(format!("{}: how far it can be pushed", found.name), columns);
    for method in &found.methods {
        let open = method.undecided.as_ref();
        let now = match method.refusal {
            None if open.is_some_and(|open| open.now) => Cell::Text("?".to_owned(), Tone::Plain),
            None => Cell::Text("plan".to_owned(), Tone::Good),
            Some(_) => Cell::Text("no plan".to_owned(), Tone::Bad),
        };
        let mut row = vec![
            method.method.name().into(),
            now,
            method.wcet_scale_permille.map(|scale| f64::from(scale) / 1000.0).into(),
            list(&method.densities_gbit).into(),
            method.retentions_ms.iter().min().copied().into(),
            list(&method.retentions_ms).into(),
        ];
        row.extend(is_open.then(|| open.map_or(String::new(), words).into()));
        table.push(row)?;
    }
    Ok(vec![table])
}

/// What is not decided, and why.
fn words(open: &Undecided) -> String {
    let lists = [
        ("densities", &list(&open.densities_gbit)),
        ("retentions", &list(&open.retentions_ms)),
    ];
    let mut parts: Vec<String> = Vec::new();
    if open.now {
        parts.push("now".to_owned());
    }
    if open.wcet_scale {
        parts.push("whether the factor is the largest".to_owned());
    }
    let lists = lists.into_iter().filter(|(_, numbers)| *numbers != "none");
    parts.extend(lists.map(|(what, numbers)| format!("{what} {numbers}")));
    format!("{}: {}", open.reason, parts.join("; "))
}

fn list<T: ToString>(numbers: &[T]) -> String {
    match numbers {
        [] => "none".to_owned(),
        numbers => numbers.iter().map(T::to_string).collect::<Vec<_>>().join(", "),
    }
}
