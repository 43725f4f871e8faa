// SPDX-License-Identifier: MIT OR Apache-2.0
//! The answers about one color frame.

use serde_json::{Map, Value, json};

use super::super::RecordError;
use super::super::json::Record;
use super::{Decision, Inputs};
use crate::executive::{
    Answer, CoAssign, Cores, Effort, Needs, Problem, ProblemError, Rotation, Rules, Slicing, burst_fits,
    lossless_frame, memory_flow,
};
use crate::refresh::{Burst, Density};
use crate::time::Time;

/// All answers about one color frame; co-assignments only if recorded, because they are long.
pub(super) fn candidate(
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
        return json!("not a color for each task");
    }
    let mut distinct = colors.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if private && distinct.len() < colors.len() {
        return json!("a color is shared");
    }
    match problem.place(|job, color| colors[job.task] == Some(color as u64)) {
        Ok(_) => recorded.clone(),
        Err(bottleneck) => json!(bottleneck.to_string()),
    }
}
