// SPDX-License-Identifier: MIT OR Apache-2.0
//! What devices of DDR5 ask for where rows are opened often: refresh management, and per-row activation counting with back-off.

use crate::Cycle;
use serde::{Deserialize, Serialize};

/// Refresh management (RFM, JESD79-5, mode registers 58 and 59): the controller counts the activations of each bank, its rolling
/// accumulated ACTs (RAA), and gives the device time to look after its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rfm {
    /// RAAIMT: activations of a bank after which it is to have an RFM, which takes as many off its count, down to 0.
    pub raaimt: u32,
    /// RAAMMT: a bank whose count is so high may not be activated.
    pub raammt: u32,
    /// Activations that a REF takes off the count of each of its banks: RAAIMT, or half of it.
    pub per_refresh: u32,
    /// The controller gives RFMsb, for the bank of the same number in every group, instead of RFMab.
    pub same_bank: bool,
}

impl Rfm {
    /// RAAIMT as mode register 58 has it: 32, 40, …, 80 in the normal refresh mode, half of that in the `fine`-granularity mode.
    pub fn thresholds(fine: bool) -> [u32; 7] {
        std::array::from_fn(|code| (32 + 8 * code as u32) / if fine { 2 } else { 1 })
    }

    /// RAAMMT as mode register 58 has it: 3 to 6 times RAAIMT in the normal refresh mode, 6, 8, 10 or 12 times in the
    /// `fine`-granularity mode.
    pub fn maxima(raaimt: u32, fine: bool) -> [u32; 4] {
        [3, 4, 5, 6].map(|times| times * raaimt * if fine { 2 } else { 1 })
    }
}

/// Per-row activation counting (PRAC, JESD79-5C): a device counts the activations of each row, when it closes the row, and asks for time
/// with its pin ALERT_n (back-off, ABO).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prac {
    /// Activations of a row with which the device asks.
    pub threshold: u32,
    /// RFMab that each rank has in a back-off, and activations before the next one: 1, 2 or 4.
    pub level: u32,
}

impl Prac {
    /// Levels that the standard has.
    pub const LEVELS: [u32; 3] = [1, 2, 4];
}

/// Refresh management and activation counting of a device, with their times in clocks; nothing where they are off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Management {
    /// Refresh management.
    pub rfm: Option<Rfm>,
    /// Per-row activation counting.
    pub prac: Option<Prac>,
    /// RFMab to ACT or REF (tRFM; tRFMab with PRAC).
    pub rfm_ab: Cycle,
    /// RFMsb to ACT or REF of those banks.
    pub rfm_sb: Cycle,
    /// From the alert until no row may be opened before the RFMab have been given (tABO_ACT).
    pub window: Cycle,
}

impl Management {
    /// Returns true if the devices ask for nothing.
    pub fn is_off(&self) -> bool {
        self.rfm.is_none() && self.prac.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_mode_register_58() {
        assert_eq!(Rfm::thresholds(false), [32, 40, 48, 56, 64, 72, 80]);
        assert_eq!(Rfm::thresholds(true), [16, 20, 24, 28, 32, 36, 40]);
        assert_eq!(Rfm::maxima(80, false), [240, 320, 400, 480]);
        assert_eq!(Rfm::maxima(32, false), [96, 128, 160, 192]);
        assert_eq!(Rfm::maxima(16, true), [96, 128, 160, 192]);
        assert_eq!(Rfm::maxima(32, true), [192, 256, 320, 384]);
    }
}
