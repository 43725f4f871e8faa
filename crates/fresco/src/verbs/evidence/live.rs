// SPDX-License-Identifier: MIT OR Apache-2.0
//! `--live`: what `fresco verify --json` or `fresco run --dry-run --json` wrote: what was requested, applied and measured.

use super::facts::{LiveFacts, LiveProcess, PartitionFacts};
use super::subject::Subject;
use fresco_input::{InputError, file_name, read_file};
use fresco_linux::resctrl::Limits;
use fresco_report::Provenance;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The copy in the folder.
pub const FILE: &str = "live.json";
/// Share of pages that must have the colors asked for, as `fresco verify` has it unless told otherwise.
const LEAST: f64 = 0.999;

#[derive(Deserialize)]
struct File {
    schema: String,
    provenance: Provenance,
    data: Value,
}

/// Of `fresco-verify-plan/1` and `fresco-run-plan/1`.
#[derive(Deserialize)]
struct OfPlan {
    tasks: Vec<Task>,
}

#[derive(Deserialize)]
struct Task {
    task: String,
    #[serde(default)]
    pid: Option<u32>,
    #[serde(default)]
    program: Option<String>,
    #[serde(alias = "colors")]
    asked: String,
    #[serde(default)]
    pages: u64,
    #[serde(default)]
    inside: u64,
    #[serde(default)]
    share: Option<f64>,
    #[serde(default, alias = "cpus")]
    cpus_asked: Option<String>,
    #[serde(default)]
    cpus_applied: Option<String>,
    #[serde(default, alias = "limits")]
    limits_asked: Option<Value>,
    #[serde(default)]
    limits_applied: Option<Value>,
    #[serde(default)]
    holds: Option<bool>,
}

/// Of `fresco-verify/1`.
#[derive(Deserialize)]
struct OfProcess {
    pid: u32,
    program: String,
    asked: String,
    limits_asked: Option<Value>,
    limits_applied: Option<Value>,
    total: Counts,
}

#[derive(Deserialize)]
struct Counts {
    pages: u64,
    inside: u64,
    share: Option<f64>,
}

/// Reads the record, and keeps a copy of it in the folder. Of several documents, as `--watch` writes them, the last one counts.
///
/// # Errors
/// It is no such record, or of another plan, or of colors that no task has.
pub fn read(path: &Path, subject: &mut Subject, partition: &PartitionFacts) -> Result<LiveFacts, InputError> {
    let name = file_name(path);
    let text = read_file(path)?;
    let wrong = |field: &str, found: String, allowed: &str| {
        InputError::new(name.clone(), found)
            .in_field(field)
            .allowed(allowed)
            .help("write it with `fresco verify PLAN.json --json` while the tasks run, and name the same plan here")
    };
    let documents: Result<Vec<File>, _> = serde_json::Deserializer::from_str(&text).into_iter().collect();
    let documents = documents.map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(0);
        wrong(
            "--live",
            format!("found no record: {error}"),
            "what `fresco verify --json` wrote",
        )
        .at_line(line)
    })?;
    let Some(File {
        schema,
        provenance,
        data,
    }) = documents.into_iter().next_back()
    else {
        return Err(wrong(
            "--live",
            "found nothing".to_owned(),
            "what `fresco verify --json` wrote",
        ));
    };
    let bad = |error: serde_json::Error| {
        wrong(
            "data",
            format!("found no {schema}: {error}"),
            "the fields of this schema",
        )
    };
    let (ran, processes) = match schema.as_str() {
        "fresco-verify-plan/1" | "fresco-run-plan/1" => {
            let ran = schema == "fresco-verify-plan/1";
            let of_plan: OfPlan = serde_json::from_value(data).map_err(bad)?;
            let of = provenance.inputs.first();
            if subject.plan.is_none() || of.is_none_or(|of| of.digest != subject.file.digest) {
                let found = of.map_or("found no plan".to_owned(), |of| {
                    format!("found a record of {} (digest {})", of.name, of.digest)
                });
                let allowed = format!("a record of {} (digest {})", subject.file.name, subject.file.digest);
                return Err(wrong("provenance.inputs", found, &allowed));
            }
            let known = |name: &str| {
                partition
                    .parts
                    .iter()
                    .flat_map(|part| &part.owners)
                    .any(|owner| owner == name)
            };
            if let Some(task) = of_plan.tasks.iter().find(|task| !known(&task.task)) {
                return Err(wrong(
                    "data.tasks",
                    format!("found {:?}", task.task),
                    "tasks of the plan",
                ));
            }
            (ran, of_plan.tasks.iter().map(|task| task.process(ran)).collect())
        }
        "fresco-verify/1" => {
            let process: OfProcess = serde_json::from_value(data).map_err(bad)?;
            let tasks = with_colors(&process.asked, subject, partition);
            if tasks.is_empty() {
                let allowed = "colors of a task: banks and llc as in the partition";
                return Err(wrong("data.asked", format!("found {}", process.asked), allowed));
            }
            (true, vec![process.process(tasks)])
        }
        other => {
            return Err(wrong(
                "schema",
                format!("found {other:?}"),
                "fresco-verify-plan/1, fresco-verify/1 or fresco-run-plan/1",
            ));
        }
    };
    let what = "requested, applied and measured, as it was given";
    subject.copies.add(FILE, text.into_bytes(), what);
    subject.read.push(path.to_owned());
    Ok(LiveFacts {
        file: FILE.to_owned(),
        schema,
        ran,
        processes,
    })
}

