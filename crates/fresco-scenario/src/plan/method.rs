// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ways to live with refresh.

use serde::{Deserialize, Serialize};

/// How tasks and refresh share the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Refresh every tREFI, by the hardware, whoever runs: tasks pay for it (F1).
    AutoRefresh,
    /// All ranks in one burst at the start of each retention time, by software; nothing runs meanwhile (REF-11).
    Burst,
    /// A cyclic table in which no task runs while a color that it owns is refreshed (CR-1).
    ColoredRefresh,
    /// Two servers per core, one per color, under lock windows (CRS-1).
    Crs,
    /// Two slots per period; in each the other color gets its share of the refresh (F29).
    Aligned,
    /// No servers: the first ready job whose color is not locked (F28).
    Flat,
    /// One bank at a time, all its rows, and a schedule that stays away from it (COD-1).
    Codesign,
    /// Banks, cache colors and bandwidth as the scenario gives them to its tasks, or as the adviser does; refresh and cores are
    /// left as they are, and no deadline is proved.
    Partition,
}

impl Method {
    /// Every method with its name, in the order in which they are compared.
    pub const NAMES: [(&'static str, Method); 8] = [
        ("auto-refresh", Method::AutoRefresh),
        ("burst", Method::Burst),
        ("colored-refresh", Method::ColoredRefresh),
        ("crs", Method::Crs),
        ("aligned", Method::Aligned),
        ("flat", Method::Flat),
        ("codesign", Method::Codesign),
        ("partition", Method::Partition),
    ];

    /// The methods that schedule tasks and refresh together: those that are chosen among and compared.
    pub fn of_refresh() -> impl Iterator<Item = Method> {
        let all = Self::NAMES.into_iter().map(|(_, method)| method);
        all.filter(|method| *method != Self::Partition)
    }

    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMES
            .into_iter()
            .find(|&(_, method)| method == self)
            .expect("every method has a name");
        name
    }

    /// Whether tasks keep away from what is being refreshed, so that none ever meets a refresh.
    pub fn hides_refresh(self) -> bool {
        !matches!(self, Method::AutoRefresh | Method::Partition)
    }
}
