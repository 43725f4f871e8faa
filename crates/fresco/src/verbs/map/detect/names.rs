// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which function selects what: in results, as tables, and as a map for machine files.

use fresco_detect::Detection;
use fresco_detect::model::function_text;
use fresco_detect::names::{Kind, KindVerdict, Names};
use fresco_dram::gf2::bits_of;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;
use std::fmt::Write;

/// The names of all functions, and what they rest on.
#[derive(Debug, Serialize)]
pub struct NamesView {
    /// Every function has a name.
    complete: bool,
    /// A basis of the functions, the outermost first.
    functions: Vec<NamedView>,
    /// One for each kind.
    verdicts: Vec<KindVerdict>,
}

/// A function.
#[derive(Debug, Serialize)]
struct NamedView {
    /// As text.
    function: String,
    /// As a mask.
    mask: String,
    /// What it selects; `null` where that is not told.
    name: Option<Kind>,
    /// What it may select.
    may_be: Vec<Kind>,
}

impl NamesView {
    /// The names of a detection.
    pub fn of(names: &Names) -> Self {
        let functions = names.functions.iter().map(|named| NamedView {
            function: function_text(named.function),
            mask: format!("{:#x}", named.function),
            name: named.kind,
            may_be: named.may_be.clone(),
        });
        Self {
            complete: names.is_complete(),
            functions: functions.collect(),
            verdicts: names.verdicts.clone(),
        }
    }

    /// What is not told, and why.
    pub fn untold(&self) -> impl Iterator<Item = String> {
        self.verdicts.iter().filter_map(|verdict| {
            let reason = verdict.reason.as_deref()?;
            Some(format!("which functions select the {}: {reason}", verdict.kind))
        })
    }

    /// For people: what selects what, and the numbers that this rests on.
    pub fn tables(&self) -> Result<[Table; 2], ReportError> {
        let columns = vec![Column::text("selects"), Column::text("functions")];
        let mut names = Table::new("What the functions select", columns);
        let text = |name: Option<Kind>| {
            let own = self.functions.iter().filter(|named| named.name == name);
            own.map(|named| named.function.as_str()).collect::<Vec<_>>().join(", ")
        };
        for verdict in &self.verdicts {
            let found = match (verdict.functions, &verdict.reason) {
                (Some(0), _) => "none".to_owned(),
                (Some(_), _) => text(Some(verdict.kind)),
                (None, reason) => format!("not told apart: {}", reason.as_deref().unwrap_or("")),
            };
            names.push(vec![verdict.kind.to_string().into(), found.into()])?;
        }
        if let Some(open) = self.functions.iter().find(|named| named.name.is_none()) {
            let kinds: Vec<String> = open.may_be.iter().map(Kind::to_string).collect();
            names.push(vec![kinds.join(" or ").into(), text(None).into()])?;
        }
        let mut numbers = Table::new(
            "Evidence of names",
            vec![
                Column::text("of"),
                Column::text("measured"),
                Column::number("mean", "", 3),
                Column::text("interval"),
                Column::number("n", "", 0),
            ],
        );
        for verdict in &self.verdicts {
            for number in &verdict.numbers {
                let (low, high) = number.interval;
                numbers.push(vec![
                    verdict.kind.to_string().into(),
                    number.what.into(),
                    Cell::Number(number.value),
                    format!("{low:.3} to {high:.3}").into(),
                    Cell::Count(number.n),
                ])?;
            }
        }
        Ok([names, numbers])
    }
}

/// Keys of `[memory.map]` and `[memory.organisation]` in machine files, by kind.
const KEYS: [(Kind, &str, &str); 4] = [
    (Kind::Channel, "channel", "channels"),
    (Kind::Rank, "rank", "ranks"),
    (Kind::BankGroup, "bank_group", "bank_groups"),
    (Kind::Bank, "bank", "banks"),
];

/// The map as a machine file has it, as far as its functions have names; the others are in a comment. Empty where nothing was asked.
pub fn for_machine_file(found: &Detection) -> String {
    let (Some(names), Some(shape)) = (&found.names, &found.shape) else {
        return String::new();
    };
    let mut text = String::from("\n# For a machine file; channels of all nodes are channels here.\n[memory.map]\n");
    let lists = |masks: &mut dyn Iterator<Item = u128>| {
        let lists = masks.map(|mask| format!("{:?}", bits_of(mask as u64).collect::<Vec<_>>()));
        format!("[{}]", lists.collect::<Vec<_>>().join(", "))
    };
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    for (kind, key, _) in KEYS {
        let verdict = &names.verdicts[kind as usize];
        if verdict.functions.is_some_and(|count| count > 0) {
            line(format!("{key} = {}", lists(&mut names.of(kind))));
        }
    }
    if let Some(open) = names.functions.iter().find(|named| named.kind.is_none()) {
        let kinds: Vec<String> = open.may_be.iter().map(Kind::to_string).collect();
        let unnamed = names.functions.iter().filter(|named| named.kind.is_none());
        let masks = lists(&mut unnamed.map(|named| named.function));
        line(format!("# not told apart, {}: {masks}", kinds.join(" or ")));
    }
    // What is left over are columns, down to the bytes of the bus.
    line("column = \"rest\"".to_owned());
    line(format!("row = {}", lists(&mut shape.rows.iter().copied())));
    let spans = found.solution.iter().flat_map(|solution| &solution.model.form.spans);
    if spans.clone().any(|span| span.offset != 0) {
        line("# Ranges as above, with their offsets, are to be regions of the map: [[memory.map.region]].".to_owned());
    }
    line("\n[memory.organisation]".to_owned());
    for (kind, _, key) in KEYS {
        if let Some(count) = names.verdicts[kind as usize].functions {
            line(format!("{key} = {}", 1u64 << count));
        }
    }
    line(format!("rows = {}", 1u64 << shape.rows.len()));
    text
}
