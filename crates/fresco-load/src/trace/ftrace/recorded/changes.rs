// SPDX-License-Identifier: MIT OR Apache-2.0
//! Registers that a block changes, sorted by what becomes of them, since each run of a block asks.

use super::block::{REGISTERS, Source};

/// Registers that a block changes, and what their values derive from then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Changes {
    all: Vec<(u8, Source)>,
    /// Those of values of loads of the block, and the place of the load plus one.
    pub(super) by_load: Vec<(u8, u16)>,
    /// Those of values at the begin of the block, and of which registers.
    pub(super) by_entry: Vec<(u8, u64)>,
    /// All that are changed, a bit each.
    pub(super) registers: u64,
    /// Those of `by_load`.
    pub(super) loaded: u64,
    /// Registers at the begin that any of `by_entry` derives from.
    pub(super) entries: u64,
}

impl Changes {
    /// All of them, in ascending order of registers.
    pub fn all(&self) -> &[(u8, Source)] {
        &self.all
    }
}

impl From<Vec<(u8, Source)>> for Changes {
    /// # Panics
    /// Debug builds: if registers do not ascend, or there is none of that number.
    fn from(all: Vec<(u8, Source)>) -> Self {
        debug_assert!(all.iter().all(|(register, _)| usize::from(*register) < REGISTERS));
        debug_assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let mut changes = Self::default();
        for &(register, Source { load, entry }) in &all {
            changes.registers |= 1 << register;
            if load > 0 {
                changes.by_load.push((register, load));
                changes.loaded |= 1 << register;
            } else if entry > 0 {
                changes.by_entry.push((register, entry));
                changes.entries |= entry;
            }
        }
        Self { all, ..changes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::ftrace::recorded::Block;
    use crate::trace::ftrace::recorded::bytes::Bytes;

    #[test]
    fn registers_that_do_not_ascend_are_refused() {
        let from = |entry| Source { load: 0, entry };
        let block = |changed: Vec<(u8, Source)>| Block {
            instructions: 1,
            changed: changed.into(),
            ..Block::default()
        };
        let mut bytes = Vec::new();
        block(vec![(3, from(1)), (7, from(2))]).put(0, false, &mut bytes);
        assert!(Block::get(0, false, &mut Bytes(&bytes)).is_ok());
        let place = bytes.iter().position(|byte| *byte == 7).expect("the second register");
        for lower in [3, 2] {
            bytes[place] = lower;
            let found = Block::get(0, false, &mut Bytes(&bytes)).expect_err("does not ascend");
            assert_eq!(found, format!("register {lower} after one that is no lower"));
        }
    }
}
