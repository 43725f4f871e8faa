// SPDX-License-Identifier: MIT OR Apache-2.0
//! Golden files of messages in which a long line stands once.

use std::collections::BTreeMap;

/// Lines up to this length stand wherever they are said.
const SHORT: usize = 60;

/// Messages of cases, each long line of which is written out where it comes first; later it names that case. What a message says
/// is compared in full all the same.
#[derive(Debug, Default)]
pub struct Once {
    first: BTreeMap<String, String>,
}

impl Once {
    /// A message of a case as its golden file has it, line by line: `  allowed: (as in: unknown machine)`.
    pub fn told(&mut self, case: &str, message: &str) -> String {
        let mut text = String::new();
        for line in message.lines() {
            let key = line.split_once(": ").filter(|(key, _)| key.starts_with("  "));
            let said = self.first.get(line).filter(|first| *first != case);
            match (key, said) {
                (Some((key, _)), Some(first)) if line.len() > SHORT => {
                    text.push_str(&format!("{key}: (as in: {first})\n"))
                }
                _ => text.push_str(&format!("{line}\n")),
            }
            self.first.entry(line.to_owned()).or_insert_with(|| case.to_owned());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_stands_once() {
        let (long, other) = (
            format!("  allowed: {}", "a".repeat(60)),
            format!("  allowed: {}", "b".repeat(60)),
        );
        let mut once = Once::default();
        assert_eq!(
            once.told("first", &format!("found x\n{long}\n  help: no")),
            format!("found x\n{long}\n  help: no\n")
        );
        assert_eq!(
            once.told("second", &format!("found y\n{long}\n  help: no")),
            "found y\n  allowed: (as in: first)\n  help: no\n"
        );
        assert_eq!(
            once.told("third", &other),
            format!("{other}\n"),
            "another line is written out"
        );
    }
}
