// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains of all machines, each looked at through its own decoder.

use fresco_dram::domains::{DomainError, DomainRequest, Remaps, RowDomains};
use fresco_dram::{AddressMap, PhysAddr};
use fresco_machine::{builtin, builtin_names};

/// The domain of each row, as the addresses of the domains decode, on each node by itself.
fn rows_by_decoding(map: &AddressMap, domains: &RowDomains) -> Vec<Vec<Option<u32>>> {
    let rows = domains.rows() as usize;
    let of_part = |part| {
        let mut owners = vec![None; rows];
        for range in domains.ranges(part) {
            // An address in each piece of 64 KiB, another one each time, and the first and the last.
            let inside = (range.first..range.end).step_by(64 << 10);
            let inside = inside.map(|at| (at + (at >> 16).wrapping_mul(0x9e37_79b9) % (64 << 10)).min(range.end - 1));
            for address in inside.chain([range.first, range.end - 1]) {
                let row = map.decode(PhysAddr(address)).expect("a domain is memory").row;
                let owner = owners[row as usize].get_or_insert(range.domain);
                assert_eq!(*owner, range.domain, "row {row} at {address:#x}");
            }
        }
        owners
    };
    domains.parts().iter().map(of_part).collect()
}

/// A3 with A4, A5 with A6, A7 with A8, A11 with A13, of so many rows.
fn mirror(row: usize, rows: usize) -> usize {
    let pairs = [(3, 4), (5, 6), (7, 8), (11, 13)];
    let pairs = pairs.into_iter().filter(|pair| 1 << pair.1 < rows);
    pairs.fold(row, |row, (one, other)| {
        let bits = (row >> one & 1, row >> other & 1);
        row & !(1 << one | 1 << other) | bits.0 << other | bits.1 << one
    })
}

#[test]
fn no_two_domains_of_any_machine_have_rows_near_each_other() {
    let plain = Remaps::NONE;
    let turned = Remaps {
        mirrored: true,
        inverted: true,
        block: 1,
    };
    let mut divided = 0;
    for name in builtin_names() {
        let machine = builtin(name).expect("a built-in machine");
        let map = &machine.memory.map;
        for (page_bytes, blast, remaps) in [(4096, 4, plain), (2 << 20, 4, plain), (4096, 2, turned)] {
            let request = DomainRequest {
                page_bytes,
                domain_bytes: 512 << 20,
                blast,
                remaps,
            };
            let domains = match RowDomains::new(map, request) {
                Ok(domains) => domains,
                Err(DomainError::Dealt { channels }) => {
                    assert!(!channels.is_power_of_two(), "{name}");
                    continue;
                }
                Err(error) => panic!("{name}: {error:?}"),
            };
            divided += 1;
            for owners in rows_by_decoding(map, &domains) {
                let places = [0, 0x22bf8].into_iter().flat_map(|mask| [(mask, false), (mask, true)]);
                let places = places.filter(|place| *place == (0, false) || remaps == turned);
                let places = places.map(|(mask, mirrored)| {
                    let row = |at: usize| if mirrored { mirror(at, owners.len()) } else { at } ^ (mask % owners.len());
                    (0..owners.len()).map(row).collect::<Vec<_>>()
                });
                for rows in places {
                    for window in rows.windows(blast as usize + 1) {
                        let mut found = window.iter().filter_map(|row| owners[*row]);
                        let first = found.next();
                        assert!(found.all(|owner| Some(owner) == first), "{name}: {window:?}");
                    }
                }
            }
        }
    }
    assert!(divided > 50, "{divided}");
}

/// What is published of guards: a few rows beside 64 MiB (Siloz and Citadel divide memories so, and keep 2 MiB pages).
#[test]
fn guards_of_64_mib_on_a_core_i5_are_four_rows_of_256() {
    let machine = builtin("i5-6200u").expect("a built-in machine");
    let request = DomainRequest {
        page_bytes: 4096,
        domain_bytes: 64 << 20,
        blast: 4,
        remaps: Remaps::NONE,
    };
    let domains = RowDomains::new(&machine.memory.map, request).expect("64 MiB are many rows");
    let rows = domains.parts()[0].rows_of_each(domains.domains_each());
    assert_eq!((domains.rows_each(), rows.len()), (256, 128));
    assert_eq!(rows[0], 256, "there is none before it");
    assert!(rows[1..].iter().all(|rows| *rows == 252), "1.56 %");
}
