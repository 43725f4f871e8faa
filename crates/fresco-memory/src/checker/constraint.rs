// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of what can be violated.

use serde::Serialize;

/// A rule of the command protocol. The rules on distances are those of the table at [`fresco_dram::Timing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Constraint {
    /// ACT to RD or WR of the bank.
    Rcd,
    /// PRE, or the precharge implied by RDA or WRA, to ACT or refresh of the bank.
    Rp,
    /// PREA to ACT or refresh of the rank.
    RpAb,
    /// ACT to PRE of the bank.
    Ras,
    /// ACT to ACT or refresh of the bank.
    Rc,
    /// ACT to ACT, other bank group.
    RrdS,
    /// ACT to ACT in the bank group; ACT to REFpb or REFsb of other banks of the rank.
    RrdL,
    /// Five ACTs of a rank.
    Faw,
    /// RD to RD or WR to WR, other bank group of the rank.
    CcdS,
    /// RD to RD in the bank group.
    CcdL,
    /// WR to WR in the bank group.
    CcdLWr,
    /// WR to RD, other bank group of the rank.
    WtrS,
    /// WR to RD in the bank group.
    WtrL,
    /// RD to PRE of the bank.
    Rtp,
    /// WR to PRE of the bank, also to the precharge implied by RDA.
    Wr,
    /// RD to WR in the rank.
    Rtw,
    /// Column command to column command of another rank, in each of the four combinations of direction.
    Rtrs,
    /// Two bursts at the same time on the data bus.
    DataBus,
    /// Two commands at the same time on the command bus.
    CommandBus,
    /// PRE to PRE in the rank.
    Ppd,
    /// REFab to any command of the rank.
    RfcAb,
    /// REFab4 to any command of the rank.
    RfcAb4,
    /// REFpb to any command of the bank, or REFab.
    RfcPb,
    /// REFsb to any command of its banks, or REFab.
    RfcSb,
    /// RFMab to any command of the rank.
    RfmAb,
    /// RFMsb to any command of its banks, or REFab.
    RfmSb,
    /// REFpb, REFsb or RFMsb to ACT of another bank of the rank.
    RefreshToAct,
    /// REFpb, REFsb or RFMsb to one of these of other banks of the rank.
    RefreshToRefresh,
    /// ACT of a bank that has been activated RAAMMT times, less what refreshes and RFM took off.
    Activations,
    /// ACT in a back-off: after the window of an alert, and before the rank has had its RFMab.
    BackOff,
    /// Another refresh after a number of REFab4 that is no multiple of four: the granularity changes only where a whole
    /// REFab is done (JESD79-4C, fine granularity refresh on the fly).
    QuarterRefreshes,
    /// Refresh of a bank that is open.
    RefreshOpenBank,
    /// Column command to a row that is not open.
    RowNotOpen,
    /// ACT to a bank that is open.
    BankOpen,
    /// A command before the one in front of it, in one channel.
    Order,
    /// A coordinate that the organisation does not have.
    Address,
    /// REFab4, REFpb or REFsb where the standard has no such command (`rfc_ab4`, `rfc_pb`, `rfc_sb` 0), RFMab or RFMsb of devices that do not
    /// ask for refresh management.
    Unsupported,
}

impl Constraint {
    /// The usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rcd => "tRCD",
            Self::Rp => "tRP",
            Self::RpAb => "tRPab",
            Self::Ras => "tRAS",
            Self::Rc => "tRC",
            Self::RrdS => "tRRD_S",
            Self::RrdL => "tRRD_L",
            Self::Faw => "tFAW",
            Self::CcdS => "tCCD_S",
            Self::CcdL => "tCCD_L",
            Self::CcdLWr => "tCCD_L_WR",
            Self::WtrS => "tWTR_S",
            Self::WtrL => "tWTR_L",
            Self::Rtp => "tRTP",
            Self::Wr => "tWR",
            Self::Rtw => "read to write",
            Self::Rtrs => "tRTRS",
            Self::DataBus => "data bus overlap",
            Self::CommandBus => "command bus overlap",
            Self::Ppd => "tPPD",
            Self::RfcAb => "tRFCab",
            Self::RfcAb4 => "tRFC4",
            Self::RfcPb => "tRFCpb",
            Self::RfcSb => "tRFCsb",
            Self::RfmAb => "tRFMab",
            Self::RfmSb => "tRFMsb",
            Self::Activations => "ACT beyond RAAMMT",
            Self::BackOff => "ACT in a back-off",
            Self::RefreshToAct => "bank refresh to ACT of another bank",
            Self::RefreshToRefresh => "bank refresh to bank refresh",
            Self::QuarterRefreshes => "refresh amid four REFab4",
            Self::RefreshOpenBank => "refresh of an open bank",
            Self::RowNotOpen => "row not open",
            Self::BankOpen => "ACT to an open bank",
            Self::Order => "order",
            Self::Address => "address",
            Self::Unsupported => "command that the standard lacks",
        }
    }
}
