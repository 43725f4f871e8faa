// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a command line that stand for programs.

use fresco_input::{InputError, closest, is_standard_input};
use std::path::Path;

/// A word, and after its last comma how many copies of it run.
pub(super) fn copies_of(word: &str) -> Result<(&str, u32), InputError> {
    match word.rsplit_once(',') {
        Some((program, copies)) if !copies.is_empty() && copies.bytes().all(|byte| byte.is_ascii_digit()) => {
            match copies.parse() {
                Ok(copies @ 1..=1024) => Ok((program, copies)),
                _ => Err(
                    InputError::new(format!("--beside {word}"), format!("found {copies} copies"))
                        .allowed("1 to 1024, and as many as there are cores")
                        .help("write the number after a comma: noise.ftrace,3"),
                ),
            }
        }
        _ => Ok((word, 1)),
    }
}

/// The program that a word names, and the file that it replays.
pub(super) fn program_of(option: &str, word: &str) -> Result<(String, Option<String>), InputError> {
    if is_standard_input(word) {
        let place = format!("{option}{word}").trim_start().to_owned();
        return Err(
            InputError::new(place, "found standard input, which can be read only once")
                .allowed("a file: a trace is read once for its extent, and again for each pass")
                .help("save it as a file first"),
        );
    }
    if word.contains(['/', '.']) {
        return Ok(("trace".to_owned(), Some(word.to_owned())));
    }
    let names = || {
        fresco_load::programs()
            .iter()
            .map(|kind| kind.name)
            .filter(|name| !["trace", "live"].contains(name))
    };
    if names().any(|name| name == word) {
        return Ok((word.to_owned(), None));
    }
    let help = match closest(word, names()) {
        Some(near) => format!("did you mean {near}? A file is ./{word}"),
        None => format!("write ./{word} if it is a file"),
    };
    let place = format!("{option}{word}").trim_start().to_owned();
    let names: Vec<&str> = names().collect();
    Err(InputError::new(place, "found no program of this name")
        .allowed(format!(
            "the path of a trace, with a \"/\" or a \".\", or {}",
            names.join(", ")
        ))
        .help(help))
}

/// Longest name that a word gives: room for a number, and for that of a copy.
const LONGEST: usize = 50;

/// What a task is called: its file without directory and endings, in the letters that names have.
pub(super) fn task_name(word: &str) -> String {
    let file = Path::new(word)
        .file_name()
        .map_or(word.into(), |name| name.to_string_lossy());
    let packed = [".gz", ".zst", ".xz"]
        .iter()
        .find_map(|ending| file.strip_suffix(ending));
    let file = packed.unwrap_or(&file);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '-'
        }
    };
    let name: String = stem.chars().map(letter).take(LONGEST).collect();
    let name = name.trim_matches(['.', '-']);
    match name.bytes().all(|byte| byte.is_ascii_digit()) {
        true => format!("trace{name}"),
        false => name.to_owned(),
    }
}

/// The name, numbered if another task has it.
pub(super) fn unused(name: String, taken: &[String]) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !taken.contains(name)).unwrap_or(name)
}

/// The name of a scenario: small letters.
pub(super) fn scenario_name(task: &str) -> String {
    task.to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_names() {
        for (word, name) in [
            ("victim.ftrace", "victim"),
            ("a/b/400.perlbench.ftrace", "400.perlbench"),
            ("x.txt.gz", "x"),
            ("./plain", "plain"),
            ("./7.ftrace", "trace7"),
            (".ftrace", "trace"),
            ("two words.ftrace", "two-words"),
        ] {
            assert_eq!(task_name(word), name);
        }
        assert_eq!(unused("a".to_owned(), &["a", "a-2"].map(str::to_owned)), "a-3");
    }
}
