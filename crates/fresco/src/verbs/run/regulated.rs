// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds bandwidth, and what it is told, as `--dry-run` shows it.

use fresco_dram::color::format_list;
use fresco_input::format_bandwidth;
use fresco_linux::memguard::LINE_BYTES;
use fresco_linux::regulator::{Regulation, Regulator};
use serde::Serialize;

/// What memguard can count that is lines.
const LINES: [&str; 3] = ["llc-misses", "llc-read-misses", "fed"];

/// What holds bandwidth.
#[derive(Debug, Serialize)]
pub struct Regulated {
    /// `resctrl` or `memguard`.
    regulator: &'static str,
    /// What the program is held to, after rounding; `null` if it is not.
    bytes_per_s: Option<u64>,
    /// What memguard counts, its period, and lines of a period; `null` of resctrl.
    source: Option<String>,
    period_us: Option<u64>,
    lines: Option<u64>,
    /// What is reserved of processors.
    reserved: Option<Reserved>,
    #[serde(skip)]
    attention: Option<String>,
}

/// A reservation.
#[derive(Debug, Serialize)]
struct Reserved {
    cpus: String,
    /// Lines of each processor in each period.
    lines: u64,
    /// Of all processors together, after rounding.
    bytes_per_s: u64,
}

impl Regulated {
    /// `None` where bandwidth is neither limited nor reserved.
    pub fn new(regulation: &Regulation) -> Option<Self> {
        let Some((tree, asked)) = &regulation.group else {
            return regulation.bytes_per_s.map(|bytes| Self {
                regulator: Regulator::Resctrl.name(),
                bytes_per_s: Some(bytes),
                source: None,
                period_us: None,
                lines: None,
                reserved: None,
                attention: None,
            });
        };
        let budgets = [asked.budget, asked.reserved.as_ref().map(|(_, each)| *each)];
        Some(Self {
            regulator: Regulator::Memguard.name(),
            bytes_per_s: regulation.bytes_per_s,
            source: Some(tree.source()),
            period_us: budgets.into_iter().flatten().map(|budget| budget.period_us).next(),
            lines: asked.budget.map(|budget| budget.lines),
            reserved: asked.reserved.as_ref().map(|(cpus, each)| Reserved {
                cpus: format_list(cpus),
                lines: each.lines,
                bytes_per_s: each.bytes_per_s().saturating_mul(cpus.len() as u64),
            }),
            attention: attention(regulation),
        })
    }

    /// In words.
    pub fn words(&self) -> String {
        let (source, period_us) = match (&self.source, self.period_us) {
            (Some(source), Some(period_us)) => (source, period_us),
            _ => {
                return format!(
                    "{}: {}",
                    self.regulator,
                    self.bytes_per_s.map_or_else(String::new, format_bandwidth)
                );
            }
        };
        let lines = |lines: u64, of: &str, bytes: u64| {
            let plural = if lines == 1 { "" } else { "s" };
            format!("{lines} line{plural}{of}, {}", format_bandwidth(bytes))
        };
        let own = self
            .lines
            .zip(self.bytes_per_s)
            .map(|(count, bytes)| lines(count, "", bytes));
        let reserved = self.reserved.as_ref().map(|reserved| {
            let of = format!(" of each of the processors {}", reserved.cpus);
            format!("reserved {}", lines(reserved.lines, &of, reserved.bytes_per_s))
        });
        let budgets: Vec<String> = own.into_iter().chain(reserved).collect();
        format!(
            "{}: {}, in each period of {period_us} us; it counts {source}",
            self.regulator,
            budgets.join("; ")
        )
    }

    /// Rows of a table.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let attention = self.attention.clone().map(|words| ("attention", words));
        std::iter::once(("regulator", self.words())).chain(attention).collect()
    }
}

/// What is to be told where what is counted is no lines.
pub fn attention(regulation: &Regulation) -> Option<String> {
    let (tree, _) = regulation.group.as_ref()?;
    let source = tree.source();
    (!LINES.contains(&source.as_str()))
        .then(|| format!("memguard counts {source}, each of which is taken for a line of {LINE_BYTES} bytes"))
}
