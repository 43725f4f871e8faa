// SPDX-License-Identifier: MIT OR Apache-2.0
//! One command of a trace, and its line: `cycle command channel rank bankgroup bank row column`, decimal, separated by
//! blanks, `-` in the fields that the command does not have.

use fresco_dram::{CommandKind, Cycle, Organisation};
use fresco_input::InputError;
use serde::Serialize;
use std::fmt;

/// One command, as it appears on the command bus. Fields that the command does not have are 0 and ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CommandRecord {
    /// First cycle on the command bus.
    pub cycle: Cycle,
    /// The command.
    pub kind: CommandKind,
    /// Channel, numbered through the nodes.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group of the rank; not for PREA, REFab, REFab4, REFsb, RFMab, RFMsb.
    pub bank_group: u32,
    /// Bank of the group; not for PREA, REFab, REFab4, RFMab.
    pub bank: u32,
    /// Row; for ACT and column commands.
    pub row: u32,
    /// Column; for column commands.
    pub column: u32,
}

/// Which of bank group, bank, row and column a command has.
fn fields_of(kind: CommandKind) -> [bool; 4] {
    match kind {
        CommandKind::PreAll | CommandKind::RefAb | CommandKind::RefAb4 | CommandKind::RfmAb => {
            [false, false, false, false]
        }
        CommandKind::RefSb | CommandKind::RfmSb => [false, true, false, false],
        CommandKind::Pre | CommandKind::RefPb => [true, true, false, false],
        CommandKind::Act => [true, true, true, false],
        CommandKind::Rd | CommandKind::RdA | CommandKind::Wr | CommandKind::WrA => [true, true, true, true],
    }
}

impl CommandRecord {
    /// Returns true if all its coordinates exist.
    pub(super) fn lies_in(&self, org: &Organisation) -> bool {
        let [group, bank, row, column] = fields_of(self.kind);
        self.channel < org.nodes * org.channels
            && self.rank < org.ranks
            && (!group || self.bank_group < org.bank_groups)
            && (!bank || self.bank < org.banks)
            && (!row || self.row < org.rows)
            && (!column || self.column < org.columns)
    }

    /// Returns true if it reads data.
    pub(super) fn is_read(&self) -> bool {
        matches!(self.kind, CommandKind::Rd | CommandKind::RdA)
    }

    /// Returns true if it closes its bank by itself (automatic precharge).
    pub(super) fn is_auto_precharge(&self) -> bool {
        matches!(self.kind, CommandKind::RdA | CommandKind::WrA)
    }
}

impl fmt::Display for CommandRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.cycle, self.kind.name(), self.channel, self.rank)?;
        let values = [self.bank_group, self.bank, self.row, self.column];
        for (value, applies) in values.into_iter().zip(fields_of(self.kind)) {
            if applies {
                write!(f, " {value}")?;
            } else {
                f.write_str(" -")?;
            }
        }
        Ok(())
    }
}

const FIELDS: [&str; 8] = [
    "cycle",
    "command",
    "channel",
    "rank",
    "bankgroup",
    "bank",
    "row",
    "column",
];

/// Reads one line of a command trace; `None` for an empty line or a comment (`#`). `file` and `line` (counted from 1)
/// go into the error.
///
/// # Errors
/// Not eight fields, an unknown command, a number that is none, `-` where a number belongs or the other way round.
pub fn parse_line(file: &str, line: u32, text: &str) -> Result<Option<CommandRecord>, InputError> {
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let error = |field: &str, found: String, allowed: String| {
        InputError::new(file, found)
            .at_line(line)
            .in_field(field)
            .allowed(allowed)
    };
    let words: Vec<&str> = text.split_ascii_whitespace().take(FIELDS.len() + 1).collect();
    if words.len() != FIELDS.len() {
        let found = if words.len() < FIELDS.len() {
            words.len().to_string()
        } else {
            "more".into()
        };
        return Err(error("", format!("{found} fields"), FIELDS.join(" ")));
    }
    let number = |i: usize, most: u64| -> Result<u64, InputError> {
        let value = words[i]
            .parse::<u64>()
            .ok()
            .filter(|_| words[i].bytes().all(|b| b.is_ascii_digit()));
        value.filter(|&v| v <= most).ok_or_else(|| {
            error(
                FIELDS[i],
                format!("`{}`", words[i]),
                format!("a decimal number up to {most}"),
            )
        })
    };
    let Some(kind) = CommandKind::ALL.into_iter().find(|k| k.name() == words[1]) else {
        let names = CommandKind::ALL.map(CommandKind::name);
        return Err(error(FIELDS[1], format!("`{}`", words[1]), names.join(", ")));
    };
    let mut coordinates = [0; 4];
    for ((i, value), applies) in coordinates.iter_mut().enumerate().zip(fields_of(kind)) {
        match (applies, words[4 + i]) {
            (true, _) => *value = number(4 + i, u64::from(u32::MAX))? as u32,
            (false, "-") => {}
            (false, word) => {
                let allowed = format!("`-`: {} has no {}", kind.name(), FIELDS[4 + i]);
                return Err(error(FIELDS[4 + i], format!("`{word}`"), allowed));
            }
        }
    }
    let [bank_group, bank, row, column] = coordinates;
    Ok(Some(CommandRecord {
        cycle: number(0, u64::MAX)?,
        kind,
        channel: number(2, u64::from(u32::MAX))? as u32,
        rank: number(3, u64::from(u32::MAX))? as u32,
        bank_group,
        bank,
        row,
        column,
    }))
}
