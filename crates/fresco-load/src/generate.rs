// SPDX-License-Identifier: MIT OR Apache-2.0
//! Generated address traces: the workloads on which DRAM simulators are compared.

use crate::trace::MemoryRecord;
use crate::trace::ftrace::{Header, Record, TraceWriter, Unit, What};
use fresco_dram::PhysAddr;
use std::io::{self, BufWriter, Write};

/// Bytes of a line; every address is a multiple of it.
const LINE: u64 = 64;
/// Lines of the 4 GiB over which addresses are spread.
const LINES: u64 = (4 << 30) / LINE;
/// Longest run of neighbouring lines in [`Pattern::Mix`].
const LONGEST_RUN: u64 = 8;

/// What a generated trace looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Reads uniform over 4 GiB, all arriving at cycle 0: as fast as they are accepted.
    Random,
    /// Reads of the addresses 0, 64, 128 …, all arriving at cycle 0.
    Stream,
    /// Reads uniform over 4 GiB, number i arriving at cycle 500 · i + u with u uniform from 0 to 99: nine tenths of the time
    /// nothing is outstanding.
    Sparse,
    /// Runs of 1 to 8 neighbouring lines from uniform starts within 4 GiB, one access in three a write, all arriving at
    /// cycle 0: turns of the bus, row hits and rank changes.
    Mix,
}

impl Pattern {
    /// Every pattern and its name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("random", Self::Random),
        ("stream", Self::Stream),
        ("sparse", Self::Sparse),
        ("mix", Self::Mix),
    ];

    /// `requests` requests of this pattern; the same for the same seed, on every machine and in every version.
    pub fn generate(self, requests: u64, seed: u64) -> Generated {
        Generated {
            pattern: self,
            requests,
            index: 0,
            random: SplitMix64 { state: seed },
            run: 0,
            line: 0,
        }
    }
}

/// The requests of a pattern, in order.
#[derive(Clone, Debug)]
pub struct Generated {
    pattern: Pattern,
    requests: u64,
    index: u64,
    random: SplitMix64,
    /// Lines left of the run, and the next of them.
    run: u64,
    line: u64,
}

impl Iterator for Generated {
    type Item = MemoryRecord;

    fn next(&mut self) -> Option<MemoryRecord> {
        if self.index == self.requests {
            return None;
        }
        let (arrival, line, write) = match self.pattern {
            Pattern::Random => (0, self.random.below(LINES), false),
            Pattern::Stream => (0, self.index, false),
            Pattern::Sparse => {
                let line = self.random.below(LINES);
                (500 * self.index + self.random.below(100), line, false)
            }
            Pattern::Mix => {
                if self.run == 0 {
                    self.run = 1 + self.random.below(LONGEST_RUN);
                    self.line = self.random.below(LINES - LONGEST_RUN);
                }
                self.run -= 1;
                self.line += 1;
                (0, self.line, self.random.below(3) == 0)
            }
        };
        self.index += 1;
        Some(MemoryRecord {
            arrival,
            addr: PhysAddr(line * LINE),
            write,
        })
    }
}

/// Steele, Lea and Flood's generator ("Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub(crate) struct SplitMix64 {
    state: u64,
}

