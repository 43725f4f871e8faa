// SPDX-License-Identifier: MIT OR Apache-2.0
//! A set-associative memory that forgets what was used least recently.

/// Keys by set, each set in order of use, the last used first.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    ways: usize,
    entries: Box<[Entry]>,
}

/// Address space and key; [`NOTHING`] in one that is empty.
type Entry = (u32, u64);

/// No key is that large.
const NOTHING: Entry = (u32::MAX, u64::MAX);

impl Recent {
    /// Empty. `entries` are a power of two of sets of so many ways.
    pub fn new(entries: usize, ways: usize) -> Self {
        debug_assert!(ways > 0 && entries.is_multiple_of(ways) && (entries / ways).is_power_of_two());
        Self {
            ways,
            entries: vec![NOTHING; entries].into(),
        }
    }

    /// The set that the low bits of `index` choose.
    fn set(&mut self, index: u64) -> &mut [Entry] {
        let sets = self.entries.len() / self.ways;
        let set = index as usize & (sets - 1);
        &mut self.entries[set * self.ways..][..self.ways]
    }

    /// An entry is used, and comes in if it is not here. Returns whether it was.
    pub fn uses(&mut self, space: u32, key: u64, index: u64) -> bool {
        let set = self.set(index);
        let at = set.iter().position(|entry| *entry == (space, key));
        let end = at.map_or(set.len(), |at| at + 1);
        set[..end].rotate_right(1);
        set[0] = (space, key);
        at.is_some()
    }

    /// Returns true if an entry is here, of a memory of one set. Changes nothing.
    pub fn has(&self, space: u32, key: u64) -> bool {
        self.entries.contains(&(space, key))
    }

    /// Drops an entry, if it is here.
    pub fn forget(&mut self, space: u32, key: u64, index: u64) {
        let set = self.set(index);
        if let Some(at) = set.iter().position(|entry| *entry == (space, key)) {
            set[at..].rotate_left(1);
            set[set.len() - 1] = NOTHING;
        }
    }
}
