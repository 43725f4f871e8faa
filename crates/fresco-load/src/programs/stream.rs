// SPDX-License-Identifier: MIT OR Apache-2.0
//! STREAM (BEN-4): McCalpin's four kernels over three arrays of doubles, with the values and the check of his
//! `stream.c` 5.10.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};

/// The scalar of scale and triad.
const SCALAR: f64 = 3.0;

/// One of the four loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loop {
    /// `c[i] = a[i]`
    Copy,
    /// `b[i] = s * c[i]`
    Scale,
    /// `c[i] = a[i] + b[i]`
    Add,
    /// `a[i] = b[i] + s * c[i]`
    Triad,
}

impl Loop {
    /// The order in which STREAM runs them.
    pub const ALL: &'static [Self] = &[Self::Copy, Self::Scale, Self::Add, Self::Triad];

    /// Arrays read, in order of the loads, the array written, and the arithmetic instructions in between.
    fn shape(self) -> (&'static [usize], usize, u32) {
        match self {
            Self::Copy => (&[A], C, 0),
            Self::Scale => (&[C], B, 1),
            Self::Add => (&[A, B], C, 1),
            Self::Triad => (&[B, C], A, 2),
        }
    }

    /// The value written, from the values read.
    fn value(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Copy => x,
            Self::Scale => SCALAR * x,
            Self::Add => x + y,
            Self::Triad => x + SCALAR * y,
        }
    }
}

const A: usize = 0;
const B: usize = 1;
const C: usize = 2;

/// Entry in the table of programs.
pub(crate) static STREAM: ProgramKind = ProgramKind {
    name: Stream::NAME,
    doc: "STREAM: copy, scale, add and triad over three arrays of doubles (BEN-4)",
    parameters: &[
        &[
            Parameter {
                name: "kernel",
                kind: Kind::Choice(&["all", "copy", "scale", "add", "triad"]),
                doc: "the loops of one pass: all four, or one alone",
            },
            Parameter {
                name: "elements",
                kind: Kind::Count {
                    min: 1,
                    max: 1 << 26,
                    default: 1 << 20,
                },
                doc: "elements of each array, 8 bytes each; STREAM asks for four times the last-level cache",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, _| {
        let loops = match values.number("kernel") as usize {
            0 => Loop::ALL,
            one => &Loop::ALL[one - 1..one],
        };
        let config = StreamConfig {
            elements: values.number("elements"),
            loops,
        };
        Ok(Box::new(Looped::new(Stream::new(&config), passes(values))))
    }),
};

/// Parameters of [`Stream`].
#[derive(Clone, Debug)]
pub(crate) struct StreamConfig {
    /// Elements (8 bytes) of each of the three arrays, at least 1.
    pub elements: u64,
    /// The loops of one pass; not empty.
    pub loops: &'static [Loop],
}

/// The running program. A pass runs each loop once.
pub(crate) struct Stream {
    arrays: [Traced<f64>; 3],
    loops: &'static [Loop],
    /// Index of the running loop.
    running: usize,
    position: usize,
    /// What every element of each array holds, but for those that the running loop has already replaced.
    expected: [f64; 3],
}

impl Stream {
    /// Sets up the arrays as `stream.c` does: a = 2 (1, doubled by its timer test), b = 2, c = 0.
    pub fn new(config: &StreamConfig) -> Self {
        let mut layout = Layout::new();
        let expected = [2.0, 2.0, 0.0];
        let arrays = expected.map(|value| layout.array(vec![value; config.elements as usize]));
        Self {
            arrays,
            loops: config.loops,
            running: 0,
            position: 0,
            expected,
        }
    }

    /// What the running loop writes, if all before it went well.
    fn expected_of(&self, running: Loop) -> f64 {
        let (read, _, _) = running.shape();
        running.value(self.expected[read[0]], self.expected[read[read.len() - 1]])
    }
}

impl Kernel for Stream {
    const NAME: &'static str = "stream";

    fn areas(&self) -> Vec<Area> {
        ["a", "b", "c"]
            .iter()
            .zip(&self.arrays)
            .map(|(name, array)| array.area(name))
            .collect()
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        let (running, i) = (self.loops[self.running], self.position);
        let (read, written, arithmetic) = running.shape();
        let (mut values, mut source) = ([0.0; 2], Source::NONE);
        for (value, &array) in values.iter_mut().zip(read) {
            let (loaded, from) = self.arrays[array].get(i, Source::NONE, recorder);
            (*value, source) = (loaded, source.and(from));
        }
        recorder.work(arithmetic);
        self.arrays[written].set(i, running.value(values[0], values[1]), source, recorder);
        recorder.work(LOOP);
        self.position += 1;
        if self.position < self.arrays[written].data.len() {
            return false;
        }
        self.expected[written] = self.expected_of(running);
        self.position = 0;
        self.running = (self.running + 1) % self.loops.len();
        self.running == 0
    }

    fn verify(&self) -> Result<(), String> {
        let running = self.loops[self.running];
        let written = running.shape().1;
        for (name, (array, values)) in ["a", "b", "c"].into_iter().zip(self.arrays.iter().enumerate()) {
            for (i, &value) in values.data.iter().enumerate() {
                let replaced = array == written && i < self.position;
                let expected = if replaced {
                    self.expected_of(running)
                } else {
                    self.expected[array]
                };
                // The same operations in the same order: equal to the last bit, no tolerance needed.
                if value != expected {
                    return Err(format!("{name}[{i}] is {value}, not {expected}"));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::run;

    #[test]
    fn four_loops_move_ten_words_per_element() {
        let kernel = Stream::new(&StreamConfig {
            elements: 1000,
            loops: Loop::ALL,
        });
        let run = run(Looped::new(kernel, Passes::new(1, 10)));
        assert_eq!(run.marks(), (1, 10, 1));
        let ops = run.ops();
        assert_eq!(ops.len(), 11 * 10 * 1000);
        assert_eq!(ops.iter().filter(|op| op.write).count(), 11 * 4 * 1000);
        assert!(
            ops.iter().all(|op| op.size == 8 && op.dep == u32::from(op.write)),
            "a store needs the load before it"
        );
    }

    #[test]
    fn values_after_one_pass() {
        // By hand: c = 2, b = 6, c = 2 + 6, a = 6 + 3 * 8.
        let mut kernel = Stream::new(&StreamConfig {
            elements: 3,
            loops: Loop::ALL,
        });
        let (mut execution, mut batch) = (crate::recorder::ExecutionState::default(), crate::Batch::new());
        let mut recorder = execution.record(&mut batch);
        while !kernel.step(&mut recorder) {}
        assert_eq!(kernel.arrays.each_ref().map(|array| array.data[2]), [30.0, 6.0, 8.0]);
        assert_eq!(kernel.verify(), Ok(()));
        kernel.arrays[B].data[1] = 6.5;
        assert_eq!(kernel.verify(), Err("b[1] is 6.5, not 6".into()));
    }

    #[test]
    fn one_loop_alone() {
        let kernel = Stream::new(&StreamConfig {
            elements: 100,
            loops: &[Loop::Triad],
        });
        let run = run(Looped::new(kernel, Passes::new(0, 2)));
        assert_eq!(run.ops().len(), 600);
    }
}
