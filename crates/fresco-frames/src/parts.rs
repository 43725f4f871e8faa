// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains that are set apart for the tasks that ask for them.
//!
//! Each has zones of its own, so that every policy works in it as in a memory by itself, while colors of banks and cache are those of the
//! machine. What is in no part, such as guard rows, is nobody's: the allocator does not know it.

use crate::memory::bad;
use crate::{ColorSet, FrameError, Memory, Region};
use fresco_dram::FrameNumber;
use std::ops::Range;

/// A part of the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its row domains; no other part has them.
    pub domains: ColorSet,
    /// Its frames, as ranges of frame numbers, ascending.
    pub frames: Vec<Range<u64>>,
}

impl Memory {
    /// The same memory without the frames that are in none of the `parts`. The first is everybody's; the others are for tasks
    /// that name all of their domains ([`crate::TaskMemory::rows`]).
    ///
    /// # Errors
    /// [`FrameError::Memory`] if there is no part, the memory is divided already, ranges of frames do not ascend, or parts have frames that
    /// are no memory, or that another part has too.
    pub fn set_apart(mut self, parts: &[Part]) -> Result<Self, FrameError> {
        if parts.is_empty() || self.parts() > 1 {
            return Err(bad("parts of a memory that is divided already, or none".to_owned()));
        }
        let mut regions = Vec::new();
        for (number, part) in (0u32..).zip(parts) {
            if part.frames.windows(2).any(|pair| pair[0].end > pair[1].start) {
                return Err(bad(format!("ranges of part {number} do not ascend")));
            }
            let mut wanted: u64 = part
                .frames
                .iter()
                .map(|range| range.end.saturating_sub(range.start))
                .sum();
            let mut ranges = part.frames.iter().peekable();
            for region in &self.regions {
                let (first, end) = (region.first.0, region.first.0 + region.frames);
                while let Some(range) = ranges.peek().filter(|range| range.start < end) {
                    let (from, to) = (range.start.max(first), range.end.min(end));
                    if from < to {
                        wanted -= to - from;
                        regions.push(Region {
                            zone: number * self.zones + region.zone,
                            first: FrameNumber(from),
                            frames: to - from,
                        });
                    }
                    // What is left of it lies in the next region.
                    if range.end > end {
                        break;
                    }
                    ranges.next();
                }
            }
            if wanted > 0 {
                return Err(bad(format!("{wanted} frames of part {number} are no memory")));
            }
        }
        regions.sort_by_key(|region| region.first);
        if let Some(pair) = regions
            .windows(2)
            .find(|pair| pair[0].first.0 + pair[0].frames > pair[1].first.0)
        {
            return Err(bad(format!("two parts have frame {}", pair[1].first)));
        }
        self.regions = regions;
        self.zones *= parts.len() as u32;
        self.parts = parts.iter().map(|part| part.domains.clone()).collect();
        Ok(self)
    }

    /// Number of parts.
    pub fn parts(&self) -> u32 {
        self.parts.len() as u32
    }

    /// Zones of one part.
    pub fn zones_of_part(&self) -> u32 {
        self.zones / self.parts()
    }

    /// The part of a frame; `None` for a hole.
    pub(crate) fn part_of(&self, frame: FrameNumber) -> Option<u32> {
        Some(self.zone_of(frame)? / self.zones_of_part())
    }

    /// The parts whose domains are all among `rows`, ascending; part 0 for `None`. `None` if some of `rows` is in no such part.
    pub(crate) fn parts_of(&self, rows: Option<&ColorSet>) -> Option<Vec<u32>> {
        let Some(rows) = rows else { return Some(vec![0]) };
        let named = |part: &u32| self.parts[*part as usize].iter().all(|domain| rows.contains(domain));
        let parts: Vec<u32> = (1..self.parts()).filter(named).collect();
        let covered = |domain: u32| parts.iter().any(|part| self.parts[*part as usize].contains(domain));
        (!parts.is_empty() && rows.iter().all(covered)).then_some(parts)
    }

