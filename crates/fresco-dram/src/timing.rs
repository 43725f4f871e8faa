// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing parameters of one device, in cycles of its command clock.

use crate::{Clock, Cycle};
use serde::{Deserialize, Serialize};

/// Every inter-command distance the model keeps, in command-clock cycles. A parameter that a standard does not have
/// holds the value that makes it harmless (`rrd_l == rrd_s` without bank groups, `ppd == 1`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Name of the standard and speed grade, e.g. `ddr4-2400`.
    pub standard: String,
    /// The command clock.
    pub clock: Clock,
    /// Burst length, in transfers; the data bus is busy for half as many cycles.
    pub burst_length: Cycle,
    /// Read latency: RD to first data.
    pub cl: Cycle,
    /// Write latency: WR to first data.
    pub cwl: Cycle,
    /// ACT to RD/WR, same bank.
    pub rcd: Cycle,
    /// PRE to ACT, same bank.
    pub rp: Cycle,
    /// PREA to ACT, same rank (tRPab; equal to `rp` where the standard does not tell them apart).
    pub rp_ab: Cycle,
    /// ACT to PRE, same bank.
    pub ras: Cycle,
    /// ACT to ACT, same bank.
    pub rc: Cycle,
    /// ACT to ACT, other bank group of the rank.
    pub rrd_s: Cycle,
    /// ACT to ACT, same bank group.
    pub rrd_l: Cycle,
    /// Window that may hold at most four ACTs of a rank.
    pub faw: Cycle,
    /// Column to column of the same direction, other bank group.
    pub ccd_s: Cycle,
    /// RD to RD, same bank group.
    pub ccd_l: Cycle,
    /// WR to WR, same bank group (tCCD_L_WR of DDR5; else equal to `ccd_l`).
    pub ccd_l_wr: Cycle,
    /// End of write data to RD, other bank group of the rank.
    pub wtr_s: Cycle,
    /// End of write data to RD, same bank group.
    pub wtr_l: Cycle,
    /// RD to PRE, same bank.
    pub rtp: Cycle,
    /// End of write data to PRE, same bank.
    pub wr: Cycle,
    /// Idle cycles of the data bus between bursts of different ranks.
    pub rtrs: Cycle,
    /// Idle cycles of the data bus between a read burst and a following write burst of the same rank.
    pub rtw_gap: Cycle,
    /// PRE to PRE of any two banks of a rank (LPDDR4, DDR5; else 1).
    pub ppd: Cycle,
    /// Refresh of a rank: REFab to ACT or REF.
    pub rfc_ab: Cycle,
    /// Refresh of one bank: REFpb to ACT or REFpb of the same bank; 0 where the standard has no such command.
    pub rfc_pb: Cycle,
    /// Same-bank refresh: REFsb to ACT of those banks; 0 where the standard has no such command.
    pub rfc_sb: Cycle,
    /// REFpb or REFsb to ACT of a bank of the rank that is not being refreshed.
    pub refresh_to_act_other: Cycle,
    /// REFpb or REFsb to the next REFpb or REFsb of the rank, other bank.
    pub refresh_to_refresh_other: Cycle,
    /// Average interval of all-bank refresh commands.
    pub refi: Cycle,
    /// Refresh window: every row is refreshed once in it (64 ms or 32 ms, in cycles).
    pub refw: Cycle,
    /// Cycles that ACT occupies the command bus.
    pub act_slots: Cycle,
    /// Cycles that a column command occupies the command bus.
    pub column_slots: Cycle,
    /// Cycles that PRE, PREA and refresh commands occupy the command bus.
    pub pre_slots: Cycle,
}

impl Timing {
    /// Cycles that one burst occupies the data bus.
    pub fn burst(&self) -> Cycle {
        self.burst_length / 2
    }
}
