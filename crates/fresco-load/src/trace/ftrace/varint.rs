// SPDX-License-Identifier: MIT OR Apache-2.0
//! LEB128 and zigzag.

/// Bytes of the longest integer.
pub(super) const MAX_BYTES: usize = 10;

/// Appends `value`.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// A difference modulo 2^64 as an integer that is small where the difference is.
pub(super) fn zigzag(difference: u64) -> u64 {
    let signed = difference as i64;
    ((signed << 1) ^ (signed >> 63)) as u64
}

/// The inverse of [`zigzag`].
pub(super) fn unzigzag(code: u64) -> u64 {
    (code >> 1) ^ (code & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_codes() {
        // Protocol Buffers' documentation of its wire format.
        let codes = [
            (0i64, 0u64),
            (-1, 1),
            (1, 2),
            (-2, 3),
            (i64::MAX, u64::MAX - 1),
            (i64::MIN, u64::MAX),
        ];
        for (value, code) in codes {
            assert_eq!((zigzag(value as u64), unzigzag(code)), (code, value as u64));
        }
        let mut out = Vec::new();
        for value in [0, 1, 127, 128, 150, u64::MAX] {
            put(&mut out, value);
        }
        let last = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
        assert_eq!(out, [&[0, 1, 0x7f, 0x80, 0x01, 0x96, 0x01][..], &last].concat());
    }
}
