// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the program's memory is for, by address.

use fresco_load::trace::ftrace::recorded::Kind;
use std::collections::BTreeMap;

/// Intervals of addresses with their kinds.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// By begin: end and kind; disjoint.
    intervals: BTreeMap<u64, (u64, Kind)>,
    /// Where the heap ends.
    brk: Option<u64>,
}

impl Memory {
    /// The kind of an address.
    pub fn kind(&self, address: u64) -> Kind {
        let before = self.intervals.range(..=address).next_back();
        before
            .filter(|(_, (end, _))| address < *end)
            .map_or(Kind::Other, |(_, (_, kind))| *kind)
    }

    /// The interval of an address.
    pub fn interval(&self, address: u64) -> Option<(u64, u64, Kind)> {
        let (begin, (end, kind)) = self.intervals.range(..=address).next_back()?;
        (address < *end).then_some((*begin, *end, *kind))
    }

    /// Nothing is there any more.
    pub fn remove(&mut self, begin: u64, end: u64) {
        if begin >= end {
            return;
        }
        // What begins before and reaches into it.
        if let Some((first, (last, kind))) = self.interval_before(begin)
            && last > begin
        {
            self.intervals.insert(first, (begin, kind));
            if last > end {
                self.intervals.insert(end, (last, kind));
            }
        }
        let within: Vec<u64> = self.intervals.range(begin..end).map(|(first, _)| *first).collect();
        for first in within {
            if let Some((last, kind)) = self.intervals.remove(&first)
                && last > end
            {
                self.intervals.insert(end, (last, kind));
            }
        }
    }

    fn interval_before(&self, address: u64) -> Option<(u64, (u64, Kind))> {
        self.intervals
            .range(..address)
            .next_back()
            .map(|(first, rest)| (*first, *rest))
    }

    /// This is of a kind from here on.
    pub fn insert(&mut self, begin: u64, end: u64, kind: Kind) {
        if begin < end {
            self.remove(begin, end);
            self.intervals.insert(begin, (end, kind));
        }
    }

    /// The heap ends here now; the first time, it is empty.
    pub fn brk(&mut self, end: u64) {
        match self.brk.replace(end) {
            Some(before) if before < end => self.insert(before, end, Kind::Heap),
            Some(before) => self.remove(end, before),
            None => {}
        }
    }

    /// All that the process has mapped at the start, from the text of `/proc/PID/maps`; `program` is what was started.
    pub fn read_maps(&mut self, text: &str, program: &str) {
        let mut data_until = 0;
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let Some((begin, end)) = words.next().and_then(|range| range.split_once('-')) else {
                continue;
            };
            let (Ok(begin), Ok(end)) = (u64::from_str_radix(begin, 16), u64::from_str_radix(end, 16)) else {
                continue;
            };
            let permissions = words.next().unwrap_or_default();
            let path = words.nth(3).unwrap_or_default();
            let kind = if path == program {
                data_until = end;
                if permissions.contains('x') {
                    Kind::Text
                } else {
                    Kind::Data
                }
            } else if path.starts_with('/') {
                Kind::Library
            } else if path.is_empty() && begin == data_until {
                // What the program's file has no bytes for.
                data_until = end;
                Kind::Data
            } else {
                Kind::Mapping
            };
            self.insert(begin, end, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_cut_and_joined() {
        let mut memory = Memory::default();
        memory.insert(100, 200, Kind::Mapping);
        memory.insert(120, 130, Kind::Library);
        memory.remove(150, 160);
        memory.insert(190, 300, Kind::File);
        let kinds = [99, 100, 119, 120, 129, 130, 149, 150, 160, 189, 190, 299, 300].map(|at| memory.kind(at));
        use Kind::{File, Library, Mapping, Other};
        let expected = [
            Other, Mapping, Mapping, Library, Library, Mapping, Mapping, Other, Mapping, Mapping, File, File, Other,
        ];
        assert_eq!(kinds, expected);
        memory.remove(0, 1000);
        assert_eq!(memory.intervals.len(), 0);
    }

    #[test]
    fn the_heap_grows_and_shrinks() {
        let mut memory = Memory::default();
        for end in [0x1000, 0x3000, 0x2000] {
            memory.brk(end);
        }
        assert_eq!(
            [0xfff, 0x1000, 0x1fff, 0x2000].map(|at| memory.kind(at)),
            [Kind::Other, Kind::Heap, Kind::Heap, Kind::Other]
        );
    }

    #[test]
    fn what_is_mapped_at_the_start() {
        let maps = "\
00400000-00401000 r--p 00000000 08:01 5 /tmp/a
00401000-00402000 r-xp 00001000 08:01 5 /tmp/a
00402000-00403000 rw-p 00002000 08:01 5 /tmp/a
00403000-00405000 rw-p 00000000 00:00 0
7f0000000000-7f0000800000 rw-p 00000000 00:00 0
7f0000800000-7f0000900000 r-xp 00000000 08:01 9 /lib64/ld.so
";
        let mut memory = Memory::default();
        memory.read_maps(maps, "/tmp/a");
        let at = [
            0x40_0000,
            0x40_1000,
            0x40_2000,
            0x40_3000,
            0x7f00_0000_0000,
            0x7f00_0080_0000,
        ];
        use Kind::{Data, Library, Mapping, Text};
        assert_eq!(at.map(|at| memory.kind(at)), [Data, Text, Data, Data, Mapping, Library]);
        assert_eq!(
            memory.interval(0x7f00_0000_0005),
            Some((0x7f00_0000_0000, 0x7f00_0080_0000, Mapping))
        );
    }
}
