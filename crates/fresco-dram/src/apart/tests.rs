// SPDX-License-Identifier: MIT OR Apache-2.0
//! The judge by hand, and against all pairs of bytes of small memories.

use super::place::{distance, place};
use super::*;
use crate::Organisation;
use crate::map::testing::{cases, maps, small_organisations};
use proptest::prelude::*;

#[test]
fn pins_are_those_of_the_standards() {
    // Row 0x809 has A0, A3 and A11: mirrored A0, A4 and A13. Inverted are A3 to A9, A11 and A13; of 12 bits A11 has no partner.
    assert_eq!(place(0x809, 16, true, false), 1 << 13 | 1 << 4 | 1);
    assert_eq!(place(0x809, 16, false, true), 0x809 ^ 0x2bf8);
    assert_eq!(place(0x809, 16, true, true), (1 << 13 | 1 << 4 | 1) ^ 0x2bf8);
    assert_eq!(place(0x809, 12, true, false), 1 << 11 | 1 << 4 | 1);
    assert_eq!(place(0, 0, true, true), 0);
}

#[test]
fn rows_of_blocks_are_as_near_as_devices_may_put_them() {
    let near = [(3, 3, 0), (0, 3, 1), (3, 4, 1), (0, 7, 1), (0, 8, 5), (11, 0, 5)];
    for (one, other, expected) in near {
        assert_eq!(distance(one, other, 4), expected, "{one}, {other}");
    }
    assert_eq!([distance(5, 9, 1), distance(9, 5, 1), distance(5, 5, 1)], [4, 4, 0]);
}

/// What the judge is to find: every pair of bytes of two owners in one bank, in every order.
fn nearest(map: &AddressMap, owners: &[(u32, u64)], page: u64, remaps: Remaps) -> Option<u32> {
    let organisation: &Organisation = map.organisation();
    let bits = organisation.rows.ilog2();
    let mut found = Vec::new();
    for (owner, first) in owners {
        for address in *first..first + page {
            let at = map.decode(PhysAddr(address)).expect("memory");
            found.push((*owner, at.bank_in_machine(organisation), at.row));
        }
    }
    found.sort_unstable();
    found.dedup();
    let orders = [(false, false), (true, false), (false, true), (true, true)];
    let mut least = None;
    for (mirrored, inverted) in orders
        .into_iter()
        .filter(|(m, i)| (remaps.mirrored || !m) && (remaps.inverted || !i))
    {
        for one in &found {
            for other in found.iter().filter(|other| other.0 != one.0 && other.1 == one.1) {
                let lies = |row| place(row, bits, mirrored, inverted);
                let distance = distance(lies(one.2), lies(other.2), remaps.block);
                least = Some(least.map_or(distance, |least: u32| least.min(distance)));
            }
        }
    }
    least
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn it_finds_what_all_pairs_of_bytes_show(
        map in maps(small_organisations(), 4),
        picks in prop::collection::vec((0u32..3, any::<u64>()), 1..6),
        mirrored: bool,
        inverted: bool,
        block_bits in 0u32..3,
    ) {
        let page = 16u64.max(map.organisation().bus_bytes.into());
        let remaps = Remaps { mirrored, inverted, block: 1 << block_bits };
        let page_of = |pick: u64| {
            let region = &map.regions()[pick as usize % map.regions().len()];
            region.base + (pick >> 8) % (region.size / page).max(1) * page
        };
        let pages: Vec<(u32, u64)> = picks.into_iter().map(|(owner, pick)| (owner, page_of(pick))).collect();
        let pages: Vec<_> = pages.into_iter().filter(|(_, first)| map.decode(PhysAddr(first + page - 1)).is_some()).collect();
        let judged = |blast: u32| {
            let mut judge = Judge::new(&map);
            pages.iter().for_each(|(owner, first)| judge.see(*owner, PhysAddr(*first), page));
            judge.judge(blast, remaps, |one, other| one != other)
        };
        match nearest(&map, &pages, page, remaps) {
            None => prop_assert_eq!(judged(9).unwrap().nearest, None),
            Some(0) => prop_assert!(judged(0).is_err()),
            Some(least) => {
                prop_assert_eq!(judged(least - 1).unwrap().nearest, Some(least));
                prop_assert_eq!(judged(least).unwrap_err().distance <= least, true);
            }
        }
    }
}
