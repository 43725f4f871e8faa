// SPDX-License-Identifier: MIT OR Apache-2.0
//! `machines/README.md` against the code.

use fresco_dram::{ColorSpace, standards};
use fresco_machine::{LlcConfig, builtin, builtin_names};

const README: &str = include_str!("../../../machines/README.md");

/// Every key that a good file uses is explained.
#[test]
fn every_key_is_documented() {
    let files = builtin_names().map(|name| fresco_machine::builtin_text(name).expect("is built in"));
    let files = files.chain([include_str!("data/good.toml")]);
    for line in files
        .flat_map(str::lines)
        .filter(|line| line.contains(" = ") && !line.starts_with('#'))
    {
        let key = line.split(" = ").next().expect("has an equals sign").trim();
        if key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            assert!(
                README.contains(&format!("`{key}`")),
                "{key} is not in machines/README.md"
            );
        }
    }
    for standard in standards::names() {
        assert!(
            README.contains(&format!("`\"{standard}\"`")),
            "{standard} is not in machines/README.md"
        );
    }
}

/// The table of machines names each, with the colors it really has.
#[test]
fn the_table_counts_colors_right() {
    for name in builtin_names() {
        let machine = builtin(name).expect("is a machine");
        let row = README
            .lines()
            .find(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
        let cells: Vec<&str> = row
            .unwrap_or_else(|| panic!("{name} is not in the table"))
            .split('|')
            .collect();
        let at = cells[1]
            .split(',')
            .position(|cell| cell.contains(&format!("`{name}`")))
            .expect("found above");
        let llc = machine.llc.as_ref().map(LlcConfig::set_functions).unwrap_or_default();
        let space = ColorSpace::new(&machine.memory.map, &llc, 12).expect("pages are aligned");
        let (banks, colors, pairs) = (space.bank_colors(), space.llc_colors(), space.pairs());
        let product = u64::from(banks) * u64::from(colors);
        let said = cells[3].trim();
        if said.contains('×') {
            let all = if pairs == product {
                String::new()
            } else {
                format!(", {pairs} pairs")
            };
            assert_eq!(said, format!("{banks} × {colors}{all}"), "{name}");
        } else {
            let said = said.split(',').nth(at).expect("a count for each machine");
            assert_eq!(said.trim(), banks.to_string(), "{name}");
        }
    }
}
