// SPDX-License-Identifier: MIT OR Apache-2.0
//! The map as files: map.txt for the tools that read it, and beside it what that format has no place for.

use super::names::for_machine_file;
use super::report::DetectReport;
use crate::failure::Failure;
use fresco_detect::Detection;
use fresco_detect::model::function_text;
use fresco_dram::map::text::map_txt;
use fresco_input::{InputError, write_atomically};
use fresco_report::Provenance;
use std::path::Path;

/// The functions.
pub const MAP_TXT: &str = "map.txt";
/// The rest.
pub const MAP_TOML: &str = "map.toml";

/// Writes `map.txt` (where the map is one of parity functions alone) and `map.toml`.
pub fn map(directory: &Path, report: &DetectReport, found: &Detection, provenance: &Provenance) -> Result<(), Failure> {
    let Some(solution) = &found.solution else {
        return Ok(());
    };
    std::fs::create_dir_all(directory).map_err(|error| {
        InputError::new(
            directory.display().to_string(),
            format!("cannot make the directory: {error}"),
        )
        .in_field("--out")
        .allowed("a directory that exists or can be made")
        .help("name another one")
    })?;
    if let Some(masks) = solution.model.masks() {
        let text = map_txt::format(&masks);
        write_atomically(directory.join(MAP_TXT), text.as_bytes()).map_err(|error| error.in_field("--out"))?;
    }
    let text = sidecar(report, found, provenance);
    write_atomically(directory.join(MAP_TOML), text.as_bytes()).map_err(|error| error.in_field("--out"))?;
    Ok(())
}

/// Offsets, ranges, evidence, cost and the map as a machine file has it, as TOML.
fn sidecar(report: &DetectReport, found: &Detection, provenance: &Provenance) -> String {
    let mut text = String::new();
    let list = |items: Vec<String>| format!("[{}]", items.join(", "));
    let mut line = |words: std::fmt::Arguments<'_>| {
        text.push_str(&words.to_string());
        text.push('\n');
    };
    line(format_args!(
        "# What map.txt has no place for; its functions read (physical address - offset)."
    ));
    line(format_args!("verdict = {}", quoted(&found.verdict.to_string())));
    line(format_args!("machine = {}", quoted(report.machine())));
    line(format_args!("simulated = {}", report.simulated));
    line(format_args!("tool = {}", quoted(&provenance.tool_line())));
    line(format_args!("command = {}", quoted(&provenance.command)));
    line(format_args!("accesses = {}", found.cost.accesses));
    line(format_args!("seconds = {:.3}", found.cost.seconds));
    if let Some(solution) = &found.solution {
        let functions = solution.model.functions.iter().map(|f| quoted(&function_text(*f)));
        line(format_args!("functions = {}", list(functions.collect())));
        if let Some(odd) = solution.model.form.odd {
            line(format_args!("ways = {}", odd.ways));
            line(format_args!("granule_bits = {}", odd.granule_bits));
        }
    }
    if let Some(shape) = &found.shape {
        let rows = shape.rows.iter().map(|row| quoted(&function_text(*row)));
        line(format_args!("rows = {}", list(rows.collect())));
        line(format_args!("column_bits = {:?}", shape.column_bits));
    }
    let open = report.not_recovered().iter().map(|open| quoted(open));
    line(format_args!("not_recovered = {}", list(open.collect())));
    for span in found.solution.iter().flat_map(|solution| &solution.model.form.spans) {
        line(format_args!("\n[[range]]"));
        line(format_args!("base = {:#x}", span.base));
        line(format_args!("end = {:#x}", span.end));
        line(format_args!("offset = {:#x}", span.offset));
    }
    for check in &found.evidence.checks {
        line(format_args!("\n[[evidence]]"));
        line(format_args!("stage = {}", quoted(&check.stage.to_string())));
        line(format_args!("check = {}", quoted(&check.what)));
        if let Some(value) = check.value {
            line(format_args!("measured = {value:.6}"));
        }
        if let Some((low, high)) = check.interval {
            line(format_args!("interval = [{low:.6}, {high:.6}]"));
        }
        line(format_args!("n = {}", check.n));
        line(format_args!("asked = {}", quoted(&check.asked)));
        line(format_args!("passed = {}", check.passed));
    }
    text.push_str(&for_machine_file(found));
    text
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
