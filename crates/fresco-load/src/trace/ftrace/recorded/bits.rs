// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads a list of bits, several at a time.

/// How far a list of bits has been read: from the lowest bit of each byte on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bits {
    /// Bytes that were taken into `word`.
    at: usize,
    word: u64,
    /// Bits of `word` that are left, the lowest ones; those above are 0.
    left: u32,
}

impl Bits {
    /// The next `count` bits of `list`, 1 to 64, the first one lowest.
    #[inline]
    pub fn take(&mut self, list: &[u8], count: u32) -> Result<u64, String> {
        debug_assert!((1..=64).contains(&count));
        if self.left < count {
            return self.take_beyond(list, count);
        }
        let bits = self.word & u64::MAX >> (64 - count);
        self.word = self.word.checked_shr(count).unwrap_or(0);
        self.left -= count;
        Ok(bits)
    }

    /// Takes the next `count` bits of `list`, 1 to 57, if there are so many and all of them are 1; returns false, and takes nothing, if not.
    #[inline]
    pub fn take_ones(&mut self, list: &[u8], count: u32) -> bool {
        debug_assert!((1..=57).contains(&count));
        if self.left < count {
            self.top_up(list);
        }
        let ones = (1 << count) - 1;
        // Bits that are not left are 0.
        let all = self.word & ones == ones;
        if all {
            self.word >>= count;
            self.left -= count;
        }
        all
    }

    /// Takes more bytes, until no whole one finds room.
    fn top_up(&mut self, list: &[u8]) {
        let rest = &list[self.at..];
        let taken = rest.len().min((64 - self.left as usize) / 8);
        for byte in &rest[..taken] {
            self.word |= u64::from(*byte) << self.left;
            self.left += 8;
        }
        self.at += taken;
    }

    /// How many of the next bits are 1 and need no further byte: up to 64.
    #[inline]
    pub fn ones(&self) -> u32 {
        // Bits that are not left are 0.
        self.word.trailing_ones()
    }

    /// Takes `count` bits, which [`Self::ones`] has told.
    #[inline]
    pub fn skip_ones(&mut self, count: u32) {
        debug_assert!(count <= self.ones());
        self.word = self.word.checked_shr(count).unwrap_or(0);
        self.left -= count;
    }

    #[cold]
    fn take_beyond(&mut self, list: &[u8], count: u32) -> Result<u64, String> {
        let (low, have) = (self.word, self.left);
        let rest = &list[self.at..];
        let taken = rest.len().min(8);
        let mut word = [0; 8];
        word[..taken].copy_from_slice(&rest[..taken]);
        self.at += taken;
        (self.word, self.left) = (u64::from_le_bytes(word), taken as u32 * 8);
        // 1 to 64, since fewer were left than are wanted.
        let wanted = count - have;
        if self.left < wanted {
            return Err("too few bits".into());
        }
        Ok(low | self.take(list, wanted)? << have)
    }

    /// Returns true if all of `list` has been read, and what fills its last byte up is 0.
    pub fn is_over(&self, list: &[u8]) -> bool {
        self.at == list.len() && self.word == 0 && self.left < 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_the_whole(bits in proptest::collection::vec(any::<bool>(), 0..400), sizes in proptest::collection::vec(1u32..=64, 1..400)) {
            let mut list = vec![0u8; bits.len().div_ceil(8)];
            for (place, bit) in bits.iter().enumerate() {
                list[place / 8] |= u8::from(*bit) << (place % 8);
            }
            let (mut reader, mut at) = (Bits::default(), 0);
            for size in sizes {
                let ones = reader.ones().min(size / 2);
                prop_assert!((at..at + ones as usize).all(|place| bits[place]));
                reader.skip_ones(ones);
                at += ones as usize;
                let end = at + size as usize;
                if size <= 57 && reader.take_ones(&list, size) {
                    prop_assert!(bits[at..end].iter().all(|bit| *bit));
                    at = end;
                    continue;
                }
                if end > list.len() * 8 {
                    prop_assert!(reader.take(&list, size).is_err());
                    return Ok(());
                }
                let wanted = (at..end).map(|place| u64::from(*bits.get(place).unwrap_or(&false)) << (place - at));
                prop_assert_eq!(reader.take(&list, size), Ok(wanted.sum()));
                at = end;
                let none_set = bits.iter().skip(at).all(|bit| !bit);
                prop_assert_eq!(reader.is_over(&list), list.len() * 8 < at + 8 && none_set);
            }
        }
    }
}
