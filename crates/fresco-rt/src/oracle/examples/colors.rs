// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables of colors: whether each task can keep away from the colors listed for it, all at the same time.

use serde_json::{Map, Value, json};

use super::super::executive::problem_of;
use super::super::json::{Record, compare};
use super::super::{Difference, RecordError};
use crate::executive::Problem;

/// Colors of Table 4.6 that the tasks after the first keep away from.
const OTHERS: [u64; 4] = [1, 0, 2, 4];

/// `avail`, a list of colors for each task of the executive, and `feasible`.
pub(super) fn compare_sets(record: Record, tasks: &Value) -> Result<Vec<Difference>, RecordError> {
    let problem = problem_of(&Record::named(tasks, record.id()))?;
    let lists = record.field("avail")?;
    let rows = lists.as_array().filter(|rows| rows.len() == problem.tasks().len());
    let rows = rows.ok_or_else(|| {
        let message = format!("a list of colors for each of {} tasks is needed", problem.tasks().len());
        record
            .error("avail", message)
            .cured("write one list per task, empty if it avoids none")
    })?;
    let mut avoided = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let at = format!("avail[{i}]");
        let colors = row
            .as_array()
            .ok_or_else(|| record.error(&at, "a list of colors is needed"))?;
        let colors: Result<Vec<u64>, RecordError> = colors
            .iter()
            .map(|value| color(&record, &at, value, &problem))
            .collect();
        avoided.push(colors?);
    }
    let feasible = avoids(&problem, &avoided);
    let mut answers = Map::new();
    answers.insert("avail".into(), lists.clone());
    answers.insert("feasible".into(), json!(feasible));
    let mut differences = Vec::new();
    compare(
        record.id(),
        "",
        record.value(),
        &Value::Object(answers),
        &mut differences,
    );
    Ok(differences)
}

/// By color, whether the first task can keep away from it while the others keep away from those of Table 4.6.
pub(super) fn compare_single(record: Record, tasks: &Value) -> Result<Vec<Difference>, RecordError> {
    let problem = problem_of(&Record::named(tasks, record.id()))?;
    if problem.tasks().len() != OTHERS.len() + 1 {
        return Err(record
            .error("", format!("the executive has {} tasks, not 5", problem.tasks().len()))
            .cured("give the tasks of Table 4.4"));
    }
    let mut answers = Map::new();
    for key in record.value().as_object().into_iter().flat_map(Map::keys) {
        let parsed = key.parse::<u64>().map_or(Value::Null, Value::from);
        let own = color(&record, key, &parsed, &problem)?;
        let avoided: Vec<Vec<u64>> = [own].into_iter().chain(OTHERS).map(|color| vec![color]).collect();
        answers.insert(key.clone(), json!(avoids(&problem, &avoided)));
    }
    let mut differences = Vec::new();
    compare(
        record.id(),
        "",
        record.value(),
        &Value::Object(answers),
        &mut differences,
    );
    Ok(differences)
}

fn avoids(problem: &Problem, avoided: &[Vec<u64>]) -> bool {
    problem
        .place(|job, color| avoided[job.task].contains(&(color as u64)))
        .is_ok()
}

fn color(record: &Record, path: &str, value: &Value, problem: &Problem) -> Result<u64, RecordError> {
    let colors = problem.rotation().colors() as u64;
    value.as_u64().filter(|&color| color < colors).ok_or_else(|| {
        let message = format!("found {value}; colors are whole numbers from 0 to {}", colors - 1);
        record.error(path, message).cured("count colors from 0")
    })
}
