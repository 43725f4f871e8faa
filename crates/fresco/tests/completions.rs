// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco completions` as shells read it.

use crate::common::{refused_with, stdout};
use fresco_testing::{Need, skip};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// What the program says can stand in place of the last of `words`, as the scripts ask it: words, and what the shell knows.
fn offered(words: &[&str]) -> (Vec<String>, String) {
    let lines = stdout(
        &[&["completions", "bash", "--", "fresco"], words].concat(),
        Path::new("."),
    );
    let mut others = String::new();
    let mut found = Vec::new();
    for line in lines.lines() {
        match line.split_once('\t') {
            Some((word, _)) => found.push(word.to_owned()),
            None => others += line,
        }
    }
    (found, others)
}

/// Verbs and long options of a help, and those of its verbs, are offered; `count` counts them.
fn all_are_offered(words: &[&str], count: &mut usize) {
    let help = stdout(&[words, &["--help"]].concat(), Path::new("."));
    let verbs = offered(&[words, &[""]].concat()).0;
    let options = offered(&[words, &["-"]].concat()).0;
    let mut section = "";
    for line in help.lines() {
        let word = line
            .split_whitespace()
            .find(|word| !["-h,", "-V,", "-o,", "-n,", "-j,"].contains(word));
        let indent = line.len() - line.trim_start().len();
        match (indent, word) {
            (0, Some(_)) => section = line,
            (2, Some(verb)) if section == "Commands:" && verb != "help" => {
                assert!(verbs.iter().any(|word| word == verb), "{words:?} {verb}: {verbs:?}");
                *count += 1;
                all_are_offered(&[words, &[verb]].concat(), count);
            }
            (2..8, Some(option)) if section == "Options:" && option.starts_with("--") => {
                let name: String = option
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
                    .collect();
                assert!(options.contains(&name), "{words:?} {name}: {options:?}");
                *count += 1;
            }
            _ => {}
        }
    }
}

#[test]
fn every_verb_and_option_can_be_completed() {
    let mut count = 0;
    all_are_offered(&[], &mut count);
    assert!(count > 300, "{count}");
    let (verbs, _) = offered(&[""]);
    assert!(
        !verbs.iter().any(|verb| verb == "loop-guest"),
        "a verb that is no user's: {verbs:?}"
    );
}

/// Names are those that the program lists.
#[test]
fn what_is_built_in_goes_by_its_names() {
    let listed = |words: &[&str]| -> Vec<String> {
        let text = stdout(words, Path::new("."));
        text.lines()
            .filter_map(|line| line.split_whitespace().next())
            .map(str::to_owned)
            .collect()
    };
    let scenarios = [listed(&["sim", "--list"]), listed(&["plan", "--list"])].concat();
    for words in [
        &["sim", ""][..],
        &["sim", "first", ""],
        &["plan", "--compare", ""],
        &["bound", "--set", "seed=2", ""],
        &["evidence", ""],
        &["check", ""],
    ] {
        assert_eq!(offered(words), (scenarios.clone(), ":files".to_owned()), "{words:?}");
    }
    let machines = stdout(&["machine", "list"], Path::new("."));
    for words in [
        &["memory", "--machine", ""][..],
        &["machine", "show", ""],
        &["map", "colors", "--machine", ""],
        &["sim", "--on", ""],
        &["calibrate", ""],
        &["record", "--live", "--on", ""],
        &["bench", "latency", "--simulate", ""],
    ] {
        let (names, others) = offered(words);
        assert!(
            names.len() > 20 && names.iter().all(|name| machines.contains(name.as_str())),
            "{words:?}: {names:?}"
        );
        assert_eq!(others, ":files", "{words:?}");
    }
    assert_eq!(offered(&["machine", "show", "z"]).0, ["zcu102"]);
    let (recipes, others) = offered(&["programs", "record", ""]);
    let gallery = stdout(&["programs", "list"], Path::new("."));
    assert!(
        recipes.len() > 5 && recipes.iter().all(|name| gallery.contains(name.as_str())),
        "{recipes:?}"
    );
    assert_eq!(others, "");
}

#[test]
fn what_stands_before_decides() {
    for (words, found, others) in [
        (&["plan", "--method=al"][..], &["--method=aligned"][..], ""),
        (&["sched", "generate", "--accept", "aligned,fl"], &["aligned,flat"], ""),
        (
            &["sched", "generate", "--accept=aligned,fl"],
            &["--accept=aligned,flat"],
            "",
        ),
        (&["sim", "--seed", ""], &[], ""),
        (&["sim", "--out", ""], &[], ":directories"),
        (&["plan", "--out", ""], &[], ":files"),
        (&["ps", "--openmetrics", ""], &[], ":files"),
        (&["run", "--machine", "zcu102", "--", ""], &[], ":commands"),
        (&["run", "--machine", "zcu102", "xz", "-"], &[], ":files"),
        (&["trace", "merge", "a", "-o", "b", ""], &[], ":files"),
        (&["sim", "--on", "zcu102", "lat"], &["latency"], ":files"),
        (&["advise", "--on=zcu102", "--beside", "lat"], &["latency"], ":files"),
        (&["schema", ""], &["machine", "scenario", "tasks", "sweep"], ""),
        (&["machine", "l"], &["list"], ""),
        (&["machine", "list", ""], &["--json", "--help"], ""),
        (&["sim", "--no-such", "fi"], &["first"], ":files"),
        (&["sim", "--", "--j"], &[], ":files"),
    ] {
        let found: Vec<_> = found.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(offered(words), (found, others.to_owned()), "{words:?}");
    }
}

