// SPDX-License-Identifier: MIT OR Apache-2.0
//! How the DRAM is refreshed, and which devices stand it.

use fresco_dram::{Cycle, Organisation, Timing};
use serde::{Deserialize, Serialize};

/// How a controller refreshes the ranks of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RefreshPolicy {
    /// Never (the ideal bound; the checker reports every row).
    None,
    /// All ranks of a channel at the same time, every tREFI (REF-4 "simultaneous").
    AllBankSimultaneous,
    /// Each rank on its own, staggered evenly over tREFI (REF-4 "independent").
    AllBankIndependent,
    /// Put off while a rank is busy, within the standard's limit (REF-15).
    Elastic,
    /// Each rank on its own; whole commands while the channel is busy, in quarters else (REF-10).
    Adaptive,
    /// All rows of all ranks at the start of each refresh window, then none (REF-11).
    Burst,
    /// One bank of a rank after the other (REF-8).
    PerBank,
    /// One bank of a rank at a time, the one with the fewest requests first (REF-9).
    PerBankOutOfOrder,
    /// All rows of one bank before the next bank, then the next rank (COD-1).
    PerBankSequential,
    /// The same bank of every bank group, one number after the other (DDR5).
    SameBank,
}

impl RefreshPolicy {
    /// Every policy with its name in machine files.
    pub const NAMES: [(&'static str, Self); 10] = [
        ("none", Self::None),
        ("all-bank-simultaneous", Self::AllBankSimultaneous),
        ("all-bank-independent", Self::AllBankIndependent),
        ("elastic", Self::Elastic),
        ("adaptive", Self::Adaptive),
        ("burst", Self::Burst),
        ("per-bank", Self::PerBank),
        ("per-bank-out-of-order", Self::PerBankOutOfOrder),
        ("per-bank-sequential", Self::PerBankSequential),
        ("same-bank", Self::SameBank),
    ];

    /// The name in machine files.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMES
            .into_iter()
            .find(|&(_, policy)| policy == self)
            .expect("every policy has a name");
        name
    }

    /// Returns true if the refreshes are spread over the refresh window, so that a part of it has its share of them.
    pub fn is_spread(self) -> bool {
        !matches!(self, Self::None | Self::Burst | Self::PerBankSequential)
    }

    /// What it does, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::AllBankSimultaneous => "all-bank, all ranks of a channel at once",
            Self::AllBankIndependent => "all-bank, each rank at its own time",
            Self::Elastic => "all-bank, put off while the rank is busy",
            Self::Adaptive => "all-bank, in quarters while the channel has time",
            Self::Burst => "all-bank, in one burst per refresh window",
            Self::PerBank => "per-bank, each in turn",
            Self::PerBankOutOfOrder => "per-bank, the bank with the fewest requests first",
            Self::PerBankSequential => "per-bank, all rows of a bank before the next",
            Self::SameBank => "same-bank, each number in turn",
        }
    }

    /// How often a bank is refreshed on average, and for how long, its precharge included, in cycles; (0, 0) if it is not.
    pub(crate) fn of_bank(self, timing: &Timing) -> (Cycle, Cycle) {
        let by_bank = || timing.refw / timing.bank_refreshes.max(1);
        match self {
            Self::None => (0, 0),
            Self::AllBankSimultaneous | Self::AllBankIndependent | Self::Elastic | Self::Burst => {
                (timing.refi, timing.rp_ab + timing.rfc_ab)
            }
            Self::Adaptive => {
                let quarters = 4 * (timing.rp_ab + timing.rfc_ab4);
                (timing.refi, quarters.max(timing.rp_ab + timing.rfc_ab))
            }
            Self::PerBank | Self::PerBankOutOfOrder | Self::PerBankSequential => (by_bank(), timing.rp + timing.rfc_pb),
            Self::SameBank => (by_bank(), timing.rp + timing.rfc_sb),
        }
    }

    /// Checks that devices with this timing can be refreshed so.
    ///
    /// # Errors
    /// Why they cannot: the standard lacks the command, or the time for one refresh is shorter than the refresh.
    pub fn check(self, org: &Organisation, timing: &Timing) -> Result<(), String> {
        let standard = &timing.standard;
        let (command, least, units) = match self {
            Self::None | Self::AllBankSimultaneous | Self::AllBankIndependent | Self::Elastic => return Ok(()),
            Self::Adaptive => {
                let (quarter, each) = (timing.rfc_ab4, timing.refi / 4);
                return match quarter {
                    0 => Err(format!(
                        "{standard} with this refresh table and mode has no REFab4 (on-the-fly refresh of DDR4)"
                    )),
                    _ if each <= quarter => Err(format!(
                        "REFab4 is due every {each} cycles, and takes {quarter} of them"
                    )),
                    _ => Ok(()),
                };
            }
            Self::Burst => {
                let (burst, window) = (timing.refreshes * timing.rfc_ab, timing.refw - timing.refi);
                return (burst < window).then_some(()).ok_or_else(|| {
                    format!("a burst of {burst} cycles does not end within the refresh window of {window} cycles")
                });
            }
            Self::PerBank | Self::PerBankOutOfOrder => {
                (timing.rfc_pb, timing.refresh_to_refresh_other, timing.refpb_units(org))
            }
            Self::PerBankSequential if timing.paired_refresh => {
                return Err(format!(
                    "REFpb of {standard} refreshes two banks, and here one has its turn after the other; per-bank knows pairs"
                ));
            }
            Self::PerBankSequential => (timing.rfc_pb, timing.rfc_pb, org.ranks * org.banks_per_rank()),
            Self::SameBank => (timing.rfc_sb, timing.refresh_to_refresh_other, org.banks),
        };
        if command == 0 {
            let name = if self == Self::SameBank { "REFsb" } else { "REFpb" };
            return Err(format!("{standard} with this refresh table has no {name}"));
        }
        // A round of all banks is worth tREFI, or half of it where REFsb takes half as many rows (DDR5).
        let each = timing.refi * timing.refreshes / timing.bank_refreshes / u64::from(units);
        if each < least {
            return Err(format!(
                "a refresh command is due every {each} cycles, and the next may follow after {least} (CON-20)"
            ));
        }
        Ok(())
    }
}
