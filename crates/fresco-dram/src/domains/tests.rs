// SPDX-License-Identifier: MIT OR Apache-2.0
//! Domains by hand, and every pair of neighbors of small memories looked at one by one.

use super::*;
use crate::apart::{Apart, Judge, TooNear};
use crate::map::testing::{cases, maps};
use crate::{Functions, Organisation, PhysAddr};
use proptest::prelude::*;

/// 2 banks of `rows` rows of 8 KiB; bank from bit 13 and the lowest row bit, rows from bit 14 on.
fn plain(rows: u32) -> AddressMap {
    let organisation = Organisation {
        nodes: 1,
        channels: 1,
        ranks: 1,
        bank_groups: 1,
        banks: 2,
        rows,
        columns: 1024,
        bus_bytes: 8,
    };
    let functions = Functions {
        bank: vec![1 << 13 | 1 << 14],
        row: (14..14 + rows.ilog2()).map(|bit| 1 << bit).collect(),
        column: (3..13).map(|bit| 1 << bit).collect(),
        ..Functions::default()
    };
    let size = organisation.total_bytes();
    let region = Region {
        base: 0,
        size,
        offset: 0,
        node: None,
        functions,
    };
    AddressMap::new(organisation, vec![region]).expect("a bijection")
}

fn request(page_bytes: u64, domain_bytes: u64, blast: u32, remaps: Remaps) -> DomainRequest {
    DomainRequest {
        page_bytes,
        domain_bytes,
        blast,
        remaps,
    }
}

fn owners(domains: &RowDomains) -> Vec<Option<u32>> {
    (0..domains.rows()).map(|row| domains.parts()[0].owner(row)).collect()
}

fn guards(domains: &RowDomains) -> Vec<u32> {
    let owners = owners(domains);
    (0..domains.rows())
        .filter(|row| owners[*row as usize].is_none())
        .collect()
}

#[test]
fn guards_are_as_many_rows_as_the_blast_reaches_between_two_domains() {
    // 16 KiB a row of both banks: 64 rows each, four domains, three borders.
    let domains = RowDomains::new(&plain(256), request(4096, 1 << 20, 4, Remaps::NONE)).unwrap();
    assert_eq!((domains.rows_each(), domains.domains_each()), (64, 4));
    assert_eq!(
        guards(&domains),
        [64, 65, 66, 67, 128, 129, 130, 131, 192, 193, 194, 195]
    );
    assert_eq!(domains.parts()[0].rows_of_each(4), [64, 60, 60, 60]);
    let ranges: Vec<_> = domains.ranges(&domains.parts()[0]).collect();
    let expected = [(0, 0, 64), (1, 68, 128), (2, 132, 192), (3, 196, 256)];
    let expected = expected.map(|(domain, first, end)| AddressRange {
        domain,
        first: first << 14,
        end: end << 14,
    });
    assert_eq!(ranges, expected);
}

#[test]
fn a_page_of_several_rows_is_a_guard_as_a_whole() {
    // 64 KiB are four rows of both banks: one page of guards serves a blast of up to four rows.
    for (blast, pages) in [(1, 1), (4, 1), (5, 2)] {
        let domains = RowDomains::new(&plain(256), request(64 << 10, 1 << 20, blast, Remaps::NONE)).unwrap();
        assert_eq!(domains.parts()[0].page_rows, 4);
        assert_eq!(guards(&domains).len(), 3 * 4 * pages, "blast {blast}");
    }
}

#[test]
fn rows_behind_the_last_whole_domain_are_left_over() {
    let domains = RowDomains::new(&plain(256), request(4096, 100 << 14, 1, Remaps::NONE)).unwrap();
    assert_eq!(domains.domains_each(), 2);
    assert_eq!(guards(&domains).into_iter().min(), Some(100));
    assert_eq!(domains.parts()[0].rows_of_each(2), [100, 99]);
}

#[test]
fn mirrored_and_inverted_rows_lie_as_the_standards_say() {
    let orders = Remaps {
        mirrored: true,
        inverted: true,
        block: 1,
    }
    .orders(16);
    let places: Vec<u32> = orders.iter().map(|order| order.place(1 << 3 | 1 << 11 | 1)).collect();
    let mirrored = 1 << 4 | 1 << 13 | 1;
    // A3 to A9, A11, A13; there is no A17 among 16 bits.
    let inverted = 0b10_1011_1111_1000;
    assert_eq!(places, [0x809, 0x809 ^ inverted, mirrored, mirrored ^ inverted]);
    for order in orders {
        assert!((0..1 << 16).all(|row| order.place(order.place(row)) == row));
    }
}

