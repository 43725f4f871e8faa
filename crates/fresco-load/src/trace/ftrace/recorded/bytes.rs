// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes that are read one by one, and believed nothing.

use crate::trace::ftrace::varint;

/// What is left of some bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// How many are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, String> {
        let (byte, rest) = self.0.split_first().ok_or_else(early)?;
        self.0 = rest;
        Ok(*byte)
    }

    /// The next integer.
    #[inline]
    pub fn integer(&mut self) -> Result<u64, String> {
        varint::read(|| self.byte(), || "an integer of more than 64 bits".into())
    }

    /// The next integer, which is `what` and below `limit`.
    #[inline]
    pub fn below(&mut self, limit: u64, what: &str) -> Result<u64, String> {
        match self.integer()? {
            value if value < limit => Ok(value),
            value => Err(format!("{what} of {value}")),
        }
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<Bytes<'a>, String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(early)?;
        self.0 = rest;
        Ok(Bytes(taken))
    }

    /// The next integer with 64 bits as eight bytes.
    pub fn word(&mut self) -> Result<u64, String> {
        let taken = self.take(8)?;
        Ok(taken.0.try_into().map_or(0, u64::from_le_bytes))
    }

    /// A text: its length, then its bytes.
    pub fn text(&mut self, most: usize) -> Result<String, String> {
        let length = self.below(most as u64 + 1, "a text")? as usize;
        let bytes = self.take(length)?.0.to_vec();
        String::from_utf8(bytes).map_err(|_| "a text that is not UTF-8".into())
    }

    /// Complains if something is left.
    pub fn finish(self) -> Result<(), String> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(format!("{left} bytes too many")),
        }
    }
}

#[cold]
fn early() -> String {
    "too few bytes".into()
}
