// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco completions` as shells read it.

use crate::common::{refused_with, stdout};
use fresco_testing::{Need, skip};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const SHELLS: [&str; 3] = ["bash", "zsh", "fish"];

/// Verbs and long options of a help, those of its verbs within included: `(verb, option)`.
fn options(words: &[&str], into: &mut Vec<(String, String)>) {
    let help = stdout(&[words, &["--help"]].concat(), Path::new("."));
    let mut section = "";
    for line in help.lines() {
        if !line.starts_with(' ') {
            section = line;
        } else if section == "Commands:" && !line.starts_with("   ") {
            let verb = line.split_whitespace().next().expect("a line has a word");
            if verb != "help" {
                into.push((words.join(" "), verb.to_owned()));
                options(&[words, &[verb]].concat(), into);
            }
        } else if section == "Options:" {
            let word = line.trim_start().trim_start_matches("-h, ").trim_start_matches("-V, ");
            let option: String = word
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
                .collect();
            if option.starts_with("--")
                && line.starts_with(&line[..line.len() - line.trim_start().len()])
                && line.find('-') < Some(8)
            {
                into.push((words.join(" "), option));
            }
        }
    }
}

#[test]
fn every_verb_and_option_can_be_completed() {
    let mut all = Vec::new();
    options(&[], &mut all);
    assert!(all.len() > 300, "{}", all.len());
    for shell in SHELLS {
        let script = stdout(&["completions", shell], Path::new("."));
        for (verb, word) in &all {
            let told = match shell {
                "fish" => word.trim_start_matches("--"),
                _ => word,
            };
            assert!(script.contains(told), "{shell}: {verb} {word}");
        }
        assert!(!script.contains("loop-guest"), "{shell}: a verb that is no user's");
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
    // What bash does with a line after <TAB>: the words, the one that is completed last.
    let complete = |line: &str| {
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
    assert_eq!(
        complete("fresco completions ''")
            .iter()
            .filter(|word| !word.starts_with('-'))
            .collect::<Vec<_>>(),
        SHELLS.iter().collect::<Vec<_>>()
    );
}

#[test]
fn zsh_and_fish_take_their_scripts() {
    let directory = tempfile::tempdir().expect("a directory");
    for name in ["zsh", "fish"] {
        let script = stdout(&["completions", name], directory.path());
        fs::write(directory.path().join("script"), script).expect("is writable");
        shell(name, &["-n", "script"], directory.path());
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