/// Runs a shell, if it is there.
fn shell(name: &str, words: &[&str], directory: &Path) -> Option<String> {
    let mut command = Command::new(name);
    command.args(words).current_dir(directory).stdin(Stdio::null());
    let done = match command.output() {
        Ok(done) => done,
        Err(error) => {
            skip(Need::Programs, format!("{name}: {error}"));
            return None;
        }
    };
    assert!(
        done.status.success(),
        "{name} {words:?}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
    Some(String::from_utf8(done.stdout).expect("UTF-8"))
}

#[test]
fn bash_completes_verbs_options_and_values() {
    let directory = tempfile::tempdir().expect("a directory");
    let script = stdout(&["completions", "bash"], directory.path());
    fs::write(directory.path().join("fresco.bash"), script).expect("is writable");
    if shell("bash", &["-n", "fresco.bash"], directory.path()).is_none() {
        return;
    }
    fs::create_dir(directory.path().join("figures")).expect("is writable");
    // What bash does with a line after <TAB>: the words, the one that is completed last. It ends words at "=", too.
    let complete = |line: &str| {
        let line = line.replacen("fresco", env!("CARGO_BIN_EXE_fresco"), 1);
        let program = format!(
            "source ./fresco.bash; COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _fresco fresco \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let words = ["--norc", "--noprofile", "-c", &program];
        let found = shell("bash", &words, directory.path()).expect("is there");
        found.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("fresco si"), ["sim"]);
    assert_eq!(complete("fresco p"), ["plan", "programs", "ps"]);
    assert_eq!(complete("fresco sim --timel"), ["--timeline"]);
    assert_eq!(complete("fresco map det"), ["detect"]);
    let methods = [
        "auto",
        "auto-refresh",
        "burst",
        "colored-refresh",
        "crs",
        "aligned",
        "flat",
        "codesign",
        "partition",
    ];
    assert_eq!(complete("fresco plan --method ''"), methods);
    assert_eq!(complete("fresco plan --method = al"), ["aligned"]);
    assert_eq!(complete("fresco plan --method ="), methods);
    assert_eq!(complete("fresco plan --method=al"), ["--method=aligned"]);
    assert_eq!(complete("fresco completions ''"), SHELLS);
    // Names of what is built in, and files.
    assert_eq!(complete("fresco sim fi"), ["first", "figures"]);
    assert_eq!(complete("fresco memory --machine = z"), ["zcu102"]);
    assert_eq!(complete("fresco sim --out fi"), ["figures"]);
}

/// Zsh and fish with their scripts, in a terminal of their own kind.
#[test]
fn zsh_and_fish_complete_names_and_files() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::create_dir(directory.path().join("figures")).expect("is writable");
    for name in ["zsh", "fish"] {
        let script = stdout(&["completions", name], directory.path());
        fs::write(directory.path().join(format!("script.{name}")), script).expect("is writable");
        shell(name, &["-n", &format!("script.{name}")], directory.path());
    }
    let fish = |line: &str| {
        let program = format!("source script.fish; complete -C '{line}'");
        let path = Path::new(env!("CARGO_BIN_EXE_fresco")).parent().expect("a directory");
        let program = format!("set -x PATH {} $PATH; {program}", path.display());
        let found = shell("fish", &["--no-config", "-c", &program], directory.path())?;
        Some(
            found
                .lines()
                .map(|line| line.split('\t').next().unwrap_or_default().to_owned())
                .collect::<Vec<_>>(),
        )
    };
    for (line, found) in [
        ("fresco sim fi", &["figures/", "first"][..]),
        ("fresco plan --method=al", &["--method=aligned"]),
        ("fresco machine show z", &["zcu102"]),
        ("fresco sim --out=fi", &["--out=figures/"]),
    ] {
        let Some(mut words) = fish(line) else { return };
        words.sort();
        assert_eq!(words, found, "{line}");
    }
}

#[test]
fn scripts_are_put_where_shells_look() {
    let directory = tempfile::tempdir().expect("a directory");
    stdout(&["completions", "--out", "share"], directory.path());
    for (place, shell) in [
        ("bash-completion/completions/fresco", "bash"),
        ("zsh/site-functions/_fresco", "zsh"),
        ("fish/vendor_completions.d/fresco.fish", "fish"),
    ] {
        let text = fs::read_to_string(directory.path().join("share").join(place)).expect(place);
        assert_eq!(text, stdout(&["completions", shell], directory.path()));
    }
    let told = refused_with(2, &["completions", "tcsh"], directory.path());
    assert!(told.contains("allowed: bash, zsh, fish"), "{told}");
}

/// Help and manual pages have the names of choices in words.
#[test]
fn help_does_not_list_choices_twice() {
    for words in [&["plan", "--help"][..], &["export", "--help"]] {
        let help = stdout(words, Path::new("."));
        assert!(!help.contains("possible values"), "{help}");
    }
}
