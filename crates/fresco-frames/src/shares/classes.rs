// SPDX-License-Identifier: MIT OR Apache-2.0
//! Classes: sets of banks and LLC colors that exist together (CON-5).

use fresco_dram::ColorSpace;

/// Banks of one node and LLC colors that are connected by pairs that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    /// Bank colors, ascending.
    pub banks: Vec<u32>,
    /// LLC colors, ascending.
    pub llc: Vec<u32>,
}

/// The classes among these colors, by their lowest bank. Where maps are linear every pair within a class exists; where
/// banks and cache share no address bits there is one class.
pub(super) fn classes(space: &ColorSpace, banks: &[u32], llc: &[u32]) -> Vec<Class> {
    let mut found: Vec<Class> = Vec::new();
    for &bank in banks {
        let own: Vec<u32> = llc
            .iter()
            .copied()
            .filter(|&llc| space.pair_exists(bank, llc))
            .collect();
        let mut joined = Class {
            banks: vec![bank],
            llc: own,
        };
        let (touched, apart): (Vec<Class>, Vec<Class>) = found
            .into_iter()
            .partition(|class| class.llc.iter().any(|llc| joined.llc.contains(llc)));
        for class in touched {
            joined.banks.extend(class.banks);
            joined.llc.extend(class.llc);
        }
        joined.banks.sort_unstable();
        joined.llc.sort_unstable();
        joined.llc.dedup();
        found = apart;
        if !joined.llc.is_empty() {
            found.push(joined);
        }
    }
    found.sort_by(|a, b| a.banks.cmp(&b.banks));
    found
}
