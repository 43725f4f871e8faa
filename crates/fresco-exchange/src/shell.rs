// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a shell script: what is made, and what is written where.

use std::fmt::Write as _;

/// A script, line by line.
#[derive(Debug, Default)]
pub struct Script(String);

impl Script {
    /// One that ends at the first line that fails.
    pub fn new() -> Self {
        Self("set -eu\n".to_owned())
    }

    /// A comment, after an empty line.
    pub fn section(&mut self, words: &str) {
        let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        _ = writeln!(self.0, "\n# {words}");
    }

    /// Any line.
    pub fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Makes a directory, unless it is there.
    pub fn directory(&mut self, path: &str) {
        _ = writeln!(self.0, "mkdir -p {}", word(path));
    }

    /// Writes a value into a file of the kernel.
    pub fn write(&mut self, value: &str, path: &str) {
        _ = writeln!(self.0, "echo {} > {}", word(value), word(path));
    }

    /// The script.
    pub fn text(self) -> String {
        self.0
    }
}

/// A word as a shell has to be given it.
pub fn word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./,:+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
