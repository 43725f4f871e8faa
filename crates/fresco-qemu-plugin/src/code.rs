// SPDX-License-Identifier: GPL-2.0-or-later
//! Which instructions of x86-64 a machine's recorder has to know.

/// Returns true for an x86-64 instruction after which addresses may mean something else: a move to a control register, INVLPG, INVPCID.
pub fn changes_addresses(bytes: &[u8]) -> bool {
    let prefixes = bytes.iter().take_while(|byte| {
        matches!(
            byte,
            0x40..=0x4f | 0x66 | 0x67 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 | 0xf2 | 0xf3
        )
    });
    match &bytes[prefixes.count()..] {
        [0x0f, 0x22, ..] => true,
        [0x0f, 0x01, modrm, ..] => modrm >> 3 & 7 == 7 && modrm >> 6 != 3,
        [0x0f, 0x38, 0x82, ..] => true,
        _ => false,
    }
}

/// Returns true for PAUSE, which says that the processor waits for another one.
pub fn is_pause(bytes: &[u8]) -> bool {
    bytes == [0xf3, 0x90]
}