/// From one state to the next.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    /// With seed 0, after so many numbers.
    pub fn at(place: u64) -> Self {
        Self {
            state: place.wrapping_mul(STEP),
        }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, as the remainder: with it, seed 3 gives the sparse trace of the published comparison of
    /// simulators, request by request. The bias is below `bound` / 2^64.
    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Writes requests in DRAMsim3's format: `0xADDR READ|WRITE CYCLE`.
///
/// # Errors
/// `out` fails.
pub fn write_dramsim3(requests: impl IntoIterator<Item = MemoryRecord>, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    for request in requests {
        let word = if request.write { "WRITE" } else { "READ" };
        writeln!(out, "{:#x} {word} {}", request.addr.0, request.arrival)?;
    }
    out.flush()
}

/// Writes requests in Fresco's own format, in cycles; `header` names their origin, its unit is set here. Arrivals must
/// not go backwards.
///
/// # Errors
/// `out` fails, or an arrival lies before the one before it ([`io::ErrorKind::InvalidInput`]).
pub fn write_fresco<W: Write>(
    requests: impl IntoIterator<Item = MemoryRecord>,
    header: &Header,
    out: W,
) -> io::Result<W> {
    let mut writer = TraceWriter::new(
        out,
        &Header {
            unit: Unit::Cycles,
            ..header.clone()
        },
    )?;
    let mut before = 0;
    for MemoryRecord { arrival, addr, write } in requests {
        let Some(gap) = arrival.checked_sub(before) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an arrival before the one before it",
            ));
        };
        before = arrival;
        let what = What::Access {
            addr: addr.0,
            size: LINE as u8,
            write,
            dep: 0,
        };
        writer.push(&Record { thread: 0, gap, what })?;
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::MemoryTrace;
    use std::io::Cursor;

    #[test]
    fn published_numbers_of_splitmix64() {
        // Reference output for seed 1234567 (rosettacode.org, "Pseudo-random numbers/Splitmix64").
        let mut random = SplitMix64 { state: 1_234_567 };
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!([random.next(), random.next(), random.next()], expected);
    }

    #[test]
    fn patterns_are_what_they_say() {
        for (name, pattern) in Pattern::ALL {
            let all: Vec<MemoryRecord> = pattern.generate(30_000, 3).collect();
            assert!(
                all.iter().eq(&pattern.generate(30_000, 3).collect::<Vec<_>>()),
                "{name} repeats"
            );
            assert!(all.iter().all(|r| r.addr.0 % 64 == 0 && r.addr.0 < 4 << 30), "{name}");
            assert!(all.windows(2).all(|pair| pair[0].arrival <= pair[1].arrival), "{name}");
            let mean = all.iter().map(|r| r.addr.0).sum::<u64>() / 30_000;
            let writes = all.iter().filter(|r| r.write).count();
            // Six standard deviations: 43 MB of the mean of 30,000 uniform addresses, 490 of 10,000 writes. The mix has
            // 6,700 independent starts: 91 MB.
            match pattern {
                Pattern::Stream => assert!(all.iter().zip(0..).all(|(r, i)| r.addr.0 == 64 * i)),
                Pattern::Mix => assert!(mean.abs_diff(2 << 30) < 110_000_000 && writes.abs_diff(10_000) < 490),
                _ => assert!(mean.abs_diff(2 << 30) < 43_000_000 && writes == 0),
            }
            if pattern == Pattern::Sparse {
                assert!(
                    all.iter()
                        .zip(0..)
                        .all(|(r, i)| (500 * i..500 * i + 100).contains(&r.arrival))
                );
            } else {
                assert!(all.iter().all(|r| r.arrival == 0));
            }
        }
    }

    #[test]
    fn written_in_either_format_and_read_back() {
        for (name, pattern) in Pattern::ALL {
            let all: Vec<MemoryRecord> = pattern.generate(2000, 1).collect();
            let mut text = Vec::new();
            write_dramsim3(all.iter().copied(), &mut text).expect("memory");
            let header = Header {
                program: name.into(),
                seed: 1,
                expected: Some(2000),
                ..Header::default()
            };
            let binary = write_fresco(all.iter().copied(), &header, Vec::new()).expect("memory");
            for bytes in [text, binary] {
                let trace = MemoryTrace::new(name, Cursor::new(bytes), None).expect("is a trace");
                assert_eq!(trace.collect::<Result<Vec<_>, _>>().as_ref(), Ok(&all));
            }
        }
        let backwards = Pattern::Sparse.generate(2, 1).collect::<Vec<_>>().into_iter().rev();
        assert!(write_fresco(backwards, &Header::default(), Vec::new()).is_err());
    }
}
