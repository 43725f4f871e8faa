// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why bandwidth cannot be limited.

use crate::memguard::MemguardRefusal;
use crate::resctrl::ResctrlRefusal;
use std::fmt;

/// Why something cannot be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegulatorRefusal {
    /// resctrl cannot.
    Resctrl(ResctrlRefusal),
    /// memguard cannot.
    Memguard(MemguardRefusal),
    /// Neither is there.
    Neither(ResctrlRefusal, MemguardRefusal),
    /// resctrl is wanted, and memguard has these budgets.
    BesideBudgets(Vec<String>),
    /// memguard is wanted, and these classes of resctrl limit bandwidth.
    BesideClasses(Vec<String>),
}

impl fmt::Display for RegulatorRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resctrl(refusal) => refusal.fmt(f),
            Self::Memguard(refusal) => refusal.fmt(f),
            Self::Neither(resctrl, memguard) => write!(f, "{resctrl}; and {memguard}"),
            Self::BesideBudgets(names) => write!(
                f,
                "two regulators at once: memguard is active and has budgets ({}); end these (0 to /sys/kernel/config/memguard/active), or choose --regulator memguard",
                names.join(", ")
            ),
            Self::BesideClasses(names) => write!(
                f,
                "two regulators at once: resctrl limits bandwidth already ({}); remove these limits, or choose --regulator resctrl",
                names.join(", ")
            ),
        }
    }
}

impl From<ResctrlRefusal> for RegulatorRefusal {
    fn from(refusal: ResctrlRefusal) -> Self {
        Self::Resctrl(refusal)
    }
}

impl From<MemguardRefusal> for RegulatorRefusal {
    fn from(refusal: MemguardRefusal) -> Self {
        Self::Memguard(refusal)
    }
}
