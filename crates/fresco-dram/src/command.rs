// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DRAM commands the model issues.

use serde::{Deserialize, Serialize};

/// A command on the command bus. Names as in JESD79.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u8)]
pub enum CommandKind {
    /// Open a row.
    Act,
    /// Close the open row of one bank.
    Pre,
    /// Close the open rows of all banks of a rank.
    PreAll,
    /// Read burst.
    Rd,
    /// Read burst, then precharge by itself.
    RdA,
    /// Write burst.
    Wr,
    /// Write burst, then precharge by itself.
    WrA,
    /// Refresh all banks of a rank.
    RefAb,
    /// Refresh one bank (LPDDR).
    RefPb,
    /// Refresh the bank of the same number in every bank group (DDR5).
    RefSb,
    /// Refresh all banks of a rank by a quarter of a REFab (DDR4, fine granularity chosen on the fly).
    RefAb4,
    /// Refresh management of all banks of a rank (DDR5).
    RfmAb,
    /// Refresh management of the bank of the same number in every bank group (DDR5).
    RfmSb,
}

impl CommandKind {
    /// Every command, in the order of the discriminants.
    pub const ALL: [Self; 13] = [
        Self::Act,
        Self::Pre,
        Self::PreAll,
        Self::Rd,
        Self::RdA,
        Self::Wr,
        Self::WrA,
        Self::RefAb,
        Self::RefPb,
        Self::RefSb,
        Self::RefAb4,
        Self::RfmAb,
        Self::RfmSb,
    ];

    /// The name in a command trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Act => "ACT",
            Self::Pre => "PRE",
            Self::PreAll => "PREA",
            Self::Rd => "RD",
            Self::RdA => "RDA",
            Self::Wr => "WR",
            Self::WrA => "WRA",
            Self::RefAb => "REFab",
            Self::RefPb => "REFpb",
            Self::RefSb => "REFsb",
            Self::RefAb4 => "REFab4",
            Self::RfmAb => "RFMab",
            Self::RfmSb => "RFMsb",
        }
    }

    /// Returns true if the command moves data.
    pub fn is_column(self) -> bool {
        matches!(self, Self::Rd | Self::RdA | Self::Wr | Self::WrA)
    }

    /// Returns true for a refresh of any granularity.
    pub fn is_refresh(self) -> bool {
        matches!(self, Self::RefAb | Self::RefAb4 | Self::RefPb | Self::RefSb)
    }

    /// Returns true for refresh management, which refreshes no rows in their turn.
    pub fn is_management(self) -> bool {
        matches!(self, Self::RfmAb | Self::RfmSb)
    }

    /// Returns true for a refresh, or refresh management, of all banks of a rank.
    pub fn is_of_rank(self) -> bool {
        matches!(self, Self::RefAb | Self::RefAb4 | Self::RfmAb)
    }
}
