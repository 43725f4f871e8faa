// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco sim` prints for people.

use super::sweep::Sweep;
use super::table::{self, Tasks};
use super::{agents, budgets, controllers, cores, lead, page, plan, refresh, rows, schedule, teams, walks};
use fresco_report::{Provenance, ReportError};
use fresco_system::results::Stopped;

/// A table for each sweep, and under it what it says; at the end what was run.
///
/// # Errors
/// None in practice: results hold no numbers that cannot be shown.
pub fn of(sweeps: &[Sweep<'_>], tasks: Tasks, width: usize, provenance: &Provenance) -> Result<String, ReportError> {
    let mut text = String::new();
    for sweep in sweeps {
        if let Some(Stopped { made, all }) = sweep.result.stopped {
            text.push_str(&format!(
                "{}: stopped after {made} of {all} runs\n",
                sweep.result.scenario
            ));
        }
        let is_planned = sweep.result.method.is_some();
        let mut tables = vec![plan::promises(sweep.result)?, schedule::table(sweep)?];
        if is_planned || tasks == Tasks::All {
            tables.extend([refresh::table(sweep)?, cores::table(sweep)?]);
        }
        tables.push(teams::table(sweep)?);
        for table in tables.into_iter().flatten() {
            text.push_str(&format!("{}\n", table.to_text(width)));
        }
        text.push_str(&table::of(sweep, tasks)?.to_text(width));
        if tasks == Tasks::All {
            if let Some(table) = super::together::of(sweep)? {
                text.push_str(&format!("\n{}", table.to_text(width)));
            }
            text.push_str(&format!("\n{}", controllers::of(sweep)?.to_text(width)));
        }
        if let Some(table) = walks::table(sweep)? {
            text.push_str(&format!("\n{}", table.to_text(width)));
        }
        if let Some(table) = agents::table(sweep)? {
            text.push_str(&format!("\n{}\n{}", table.to_text(width), wrapped(agents::NOTE, width)));
        }
        if let Some(table) = rows::table(sweep)? {
            text.push_str(&format!("\n{}\n{}", table.to_text(width), wrapped(rows::NOTE, width)));
        }
        if let Some(table) = budgets::table(sweep)? {
            text.push_str(&format!("\n{}", table.to_text(width)));
        }
        text.push_str(&format!("\n{}\n", wrapped(&lead::sentences(sweep).join(" "), width)));
        text.push_str(&format!("{}\n", wrapped(&page::how(sweep.result), width)));
    }
    for (name, value) in provenance.entries() {
        text.push_str(&format!("{name:<9}{value}\n"));
    }
    Ok(text)
}

/// Text in lines of at most `width` characters, if its words allow.
pub fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push('\n');
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrapped("aa bb cc", 5), "aa bb\ncc\n");
        assert_eq!(wrapped("aaaaaa b", 3), "aaaaaa\nb\n");
    }
}
