// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of cyclic executives (Colored Refresh): inputs `tasks`, `R`, `K`, and any of the answers `L`, `U` and
//! `candidates` (or `cands`), one for each color frame.

mod candidate;

use serde_json::{Value, json};

use super::json::{Record, compare};
use super::{Difference, RecordError};
use crate::executive::{Cores, Effort, Problem, Rotation, Slicing, candidates, lossless_frame};
use crate::task::{Task, hyperperiod};
use crate::time::{Time, gcd, lcm};
use candidate::candidate;

const INPUTS: [&str; 4] = ["id", "tasks", "R", "K"];

/// What a record asks about.
struct Inputs {
    tasks: Vec<Task>,
    /// Memory of each task in halves of a rank, 0 if not given.
    memory: Vec<u64>,
    retention: Time,
    ranks: usize,
}

/// How one co-assignment went: for benchmarks.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Field that was decided.
    pub field: &'static str,
    /// `feasible`, `infeasible` or `unknown`.
    pub verdict: &'static str,
    /// Work of the search.
    pub effort: Effort,
}

/// Computes every recorded answer again and returns those that differ. Where the record says `unknown`, any verdict is
/// equal; recorded witnesses are checked, and so are those found here, by the checker of tables.
///
/// # Errors
/// If an input is missing or impossible.
pub fn compare_record(value: &Value) -> Result<Vec<Difference>, RecordError> {
    compare_named(Record::new(value))
}

/// As [`compare_record`], of a record that may have its name from its file.
pub(super) fn compare_named(record: Record) -> Result<Vec<Difference>, RecordError> {
    let fields = record
        .value()
        .as_object()
        .ok_or_else(|| record.error("", "a record is an object"))?;
    let inputs = read(&record)?;
    let mut differences = Vec::new();
    for (name, expected) in fields.iter().filter(|(name, _)| !INPUTS.contains(&name.as_str())) {
        let found = match name.as_str() {
            "L" => json!(length(&record, &inputs)?),
            "U" => utilization(&record, &inputs)?,
            "candidates" | "cands" => {
                let recorded = expected
                    .as_array()
                    .ok_or_else(|| record.error(name, "a list is needed"))?;
                let rotations = candidates(inputs.retention, inputs.ranks);
                let answers = rotations.iter().enumerate().map(|(i, rotation)| {
                    let recorded = recorded.get(i).unwrap_or(&Value::Null);
                    candidate(&record, &inputs, *rotation, recorded, &mut |_| {})
                });
                Value::Array(answers.collect::<Result<_, _>>()?)
            }
            _ => Value::Null,
        };
        compare(record.id(), name, expected, &found, &mut differences);
    }
    Ok(differences)
}

/// Decides every co-assignment of a record and tells how each went.
///
/// # Errors
/// As of [`compare_record`].
pub fn decisions(value: &Value) -> Result<Vec<Decision>, RecordError> {
    let record = Record::new(value);
    let inputs = read(&record)?;
    let mut decisions = Vec::new();
    let recorded = json!({"one_color": null, "one_color_private": null, "two_instances": null});
    for rotation in candidates(inputs.retention, inputs.ranks) {
        candidate(&record, &inputs, rotation, &recorded, &mut |decision| {
            decisions.push(decision)
        })?;
    }
    Ok(decisions)
}

fn read(record: &Record) -> Result<Inputs, RecordError> {
    let tasks = record.tasks("tasks")?;
    let memory = record.memory("tasks")?;
    let retention = record.time("R")?;
    let ranks = record.time("K")?;
    if retention == 0 || !(2..=1024).contains(&ranks) || tasks.is_empty() {
        return Err(record.error("K", "at least one task, R from 1 and K from 2 to 1024 are needed"));
    }
    Ok(Inputs {
        tasks,
        memory,
        retention,
        ranks: ranks as usize,
    })
}

/// The problem of a record in frames of a color, one of each rank: what the tables of colors are about.
pub(super) fn problem_of(record: &Record) -> Result<Problem, RecordError> {
    let inputs = read(record)?;
    let rotation = Rotation::frames(inputs.retention, inputs.ranks).map_err(|error| record.error("K", error))?;
    let slicing = Slicing::Frames(lossless_frame(&inputs.tasks, rotation.frame()));
    Problem::new(&inputs.tasks, rotation, Cores::ONE, slicing).map_err(|error| record.error("tasks", error))
}

fn length(record: &Record, inputs: &Inputs) -> Result<Time, RecordError> {
    let length = hyperperiod(&inputs.tasks).and_then(|turn| lcm(turn, inputs.retention));
    length.map_err(|error| record.error("tasks", error))
}

/// Sum of `e / p` in lowest terms.
fn utilization(record: &Record, inputs: &Inputs) -> Result<Value, RecordError> {
    let turn = hyperperiod(&inputs.tasks).map_err(|error| record.error("tasks", error))?;
    let work = inputs
        .tasks
        .iter()
        .map(|task| u128::from(task.wcet) * u128::from(turn / task.period))
        .sum::<u128>();
    let work = Time::try_from(work).map_err(|_| record.error("tasks", "the utilisation is too large"))?;
    let common = gcd(work, turn);
    Ok(json!([work / common, turn / common]))
}
