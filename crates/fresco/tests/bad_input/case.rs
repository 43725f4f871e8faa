// SPDX-License-Identifier: MIT OR Apache-2.0
//! One wrong input: the files it needs, the command, and where the message must point.

use crate::common::fresco_with;
use fresco_testing::Once;
use std::fs;
use std::path::Path;

/// A wrong input, as a user meets it.
pub struct Case {
    name: &'static str,
    arguments: Vec<&'static str>,
    files: Vec<(&'static str, Vec<u8>)>,
    input: &'static [u8],
    place: Place,
}

/// Where the message must point.
enum Place {
    /// The message begins so.
    Start(&'static str),
    /// It begins with this file and the line where that text stands in it.
    Line(&'static str, &'static str),
    /// It is the command line parser's, and contains this.
    Usage(&'static str),
}

impl Case {
    /// `fresco` with these arguments, in a directory of its own.
    pub fn new(name: &'static str, arguments: &[&'static str]) -> Self {
        Self {
            name,
            arguments: arguments.to_vec(),
            files: Vec::new(),
            input: b"",
            place: Place::Start(""),
        }
    }

    /// The directory has this file.
    pub fn file(mut self, name: &'static str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name, content.into()));
        self
    }

    /// Standard input.
    pub fn input(mut self, input: &'static [u8]) -> Self {
        self.input = input;
        self
    }

    /// The message begins with `start`: a file without line, an option.
    pub fn told(mut self, start: &'static str) -> Self {
        self.place = Place::Start(start);
        self
    }

    /// The message begins with `file` and the line where `text` first stands in it.
    pub fn told_at(mut self, file: &'static str, text: &'static str) -> Self {
        self.place = Place::Line(file, text);
        self
    }

    /// The message is the command line parser's, and contains `part`.
    pub fn usage(mut self, part: &'static str) -> Self {
        self.place = Place::Usage(part);
        self
    }

    /// Runs it. Returns name, command and message for the golden file, and what is wrong with the refusal.
    pub fn run(&self, once: &mut Once) -> (String, Vec<String>) {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, content) in &self.files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("has one")).expect("is writable");
            fs::write(path, content).expect("is writable");
        }
        fs::create_dir(directory.path().join("directory")).expect("is writable");
        let before = listing(directory.path());
        let done = fresco_with(&self.arguments, directory.path(), self.input);
        let told = String::from_utf8(done.stderr).expect("UTF-8");
        let mut faults = self.place.faults(&told, &self.files);
        let mut must = |holds: bool, fault: &str| {
            if !holds {
                faults.push(fault.to_owned());
            }
        };
        let status = done.status.code();
        must(matches!(status, Some(2..=4)), "its status is not 2, 3 or 4");
        must(done.stdout.is_empty(), "it prints a result");
        must(!told.contains("panicked"), "it panics");
        must(listing(directory.path()) == before, "it leaves a file behind");
        let complaint = |fault: String| format!("{}: {fault}: {:?}\n{told}", self.name, self.arguments);
        let faults = faults.into_iter().map(complaint).collect();
        let record = format!(
            "== {}\n$ fresco {}{}\n{}\n",
            self.name,
            self.arguments.join(" "),
            match status {
                Some(status @ (3 | 4)) => format!(" # status {status}"),
                _ => String::new(),
            },
            once.told(self.name, &kept(&told))
        );
        (record, faults)
    }
}

impl Place {
    /// Why a message does not point there.
    fn faults(&self, told: &str, files: &[(&str, Vec<u8>)]) -> Vec<String> {
        let start = match self {
            Self::Start(start) => format!("fresco: {start}"),
            Self::Line(file, text) => format!("fresco: {file}:{}: ", line_of(text, file, files)),
            Self::Usage(part) => {
                let way_out = told.contains("--help") || told.contains("Usage:");
                let fault = (!told.contains(part) || !way_out).then(|| format!("no {part:?}, or no help named"));
                return fault.into_iter().collect();
            }
        };
        let mut faults = Vec::new();
        if !told.starts_with(&start) {
            faults.push(format!("it does not begin with {start:?}"));
        }
        if !told.contains("\n  help: ") {
            faults.push("it names no help".to_owned());
        }
        faults
    }
}

/// What the golden file keeps of a message: not the usage of a verb, and of the lists of all machines, keys or scenarios
/// only the beginning, as these grow.
fn kept(told: &str) -> String {
    const LONGEST: usize = 160;
    let message = told.split("\n\nUsage:").next().unwrap_or("").trim_end();
    let short = |line: &str| match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…\n", &line[..end]),
        None => format!("{line}\n"),
    };
    message.lines().map(short).collect()
}

/// The line of `file` in which `text` first stands.
fn line_of(text: &str, file: &str, files: &[(&str, Vec<u8>)]) -> usize {
    let (_, content) = files
        .iter()
        .find(|(name, _)| *name == file)
        .expect("the case has the file");
    let content = String::from_utf8_lossy(content);
    let offset = content
        .find(text)
        .unwrap_or_else(|| panic!("{text:?} is not in {file}"));
    1 + content[..offset].matches('\n').count()
}

fn listing(directory: &Path) -> Vec<std::ffi::OsString> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    names.sort();
    names
}

/// A text with a part of it, which stands in it once, replaced.
pub fn edited(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from:?} stands once in the text");
    text.replace(from, to)
}
