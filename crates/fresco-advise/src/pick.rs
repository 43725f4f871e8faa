// SPDX-License-Identifier: MIT OR Apache-2.0
//! Banks and cache colors that are set aside, chosen together: only pairs that exist are of use (CON-5).

use super::candidate::Slice;
use fresco_dram::ColorSpace;
use std::collections::BTreeSet;

/// What has been given away.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Bank colors.
    pub banks: BTreeSet<u32>,
    /// LLC colors.
    pub llc: BTreeSet<u32>,
}

/// `banks` bank colors of `node` and `llc` colors of the cache that nobody has yet, so that each of the banks exists with
/// one of the cache colors, ascending; 0 for none of a kind. `None` if there are not so many.
pub fn pick(space: &ColorSpace, node: u32, banks: u32, llc: u32, given: &mut Given) -> Option<Slice> {
    let free_banks: Vec<u32> = (0..space.bank_colors())
        .filter(|bank| space.node_of_color(*bank) == node && !given.banks.contains(bank))
        .collect();
    let free_llc: Vec<u32> = (0..space.llc_colors()).filter(|llc| !given.llc.contains(llc)).collect();
    let found = match (banks, llc) {
        (0, 0) => Some((Vec::new(), Vec::new())),
        (_, 0) => first(&free_banks, banks).map(|banks| (banks, Vec::new())),
        (0, _) => first(&free_llc, llc).map(|llc| (Vec::new(), llc)),
        _ => free_banks
            .iter()
            .find_map(|&lead| both(space, lead, &free_banks, &free_llc, (banks, llc))),
    };
    let (mut banks, mut llc) = found?;
    banks.sort_unstable();
    llc.sort_unstable();
    given.banks.extend(&banks);
    given.llc.extend(&llc);
    Some(Slice { banks, llc })
}

fn first(colors: &[u32], count: u32) -> Option<Vec<u32>> {
    colors.get(..count as usize).map(<[u32]>::to_vec)
}

/// The cache colors that exist with the bank `lead`, and the banks that exist with one of them.
fn both(
    space: &ColorSpace,
    lead: u32,
    free_banks: &[u32],
    free_llc: &[u32],
    (banks, llc): (u32, u32),
) -> Option<(Vec<u32>, Vec<u32>)> {
    let with_lead: Vec<u32> = free_llc
        .iter()
        .copied()
        .filter(|&llc| space.pair_exists(lead, llc))
        .collect();
    // Where a bank has fewer cache colors than asked for, others fill up.
    let others = free_llc.iter().copied().filter(|llc| !with_lead.contains(llc));
    let chosen: Vec<u32> = with_lead.iter().copied().chain(others).take(llc as usize).collect();
    let exists = |bank: &u32| chosen.iter().any(|&llc| space.pair_exists(*bank, llc));
    let of_them: Vec<u32> = free_banks.iter().copied().filter(exists).take(banks as usize).collect();
    let enough = chosen.len() == llc as usize && of_them.len() == banks as usize && of_them.contains(&lead);
    enough.then_some((of_them, chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(machine: &str) -> ColorSpace {
        let machine = fresco_machine::builtin(machine).expect("built in");
        machine.colors().expect("colors")
    }

    #[test]
    fn slices_share_nothing_and_their_pairs_exist() {
        let space = space("opteron-6128");
        let mut given = Given::default();
        let mut slices = Vec::new();
        while let Some(slice) = pick(&space, 1, 2, 2, &mut given) {
            slices.push(slice);
        }
        assert!(slices.len() >= 8, "{slices:?}");
        let mut seen = (BTreeSet::new(), BTreeSet::new());
        for slice in &slices {
            for &bank in &slice.banks {
                assert!(seen.0.insert(bank), "bank {bank} twice");
                assert_eq!(space.node_of_color(bank), 1);
                assert!(slice.llc.iter().any(|&llc| space.pair_exists(bank, llc)));
            }
            assert!(slice.llc.iter().all(|&llc| seen.1.insert(llc)), "{slices:?}");
        }
    }

    #[test]
    fn what_fills_up_is_in_order() {
        // A bank of the Opteron exists with 8 of its 32 cache colors; the other eight are of no use to it.
        let space = space("opteron-6128");
        let slice = pick(&space, 0, 1, 16, &mut Given::default()).expect("there are so many");
        assert_eq!((slice.banks.len(), slice.llc.len()), (1, 16));
        assert!(slice.llc.is_sorted());
    }

    #[test]
    fn more_than_there_is_is_refused() {
        let space = space("xeon-w3530");
        let mut given = Given::default();
        assert!(pick(&space, 0, space.bank_colors() + 1, 0, &mut given).is_none());
        assert!(given.banks.is_empty(), "a refusal gives nothing away");
        let all = pick(&space, 0, space.bank_colors(), 0, &mut given).expect("all of them");
        assert_eq!(all.banks.len() as u32, space.bank_colors());
        assert!(pick(&space, 0, 1, 0, &mut given).is_none());
    }
}
