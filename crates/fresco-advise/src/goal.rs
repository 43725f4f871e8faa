// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a task must keep.

use fresco_input::{Document, InputError, Item, closest, quoted};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The goal of one measured task. A periodic task must also meet its deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// Most that its instructions per cycle alone on the machine may be above those beside the others, as a ratio.
    pub max_slowdown: f64,
    /// Bandwidth that it must have, in bytes per second of its own traffic.
    pub bandwidth_bytes_per_s: Option<u64>,
    /// Longest that one of its reads may take in a controller under attack, in picoseconds.
    pub read_ps: Option<u64>,
}

/// The goals of all measured tasks, by name.
pub type Goals = BTreeMap<String, Goal>;

/// Reads `NAME:slowdown=1.2`, `NAME:bandwidth=500MB/s` and `NAME:read=500ns`; `slowdown` holds for tasks of which nothing is said.
///
/// # Errors
/// No such form, an unknown task, a value out of range.
pub fn read(texts: &[String], slowdown: f64, tasks: &[String]) -> Result<Goals, InputError> {
    let usual = Goal {
        max_slowdown: slowdown,
        bandwidth_bytes_per_s: None,
        read_ps: None,
    };
    let mut goals: Goals = tasks.iter().map(|task| (task.clone(), usual)).collect();
    let mut told = BTreeSet::new();
    for text in texts {
        let error = |found: String| InputError::new(format!("--goal {text}"), found);
        let parts = text
            .split_once(':')
            .and_then(|(task, rest)| Some((task, rest.split_once('=')?)));
        let Some((task, (what, value))) = parts else {
            return Err(error("found no NAME:WHAT=VALUE".to_owned())
                .allowed("NAME:slowdown=1.2, NAME:bandwidth=500MB/s, NAME:read=500ns")
                .help("name a measured task, then what it must keep"));
        };
        let Some(goal) = goals.get_mut(task) else {
            let help = closest(task, tasks.iter().map(String::as_str));
            let help = help.map_or_else(
                || "name a measured task".to_owned(),
                |near| format!("did you mean {near:?}?"),
            );
            return Err(error(format!("found the task {task:?}"))
                .allowed(tasks.join(", "))
                .help(help));
        };
        if !told.insert((task.to_owned(), what.to_owned())) {
            return Err(error(format!("found a second {what} for {task:?}"))
                .allowed("each goal of a task once")
                .help("keep one of them"));
        }
        match what {
            "slowdown" => {
                let ratio = value
                    .parse::<f64>()
                    .ok()
                    .filter(|ratio| LEAST_SLOWDOWN <= *ratio && *ratio <= MOST_SLOWDOWN);
                goal.max_slowdown = ratio.ok_or_else(|| {
                    error(format!("found {value:?}"))
                        .allowed("a ratio from 1 to 1000")
                        .help("write how many times slower the task may become: 1.1 is the 10 % rule (BPM-18)")
                })?;
            }
            "bandwidth" => {
                let most = 10_000_000_000_000;
                goal.bandwidth_bytes_per_s = Some(of_file(what, value, &error, |item| item.bandwidth(1..=most))?);
            }
            "read" => {
                goal.read_ps = Some(of_file(what, value, &error, |item| {
                    item.duration(LEAST_READ..=MOST_READ)
                })?);
            }
            _ => {
                return Err(error(format!("found the goal {what:?}"))
                    .allowed("slowdown, bandwidth, read")
                    .help("deadlines of periodic tasks are goals by themselves"));
            }
        }
    }
    Ok(goals)
}

/// A value as scenarios have it.
fn of_file(
    what: &str,
    value: &str,
    error: &dyn Fn(String) -> InputError,
    read: impl Fn(&Item<'_>) -> Result<u64, InputError>,
) -> Result<u64, InputError> {
    let document = Document::parse("", &format!("{what} = {}", quoted(value)))?;
    read(&document.root().item(what, "")?).map_err(|wrong| {
        error(wrong.found.clone())
            .allowed(wrong.allowed.clone())
            .help(wrong.help.clone())
    })
}

/// A nanosecond and a second, in picoseconds.
const LEAST_READ: u64 = 1_000;
const MOST_READ: u64 = 1_000_000_000_000;
const LEAST_SLOWDOWN: f64 = 1.0;
const MOST_SLOWDOWN: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Vec<String> {
        ["a", "b"].map(str::to_owned).to_vec()
    }

    #[test]
    fn goals_hold_for_the_tasks_they_name() {
        let texts = ["a:slowdown=1.5", "a:bandwidth=500 MB/s", "b:read=2 us"].map(str::to_owned);
        let goals = read(&texts, 1.1, &tasks()).expect("goals");
        assert_eq!(
            (goals["a"].max_slowdown, goals["a"].bandwidth_bytes_per_s),
            (1.5, Some(500_000_000))
        );
        assert_eq!((goals["b"].max_slowdown, goals["b"].bandwidth_bytes_per_s), (1.1, None));
        assert_eq!((goals["a"].read_ps, goals["b"].read_ps), (None, Some(2_000_000)));
    }

    #[test]
    fn a_goal_is_told_once() {
        let twice = ["a:slowdown=1.1", "a:bandwidth=1 GB/s", "a:slowdown=1.2"].map(str::to_owned);
        let error = read(&twice, 1.1, &tasks()).expect_err("two slowdowns").to_string();
        assert!(error.contains("second slowdown for \"a\""), "{error}");
    }

    #[test]
    fn wrong_goals_are_refused_with_a_cure() {
        for (text, part) in [
            ("a", "NAME:slowdown"),
            ("c:slowdown=2", "a, b"),
            ("a:slowdown=0.5", "1 to 1000"),
            ("a:slowdown=nan", "1 to 1000"),
            ("a:speed=2", "slowdown, bandwidth, read"),
            ("a:read=0 ns", "--goal a:read"),
            ("a:read=2 s", "--goal a:read"),
            ("a:bandwidth=many", "--goal"),
        ] {
            let error = read(&[text.to_owned()], 1.1, &tasks()).expect_err(text).to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
