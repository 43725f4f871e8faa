// SPDX-License-Identifier: MIT OR Apache-2.0
//! The two sides of a comparison: what they are called, and which values of axes (`--by`) are of each.

use super::samples::{Measured, Samples, plain};
use fresco_input::{InputError, closest};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// What scenarios are told apart by, as if it were an axis.
const SCENARIO: &str = "scenario";
/// Values of an axis that an error lists.
const MOST_VALUES: usize = 12;

/// What one side is.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// What it is called beside the other.
    pub label: String,
    /// The file with its values.
    pub file: String,
    /// Axes that are compared, and its values on them; an empty one where it has none.
    pub by: Vec<(String, String)>,
    /// Rows of its file, of the metrics that are asked for, without a value: they are left out.
    pub missing_values: usize,
}

impl Side {
    /// In full: the file, and which values of it.
    pub fn whole(&self) -> String {
        let values = self.by.iter().map(|(axis, value)| format!(", {}", named(axis, value)));
        format!("{}{}", self.file, values.collect::<String>())
    }
}

/// A value of an axis in words.
pub fn named(axis: &str, value: &str) -> String {
    match value {
        "" => format!("no {axis}"),
        _ => format!("{axis} {value}"),
    }
}

/// An axis, and its values on both sides.
#[derive(Debug, PartialEq, Eq)]
struct Choice {
    axis: String,
    values: [String; 2],
}

impl Choice {
    /// Reads `AXIS=VALUE,VALUE`. Values may have commas: that one parts them which leaves a value of the first side before it and one of the second
    /// after it. An empty value is that of what has none on the axis.
    fn read(given: &str, sides: [&Samples; 2]) -> Result<Self, InputError> {
        let (axis, text) = given.split_once('=').unwrap_or((given, ""));
        let error = |found: String| InputError::new("--by", found);
        let axes: BTreeSet<&str> = sides.iter().flat_map(|side| side.keys()).flat_map(axes).collect();
        if !axes.contains(axis) {
            let help = match closest(axis, axes.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None => "choose one of these, as --by AXIS=VALUE,VALUE".to_owned(),
            };
            let all: Vec<&str> = axes.into_iter().collect();
            return Err(error(format!("found {axis:?}, which nothing varies"))
                .allowed(all.join(", "))
                .help(help));
        }
        let there = sides.map(|side| side.keys().map(|of| of.on(axis)).collect::<BTreeSet<&str>>());
        let parted = text
            .match_indices(',')
            .map(|(at, _)| [&text[..at], &text[at + 1..]].map(|part| plain(part.trim())));
        let mut fitting = parted.filter(|[a, b]| there[0].contains(a.as_str()) && there[1].contains(b.as_str()));
        match (fitting.next(), fitting.next()) {
            (Some(values), None) => Ok(Self {
                axis: axis.to_owned(),
                values,
            }),
            (Some([a, b]), Some([c, d])) => Err(error(format!(
                "found {text:?}, which is {a:?} and {b:?} or {c:?} and {d:?}"
            ))
            .in_field(axis)
            .allowed("two values that only one comma parts")
            .help("call one of them otherwise: give the axis named variants")),
            (None, _) => {
                let all = match there[0] == there[1] {
                    true => listed(&there[0]),
                    false => format!("one of {} for A, one of {} for B", listed(&there[0]), listed(&there[1])),
                };
                Err(error(format!("found {text:?}"))
                    .in_field(axis)
                    .allowed(format!("two values, with a comma between them: {all}"))
                    .help(format!(
                        "write --by '{axis}=VALUE,VALUE': the first is compared with the second"
                    )))
            }
        }
    }
}

/// The axes of something measured.
fn axes(of: &Measured) -> impl Iterator<Item = &str> {
    of.axes.iter().map(|(axis, _)| axis.as_str()).chain([SCENARIO])
}

/// Values of an axis: numbers in their order, others by the alphabet.
fn listed(values: &BTreeSet<&str>) -> String {
    let mut all: Vec<&str> = values.iter().copied().collect();
    let number = |value: &str| value.parse::<f64>().unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| number(a).total_cmp(&number(b)));
    let mut names: Vec<String> = all.iter().take(MOST_VALUES).map(|value| format!("{value:?}")).collect();
    if all.len() > MOST_VALUES {
        names.push(format!("{} others", all.len() - MOST_VALUES));
    }
    names.join(", ")
}

impl Measured {
    /// Its value on an axis, empty if there is none.
    fn on(&self, axis: &str) -> &str {
        if axis == SCENARIO {
            return &self.scenario;
        }
        let own = self.axes.iter().find(|(name, _)| name == axis);
        own.map_or("", |(_, value)| value)
    }

    /// Takes an axis away.
    fn leave(&mut self, axis: &str) {
        self.axes.retain(|(name, _)| name != axis);
        if axis == SCENARIO {
            self.scenario.clear();
            // A run is called like its scenario.
            if self.subject_kind == "run" {
                self.subject.clear();
            }
        }
    }
}

