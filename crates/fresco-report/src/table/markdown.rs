// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table as GitHub-flavoured Markdown.

use super::Table;
use crate::Provenance;
use crate::escape::one_line;

impl Table {
    /// The table as Markdown, its title in bold above it.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            out.push_str(&format!("**{}**\n\n", escape(&self.title)));
        }
        push_row(&mut out, self.headings().iter().map(|heading| escape(heading)));
        push_row(
            &mut out,
            self.columns
                .iter()
                .map(|column| if column.numeric { "---:" } else { "---" }.to_owned()),
        );
        for row in &self.rows {
            push_row(&mut out, self.row_texts(row).iter().map(|cell| escape(cell)));
        }
        out
    }

    /// [`Table::to_markdown`] with what was run underneath, as a list.
    pub fn to_markdown_with(&self, provenance: &Provenance) -> String {
        let mut out = self.to_markdown();
        out.push('\n');
        for (name, value) in provenance.entries() {
            out.push_str(&format!("- {name}: {}\n", escape(&one_line(&value))));
        }
        out
    }
}

fn push_row(out: &mut String, cells: impl Iterator<Item = String>) {
    out.push('|');
    for cell in cells {
        out.push_str(&format!(" {cell} |"));
    }
    out.push('\n');
}

/// `text` with every character escaped that Markdown or inline HTML would read as markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
