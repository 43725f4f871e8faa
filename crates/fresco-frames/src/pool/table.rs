// SPDX-License-Identifier: MIT OR Apache-2.0
//! One entry per block head, stored so that memory that nobody has touched costs next to nothing.
//!
//! A block of the highest order has a single 16-byte record. Only when it is split does it get an array of 1024 entries
//! of 12 bytes, and it gives the array back when its frames have merged again. A machine of 64 GiB thus costs 256 KiB
//! at first and 192 MiB when every single frame stands alone.

use crate::MAX_ORDER;

/// Frames of a block of the highest order.
pub(crate) const BLOCK_FRAMES: u32 = 1 << MAX_ORDER;
/// No frame, or no list.
pub(crate) const NONE: u32 = u32::MAX;
/// Emptied arrays kept for the next split, to spare the system allocator.
const SPARES: usize = 16;

/// The place of a block in the list that holds it. Frames inside a block, and holes, have an entry that is [`LOOSE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Next block of the list, or [`NONE`].
    pub next: u32,
    /// Previous block of the list, or [`NONE`].
    pub prev: u32,
    /// The list, or [`NONE`].
    pub list: u32,
}

/// On no list.
pub(crate) const LOOSE: Entry = Entry {
    next: NONE,
    prev: NONE,
    list: NONE,
};

type Entries = Box<[Entry; BLOCK_FRAMES as usize]>;

enum Record {
    /// No frame of it was ever handed in, or it is whole.
    Whole(Entry),
    /// It is split: an entry for each frame.
    Open(Entries),
}

/// The entries of all frames from the first to the last region.
pub(crate) struct Table {
    /// First frame of the first record.
    base: u32,
    records: Vec<Record>,
    spares: Vec<Entries>,
}

impl Table {
    /// A table for frames `first..end`.
    pub(crate) fn new(first: u32, end: u32) -> Self {
        let base = first / BLOCK_FRAMES * BLOCK_FRAMES;
        let count = (end - base).div_ceil(BLOCK_FRAMES);
        Self {
            base,
            records: (0..count).map(|_| Record::Whole(LOOSE)).collect(),
            spares: Vec::new(),
        }
    }

    fn place(&self, frame: u32) -> Option<(usize, usize)> {
        let offset = frame.checked_sub(self.base)?;
        let record = (offset / BLOCK_FRAMES) as usize;
        (record < self.records.len()).then_some((record, (offset % BLOCK_FRAMES) as usize))
    }

    /// The entry of `frame`; loose for every frame that heads no block.
    pub(crate) fn get(&self, frame: u32) -> Entry {
        match self.place(frame).map(|(record, at)| (&self.records[record], at)) {
            Some((Record::Open(entries), at)) => entries[at],
            Some((Record::Whole(entry), 0)) => *entry,
            _ => LOOSE,
        }
    }

    /// The entry of a block head, to change. The block must exist: open, or `frame` the head of a whole one.
    pub(crate) fn get_mut(&mut self, frame: u32) -> &mut Entry {
        let (record, at) = self.place(frame).expect("the frame lies in a region");
        match &mut self.records[record] {
            Record::Open(entries) => &mut entries[at],
            Record::Whole(entry) => {
                debug_assert_eq!(at, 0, "frame {frame:#x} lies inside a whole block");
                entry
            }
        }
    }

    /// Makes the block around `frame` able to hold smaller ones. It must be on no list; no effect if it is open.
    pub(crate) fn open(&mut self, frame: u32) {
        let (record, _) = self.place(frame).expect("the frame lies in a region");
        if let Record::Whole(entry) = &self.records[record] {
            debug_assert_eq!(*entry, LOOSE, "only a block taken off its list is split");
            let blank = || Box::new([LOOSE; BLOCK_FRAMES as usize]);
            self.records[record] = Record::Open(self.spares.pop().unwrap_or_else(blank));
        }
    }

    /// Makes the block that begins at `frame` whole again. None of its frames may be on a list.
    pub(crate) fn close(&mut self, frame: u32) {
        let (record, at) = self.place(frame).expect("the frame lies in a region");
        debug_assert_eq!(at, 0, "only a block of the highest order is closed");
        let closed = std::mem::replace(&mut self.records[record], Record::Whole(LOOSE));
        if let Record::Open(entries) = closed {
            debug_assert!(
                entries.iter().all(|entry| *entry == LOOSE),
                "a frame of a whole block is on a list"
            );
            if self.spares.len() < SPARES {
                self.spares.push(entries);
            }
        }
    }

    /// Bytes of entries held at present, spare arrays included.
    pub(crate) fn bytes(&self) -> usize {
        let open = self
            .records
            .iter()
            .filter(|record| matches!(record, Record::Open(_)))
            .count();
        let array = BLOCK_FRAMES as usize * size_of::<Entry>();
        self.records.len() * size_of::<Record>() + (open + self.spares.len()) * array
    }

    /// Every frame that heads a block which is on a list, with its list, by frame.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let first = |record: usize| self.base + record as u32 * BLOCK_FRAMES;
        self.records.iter().enumerate().flat_map(move |(number, record)| {
            let entries = match record {
                Record::Whole(entry) => std::slice::from_ref(entry),
                Record::Open(entries) => entries.as_slice(),
            };
            let frames = first(number)..;
            frames
                .zip(entries)
                .filter(|(_, entry)| entry.list != NONE)
                .map(|(frame, entry)| (frame, entry.list))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_million_frames_cost_a_quarter_of_a_mebibyte_untouched() {
        let table = Table::new(0, 16 << 20);
        assert_eq!(table.bytes(), 256 << 10);
    }

    #[test]
    fn an_array_lives_from_split_to_merge() {
        let mut table = Table::new(1024, 4096);
        let whole = table.bytes();
        table.open(2048);
        table.get_mut(2050).list = 7;
        assert_eq!(table.get(2050).list, 7);
        assert_eq!(table.heads().collect::<Vec<_>>(), [(2050, 7)]);
        assert_eq!(table.bytes() - whole, 12 << 10);
        table.get_mut(2050).list = NONE;
        table.close(2048);
        table.open(1024);
        assert_eq!(table.bytes() - whole, 12 << 10, "the array is used again");
    }

    #[test]
    fn frames_outside_the_table_are_loose() {
        let table = Table::new(1024, 2000);
        assert_eq!([0, 1023, 2047, 2048, NONE].map(|f| table.get(f)), [LOOSE; 5]);
    }
}
