// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bandwidth (BEN-3): goes through a big array in order, one word per line, reading or writing. No access needs the
//! value of another, so that as many requests are outstanding as the core allows.

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, PASSES, ProgramKind, passes};
use crate::traced::{Layout, Traced};

/// Entry in the table of programs.
pub(crate) static BANDWIDTH: ProgramKind = ProgramKind {
    name: Bandwidth::NAME,
    doc: "Bandwidth: goes through a big array in order, without dependences (BEN-3)",
    parameters: &[
        &[
            Parameter {
                name: "access",
                kind: Kind::Choice(&["read", "write"]),
                doc: "read or write the words",
            },
            Parameter {
                name: "bytes",
                kind: Kind::Size {
                    min: 1 << 20,
                    max: 1 << 30,
                    multiple: 1,
                    default: 16 << 20,
                },
                doc: "size of the array",
            },
            Parameter {
                name: "stride",
                kind: Kind::Size {
                    min: 4,
                    max: 1 << 20,
                    multiple: 4,
                    default: 64,
                },
                doc: "bytes from one word accessed to the next",
            },
        ],
        PASSES,
    ],
    build: Build::Program(|values, _| {
        let [write, bytes, stride] = ["access", "bytes", "stride"].map(|name| values.number(name));
        let config = BandwidthConfig {
            bytes,
            stride,
            write: write == 1,
        };
        Ok(Box::new(Looped::new(Bandwidth::new(&config), passes(values))))
    }),
};

/// Parameters of [`Bandwidth`].
#[derive(Clone, Debug)]
pub(crate) struct BandwidthConfig {
    /// Size of the array in bytes; at least `stride`.
    pub bytes: u64,
    /// Bytes from access to access, at least 4.
    pub stride: u64,
    /// Write instead of read.
    pub write: bool,
}

/// The running program. A pass goes through the array once.
pub(crate) struct Bandwidth {
    /// One word per stride: its index (read), or the number of the pass that wrote it (write).
    words: Traced<u32>,
    write: bool,
    position: usize,
    /// Number of this pass, from 1.
    pass: u32,
    /// Sum of the words read in this pass; the accumulator register.
    sum: u64,
}

impl Bandwidth {
    /// Sets up the array.
    pub fn new(config: &BandwidthConfig) -> Self {
        let count = (config.bytes / config.stride) as u32;
        let words = if config.write {
            vec![0; count as usize]
        } else {
            (0..count).collect()
        };
        Self {
            words: Layout::new().spread(words, config.stride),
            write: config.write,
            position: 0,
            pass: 1,
            sum: 0,
        }
    }
}

impl Kernel for Bandwidth {
    const NAME: &'static str = "bandwidth";

    fn areas(&self) -> Vec<Area> {
        vec![self.words.area("array")]
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        if self.position == 0 {
            self.sum = 0;
        }
        if self.write {
            self.words.set(self.position, self.pass, Source::NONE, recorder);
        } else {
            let (word, _) = self.words.get(self.position, Source::NONE, recorder);
            self.sum += u64::from(word);
            recorder.work(1); // add to the sum
        }
        recorder.work(LOOP);
        self.position += 1;
        let last = self.position == self.words.data.len();
        if last {
            self.position = 0;
            self.pass = self.pass.wrapping_add(1);
        }
        last
    }

    fn verify(&self) -> Result<(), String> {
        let before = self.pass.wrapping_sub(1);
        if self.write {
            let expected = |i| if i < self.position { self.pass } else { before };
            match (0..self.words.data.len()).find(|&i| self.words.data[i] != expected(i)) {
                Some(i) => Err(format!("word {i} holds {}, not {}", self.words.data[i], expected(i))),
                None => Ok(()),
            }
        } else {
            let read = if self.position == 0 && before > 0 {
                self.words.data.len()
            } else {
                self.position
            } as u64;
            let expected = read * read.saturating_sub(1) / 2;
            if self.sum == expected {
                Ok(())
            } else {
                Err(format!("the sum is {}, not {expected}", self.sum))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Passes;
    use crate::testing::{addresses, run};

    #[test]
    fn in_order_without_dependence() {
        for write in [false, true] {
            let kernel = Bandwidth::new(&BandwidthConfig {
                bytes: 6400,
                stride: 64,
                write,
            });
            let run = run(Looped::new(kernel, Passes::new(0, 2)));
            assert_eq!(run.marks(), (1, 2, 1));
            assert!(run.ops().iter().all(|op| op.write == write && op.dep == 0));
            let pass = (0..100).map(|i| 0x1000_0000 + 64 * i);
            assert!(addresses(&run).into_iter().eq(pass.clone().chain(pass)));
        }
    }

    #[test]
    fn a_wrong_value_is_found() {
        let mut kernel = Bandwidth::new(&BandwidthConfig {
            bytes: 6400,
            stride: 64,
            write: true,
        });
        kernel.words.data[50] = 9;
        assert!(kernel.verify().unwrap_err().contains("word 50"));
        let mut kernel = Bandwidth::new(&BandwidthConfig {
            bytes: 6400,
            stride: 64,
            write: false,
        });
        kernel.sum = 1;
        assert!(kernel.verify().is_err());
    }
}
