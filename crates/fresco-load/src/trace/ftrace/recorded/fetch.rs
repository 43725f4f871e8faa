// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instruction fetches: which lines of code a thread needs, one after the other, found out from the places of its blocks.

use super::block::Block;
use super::bytes::Bytes;
use crate::trace::cpu::ADDRESS_LIMIT;
use crate::trace::ftrace::varint::put;

/// Bytes of a line of code: what a fetch brings.
pub const CODE_LINE: u64 = 64;
/// Bytes of the instructions of a block are fewer.
const MOST_BYTES: u64 = 1 << 17;
/// No line begins there.
const NONE: u64 = u64::MAX;

/// Where the instructions of a block lie.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Code {
    /// Bytes of those that are executed, from the address of the block on; at least 1.
    pub bytes: u32,
    /// For each line of [`CODE_LINE`] bytes that they touch, but the first, the instruction that has the first byte in it; ascending.
    pub entered: Vec<u16>,
}

impl Code {
    /// Of instructions at `address` that have these sizes in bytes; `None` for none, and outside of user space, where no program has any.
    pub fn new(address: u64, sizes: &[u8]) -> Option<Self> {
        let offset = address % CODE_LINE;
        let (mut end, mut line, mut entered) = (offset, 0, Vec::new());
        for (instruction, size) in (0u16..).zip(sizes) {
            end += u64::from(*size);
            while line < end.saturating_sub(1) / CODE_LINE {
                line += 1;
                entered.push(instruction);
            }
        }
        let bytes = (end - offset) as u32;
        let is_sound = bytes > 0 && u64::from(bytes) < MOST_BYTES && is_user_space(address, bytes);
        is_sound.then_some(Self { bytes, entered })
    }

    /// Appends it to `out`.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put(out, u64::from(self.bytes));
        let mut last = 0;
        for instruction in &self.entered {
            put(out, u64::from(instruction - last));
            last = *instruction;
        }
    }

    /// Reads that of a block at `address` of so many instructions; `None` if nothing is known of it.
    pub(super) fn get(address: u64, instructions: u16, bytes: &mut Bytes<'_>) -> Result<Option<Self>, String> {
        let length = bytes.below(MOST_BYTES, "a length of code")? as u32;
        if length == 0 {
            return Ok(None);
        }
        if !is_user_space(address, length) {
            return Err(format!("{length} bytes of code at {address:#x}"));
        }
        let lines = (address % CODE_LINE + u64::from(length) - 1) / CODE_LINE;
        let mut entered: Vec<u16> = Vec::with_capacity((lines as usize).min(bytes.left()));
        for _ in 0..lines {
            let last = entered.last().copied().unwrap_or(0);
            let further = bytes.below(u64::from(instructions - last), "an instruction in another line")?;
            entered.push(last + further as u16);
        }
        Ok(Some(Self { bytes: length, entered }))
    }
}

/// Returns true if code of that length can be a program's.
fn is_user_space(address: u64, bytes: u32) -> bool {
    address < ADDRESS_LIMIT - u64::from(bytes)
}

/// Follows a thread through lines of code, within a chunk: it fetches a line when it executes code in another one than before.
#[derive(Clone, Debug)]
pub struct Fetches {
    /// Address of the line fetched last.
    last: u64,
}

impl Default for Fetches {
    fn default() -> Self {
        Self { last: NONE }
    }
}

impl Fetches {
    /// Begins a chunk: no line was fetched before.
    pub fn begin(&mut self) {
        self.last = NONE;
    }

    /// A run of `block`; calls `each` with the instruction before which a line is fetched, and the address of the line's first byte.
    #[inline]
    pub fn run(&mut self, block: &Block, mut each: impl FnMut(u16, u64)) {
        let Some(code) = &block.code else { return };
        let mut line = block.address / CODE_LINE * CODE_LINE;
        if line != self.last {
            each(0, line);
        }
        for instruction in &code.entered {
            line += CODE_LINE;
            each(*instruction, line);
        }
        self.last = line;
    }
}
