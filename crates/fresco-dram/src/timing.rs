// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timing parameters of one device, in cycles of its command clock.

use crate::{Clock, Cycle, Management, Organisation};
use serde::{Deserialize, Serialize};

fn is_zero(bytes: &u32) -> bool {
    *bytes == 0
}

fn is_now(cycles: &Cycle) -> bool {
    *cycles == 0
}

fn is_false(set: &bool) -> bool {
    !*set
}

/// Every inter-command distance the model keeps, in command-clock cycles. A parameter that a standard does not have
/// holds the value that makes it harmless (`rrd_l == rrd_s` without bank groups, `ppd == 1`).
///
/// # Distances between commands
/// All in cycles from command to command; `BL/2` is [`Timing::burst`], which is BL/4 in HBM3 and BL/8 in LPDDR5. A pair with more than one row must keep all.
///
/// | from | to | where | distance |
/// |---|---|---|---|
/// | ACT | RD, WR | bank | tRCD |
/// | ACT | PRE | bank | tRAS |
/// | ACT | ACT, REFab, REFpb, REFsb | bank | tRC |
/// | ACT | ACT | bank group / rank | tRRD_L / tRRD_S |
/// | ACT | fourth ACT after it | rank | tFAW |
/// | PRE | ACT, refresh of the bank | bank | tRP (tRPab after PREA) |
/// | PRE | PRE | rank | tPPD |
/// | RD | PRE | bank | tRTP |
/// | WR | PRE | bank | CWL + BL/2 + tWR |
/// | WR | RDA | bank | CWL + BL/2 + tWR − tRTP (tWTRA of DDR5: the precharge must find the data written) |
/// | RDA, WRA | ACT, refresh of the bank | bank | that of RD, WR to PRE, but not before tRAS, + tRP |
/// | RD | RD | bank group / rank | tCCD_L / tCCD_S |
/// | WR | WR | bank group / rank | tCCD_L_WR / tCCD_S |
/// | RD | WR | rank | CL + BL/2 + read-to-write gap − CWL |
/// | WR | RD | bank group / rank | CWL + BL/2 + tWTR_L / tWTR_S |
/// | RD | RD | other rank | BL/2 + tRTRS |
/// | WR | WR | other rank | BL/2 + tRTRS |
/// | RD | WR | other rank | CL + BL/2 + tRTRS − CWL |
/// | WR | RD | other rank | CWL + BL/2 + tRTRS − CL |
/// | REFab | any command | rank | tRFCab |
/// | REFab4 | any command | rank | tRFC4 |
/// | RFMab | any command | rank | `rfm_ab` of [`Timing::management`] |
/// | RFMsb | as REFsb | rank | `rfm_sb` of [`Timing::management`]; else as REFsb |
/// | REFpb | ACT of its banks, REFpb of its banks, REFab | rank | tRFCpb |
/// | REFsb | ACT of the banks, REFsb of the banks, REFab | rank | tRFCsb |
/// | REFpb, REFsb | ACT of another bank | rank | `refresh_to_act_other` |
/// | REFpb, REFsb | REFpb, REFsb of other banks | rank | `refresh_to_refresh_other` |
/// | ACT | REFpb, REFsb of other banks | rank | tRRD_L (a bank refresh activates a row), after [`Timing::act_delay`] |
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Name of the standard and speed grade, e.g. `ddr4-2400`.
    pub standard: String,
    /// The command clock.
    pub clock: Clock,
    /// Bytes of a line that several bursts may move, one column command each, one after the other from the same row (LPDDR3, LPDDR5 with bank
    /// groups, HBM2, HBM3); 0 where a line is one burst.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line_bytes: u32,
    /// REFpb refreshes two banks: that of its bank group, and that of the same number in the group half of all groups further
    /// (LPDDR5 with bank groups).
    #[serde(default, skip_serializing_if = "is_false")]
    pub paired_refresh: bool,
    /// Cycles from the first of ACT to the one in which it takes effect, where its distances count from there (ACT-2 of LPDDR5); those
    /// to commands of its bank have them in them.
    #[serde(default, skip_serializing_if = "is_now")]
    pub act_delay: Cycle,
    /// Column commands have a command bus of their own: one of them and one of the others may begin in the same cycle (HBM).
    #[serde(default, skip_serializing_if = "is_false")]
    pub column_bus: bool,
    /// Refresh management and activation counting, with their times.
    #[serde(default, skip_serializing_if = "Management::is_off")]
    pub management: Management,
    /// Burst length, in transfers; the data bus is busy for [`Timing::burst`] cycles.
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
    /// PRE to PRE of any two banks of a rank (LPDDR4, LPDDR5, DDR5; else 1).
    pub ppd: Cycle,
    /// Refresh of a rank: REFab to ACT or REF.
    pub rfc_ab: Cycle,
    /// A quarter of a refresh of a rank, chosen on the fly: REFab4 to ACT or REF (tRFC4 of DDR4); 0 where there is no such
    /// command, also in the 2x and 4x modes, which fix the granularity.
    pub rfc_ab4: Cycle,
    /// Refresh of one bank, or of a pair ([`Timing::paired_refresh`]): REFpb to ACT or REFpb of the same bank; 0 where the standard has no such command.
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
    /// REFab commands that refresh every row of a rank once: 8192, or twice or four times as many in the
    /// fine-granularity modes.
    pub refreshes: u64,
    /// REFpb or REFsb commands that refresh every row of a bank once (8192 for LPDDR4 and LPDDR5, 16384 for DDR5); 0 where the
    /// standard has no such command.
    pub bank_refreshes: u64,
    /// REFab commands that a controller may owe: two of them lie at most `postponable + 1` tREFI apart.
    pub postponable: u64,
    /// Cycles that ACT occupies the command bus.
    pub act_slots: Cycle,
    /// Cycles that a column command occupies the command bus.
    pub column_slots: Cycle,
    /// Cycles that PRE, PREA and refresh commands occupy the command bus.
    pub pre_slots: Cycle,
}

