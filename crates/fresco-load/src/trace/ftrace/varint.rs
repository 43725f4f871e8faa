// SPDX-License-Identifier: MIT OR Apache-2.0
//! LEB128 and zigzag.

/// Bytes of the longest integer.
const MAX_BYTES: usize = 10;

/// The integer that the next bytes are; `too_long` if it has more than 64 bits.
///
/// # Errors
/// That, and what `byte` says.
#[inline(always)]
pub(super) fn read<E>(mut byte: impl FnMut() -> Result<u8, E>, too_long: impl FnOnce() -> E) -> Result<u64, E> {
    let mut value = 0;
    for index in 0..MAX_BYTES {
        let byte = byte()?;
        let bits = u64::from(byte & 0x7f);
        if index == MAX_BYTES - 1 && bits > 1 {
            break;
        }
        value |= bits << (7 * index);
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(too_long())
}

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
        let mut bytes = out.into_iter();
        let mut next = || read(|| bytes.next().ok_or("early"), || "too long");
        for value in [0, 1, 127, 128, 150, u64::MAX] {
            assert_eq!(next(), Ok(value));
        }
        assert_eq!(next(), Err("early"));
        let of = |bytes: &[u8]| {
            let mut bytes = bytes.iter();
            read(|| bytes.next().copied().ok_or("early"), || "too long")
        };
        assert_eq!(of(&[&last[..9], &[0x02]].concat()), Err("too long"));
        assert_eq!(of(&[0x80; 10]), Err("too long"));
        assert_eq!(of(&[0x80; 9]), Err("early"));
    }
}
