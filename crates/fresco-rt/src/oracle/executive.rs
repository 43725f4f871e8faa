// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records of cyclic executives (Colored Refresh): inputs `tasks`, `R`, `K`, and any of the answers `L`, `U` and
//! `candidates` (or `cands`), one for each colour frame.

use serde_json::{Map, Value, json};

use super::json::{Record, compare};
use super::{Difference, RecordError};
use crate::executive::{
    Answer, CoAssign, Cores, Effort, Needs, Problem, ProblemError, Rotation, Rules, Slicing, burst_fits, candidates,
    lossless_frame, memory_flow,
};
use crate::refresh::{Burst, Density};
use crate::task::{Task, hyperperiod};
use crate::time::{Time, gcd, lcm};

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
    let record = Record::new(value);
    let fields = value
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
    let memory = record.field("tasks")?.as_array().into_iter().flatten();
    let memory = memory
        .map(|task| task.get("mem").and_then(Value::as_u64).unwrap_or(0))
        .collect();
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

/// All answers about one colour frame; co-assignments only if recorded, because they are long.
fn candidate(
    record: &Record,
    inputs: &Inputs,
    rotation: Rotation,
    recorded: &Value,
    tell: &mut dyn FnMut(Decision),
) -> Result<Value, RecordError> {
    let failed = |error: ProblemError| record.error("tasks", error);
    let frame = rotation.frame();
    let pose = |slicing| Problem::new(&inputs.tasks, rotation, Cores::ONE, slicing).map_err(failed);
    let by_color_frame = pose(Slicing::Frames(frame))?;
    let s = lossless_frame(&inputs.tasks, frame);
    let problem = pose(Slicing::Frames(s))?;
    let rules = Rules::of(&inputs.tasks, frame, inputs.retention, inputs.ranks);
    let flow = |problem: &Problem| {
        let flow = problem.max_flow(|_, _| false);
        json!([flow.placed, flow.demand])
    };
    let mut answers = Map::new();
    let mut answer = |name: &str, value: Value| answers.insert(name.to_owned(), value);
    answer("f", json!(frame));
    answer("colors", json!(rotation.colors()));
    answer("s", json!(s));
    answer(
        "rules",
        json!({
            "r1": rules.short_frame, "r2": rules.divides_retention, "r3": rules.whole_frame_published,
            "r4": rules.multiple_of_rank_share, "r5": rules.unsliced,
        }),
    );
    let fits = Density::ALL.map(|density| {
        let burst = Burst::Standard.length(density);
        (format!("{}Gb", density.gigabits()), json!(burst_fits(frame, burst)))
    });
    answer("r6", Value::Object(fits.into_iter().collect()));
    answer("flow_at_f", flow(&by_color_frame));
    answer("flow_at_s", flow(&problem));
    if inputs.tasks.iter().all(|task| task.phase == 0) {
        let occupied = problem.occupied_colors(&problem.edf_fill().placement);
        let available: Vec<Vec<usize>> = occupied
            .iter()
            .map(|of| (0..rotation.colors()).filter(|color| !of.contains(color)).collect())
            .collect();
        let capacity = vec![(2 * inputs.ranks / rotation.colors()) as u64; rotation.colors()];
        let total: u128 = inputs.memory.iter().map(|&units| u128::from(units)).sum();
        answer(
            "edf_capacity_flow",
            json!([memory_flow(&inputs.memory, &capacity, &available), total]),
        );
        answer("edf_occupied", json!(occupied));
        if recorded.get("edf_occupied_at_f").is_some_and(Value::is_array) {
            answer(
                "edf_occupied_at_f",
                json!(by_color_frame.occupied_colors(&by_color_frame.edf_fill().placement)),
            );
        }
    }
    if let Ok(avoidable) = problem.avoidable_colors() {
        answer("avoidable", json!(avoidable));
    }
    let questions = [
        (
            "one_color",
            CoAssign::one_color(&problem),
            ["one_color_witness", "witness"],
        ),
        (
            "one_color_private",
            CoAssign::one_color_private(&problem),
            ["private_witness", ""],
        ),
        ("two_instances", CoAssign::instances(&problem, 2), ["", ""]),
    ];
    for (field, question, witnesses) in questions {
        let Some(expected) = recorded.get(field) else { continue };
        let private = field == "one_color_private";
        if private && inputs.tasks.len() > rotation.colors() {
            continue;
        }
        let (found, effort) = decide(&question, inputs.retention).map_err(failed)?;
        let verdict = found.as_ref().map_or_else(|wrong| wrong.as_str(), |&verdict| verdict);
        if let Ok(verdict) = found {
            tell(Decision { field, verdict, effort });
        }
        let value = if expected == "unknown" {
            expected.clone()
        } else {
            json!(verdict)
        };
        answer(field, value);
        for name in witnesses {
            if let Some(colors) = recorded.get(name).filter(|colors| colors.is_array()) {
                answer(name, witness(&problem, colors, private));
            }
        }
    }
    Ok(Value::Object(answers))
}

/// The verdict; or what is wrong with the table found, by the checker.
fn decide(question: &CoAssign, retention: Time) -> Result<(Result<&'static str, String>, Effort), ProblemError> {
    let (answer, effort) = question.solve()?;
    let verdict = match answer {
        Answer::Impossible(_) => Ok("infeasible"),
        Answer::Unknown => Ok("unknown"),
        Answer::Found(assignment) => {
            let needs = Needs {
                tasks: question.problem.tasks(),
                retention,
                burst: question.problem.rotation().blocked(),
                memory: &question.memory,
                capacity: &question.capacity,
            };
            let checked = assignment.table(question.problem).check(&needs);
            checked.map(|()| "feasible").map_err(|violation| violation.to_string())
        }
    };
    Ok((verdict, effort))
}

/// The recorded witness itself if it is one; else what is wrong with it.
fn witness(problem: &Problem, recorded: &Value, private: bool) -> Value {
    let colors: Vec<Option<u64>> = recorded.as_array().into_iter().flatten().map(Value::as_u64).collect();
    let known = |color: &Option<u64>| color.is_some_and(|color| color < problem.rotation().colors() as u64);
    if colors.len() != problem.tasks().len() || !colors.iter().all(known) {
        return json!("not a colour for each task");
    }
    let mut distinct = colors.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if private && distinct.len() < colors.len() {
        return json!("a colour is shared");
    }
    match problem.place(|job, color| colors[job.task] == Some(color as u64)) {
        Ok(_) => recorded.clone(),
        Err(bottleneck) => json!(bottleneck.to_string()),
    }
}
