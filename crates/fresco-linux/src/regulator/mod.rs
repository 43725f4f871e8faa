// SPDX-License-Identifier: MIT OR Apache-2.0
//! What limits bandwidth: the kernel's resctrl, by the hardware, or the module memguard, by counters of the CPUs (MG-1).
//! Two that hold the same bandwidth at once are refused: each would count what the other holds.

mod choose;
mod place;
mod refusal;

pub use choose::{Regulation, Trees, Wishes};
pub use place::{Place, Places, make};
pub use refusal::RegulatorRefusal;

/// What limits bandwidth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regulator {
    /// resctrl's memory bandwidth allocation.
    Resctrl,
    /// The kernel module.
    Memguard,
}

impl Regulator {
    /// All, in the order in which they are tried.
    pub const ALL: [Self; 2] = [Self::Resctrl, Self::Memguard];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resctrl => "resctrl",
            Self::Memguard => "memguard",
        }
    }
}

#[cfg(test)]
mod tests;
