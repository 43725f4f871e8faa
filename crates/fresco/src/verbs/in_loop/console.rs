// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the virtual machine said, and why it has ended too early.

use super::guest::SAYS;
use fresco_input::InputError;
use std::fs;
use std::path::Path;

/// The file of its console.
pub const CONSOLE: &str = "console.txt";

/// What the virtual machine has said for us on its console.
pub fn said(console: &Path) -> Vec<String> {
    let text = fs::read(console).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines = text
        .lines()
        .filter_map(|line| Some(line.split_once(SAYS)?.1.trim().to_owned()));
    lines.collect()
}

/// What the machine has said of a program, or of something else with a name: `NAME KEY: WHAT`.
pub fn word<'l>(line: &'l str, name: &str, key: &str) -> Option<&'l str> {
    line.strip_prefix(name)?
        .strip_prefix(' ')?
        .strip_prefix(key)?
        .strip_prefix(": ")
}

/// The machine has ended before all was recorded.
pub fn early(console: &Path, said: &[String]) -> InputError {
    let why = said.iter().find(|line| line.starts_with("failed"));
    let ended = said
        .iter()
        .find(|line| line.contains(" ended: ") && !line.ends_with("status 0"));
    let (found, allowed) = match (why.or(ended), said.iter().any(|line| line == "begin")) {
        (Some(line), _) => (
            line.clone(),
            "programs that do what they have to in the virtual machine",
        ),
        (None, true) => (
            "programs ended before they were recorded".to_owned(),
            "programs that run for --skip instructions and longer",
        ),
        (None, false) => (
            "the kernel has not come as far as to start programs".to_owned(),
            "a kernel for x86-64 whose console at ttyS0 and first file system are built in",
        ),
    };
    InputError::new("fresco loop", found)
        .allowed(allowed)
        .help(format!("{} has what the virtual machine said", console.display()))
}
