// SPDX-License-Identifier: MIT OR Apache-2.0
//! The directory in which a program runs: its input, and the words of its command.

use crate::Recipe;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the tools say that make the input.
const LOG: &str = "prepare.log";
/// Where programs are looked for: Debian has games apart.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games";

/// A command in the directory, with the environment of a recipe and nothing of the user's: the same each time.
fn clean(mut command: Command, recipe: &Recipe, directory: &Path) -> Command {
    command
        .current_dir(directory)
        .env_clear()
        .env("PATH", PATH)
        .env("LC_ALL", "C")
        .env("HOME", ".");
    command.env("OMP_NUM_THREADS", "1");
    for variable in &recipe.environment {
        if let Some((name, value)) = variable.split_once('=') {
            command.env(name, value);
        }
    }
    command
}

/// Makes the input, in place of what an earlier recording has left. What its tools say goes to `prepare.log` in the directory.
///
/// # Errors
/// In words: the directory cannot be written, or is somebody else's; a tool failed.
pub fn prepare(recipe: &Recipe, directory: &Path) -> Result<(), String> {
    let told = |error: io::Error| format!("{}: cannot be written: {error}", directory.display());
    if directory.exists() {
        if !directory.join(LOG).is_file() {
            return Err(format!(
                "{}: found what no recording has left there; name another --out",
                directory.display()
            ));
        }
        std::fs::remove_dir_all(directory).map_err(told)?;
    }
    std::fs::create_dir_all(directory).map_err(told)?;
    // First of all: by it the directory is known as ours the next time.
    let log = File::create(directory.join(LOG)).map_err(told)?;
    for (name, text) in recipe.files().map_err(|error| error.to_string())? {
        std::fs::write(directory.join(name), text).map_err(told)?;
    }
    let other = log.try_clone().map_err(told)?;
    let mut shell = clean(Command::new("/bin/sh"), recipe, directory);
    shell
        .args(["-ec", &recipe.prepare])
        .stdin(Stdio::null())
        .stdout(log)
        .stderr(other);
    match shell.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!(
            "its input could not be made ({status}); {} says why",
            directory.join(LOG).display()
        )),
        Err(error) => Err(format!("its input could not be made: /bin/sh: {error}")),
    }
}

/// The words of the command, as a shell in the directory makes them.
///
/// # Errors
/// In words: the shell failed, or there are none.
pub fn words(recipe: &Recipe, directory: &Path) -> Result<Vec<OsString>, String> {
    let mut shell = clean(Command::new("/bin/sh"), recipe, directory);
    shell.args(["-c", &format!("printf '%s\\0' {}", recipe.command)]);
    let done = shell.output().map_err(|error| format!("/bin/sh: {error}"))?;
    let mut words: Vec<OsString> = done
        .stdout
        .split(|byte| *byte == 0)
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    words.pop();
    match words.first() {
        Some(first) if done.status.success() && !first.is_empty() => Ok(words),
        _ => Err(format!(
            "its command has no words: {}",
            String::from_utf8_lossy(&done.stderr)
        )),
    }
}

/// `fresco record` of these words: the command of `recorder` with the environment, the input, and files for what the program prints,
/// `program.out` and `program.err`, in the directory.
///
/// # Errors
/// The input cannot be read, or the directory not be written.
pub fn set_up(recorder: Command, recipe: &Recipe, directory: &Path) -> io::Result<Command> {
    let mut command = clean(recorder, recipe, directory);
    command.stdin(match &recipe.input {
        Some(name) => Stdio::from(File::open(directory.join(name))?),
        None => Stdio::null(),
    });
    command.stdout(File::create(directory.join("program.out"))?);
    command.stderr(File::create(directory.join("program.err"))?);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(prepare: &str, command: &str) -> Recipe {
        let all = crate::recipes().expect("the table");
        let base = all.into_iter().find(|recipe| recipe.name == "stream").expect("there");
        Recipe {
            prepare: prepare.to_owned(),
            command: command.to_owned(),
            sources: vec!["words.pl".to_owned()],
            environment: vec!["WHAT=two words".to_owned()],
            ..base
        }
    }

    #[test]
    fn input_and_words_are_a_shells() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path().join("work");
        let recipe = recipe(
            "echo old > kept; cat words.pl > input",
            "\"$WHAT\" $(cat kept) 'a;b' $NOTHING",
        );
        prepare(&recipe, &place).expect("made");
        assert!(
            std::fs::read_to_string(place.join("input"))
                .expect("there")
                .contains("words.pl WORDS")
        );
        assert_eq!(words(&recipe, &place).expect("words"), ["two words", "old", "a;b"]);
        std::fs::write(place.join("left"), "of the last time").expect("writable");
        prepare(&recipe, &place).expect("made again");
        assert!(!place.join("left").exists());
    }

    #[test]
    fn what_fails_is_told() {
        let directory = tempfile::tempdir().expect("a directory");
        let told = prepare(&recipe("false; true", "true"), &directory.path().join("work")).expect_err("it fails");
        assert!(told.contains("prepare.log says why"), "{told}");
        let others = directory.path().join("others");
        std::fs::create_dir(&others).expect("writable");
        std::fs::write(others.join("thesis"), "years of it").expect("writable");
        let told = prepare(&recipe("true", "true"), &others).expect_err("is somebody's");
        assert!(told.contains("found what no recording has left there"), "{told}");
        assert!(others.join("thesis").exists());
        let told = words(&recipe("", "$NOTHING"), directory.path()).expect_err("no words");
        assert!(told.contains("no words"), "{told}");
    }
}
