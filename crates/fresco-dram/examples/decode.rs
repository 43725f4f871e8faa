// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the first pages of a memory of eight banks lie, and which colors they have.
//!
//!     cargo run -p fresco-dram --example decode

use fresco_dram::{AddressMap, ColorSpace, FrameNumber, Functions, Organisation, PhysAddr, Region};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let organisation = Organisation {
        nodes: 1,
        channels: 1,
        ranks: 1,
        bank_groups: 1,
        banks: 8,
        rows: 1 << 14,
        columns: 1 << 10,
        bus_bytes: 8,
    };
    // 8 bytes of the bus, 10 bits of column; bits 13 to 15, each with one of the row, choose the bank.
    let functions = Functions {
        column: (3..13).map(|bit| 1 << bit).collect(),
        bank: (13..16).map(|bit| 1 << bit | 1 << (bit + 3)).collect(),
        row: (16..30).map(|bit| 1 << bit).collect(),
        ..Functions::default()
    };
    let region = Region {
        base: 0,
        size: organisation.total_bytes(),
        offset: 0,
        node: Some(0),
        functions,
    };
    let map = AddressMap::new(organisation, vec![region])?;
    let colors = ColorSpace::new(&map, &[], 12)?;
    println!("{} bank colors", colors.bank_colors());
    for page in (0..64).step_by(2) {
        let place = map.decode(PhysAddr(page << 12)).ok_or("there is memory there")?;
        let color = colors.bank_color(FrameNumber(page));
        println!("page {page:2}: bank {}, row {}, color {color}", place.bank, place.row);
    }
    Ok(())
}
