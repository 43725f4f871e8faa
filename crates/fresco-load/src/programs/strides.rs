// SPDX-License-Identifier: MIT OR Apache-2.0
//! Alternating strides (BEN-1): writes that start in the middle of an area and go outwards, one step up, one step
//! down, two up, two down … so that each line is written exactly once, no prefetcher follows, and no line is reused.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};

/// Negate or advance the offset, add it to the middle.
const ADDRESS: u32 = 2;

/// Entry in the table of programs.
pub(crate) static STRIDES: ProgramKind = ProgramKind {
    name: Strides::NAME,
    doc: "alternating strides: writes from the middle of an area outwards, each line once (BEN-1)",
    parameters: &[
        &[
            Parameter {
                name: "bytes",
                kind: Kind::Size {
                    min: 1 << 20,
                    max: 1 << 30,
                    multiple: 1,
                    default: 32 << 20,
                },
                doc: "size of the area; as large as step times writes, a pass writes each line once",
            },
            Parameter {
                name: "step",
                kind: Kind::Size {
                    min: 64,
                    max: 1 << 20,
                    multiple: 64,
                    default: 64,
                },
                doc: "bytes from line to line",
            },
            Parameter {
                name: "writes",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 32,
                    default: 512 * 1024,
                },
                doc: "writes of one pass; the next pass goes on where this one stopped",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, _| {
        let [bytes, step, writes] = ["bytes", "step", "writes"].map(|name| values.number(name));
        Ok(Box::new(Looped::new(
            Strides::new(&StridesConfig { bytes, step, writes }),
            passes(values),
        )))
    }),
};

/// Parameters of [`Strides`].
#[derive(Clone, Debug)]
pub(crate) struct StridesConfig {
    /// Size of the area in bytes; at least `step`.
    pub bytes: u64,
    /// Bytes from line to line, at least 4.
    pub step: u64,
    /// Writes of one pass, at least 1. A pass goes on where the one before it stopped.
    pub writes: u64,
}

/// The running program. A *sweep* writes every line once; a *pass* is the number of writes that are timed together.
pub(crate) struct Strides {
    /// One word of each line: the number of the sweep that wrote it last.
    lines: Traced<u32>,
    /// Number of this sweep, from 1.
    sweep: u32,
    /// Lines written in this sweep.
    position: usize,
    writes_per_pass: u64,
    /// Writes of this pass so far.
    writes: u64,
    /// The first line that was written out of turn.
    fault: Option<usize>,
}

impl Strides {
    /// Sets up the area; nothing is written yet.
    pub fn new(config: &StridesConfig) -> Self {
        let lines = vec![0; (config.bytes / config.step) as usize];
        Self {
            lines: Layout::new().spread(lines, config.step),
            sweep: 1,
            position: 0,
            writes_per_pass: config.writes,
            writes: 0,
            fault: None,
        }
    }
}

impl Kernel for Strides {
    const NAME: &'static str = "strides";

    fn areas(&self) -> Vec<Area> {
        vec![self.lines.area("lines")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        let count = self.lines.data.len();
        if self.position == count {
            self.position = 0;
            self.sweep = self.sweep.wrapping_add(1);
        }
        let line = line_at(self.position, count);
        if self.lines.data[line] != self.sweep.wrapping_sub(1) {
            self.fault.get_or_insert(line);
        }
        recorder.work(ADDRESS);
        self.lines.set(line, self.sweep, Source::NONE, recorder);
        recorder.work(LOOP);
        self.position += 1;
        self.writes = (self.writes + 1) % self.writes_per_pass;
        self.writes == 0
    }

    fn verify(&self) -> Result<(), String> {
        if let Some(line) = self.fault {
            return Err(format!(
                "line {line} was written twice in one sweep, or left out of one"
            ));
        }
        let (mut now, mut before) = (0, 0);
        for &sweep in &self.lines.data {
            now += usize::from(sweep == self.sweep);
            before += usize::from(sweep == self.sweep.wrapping_sub(1));
        }
        let expected = (self.position, self.lines.data.len() - self.position);
        if (now, before) == expected {
            Ok(())
        } else {
            Err(format!(
                "sweep {} wrote {now} lines and left {before}, not {expected:?}",
                self.sweep
            ))
        }
    }
}

/// The line at `position` of the order middle, +1, −1, +2, −2 … over `count` lines. With an even count the last step up
/// would leave the area; the lowest line takes its place.
pub(crate) fn line_at(position: usize, count: usize) -> usize {
    let middle = count / 2;
    let offset = position.div_ceil(2);
    if position % 2 == 1 && middle + offset < count {
        middle + offset
    } else {
        middle - offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::{Run, addresses, run};

    fn strides(bytes: u64, step: u64, writes: u64, passes: u64) -> Run {
        run(Looped::new(
            Strides::new(&StridesConfig { bytes, step, writes }),
            Passes::new(0, passes),
        ))
    }

    #[test]
    fn the_order_of_the_papers_example() {
        // An integer array: element 256 first, then 272, 240, 288, 224 (dissertation section 2.4.2).
        let run = strides(512 * 4, 64, 5, 1);
        let base = 0x1000_0000;
        let elements: Vec<u64> = addresses(&run).iter().map(|address| (address - base) / 4).collect();
        assert_eq!(elements, [256, 272, 240, 288, 224]);
    }

    #[test]
    fn each_line_exactly_once() {
        for count in 1..40 {
            let mut lines: Vec<usize> = (0..count).map(|position| line_at(position, count)).collect();
            lines.sort_unstable();
            assert!(lines.into_iter().eq(0..count), "{count} lines");
        }
    }

    #[test]
    fn passes_go_on_where_they_stopped() {
        let run = strides(10 * 128, 128, 4, 3);
        assert_eq!(run.marks(), (1, 3, 1));
        let order = addresses(&run);
        assert_eq!(order.len(), 12);
        assert_eq!(order[10..], order[..2], "the eleventh write begins a new sweep");
    }

    #[test]
    fn a_line_written_twice_is_found() {
        let mut kernel = Strides::new(&StridesConfig {
            bytes: 640,
            step: 64,
            writes: 10,
        });
        kernel.lines.data[7] = 1;
        assert!(kernel.verify().is_err());
    }
}
