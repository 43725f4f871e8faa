// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is built in, by the names that helps give to values: the lists are those by which the program finds it.

use super::words::{Candidate, Others};
use clap::{Arg, ValueHint};

/// What stands for a value of this name, besides files; `None` if nothing built in does.
fn of_value(name: &str) -> Option<Vec<Candidate>> {
    let plain = |word: &str| Candidate {
        word: word.to_owned(),
        about: String::new(),
    };
    let titled = |(word, title): (&str, String)| Candidate {
        word: word.to_owned(),
        about: title,
    };
    Some(match name {
        "MACHINE" => fresco_machine::builtin_names().map(plain).collect(),
        "SCENARIO" | "SCENARIO|PLAN" | "PLAN" => fresco_scenario::builtin_titles()
            .chain(fresco_scenario::builtin_task_sets())
            .map(titled)
            .collect(),
        "PROGRAM[,COPIES]" => fresco_load::programs()
            .iter()
            .map(|kind| titled((kind.name, kind.doc.to_owned())))
            .collect(),
        "RECIPE" => {
            let recipes = fresco_programs::recipes().unwrap_or_default();
            recipes.iter().map(|recipe| plain(&recipe.name)).collect()
        }
        _ => return None,
    })
}

/// Values of an argument beside `--on`, which has programs measured that are no scenario's.
pub fn on_machine(arg: &Arg) -> (Vec<Candidate>, Others) {
    match (first_name(arg), of_value("PROGRAM[,COPIES]")) {
        ("SCENARIO", Some(programs)) => (programs, Others::Files),
        _ => of(arg),
    }
}

fn first_name(arg: &Arg) -> &str {
    arg.get_value_names()
        .and_then(|names| names.first())
        .map_or("", |name| name.as_str())
}

/// Values of an argument: those of its choices, or what is built in.
pub fn of(arg: &Arg) -> (Vec<Candidate>, Others) {
    let name = first_name(arg);
    let choices: Vec<_> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| Candidate {
            word: value.get_name().to_owned(),
            about: value.get_help().map(ToString::to_string).unwrap_or_default(),
        })
        .collect();
    let built_in = of_value(name).filter(|_| choices.is_empty());
    let others = match (name, arg.get_value_hint()) {
        (_, ValueHint::DirPath) | ("DIR", _) => Others::Directories,
        (_, ValueHint::CommandWithArguments) => Others::Commands,
        ("RECIPE", _) => Others::Nothing,
        (_, ValueHint::AnyPath | ValueHint::FilePath) => Others::Files,
        (_, _) if built_in.is_some() || name.contains("FILE") || name.contains("PLAN") => Others::Files,
        _ => Others::Nothing,
    };
    (built_in.unwrap_or(choices), others)
}
