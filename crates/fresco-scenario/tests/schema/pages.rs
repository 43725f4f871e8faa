// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the pages' tables say of each key, for editors to show.

use std::collections::BTreeMap;

/// Descriptions by dotted key; elements of lists have no numbers.
#[derive(Debug, Default)]
pub struct Pages(BTreeMap<String, String>);

impl Pages {
    /// Reads tables of Markdown whose first column names keys. A heading names the tables that the keys are of, `[core]` or `[[task]]`; those
    /// below it are of the same, and elsewhere keys are whole.
    pub fn read(texts: &[&str]) -> Self {
        let mut pages = Self::default();
        for text in texts {
            let mut headings: Vec<(usize, Vec<String>)> = Vec::new();
            let mut columns: Vec<String> = Vec::new();
            for line in text.lines() {
                if line.starts_with('#') {
                    let level = line.bytes().take_while(|byte| *byte == b'#').count();
                    headings.retain(|(above, _)| *above < level);
                    let tables: Vec<String> = code(line)
                        .filter_map(|word| Some(word.strip_prefix('[')?.trim_matches(['[', ']']).to_owned()))
                        .collect();
                    if !tables.is_empty() || headings.is_empty() {
                        headings.push((level, tables));
                    }
                    columns.clear();
                } else if let Some(row) = line.strip_prefix('|') {
                    let cells: Vec<String> = cells(row);
                    match columns.is_empty() {
                        true => columns = cells,
                        false => pages.row(headings.last().map_or(&[], |(_, tables)| tables), &columns, &cells),
                    }
                } else {
                    columns.clear();
                }
            }
        }
        pages
    }

    fn row(&mut self, tables: &[String], columns: &[String], cells: &[String]) {
        let Some((keys, rest)) = cells.split_first() else {
            return;
        };
        if columns[0] != "key" || keys.starts_with('-') {
            return;
        }
        let named = columns.iter().skip(1).zip(rest).filter(|(_, cell)| !cell.is_empty());
        let parts = named.map(|(column, cell)| match column.as_str() {
            "default" | "if omitted" => format!("default: {}", plain(cell)),
            _ => plain(cell),
        });
        let text = parts.collect::<Vec<_>>().join("; ");
        for key in code(keys) {
            let key = key.trim_matches(['[', ']']);
            let mut paths: Vec<String> = tables.iter().map(|table| format!("{table}.{key}")).collect();
            if paths.is_empty() {
                paths.push(key.to_owned());
            }
            for path in paths {
                self.0.entry(path).or_insert_with(|| text.clone());
            }
        }
    }

    /// What is said of the key at `path`.
    pub fn of(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(String::as_str)
    }
}

/// The words in code quotes.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Cells of a row; `\|` is none of their ends.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "\u{1}");
    let row = row.trim().trim_end_matches('|');
    row.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// Without links and quotes.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (kept, label) = before.rsplit_once('[').unwrap_or((before, ""));
        out += kept;
        out += label;
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    (out + rest).replace('`', "")
}

#[test]
fn tables_of_a_page_describe_keys() {
    let page = "## `[core]`: each\n\n| key | value | default |\n|---|---|---|\n| `a`, `b.c` | [what](x.md) `it` is | 1 |\n\n### Below\n\n| key | value |\n| --- | --- |\n| `d` | more |\n\n| word | value |\n|---|---|\n| `e` | no key |\n";
    let pages = Pages::read(&[page]);
    assert_eq!(pages.of("core.a"), Some("what it is; default: 1"));
    assert_eq!(pages.of("core.b.c"), pages.of("core.a"));
    assert_eq!(pages.of("core.d"), Some("more"));
    assert_eq!(pages.of("core.e"), None);
}
