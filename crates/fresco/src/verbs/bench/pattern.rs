// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a pass of a program accesses: recorded from the program that the model runs, so that the machine does the same.

use fresco_input::InputError;
use fresco_load::{Batch, Event, Marker, Setting, build};

/// Accesses of a pass at most.
const MOST_ACCESSES: usize = 1 << 26;
/// Words are what accesses are counted in: 4 bytes.
pub const WORD: u64 = 4;
/// Bytes of a line.
const LINE: u64 = 64;

/// The accesses of a pass, as words from the beginning of its one area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPattern {
    /// Words of the area.
    pub words: usize,
    /// Which are accessed, in order.
    pub order: Vec<u32>,
    /// Stores, not loads.
    pub write: bool,
    /// Each load needs the value of the one before.
    pub dependent: bool,
}

impl AccessPattern {
    /// The pattern of a program with parameters in TOML.
    ///
    /// # Errors
    /// What building the program finds; passes that are too long, or that are not all alike.
    pub fn record(program: &str, parameters: &str, seed: u64) -> Result<Self, InputError> {
        let setting = Setting {
            seed,
            ..Setting::default()
        };
        let refuse = |found: &str, help: &str| {
            InputError::new(format!("parameters of {program}"), found)
                .allowed("passes that are all alike, of at most 67,108,864 loads, or stores, in one area")
                .help(help)
        };
        let mut program = build(program, &format!("{parameters}\npasses = 2\n"), &setting)?;
        let areas = program.footprint();
        let [area] = areas.as_slice() else {
            return Err(refuse("found a program of several areas", "choose another program"));
        };
        let mut batch = Batch::new();
        let mut passes: Vec<Self> = Vec::new();
        let mut pattern = Self::empty(area.bytes);
        let (mut loads, mut stores, mut alone) = (0usize, 0usize, 0usize);
        while program.next(&mut batch)? {
            for event in batch.events() {
                match event {
                    Event::Op(op) => {
                        *if op.write { &mut stores } else { &mut loads } += 1;
                        alone += usize::from(op.dep != 1);
                        let word = (op.addr.0 - area.base.0) / WORD;
                        pattern.order.push(u32::try_from(word).unwrap_or(u32::MAX));
                    }
                    Event::Mark {
                        marker: Marker::Pass, ..
                    } => {
                        pattern.write = stores > 0;
                        // The first load of all has none before it.
                        pattern.dependent = stores == 0 && alone <= 1 && loads > 1;
                        if stores > 0 && loads > 0 {
                            return Err(refuse("found loads and stores", "choose another program"));
                        }
                        passes.push(std::mem::replace(&mut pattern, Self::empty(area.bytes)));
                        (loads, stores, alone) = (0, 0, 0);
                    }
                    Event::Mark { .. } | Event::Order { .. } | Event::Fetch { .. } => {}
                }
                if pattern.order.len() > MOST_ACCESSES {
                    return Err(refuse("found a longer pass", "take less memory, or longer strides"));
                }
            }
            batch.clear();
        }
        let first = passes.first().filter(|first| !first.order.is_empty());
        match first {
            Some(first) if passes.iter().all(|pass| pass.order == first.order) => Ok(first.clone()),
            Some(_) => Err(refuse(
                "found passes that differ: one goes on where the other stopped",
                "take as many writes as the area has steps",
            )),
            None => Err(refuse("found a program without passes", "choose another program")),
        }
    }

    fn empty(bytes: u64) -> Self {
        Self {
            words: bytes.div_ceil(WORD) as usize,
            order: Vec::new(),
            write: false,
            dependent: false,
        }
    }

    /// Bytes of the lines that a pass touches, each line counted as often as it is touched anew.
    pub fn bytes_touched(&self) -> u64 {
        let line = |word: &u32| u64::from(*word) * WORD / LINE;
        let changes = self
            .order
            .windows(2)
            .filter(|two| line(&two[0]) != line(&two[1]))
            .count();
        (changes as u64 + 1) * LINE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_are_those_of_the_programs() {
        let chase = AccessPattern::record("latency", "bytes = '64 KiB'", 3).expect("a pattern");
        assert_eq!((chase.order.len(), chase.dependent, chase.write), (1024, true, false));
        assert_eq!(chase.bytes_touched(), 1024 * 64);
        let mut lines: Vec<u32> = chase.order.iter().map(|word| word / 16).collect();
        lines.sort_unstable();
        assert!(lines.into_iter().eq(0..1024));
        let read = AccessPattern::record("bandwidth", "access = 'read'\nbytes = '1 MiB'", 3).expect("a pattern");
        assert!(read.order.iter().copied().eq((0..16_384).map(|line| 16 * line)));
        assert!(!read.dependent && !read.write);
        // Four-byte words: sixteen accesses touch a line once.
        let words =
            AccessPattern::record("bandwidth", "access = 'write'\nbytes = '1 MiB'\nstride = 4", 3).expect("a pattern");
        assert_eq!(
            (words.order.len() as u64 * 4, words.bytes_touched()),
            (1 << 20, 1 << 20)
        );
        let strides = AccessPattern::record("strides", "bytes = '1 MiB'\nwrites = 16384", 3).expect("a pattern");
        assert!(strides.write);
        assert_eq!(strides.order.len(), 16_384);
    }

    #[test]
    fn what_no_pass_can_stand_for_is_refused() {
        for (program, parameters, found) in [
            ("strides", "bytes = '1 MiB'\nwrites = 1000", "passes that differ"),
            (
                "bandwidth",
                "access = 'read'\nbytes = '1 GiB'\nstride = 4",
                "a longer pass",
            ),
            ("latency", "bytes = 3", "bytes"),
        ] {
            let error = AccessPattern::record(program, parameters, 1)
                .expect_err(found)
                .to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
