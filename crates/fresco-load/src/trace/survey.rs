// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a processor trace touches, found out by reading it once before it is replayed.

use super::cpu::CpuTrace;
use super::ftrace::recorded::{Range, ThreadTotals};
use crate::{Area, Event, Marker, Op};
use fresco_dram::VirtAddr;
use fresco_input::InputError;
use std::collections::BTreeSet;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// Pages that a trace may touch: 16 GiB.
const MAX_PAGES: usize = 4 << 20;

/// The accesses of one pass over a trace, summed up so that two passes can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest {
    /// Number of accesses.
    pub accesses: u64,
    /// Hash over addresses and directions in their order (FNV-1a with 64-bit words).
    hash: u64,
}

impl Digest {
    /// Of no access.
    pub const NONE: Self = Self {
        accesses: 0,
        hash: 0xcbf2_9ce4_8422_2325,
    };

    /// Of so many accesses whose order something else vouches for.
    pub fn counted(accesses: u64) -> Self {
        Self { accesses, ..Self::NONE }
    }

    /// Adds one access.
    #[inline]
    pub fn add(&mut self, op: &Op) {
        self.accesses += 1;
        self.hash = (self.hash ^ (op.addr.0 << 1 | u64::from(op.write))).wrapping_mul(0x100_0000_01b3);
    }
}

/// What a trace does as a whole.
#[derive(Clone, Debug)]
pub(super) struct Survey {
    /// Its accesses.
    pub digest: Digest,
    /// Whether it says itself where its measured phase begins.
    pub begins: bool,
    /// Whether it says itself where its passes end, too.
    pub has_passes: bool,
    /// Pages touched, adjacent ones as one area.
    pub areas: Vec<Area>,
}

impl Survey {
    /// Reads `trace` to its end.
    ///
    /// # Errors
    /// The trace is damaged, or touches more than 16 GiB.
    pub fn of(mut trace: CpuTrace, name: &str) -> Result<Self, InputError> {
        let (mut digest, mut pages, mut last) = (Digest::NONE, BTreeSet::new(), u64::MAX);
        let (mut begins, mut has_passes) = (false, false);
        while let Some(event) = trace.next()? {
            let Event::Op(op) = event else {
                if let Event::Mark { marker, .. } = event {
                    begins |= marker == Marker::Begin;
                    has_passes |= marker == Marker::Pass;
                }
                continue;
            };
            digest.add(&op);
            let (first, end) = (op.addr.0 / PAGE, (op.addr.0 + u64::from(op.size) - 1) / PAGE);
            if (first, end) != (last, last) {
                pages.extend([first, end]);
                last = end;
            }
            if pages.len() > MAX_PAGES {
                return Err(too_many_pages(name));
            }
        }
        Ok(Self {
            digest,
            begins,
            has_passes: begins && has_passes,
            areas: areas(&pages),
        })
    }

    /// What the trailer of a recorded trace says of a thread, which may touch what `sharers` do.
    ///
    /// # Errors
    /// They touch more than 16 GiB.
    pub fn of_totals(totals: &ThreadTotals, sharers: &[&ThreadTotals], name: &str) -> Result<Self, InputError> {
        let mut ranges: Vec<&Range> = sharers.iter().flat_map(|totals| &totals.ranges).collect();
        ranges.sort_by_key(|range| range.first);
        let mut areas: Vec<Area> = Vec::new();
        for range in ranges {
            let (base, end) = (range.first * PAGE, (range.first + range.pages) * PAGE);
            match areas.last_mut() {
                Some(area) if area.base.0 + area.bytes >= base => area.bytes = area.bytes.max(end - area.base.0),
                _ => areas.push(Area {
                    name: format!("{base:#x}"),
                    base: VirtAddr(base),
                    bytes: end - base,
                }),
            }
        }
        if areas.iter().map(|area| area.bytes / PAGE).sum::<u64>() > MAX_PAGES as u64 {
            return Err(too_many_pages(name));
        }
        Ok(Self {
            digest: Digest::counted(totals.counts.accesses()),
            begins: false,
            has_passes: false,
            areas,
        })
    }
}

fn too_many_pages(name: &str) -> InputError {
    let error = InputError::new(name, format!("touches more than {MAX_PAGES} pages"));
    error.allowed("16 GiB of pages of 4 KiB").help("replay a shorter trace")
}

/// Pages in ascending order as areas.
fn areas(pages: &BTreeSet<u64>) -> Vec<Area> {
    let mut areas: Vec<Area> = Vec::new();
    for page in pages {
        let base = page * PAGE;
        match areas.last_mut() {
            Some(area) if area.base.0 + area.bytes == base => area.bytes += PAGE,
            _ => areas.push(Area {
                name: format!("{base:#x}"),
                base: VirtAddr(base),
                bytes: PAGE,
            }),
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::input::Input;
    use std::io::Cursor;

    #[test]
    fn adjacent_pages_are_one_area() {
        let text = "0 8192\n1 4160 4096\n0 0x5000\n3 8256\n";
        let input = Input::new("t", Cursor::new(text)).expect("is readable");
        let survey = Survey::of(CpuTrace::new(input, None, 0).expect("is a trace"), "t").expect("is sound");
        let area = |base: u64, bytes| Area {
            name: format!("{base:#x}"),
            base: VirtAddr(base),
            bytes,
        };
        assert_eq!(survey.areas, [area(0x1000, 0x2000), area(0x5000, 0x1000)]);
        assert_eq!((survey.digest.accesses, survey.begins), (5, false));
    }
}
