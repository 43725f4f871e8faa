// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values of a plan in words.

use super::report::Violation;
use fresco_rt::Task;
use fresco_rt::certificate::Refuted;
use serde::Serialize;
use serde_json::Value;

/// A value that a plan may leave out, with the word that it is named by.
pub(super) fn named(what: &str, value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(|| format!("no {what}"), |value| format!("{what} {value}"))
}

/// A time in nanoseconds that there may not be.
pub(super) fn nanoseconds(time: Option<u64>) -> String {
    time.map_or_else(|| "no time".to_owned(), |time| format!("{time} ns"))
}

/// A fact of a certificate for `tasks` that does not hold: tasks by name, times with their unit.
pub(super) fn refuted<'t>(place: &str, tasks: impl IntoIterator<Item = &'t Task>, fact: Refuted) -> Violation {
    let names: Vec<&str> = tasks.into_iter().map(|task| task.name.as_str()).collect();
    let all = names.join(", ");
    let fact = match fact {
        Refuted::Horizon => format!("the horizon does not bound the deadlines to look at, those of {all}"),
        Refuted::Gap(t) => format!("a deadline above {t} ns is left out, of {all}"),
        Refuted::Short(t) => format!("the demand of an interval of {t} ns is not supplied, that of {all}"),
        Refuted::Unfinished(t) => format!("deadlines below {t} ns are left out, of {all}"),
        Refuted::Ranking => format!("the ranking or the responses do not fit the tasks, which are {all}"),
        Refuted::Response(task) => {
            format!(
                "{} is not served within its deadline",
                names.get(task).unwrap_or(&"a task")
            )
        }
        Refuted::Density => format!("densities exceed what the cores bear, those of {all}"),
    };
    Violation::new(place, fact)
}

/// Numbers of colors.
pub(super) fn colors(colors: &[usize]) -> String {
    let list: Vec<String> = colors.iter().map(usize::to_string).collect();
    match list.as_slice() {
        [] => "no color".to_owned(),
        [one] => format!("color {one}"),
        many => format!("colors {}", many.join(", ")),
    }
}

/// The fields of which two values differ, and what each has.
pub(super) fn differences(plan: &impl Serialize, actual: &impl Serialize) -> String {
    let (Ok(Value::Object(plan)), Ok(Value::Object(actual))) =
        (serde_json::to_value(plan), serde_json::to_value(actual))
    else {
        return "differs".to_owned();
    };
    let differ = actual.iter().filter(|(key, value)| plan.get(*key) != Some(value));
    let differ = differ.map(|(key, value)| {
        let planned = plan.get(key).map_or_else(|| "left out".to_owned(), Value::to_string);
        format!("{key} is {planned}, of the machine {value}")
    });
    differ.collect::<Vec<_>>().join("; ")
}