/// Tasks whose memory has these colors, `banks=0-3,llc=0-15`.
fn with_colors(asked: &str, subject: &Subject, partition: &PartitionFacts) -> Vec<String> {
    let all = |count: u32| fresco_dram::color::format_list(&(0..count).collect::<Vec<u32>>());
    let space = &subject.space;
    let text = |colors: &str, count: u32| match colors {
        "all" => all(count),
        colors => colors.to_owned(),
    };
    let has = |part: &&super::facts::PartFacts| {
        let banks = text(&part.bank_colors, space.bank_colors());
        let llc = text(&part.llc_colors, space.llc_colors());
        asked == format!("banks={banks},llc={llc}")
    };
    let parts = partition.parts.iter().filter(has);
    parts.flat_map(|part| part.owners.clone()).collect()
}

/// Limits as people read them.
fn limits(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => "no classes of limits".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => match serde_json::from_value::<Limits>(value.clone()) {
            Ok(limits) => limits.to_string(),
            Err(_) => value.to_string(),
        },
    }
}

fn pages(pages: u64, inside: u64, share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{inside} of {pages} pages have these colors, {:.3} %", share * 100.0),
        None => "no pages".to_owned(),
    }
}

impl Task {
    fn process(&self, ran: bool) -> LiveProcess {
        let cpus = |cpus: &Option<String>| cpus.clone().unwrap_or_else(|| "any".to_owned());
        let runs = ran && self.pid.is_some();
        let nothing = || "nothing: it did not run".to_owned();
        LiveProcess {
            tasks: vec![self.task.clone()],
            pid: self.pid,
            program: self.program.clone().unwrap_or_default(),
            requested: format!(
                "{}; processors {}; limits: {}",
                self.asked,
                cpus(&self.cpus_asked),
                limits(self.limits_asked.as_ref())
            ),
            applied: match runs {
                true => format!(
                    "processors {}; limits: {}",
                    cpus(&self.cpus_applied),
                    limits(self.limits_applied.as_ref())
                ),
                false => nothing(),
            },
            measured: match runs {
                true => pages(self.pages, self.inside, self.share),
                false => nothing(),
            },
            holds: self.holds.filter(|_| runs),
        }
    }
}

impl OfProcess {
    fn process(&self, tasks: Vec<String>) -> LiveProcess {
        let asked = self.limits_asked.as_ref();
        let read = |value: Option<&Value>| value.and_then(|value| serde_json::from_value::<Limits>(value.clone()).ok());
        let applied = read(self.limits_applied.as_ref());
        let within = read(asked).is_none_or(|asked| crate::verbs::verify::within(&asked, applied.as_ref()));
        LiveProcess {
            tasks,
            pid: Some(self.pid),
            program: self.program.clone(),
            requested: format!("{}; limits: {}", self.asked, limits(asked)),
            applied: format!("limits: {}", limits(self.limits_applied.as_ref())),
            measured: pages(self.total.pages, self.total.inside, self.total.share),
            holds: Some(within && self.total.share.is_none_or(|share| share >= LEAST)),
        }
    }
}
