// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which colors which memory of a process is to have, where its threads have colors of their own: a table in the data
//! of the library, read from outside.

use super::{Mapping, Process};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// What the table begins with.
pub const LEDGER_MAGIC: [u8; 16] = *b"fresco-ledger-1\n";
/// Ranges it has room for.
pub const LEDGER_RANGES: usize = 1024;
/// Sets it has room for.
pub const LEDGER_SETS: usize = 128;
/// Bytes of a set's text, with a zero at the end.
pub const LEDGER_TEXT: usize = 256;

/// The table, as it lies in memory.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Ledger {
    /// [`LEDGER_MAGIC`].
    pub magic: [u8; 16],
    /// Ranges in use.
    pub count: u64,
    /// First address, the first after it, number of the set.
    pub ranges: [[u64; 3]; LEDGER_RANGES],
    /// Colors of each set as text; empty for the process's own.
    pub sets: [[u8; LEDGER_TEXT]; LEDGER_SETS],
}

/// Memory whose colors are a thread's, with these as text; later ranges take the place of earlier ones.
pub type OwnColors = Vec<(Range<u64>, String)>;

/// What the table of a process says; nothing, where it cannot be read.
pub fn own_colors(process: &Process, mappings: &[Mapping]) -> OwnColors {
    let Some(memory) = process.memory() else {
        return Vec::new();
    };
    let library = |mapping: &&Mapping| mapping.access.starts_with("rw") && mapping.is_library();
    mappings
        .iter()
        .filter(library)
        .find_map(|mapping| read(&memory, mapping))
        .unwrap_or_default()
}

fn read(memory: &File, mapping: &Mapping) -> Option<OwnColors> {
    let mut bytes = vec![0; usize::try_from(mapping.bytes()).ok()?];
    memory.read_exact_at(&mut bytes, mapping.start).ok()?;
    parse(&bytes)
}

/// Reads the table in a piece of memory.
pub fn parse(bytes: &[u8]) -> Option<OwnColors> {
    let starts = (0..bytes.len()).step_by(16);
    let start = starts.into_iter().find(|&at| bytes[at..].starts_with(&LEDGER_MAGIC))?;
    let table = bytes.get(start..start + size_of::<Ledger>())?;
    let number = |at: usize| table[at..at + 8].try_into().map_or(0, u64::from_ne_bytes);
    let (ranges, sets) = (24, 24 + LEDGER_RANGES * 24);
    let count = (number(16) as usize).min(LEDGER_RANGES);
    let all = (0..count).map(|index| {
        let at = ranges + index * 24;
        let set = (number(at + 16) as usize).min(LEDGER_SETS - 1);
        let text = &table[sets + set * LEDGER_TEXT..][..LEDGER_TEXT];
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        (number(at)..number(at + 8), String::from_utf8_lossy(text).into_owned())
    });
    Some(all.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_found_and_read_and_a_spoilt_one_does_no_harm() {
        let mut ledger = Box::new(Ledger {
            magic: LEDGER_MAGIC,
            count: 2,
            ranges: [[0; 3]; LEDGER_RANGES],
            sets: [[0; LEDGER_TEXT]; LEDGER_SETS],
        });
        ledger.ranges[0] = [0x1000, 0x3000, 0];
        ledger.ranges[1] = [0x5000, 0x6000, 3];
        ledger.sets[3][..7].copy_from_slice(b"banks=1");
        let mut bytes = vec![7u8; 48];
        bytes.extend_from_slice(&ledger.magic);
        bytes.extend_from_slice(&ledger.count.to_ne_bytes());
        for word in ledger.ranges.as_flattened() {
            bytes.extend_from_slice(&word.to_ne_bytes());
        }
        bytes.extend_from_slice(ledger.sets.as_flattened());
        bytes.resize(48 + size_of::<Ledger>(), 0);
        let found = parse(&bytes).expect("it is there");
        assert_eq!(
            found,
            [(0x1000..0x3000, String::new()), (0x5000..0x6000, "banks=1".to_owned())]
        );
        assert_eq!(parse(&bytes[..5000]), None);
        assert_eq!(parse(&[0; 64]), None);
        bytes[64..72].fill(0xff);
        assert_eq!(parse(&bytes).map(|all| all.len()), Some(LEDGER_RANGES));
    }
}
