// SPDX-License-Identifier: MIT OR Apache-2.0
//! A DRAM command as it was issued, and its line in a command trace.

use crate::checker::CommandRecord;
use fresco_dram::{CommandKind, Cycle};
use std::fmt;

/// One command on the command bus of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Cycle at which it starts on the command bus.
    pub cycle: Cycle,
    /// What it does.
    pub kind: CommandKind,
    /// Channel, counted within the machine: `node * channels + channel of the node`.
    pub channel: u32,
    /// Rank of the channel.
    pub rank: u32,
    /// Bank group; meaningless for PREA, REFab, REFab4, REFsb, RFMab and RFMsb.
    pub bank_group: u32,
    /// Bank of the group; meaningless for PREA, REFab, REFab4 and RFMab.
    pub bank: u32,
    /// Row that ACT opens, or that a column command finds open.
    pub row: u32,
    /// First column of the burst; column commands only.
    pub column: u32,
}

/// As the checker reads it from a trace.
impl From<&Command> for CommandRecord {
    fn from(command: &Command) -> Self {
        Self {
            cycle: command.cycle,
            kind: command.kind,
            channel: command.channel,
            rank: command.rank,
            bank_group: command.bank_group,
            bank: command.bank,
            row: command.row,
            column: command.column,
        }
    }
}

impl fmt::Display for Command {
    /// `cycle command channel rank bankgroup bank row column`, decimal, `-` for what does not apply.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use CommandKind as K;
        write!(f, "{} {} {} {}", self.cycle, self.kind.name(), self.channel, self.rank)?;
        match self.kind {
            K::PreAll | K::RefAb | K::RefAb4 | K::RfmAb => f.write_str(" - - - -"),
            K::RefSb | K::RfmSb => write!(f, " - {} - -", self.bank),
            K::Pre | K::RefPb => write!(f, " {} {} - -", self.bank_group, self.bank),
            K::Act => write!(f, " {} {} {} -", self.bank_group, self.bank, self.row),
            K::Rd | K::RdA | K::Wr | K::WrA => {
                write!(f, " {} {} {} {}", self.bank_group, self.bank, self.row, self.column)
            }
        }
    }
}
