// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a row lies, pin by pin, and how near two rows may be.

/// Pins A0 to A17 of a device that are wired to the other pin of a pair, and those that are not, in odd ranks of DDR4 modules (JESD21-C,
/// annex L).
const WIRED_TO: [u32; 18] = [0, 1, 2, 4, 3, 6, 5, 8, 7, 9, 10, 13, 12, 11, 14, 15, 16, 17];

/// Pins whose level the register of a DDR4 RDIMM inverts for one side (JESD82-31).
const INVERTED: [u32; 10] = [3, 4, 5, 6, 7, 8, 9, 11, 13, 17];

/// Where a row of `bits` bits lies in a device whose pins are mirrored, inverted, both or neither.
pub(super) fn place(row: u32, bits: u32, mirrored: bool, inverted: bool) -> u32 {
    let level = |pin: u32| {
        let wired = WIRED_TO
            .get(pin as usize)
            .copied()
            .filter(|other| mirrored && *other < bits);
        let high = row >> wired.unwrap_or(pin) & 1 == 1;
        high != (inverted && INVERTED.contains(&pin))
    };
    (0..bits).map(|pin| u32::from(level(pin)) << pin).sum()
}

/// The least distance of two rows, where a device may put rows in any order within blocks of `block`; 0 for one row.
pub(super) fn distance(one: u32, other: u32, block: u32) -> u32 {
    match (one / block).abs_diff(other / block) {
        0 => u32::from(one != other),
        blocks => (blocks - 1) * block + 1,
    }
}