impl Timing {
    /// The names of all parameters, in the order of the fields.
    pub const PARAMETERS: [&str; 35] = [
        "burst_length",
        "cl",
        "cwl",
        "rcd",
        "rp",
        "rp_ab",
        "ras",
        "rc",
        "rrd_s",
        "rrd_l",
        "faw",
        "ccd_s",
        "ccd_l",
        "ccd_l_wr",
        "wtr_s",
        "wtr_l",
        "rtp",
        "wr",
        "rtrs",
        "rtw_gap",
        "ppd",
        "rfc_ab",
        "rfc_ab4",
        "rfc_pb",
        "rfc_sb",
        "refresh_to_act_other",
        "refresh_to_refresh_other",
        "refi",
        "refw",
        "refreshes",
        "bank_refreshes",
        "postponable",
        "act_slots",
        "column_slots",
        "pre_slots",
    ];

    /// Every parameter with its name, in the order of [`Timing::PARAMETERS`].
    pub fn values(&self) -> impl Iterator<Item = (&'static str, Cycle)> {
        let values = [
            self.burst_length,
            self.cl,
            self.cwl,
            self.rcd,
            self.rp,
            self.rp_ab,
            self.ras,
            self.rc,
            self.rrd_s,
            self.rrd_l,
            self.faw,
            self.ccd_s,
            self.ccd_l,
            self.ccd_l_wr,
            self.wtr_s,
            self.wtr_l,
            self.rtp,
            self.wr,
            self.rtrs,
            self.rtw_gap,
            self.ppd,
            self.rfc_ab,
            self.rfc_ab4,
            self.rfc_pb,
            self.rfc_sb,
            self.refresh_to_act_other,
            self.refresh_to_refresh_other,
            self.refi,
            self.refw,
            self.refreshes,
            self.bank_refreshes,
            self.postponable,
            self.act_slots,
            self.column_slots,
            self.pre_slots,
        ];
        Self::PARAMETERS.into_iter().zip(values)
    }