    /// The parts that a task has which asks for `rows`, and of them what corresponds to some zones of part 0, the first `turns` of which take
    /// turns. `None` if that is no memory.
    pub(crate) fn within(
        &self,
        rows: Option<&ColorSet>,
        (zones, turns): (Vec<u32>, usize),
    ) -> Option<(Vec<u32>, Vec<u32>, usize)> {
        let parts = self.parts_of(rows)?;
        if self.parts() == 1 {
            return Some((parts, zones, turns));
        }
        let each = self.zones_of_part();
        let has_memory = |zone: &u32| self.regions.iter().any(|region| region.zone == *zone);
        let of_zone = |zone: &u32| {
            let zones = parts.iter().map(|part| part * each + zone);
            zones.filter(has_memory).collect::<Vec<u32>>()
        };
        let turning = zones[..turns].iter().flat_map(of_zone).count();
        let zones: Vec<u32> = zones.iter().flat_map(of_zone).collect();
        // Of several parts of one node the first is asked first.
        let turns = if turns == 1 { 1 } else { turning.max(1) };
        (!zones.is_empty()).then_some((parts, zones, turns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(domains: &[u32], frames: &[(u64, u64)]) -> Part {
        Part {
            domains: domains.iter().copied().collect(),
            frames: frames.iter().map(|(first, end)| *first..*end).collect(),
        }
    }

    /// Two nodes of 32 frames, with a hole of 32 between them.
    fn memory() -> Memory {
        let region = |zone: u64| Region {
            zone: zone as u32,
            first: FrameNumber(64 * zone),
            frames: 32,
        };
        Memory::new(vec![region(0), region(1)], &[vec![0, 1], vec![1, 0]]).unwrap()
    }

    #[test]
    fn parts_have_zones_of_their_own_and_the_rest_is_nobodys() {
        let parts = [
            part(&[2], &[(20, 32), (68, 96)]),
            part(&[0], &[(0, 8)]),
            part(&[1], &[(10, 18)]),
        ];
        let memory = memory().set_apart(&parts).unwrap();
        assert_eq!((memory.zones(), memory.zones_of_part(), memory.parts()), (6, 2, 3));
        let zones = [0, 7, 8, 10, 19, 20, 31, 67, 68].map(|frame| memory.zone_of(FrameNumber(frame)));
        let expected = [Some(2), Some(2), None, Some(4), None, Some(0), Some(0), None, Some(1)];
        assert_eq!(zones, expected);
        let rows = |rows: &[u32]| memory.parts_of(Some(&rows.iter().copied().collect()));
        assert_eq!(memory.parts_of(None), Some(vec![0]));
        assert_eq!([rows(&[1]), rows(&[0, 1])], [Some(vec![2]), Some(vec![1, 2])]);
        assert_eq!([rows(&[2]), rows(&[0, 3]), rows(&[])], [None, None, None]);
        // Node 1 has no row of these domains; part 0 has both nodes.
        let both: ColorSet = [0, 1].into_iter().collect();
        assert_eq!(
            memory.within(Some(&both), (vec![1, 0], 1)),
            Some((vec![1, 2], vec![2, 4], 1))
        );
        assert_eq!(
            memory.within(Some(&both), (vec![0, 1], 2)),
            Some((vec![1, 2], vec![2, 4], 2))
        );
        assert_eq!(memory.within(Some(&both), (vec![1], 1)), None);
        assert_eq!(memory.within(None, (vec![1, 0], 1)), Some((vec![0], vec![1, 0], 1)));
    }

    #[test]
    fn parts_that_are_none_are_told() {
        let fault = |parts: &[Part]| memory().set_apart(parts).unwrap_err().to_string();
        assert!(fault(&[]).contains("or none"));
        assert!(fault(&[part(&[], &[(8, 16), (0, 4)])]).contains("ranges of part 0 do not ascend"));
        assert!(fault(&[part(&[], &[(0, 40)])]).contains("8 frames of part 0 are no memory"));
        assert!(fault(&[part(&[], &[(0, 8)]), part(&[1], &[(4, 12)])]).contains("two parts have frame"));
        let divided = memory()
            .set_apart(&[part(&[], &[(0, 8)]), part(&[0], &[(8, 16)])])
            .unwrap();
        assert!(divided.set_apart(&[part(&[], &[(0, 8)])]).is_err());
    }
}
