// SPDX-License-Identifier: MIT OR Apache-2.0
//! Marks that a program places by `fresco_mark.h`: instructions without effect that carry a name, letter by letter.

use crate::decode::Architecture;
use fresco_load::trace::ftrace::recorded::{MOST_REGIONS, Region, Visits};
use std::collections::BTreeMap;

/// What marks regions in C and C++.
pub const HEADER: &str = include_str!("fresco_mark.h");

/// A part of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Of the begin of a region, or of its end.
    Head(bool),
    /// A letter of its name; 0 ends it.
    Letter(u8),
}

/// The part of a mark that an instruction is, if it is one.
pub fn part(architecture: Architecture, code: &[u8]) -> Option<Part> {
    let head = |kind: u8| match kind {
        b'B' => Some(Part::Head(true)),
        b'E' => Some(Part::Head(false)),
        _ => None,
    };
    match (architecture, code) {
        // nopl with a displacement of 32 bits, and of 8.
        (Architecture::X86, [0x0f, 0x1f, 0x80, b'F', b'R', kind, b':']) => head(*kind),
        (Architecture::X86, [0x0f, 0x1f, 0x40, letter]) => Some(Part::Letter(*letter)),
        (Architecture::Arm, code) => {
            let word = u32::from_le_bytes(*code.first_chunk()?);
            // movz xzr, number: the bits 3 to 10 of the number are a byte of the instruction.
            match word & 0xffff_00ff {
                0xd292_001f => head((word >> 8) as u8),
                0xd293_001f => Some(Part::Letter((word >> 8) as u8)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The names of all regions.
#[derive(Debug, Default)]
pub struct Names(Vec<Region>);

impl Names {
    /// The number of a region; `None` if there are too many.
    fn number(&mut self, name: &str) -> Option<u8> {
        if let Some(known) = self.0.iter().position(|region| region.name == name) {
            return Some(known as u8);
        }
        let number = self.0.len();
        if number == MOST_REGIONS {
            return None;
        }
        self.0.push(Region {
            name: name.to_owned(),
            visits: Vec::new(),
        });
        Some(number as u8)
    }

    /// All regions that were entered.
    pub fn take(&mut self) -> Vec<Region> {
        std::mem::take(&mut self.0)
    }
}

/// What a thread has done by some place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores.
    pub accesses: u64,
}

/// The marks of a thread.
#[derive(Debug, Default)]
pub struct Marks {
    /// A mark whose name is not over.
    name: Option<(bool, String)>,
    /// Regions that the thread is in, and since when.
    inside: BTreeMap<u8, Done>,
    visits: BTreeMap<u8, Visits>,
}

impl Marks {
    /// The thread executes a part of a mark. Returns a region that it enters or leaves by that; a region within itself is one.
    pub fn take(&mut self, part: Part, now: Done, names: &mut Names) -> Option<(u8, bool)> {
        match part {
            Part::Head(enters) => self.name = Some((enters, String::new())),
            Part::Letter(0) => {
                let (enters, name) = self.name.take()?;
                let region = names.number(&name)?;
                let is_inside = self.inside.contains_key(&region);
                if enters && !is_inside {
                    self.inside.insert(region, now);
                } else if !enters && is_inside {
                    self.leave(region, now);
                } else {
                    return None;
                }
                return Some((region, enters));
            }
            Part::Letter(letter) => {
                // Longer names are no names; no bytes beyond ASCII are.
                if let Some((_, name)) = self.name.as_mut().filter(|(_, name)| name.len() < 255) {
                    name.push(char::from(letter & 0x7f));
                }
            }
        }
        None
    }

    /// Returns true if parts of a mark are to come.
    pub fn is_within_name(&self) -> bool {
        self.name.is_some()
    }

    fn leave(&mut self, region: u8, now: Done) {
        let Some(since) = self.inside.remove(&region) else {
            return;
        };
        let visits = self.visits.entry(region).or_default();
        visits.times += 1;
        visits.instructions += now.instructions - since.instructions;
        visits.accesses += now.accesses - since.accesses;
    }

    /// The thread is over: what it did where.
    pub fn finish(&mut self, thread: u16, now: Done, names: &mut Names) {
        for region in self.inside.keys().copied().collect::<Vec<_>>() {
            self.leave(region, now);
        }
        for (region, visits) in std::mem::take(&mut self.visits) {
            names.0[usize::from(region)].visits.push(Visits { thread, ..visits });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(marks: &mut Marks, enters: bool, name: &str, at: u64, names: &mut Names) -> Option<(u8, bool)> {
        let now = Done {
            instructions: at,
            accesses: at / 2,
        };
        marks.take(Part::Head(enters), now, names);
        for letter in name.bytes() {
            assert_eq!(marks.take(Part::Letter(letter), now, names), None);
        }
        marks.take(Part::Letter(0), now, names)
    }

    #[test]
    fn regions_are_entered_and_left_once() {
        let (mut marks, mut names) = (Marks::default(), Names::default());
        let mut take = |enters, name, at| take(&mut marks, enters, name, at, &mut names);
        assert_eq!(take(false, "a", 0), None);
        assert_eq!(take(true, "a", 10), Some((0, true)));
        assert_eq!(take(true, "a", 12), None);
        assert_eq!(take(true, "b", 20), Some((1, true)));
        assert_eq!(take(false, "a", 30), Some((0, false)));
        assert_eq!(take(false, "a", 31), None);
        assert_eq!(take(true, "a", 40), Some((0, true)));
        let now = Done {
            instructions: 50,
            accesses: 25,
        };
        marks.finish(3, now, &mut names);
        let visits = |times, instructions, accesses| Visits {
            thread: 3,
            times,
            instructions,
            accesses,
        };
        let found: Vec<_> = names
            .take()
            .into_iter()
            .map(|region| (region.name, region.visits))
            .collect();
        assert_eq!(
            found,
            [
                ("a".into(), vec![visits(2, 30, 15)]),
                ("b".into(), vec![visits(1, 30, 15)])
            ]
        );
    }

    #[test]
    fn letters_without_a_mark_are_nothing() {
        let (mut marks, mut names) = (Marks::default(), Names::default());
        let part = part(Architecture::X86, &[0x0f, 0x1f, 0x40, 0]).expect("padding of compilers");
        assert_eq!(marks.take(part, Done::default(), &mut names), None);
        assert_eq!(super::part(Architecture::X86, &[0x0f, 0x1f, 0x80, 0, 0, 0, 0]), None);
        assert_eq!(super::part(Architecture::Arm, &0xd280_0020u32.to_le_bytes()), None);
    }
}
