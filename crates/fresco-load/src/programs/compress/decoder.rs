// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the compressor is judged by: reads codes of growing width and gives back the bytes.

use super::{CLEAR, FIRST, width};

/// Gives back what the bits of `packed`, the lowest first, stand for; `bits` is the largest width of a code. Bits after
/// the last whole code are left alone.
///
/// # Errors
/// A code that nothing has defined.
pub(super) fn decode(packed: &[u8], bits: u32) -> Result<Vec<u8>, String> {
    let mut bytes: Vec<u8> = Vec::new();
    // The string of a code: where it stands among the bytes given back, and its length. A new code stands for the
    // string before the last and one byte more, which lies just behind it.
    let mut strings: Vec<(usize, usize)> = Vec::new();
    let (mut place, mut codes) = (0, 0);
    loop {
        // The compressor defines a code after each one that it writes, and so is one ahead.
        let now = width((FIRST + codes).min(1 << bits));
        let Some(code) = read(packed, place, now) else {
            return Ok(bytes);
        };
        place += now as usize;
        if code == CLEAR {
            strings.clear();
            codes = 0;
            continue;
        }
        let start = bytes.len();
        if code < CLEAR {
            bytes.push(code as u8);
        } else {
            let Some(&(from, length)) = strings.get((code - FIRST) as usize) else {
                return Err(format!("code {code} at bit {} is not defined", place - now as usize));
            };
            // The string may reach into what is being written: its last byte is then its own first.
            for i in from..from + length {
                bytes.push(bytes[i]);
            }
        }
        strings.push((start, bytes.len() - start + 1));
        codes += 1;
    }
}

/// The `width` bits from bit `place` on; nothing if they are not all there.
fn read(packed: &[u8], place: usize, width: u32) -> Option<u32> {
    (0..width as usize).try_fold(0, |code, i| {
        let byte = packed.get((place + i) / 8)?;
        Some(code | u32::from(byte >> ((place + i) % 8) & 1) << i)
    })
}
