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

/// Names of directories for these names, in their order: without what a path or a file system gives a meaning, each once.
pub fn directories<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<String> {
    let mut directories: Vec<String> = Vec::new();
    for name in names {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '_'
            }
        };
        let mut directory: String = name.chars().map(plain).collect();
        if directory.starts_with(['.', '-']) {
            directory.insert(0, '_');
        }
        while RESERVED.contains(&directory.as_str()) || directories.contains(&directory) {
            directory.push('_');
        }
        directories.push(directory);
    }
    directories
}

/// Directories that resctrl has itself.
const RESERVED: [&str; 4] = ["", "info", "mon_data", "mon_groups"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_elsewhere() {
        assert_eq!(
            directories(["a", "..", "../etc", "info", "a", "b c", ""]),
            ["a", "_..", "_.._etc", "info_", "a_", "b_c", "_"]
        );
        assert_eq!(word("it's"), r"'it'\''s'");
    }
}
