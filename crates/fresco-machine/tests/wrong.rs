// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong machine files: `data/wrong.txt` changes `data/good.toml` and says what the user is told, word for word.
//!
//! A case is a block: lines to take out (`- `), lines to put there (`+ `), and the message. To write the messages anew
//! after a change of words, run with `FRESCO_BLESS=1` and read the difference.

use fresco_machine::Machine;
use std::fmt::Write;

const GOOD: &str = include_str!("data/good.toml");
const CASES: &str = include_str!("data/wrong.txt");

struct Case {
    taken: String,
    put: String,
    message: String,
}

impl Case {
    fn parse(block: &str) -> Self {
        let marked = |mark: &str| -> String {
            let lines = block.lines().filter_map(|line| line.strip_prefix(mark));
            lines
                .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n")
                .collect()
        };
        let message = block.lines().filter(|line| !line.starts_with(['-', '+']));
        let message = message.collect::<Vec<_>>().join("\n");
        Self {
            taken: marked("-"),
            put: marked("+"),
            message,
        }
    }

    fn told(&self) -> String {
        assert_eq!(GOOD.matches(&self.taken).count(), 1, "not found once:\n{}", self.taken);
        let text = GOOD.replacen(&self.taken, &self.put, 1);
        match Machine::parse("m.toml", &text, &[]) {
            Ok(_) => panic!("this is no wrong machine:\n{}{}", self.taken, self.put),
            Err(error) => error.to_string(),
        }
    }

    fn write(&self, message: &str, out: &mut String) {
        let mut lines = |mark: &str, text: &str| {
            for line in text.lines() {
                writeln!(out, "{}", format!("{mark} {line}").trim_end()).expect("a String takes everything");
            }
        };
        lines("-", &self.taken);
        lines("+", &self.put);
        writeln!(out, "{message}\n").expect("a String takes everything");
    }
}

#[test]
fn the_good_machine_is_good() {
    let machine = Machine::parse("m.toml", GOOD, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(machine.memory.timing.cl, 10);
    assert_eq!(machine.topology.hop_latency, [[0, 30_000], [30_000, 0]]);
    assert_eq!(machine.l1.map(|l1| l1.latency), Some(2_000));
    assert_eq!(machine.l1i, None);
    let code = format!("{GOOD}\n[l1i]\nsize = \"48 KiB\"\nways = 3\nline = 64\nreplacement = \"lru\"\n");
    let code = Machine::parse("m.toml", &code, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(code.l1i.map(|l1i| (l1i.sets(), l1i.latency)), Some((256, 0)));
    assert_eq!(machine.llc.map(|llc| llc.set_functions().len()), Some(11));
}

#[test]
fn each_wrong_machine_is_told_place_and_cure() {
    let cases: Vec<Case> = CASES
        .split("\n\n")
        .filter(|block| !block.trim().is_empty())
        .map(Case::parse)
        .collect();
    assert!(cases.len() >= 60);
    if std::env::var_os("FRESCO_BLESS").is_some() {
        let mut out = String::new();
        for case in &cases {
            case.write(&case.told(), &mut out);
        }
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wrong.txt");
        std::fs::write(path, out.trim_end().to_owned() + "\n").expect("the test data is writable");
        return;
    }
    for case in &cases {
        assert_eq!(case.told(), case.message.trim_end(), "\n{}{}", case.taken, case.put);
        assert!(case.message.contains("help: "), "{}", case.message);
    }
}

/// Cutting the good file anywhere, or replacing any one value by nonsense, gives an error and never a panic.
#[test]
fn mutilated_machines_never_panic() {
    for end in (0..GOOD.len()).filter(|end| GOOD.is_char_boundary(*end)) {
        let _ = Machine::parse("m.toml", &GOOD[..end], &[]);
    }
    let nonsense = [
        "0",
        "-1",
        "18446744073709551615",
        "\"\"",
        "\"0-51\"",
        "[]",
        "[[]]",
        "{}",
        "true",
        "1e9",
        "\"9e99 s\"",
    ];
    for line in GOOD.lines().filter(|line| line.contains(" = ")) {
        let (key, _) = line.split_once(" = ").expect("has an equals sign");
        for value in nonsense {
            let text = GOOD.replacen(line, &format!("{key} = {value}"), 1);
            let _ = Machine::parse("m.toml", &text, &[]);
        }
    }
}