/// Both sides, of `samples` that were read from the files that the `paths` mean, or twice from one; and their samples, without the axes that are
/// compared.
///
/// # Errors
/// An axis of `by` or a value is unknown, or an axis is named twice.
pub fn of(
    paths: [&Path; 2],
    files: [&Path; 2],
    by: &[String],
    samples: [&Samples; 2],
) -> Result<([Side; 2], [Samples; 2]), InputError> {
    let mut choices: Vec<Choice> = Vec::new();
    for given in by {
        let choice = Choice::read(given, samples)?;
        if choices.iter().any(|other| other.axis == choice.axis) {
            let error = InputError::new("--by", "found it twice").in_field(choice.axis);
            return Err(error.allowed("each axis once").help("remove one of them"));
        }
        choices.push(choice);
    }
    let side = |number: usize| {
        let by = choices
            .iter()
            .map(|choice| (choice.axis.clone(), choice.values[number].clone()));
        let different = choices.iter().filter(|choice| choice.values[0] != choice.values[1]);
        let mut label: Vec<String> = different
            .map(|choice| named(&choice.axis, &choice.values[number]))
            .collect();
        if paths[0] != paths[1] || label.is_empty() {
            label.insert(0, paths[number].display().to_string());
        }
        Side {
            label: label.join(", "),
            file: files[number].display().to_string(),
            by: by.collect(),
            missing_values: 0,
        }
    };
    let chosen = |number: usize| {
        let mut own = Samples::new();
        for (of, values) in samples[number] {
            if choices
                .iter()
                .all(|choice| of.on(&choice.axis) == choice.values[number])
            {
                let mut of = of.clone();
                choices.iter().for_each(|choice| of.leave(&choice.axis));
                own.insert(of, values.clone());
            }
        }
        own
    };
    Ok(([side(0), side(1)], [chosen(0), chosen(1)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One value of each point: its values on the axes `policy` and `banks`.
    fn samples(points: &[(&str, &str)]) -> Samples {
        let of = |(number, (policy, banks)): (usize, &(&str, &str))| {
            let axes =
                [("banks", banks), ("policy", policy)].map(|(axis, value)| (axis.to_owned(), (*value).to_owned()));
            let of = Measured {
                scenario: "s".to_owned(),
                axes: axes.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
                subject_kind: "run".to_owned(),
                subject: "s".to_owned(),
                ..Measured::default()
            };
            (of, vec![number as f64])
        };
        points.iter().enumerate().map(of).collect()
    }

    fn choice(given: &str, a: &Samples, b: &Samples) -> Result<[String; 2], String> {
        Choice::read(given, [a, b])
            .map(|choice| choice.values)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_comma_between_two_values_is_found() {
        let all = samples(&[("buddy", "0-3,8"), ("palloc", "4"), ("7", "4,5"), ("", "0-3")]);
        let found = |given| choice(given, &all, &all).expect("two values");
        assert_eq!(found("policy=buddy,palloc"), ["buddy", "palloc"]);
        assert_eq!(found("policy=7.0, buddy"), ["7", "buddy"]);
        assert_eq!(found("banks=0-3,8,4"), ["0-3,8", "4"]);
        assert_eq!(found("banks=4,0-3,8"), ["4", "0-3,8"]);
        assert_eq!(found("policy=,palloc"), ["", "palloc"]);
        assert_eq!(found("scenario=s,s"), ["s", "s"]);
        let two = samples(&[("", "a"), ("", "a,b"), ("", "b,c"), ("", "c")]);
        let told = choice("banks=a,b,c", &two, &two).expect_err("two ways to read it");
        assert!(told.contains(r#""a" and "b,c" or "a,b" and "c""#), "{told}");
    }

    #[test]
    fn errors_name_what_there_is() {
        let (a, b) = (samples(&[("buddy", "10"), ("palloc", "9")]), samples(&[("bpm", "9")]));
        let told = |given| choice(given, &a, &b).expect_err("is refused");
        let found = told("polcy=buddy,bpm");
        assert!(
            found.contains("banks, policy, scenario") && found.contains("did you mean \"policy\"?"),
            "{found}"
        );
        let found = told("policy=buddy,palloc");
        assert!(
            found.contains(r#"one of "buddy", "palloc" for A, one of "bpm" for B"#),
            "{found}"
        );
        assert!(told("banks").contains(r#"one of "9", "10" for A"#));
        let paths = [Path::new("a"); 2];
        let found = of(paths, paths, &["banks=9,9", "banks=9,9"].map(str::to_owned), [&a, &b]).expect_err("is refused");
        assert!(found.to_string().contains("twice"), "{found}");
    }

    #[test]
    fn what_is_compared_is_no_key() {
        let all = samples(&[("buddy", "1"), ("palloc", "1"), ("buddy", "2"), ("", "1")]);
        let by = ["policy=buddy,palloc".to_owned()];
        let here = [Path::new("d"); 2];
        let ([a, b], [first, second]) = of(here, here, &by, [&all, &all]).expect("two sides");
        assert_eq!((a.label.as_str(), b.label.as_str()), ("policy buddy", "policy palloc"));
        let plain = |samples: Samples| {
            let axes = |(of, values): (Measured, Vec<f64>)| (of.axes, values);
            samples.into_iter().map(axes).collect::<Vec<_>>()
        };
        let banks = |value: &str| vec![("banks".to_owned(), value.to_owned())];
        assert_eq!(plain(first), [(banks("1"), vec![0.0]), (banks("2"), vec![2.0])]);
        assert_eq!(plain(second), [(banks("1"), vec![1.0])]);
        // Several axes, one with the same value on both sides, of two paths.
        let by = ["policy=buddy,".to_owned(), "banks=1,1".to_owned()];
        let ([a, b], [first, second]) =
            of([Path::new("d"), Path::new("e")], here, &by, [&all, &all]).expect("two sides");
        assert_eq!(
            (a.label.as_str(), b.label.as_str()),
            ("d, policy buddy", "e, no policy")
        );
        assert_eq!(
            (plain(first), plain(second)),
            (vec![(vec![], vec![0.0])], vec![(vec![], vec![3.0])])
        );
        // Without their names two scenarios are alike, and so are their runs.
        let ([_, b], [_, second]) = of(here, here, &["scenario=s,s".to_owned()], [&all, &all]).expect("two sides");
        assert_eq!(b.whole(), "d, scenario s");
        assert!(second.keys().all(|of| of.scenario.is_empty() && of.subject.is_empty()));
    }
}
