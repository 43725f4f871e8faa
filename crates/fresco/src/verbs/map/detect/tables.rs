// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of a detection for people.

use super::live::LiveView;
use super::report::DetectReport;
use fresco_detect::Cost;
use fresco_detect::queues::Kind;
use fresco_detect::refresh::RefreshTimes;
use fresco_report::{Cell, Column, ReportError, Table};

impl DetectReport {
    /// For people: the verdict, the map, the evidence.
    pub fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let mut tables = vec![self.summary()?];
        let names = self.names.as_ref().map(|names| names.tables()).transpose()?;
        tables.extend(names.into_iter().flatten());
        tables.push(self.checks()?);
        Ok(tables)
    }

    fn summary(&self) -> Result<Table, ReportError> {
        let simulated = if self.simulated { " (simulated)" } else { "" };
        let title = format!("Address map of {}{simulated}: {}", self.machine, self.verdict);
        let mut table = Table::new(title, vec![Column::text("what"), Column::text("found")]);
        let mut row = |what: &str, found: String| table.push(vec![what.into(), found.into()]);
        if let Some(check) = &self.failed {
            row("failed stage", format!("{}: {}", check.stage, check.what))?;
        }
        if let Some(view) = &self.functions {
            let name = if view.defended {
                "bank functions"
            } else {
                "functions, not defended"
            };
            row(name, view.functions.join(", "))?;
            row("banks", format!("{}", view.banks))?;
            if let Some(odd) = view.odd {
                row(
                    "odd interleave",
                    format!("granules of 2^{} bytes over {} ways", odd.granule_bits, odd.ways),
                )?;
            }
            for span in view.spans.iter().filter(|span| span.offset != 0) {
                row(
                    "offset",
                    format!("{:#x} subtracted from {:#x} on", span.offset, span.base),
                )?;
            }
        }
        if let Some(shape) = &self.shape {
            row("row", shape.row.join(", "))?;
            let bits: Vec<String> = shape.column_bits.iter().map(u32::to_string).collect();
            let within = shape.column_bits_within.iter().map(|bit| format!("q{bit}"));
            let columns = bits
                .iter()
                .cloned()
                .chain(within)
                .chain(shape.column_differences.iter().cloned());
            row("column, above a line", columns.collect::<Vec<_>>().join(", "))?;
        }
        for text in &self.not_recovered {
            row("not recovered", text.clone())?;
        }
        if let Some(refresh) = &self.refresh {
            let RefreshTimes {
                period, phase, jitter, ..
            } = refresh;
            row(
                "refresh of one line",
                format!("every {period:.2} ns, ends at {phase:.0} ns (deviation {jitter:.0} ns)"),
            )?;
        }
        if let Some(queues) = &self.queues {
            let ratio = queues.one_over_seven;
            let kind = match queues.kind {
                Kind::PerBankOrReordering => "one per bank, or open rows overtake",
                Kind::OneQueue => "one queue for all banks",
                Kind::Unclear => "unclear",
            };
            row(
                "queues",
                format!(
                    "{kind}: one busy bank over seven {:.2} [{:.2}, {:.2}]",
                    ratio.value, ratio.low, ratio.high
                ),
            )?;
        }
        if let Some(benefit) = &self.benefit {
            for (what, ratio) in [
                ("same page color over others", benefit.pages),
                ("same bank over another", benefit.control),
            ] {
                let text = ratio.map_or_else(
                    || "no two pages have banks of their own".to_owned(),
                    |r| format!("{:.3} [{:.3}, {:.3}], n = {}", r.value, r.low, r.high, r.n),
                );
                row(what, text)?;
            }
        }
        let Cost {
            accesses,
            pauses,
            seconds,
        } = self.cost;
        row(
            "cost",
            format!("{accesses} accesses, {pauses} pauses, {seconds:.1} s of the machine's time"),
        )?;
        let bound = format!(
            "at most {} activations of any row in {} ms",
            self.bound_activations,
            self.bound_window_ns / 1e6
        );
        row("bound", bound)?;
        for (what, text) in self.live.iter().flat_map(LiveView::rows) {
            row(what, text)?;
        }
        Ok(table)
    }

    fn checks(&self) -> Result<Table, ReportError> {
        let mut table = Table::new(
            "Evidence",
            vec![
                Column::text("stage"),
                Column::text("check"),
                Column::number("measured", "", 3),
                Column::text("95 %"),
                Column::number("n", "", 0),
                Column::text("asked"),
                Column::text("passed"),
            ],
        );
        for check in &self.evidence.checks {
            table.push(vec![
                check.stage.to_string().into(),
                check.what.clone().into(),
                check.value.map_or(Cell::Missing, Cell::Number),
                check
                    .interval
                    .map_or(Cell::Missing, |(low, high)| format!("{low:.3} to {high:.3}").into()),
                Cell::Count(check.n),
                check.asked.clone().into(),
                if check.passed { "yes" } else { "no" }.into(),
            ])?;
        }
        Ok(table)
    }
}