#[test]
fn inverted_rows_need_guards_in_other_places() {
    // Row r of one side lies at r XOR 0x38 within 64 rows: rows 7 and 56 are at the ends there, besides 0 and 63.
    let inverted = Remaps {
        inverted: true,
        ..Remaps::NONE
    };
    let domains = RowDomains::new(&plain(256), request(4096, 1 << 20, 1, inverted)).unwrap();
    // Bits 6 and 7 are inverted, too, so that domains lie in the order 3, 2, 1, 0 there, each from its rows 56 to 7.
    assert_eq!(guards(&domains), [56, 64, 64 + 56, 128, 128 + 56, 192]);
}

#[test]
fn blocks_in_any_order_are_guards_as_a_whole() {
    let blocks = Remaps {
        block: 8,
        ..Remaps::NONE
    };
    for (blast, rows) in [(1, 8), (8, 8), (9, 16)] {
        let domains = RowDomains::new(&plain(256), request(4096, 1 << 20, blast, blocks)).unwrap();
        assert_eq!(guards(&domains).len(), 3 * rows, "blast {blast}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let error = |request| RowDomains::new(&plain(256), request).unwrap_err();
    let least = 1 << 14;
    for found in [least - 1, (256 << 14) + 1] {
        assert_eq!(
            error(request(4096, found, 1, Remaps::NONE)),
            DomainError::Size {
                found,
                least,
                most: 256 << 14
            }
        );
    }
    // Two rows are guards, or a page of two rows is.
    for (page, blast) in [(4096, 2), (32 << 10, 1)] {
        assert_eq!(
            error(request(page, 2 * least, blast, Remaps::NONE)),
            DomainError::NothingLeft {
                rows: 2,
                page_rows: (page / least).max(1) as u32,
                blast,
                block: 1,
            }
        );
    }
}

/// Has the independent judge look at every byte of every domain.
fn apart(map: &AddressMap, domains: &RowDomains) -> Result<Apart, TooNear> {
    let request = domains.request();
    let mut judge = Judge::new(map);
    for (number, part) in (0u32..).zip(domains.parts()) {
        let mut behind = 0;
        for range in domains.ranges(part) {
            assert!(range.first >= behind && range.end > range.first, "{range:?}");
            assert!(range.first % request.page_bytes == 0 && range.end % request.page_bytes == 0);
            behind = range.end;
            let owner = number * domains.domains_each() + range.domain;
            judge.see(owner, PhysAddr(range.first), range.end - range.first);
        }
    }
    judge.judge(request.blast, request.remaps, |one, other| one != other)
}

/// Few banks of many short rows, at most 2^15 bytes.
fn organisations() -> impl Strategy<Value = Organisation> {
    (0u32..2, 0u32..2, 0u32..2, 4u32..10, 1u32..3, 0u32..2).prop_map(|bits| Organisation {
        nodes: 1 << bits.0,
        channels: 1,
        ranks: 1 << bits.1,
        bank_groups: 1,
        banks: 1 << bits.2,
        rows: 1 << bits.3,
        columns: 1 << bits.4,
        bus_bytes: 1 << bits.5,
    })
}

proptest! {
    #![proptest_config(cases(2500))]

    #[test]
    fn no_two_domains_are_near_each_other(
        map in maps(organisations(), 4),
        page_bits in 1u32..6,
        share in 1u64..10,
        blast in 1u32..5,
        mirrored: bool,
        inverted: bool,
        block_bits in 0u32..3,
    ) {
        let remaps = Remaps { mirrored, inverted, block: 1 << block_bits };
        let bytes = map.organisation().total_bytes() / share;
        match RowDomains::new(&map, request(1 << page_bits, bytes, blast, remaps)) {
            Ok(domains) => prop_assert!(apart(&map, &domains).is_ok()),
            Err(DomainError::Dealt { .. }) => prop_assert!(map.organisation().odd_ways() > 1),
            Err(_) => {}
        }
    }
}

#[test]
fn a_domain_that_reaches_too_far_is_found() {
    // A guard too few.
    let map = plain(64);
    let mut domains = RowDomains::new(&map, request(4096, 1 << 18, 3, Remaps::NONE)).unwrap();
    let rows = 2 * (16 + 3 * 13);
    assert_eq!(apart(&map, &domains), Ok(Apart { rows, nearest: Some(4) }));
    domains.parts[0].owners[18] = Some(1);
    let found = apart(&map, &domains).unwrap_err();
    assert_eq!((found.owners, found.rows, found.distance), ((0, 1), (15, 18), 3));
    assert_eq!(found.to_string(), "rows 15 and 18 of bank 0 are 3 apart");
}