    /// The same, to be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut Cycle)> {
        let values = [
            &mut self.burst_length,
            &mut self.cl,
            &mut self.cwl,
            &mut self.rcd,
            &mut self.rp,
            &mut self.rp_ab,
            &mut self.ras,
            &mut self.rc,
            &mut self.rrd_s,
            &mut self.rrd_l,
            &mut self.faw,
            &mut self.ccd_s,
            &mut self.ccd_l,
            &mut self.ccd_l_wr,
            &mut self.wtr_s,
            &mut self.wtr_l,
            &mut self.rtp,
            &mut self.wr,
            &mut self.rtrs,
            &mut self.rtw_gap,
            &mut self.ppd,
            &mut self.rfc_ab,
            &mut self.rfc_ab4,
            &mut self.rfc_pb,
            &mut self.rfc_sb,
            &mut self.refresh_to_act_other,
            &mut self.refresh_to_refresh_other,
            &mut self.refi,
            &mut self.refw,
            &mut self.refreshes,
            &mut self.bank_refreshes,
            &mut self.postponable,
            &mut self.act_slots,
            &mut self.column_slots,
            &mut self.pre_slots,
        ];
        Self::PARAMETERS.into_iter().zip(values)
    }

    /// Cycles that one burst occupies the data bus.
    pub fn burst(&self) -> Cycle {
        self.burst_length >> self.clock.transfers().trailing_zeros()
    }

    /// Time in which a begun request ends and its bank is closed, with some to spare for a busy bus, in cycles.
    pub fn settling(&self) -> Cycle {
        let bursts = 4 * self.burst() + if self.line_bytes > 0 { self.ccd_l_wr } else { 0 };
        self.rcd + self.cwl.max(self.cl) + self.wr + self.rp_ab.max(self.rp) + bursts
    }

    /// ACT to REFpb or REFsb of another bank.
    pub fn act_to_bank_refresh(&self) -> Cycle {
        self.act_delay + self.rrd_l
    }

    /// Bursts, each with a column command of its own, that move one line: one, or as many as make up [`Timing::line_bytes`].
    pub fn bursts_of_line(&self, org: &Organisation) -> u64 {
        (u64::from(self.line_bytes) / self.burst_bytes(org)).max(1)
    }

    /// Bytes that one request moves: those of its bursts.
    pub fn bytes_of_line(&self, org: &Organisation) -> u64 {
        self.burst_bytes(org) * self.bursts_of_line(org)
    }

    /// REFpb that refresh every bank of a rank once: command u is of bank u, and of u + units where it refreshes two
    /// ([`Timing::paired_refresh`]).
    pub fn refpb_units(&self, org: &Organisation) -> u32 {
        if self.paired_refresh {
            (org.banks_per_rank() / 2).max(1)
        } else {
            org.banks_per_rank()
        }
    }

    fn burst_bytes(&self, org: &Organisation) -> u64 {
        self.burst_length * u64::from(org.bus_bytes)
    }

    /// From the first column command of a line that is read to the last of its data, if nothing comes between.
    pub fn read_data(&self, org: &Organisation) -> Cycle {
        (self.bursts_of_line(org) - 1) * self.ccd_l + self.cl + self.burst()
    }

    /// From one activation of a bank to the next with a read of a line between them.
    pub fn read_row_cycle(&self, org: &Organisation) -> Cycle {
        let line = (self.bursts_of_line(org) - 1) * self.ccd_l;
        self.rc.max(self.rcd + line + self.rtp + self.rp)
    }

    /// The time of [`Self::read_data`] of a line that is written.
    pub fn write_data(&self, org: &Organisation) -> Cycle {
        (self.bursts_of_line(org) - 1) * self.ccd_l_wr + self.cwl + self.burst()
    }

    /// Cycles that the data of one line occupy the data bus.
    pub fn line_on_bus(&self, org: &Organisation) -> Cycle {
        self.bursts_of_line(org) * self.burst()
    }
}
