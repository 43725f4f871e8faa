// SPDX-License-Identifier: MIT OR Apache-2.0
//! Integer sort as in NAS IS (serial, NPB 3 `is.c`): ranks keys by counting, with or without a first pass into buckets.
//! The indirect increments need the key they index by, so that most of the memory operations wait for another one.

mod class;
mod keys;

pub(crate) use class::{CLASSES, Class};

use crate::Area;
use crate::kernel::{Kernel, Looped};
use crate::parameter::{Kind, Parameter};
use crate::passes::Passes;
use crate::recorder::{LOOP, Recorder, Source};
use crate::registry::{Build, ProgramKind};
use crate::traced::{Layout, Traced};

/// Iterations of the original. It changes two keys in each; later passes change them again to the same values.
const ITERATIONS: u64 = 10;

/// Entry in the table of programs.
pub(crate) static IS: ProgramKind = ProgramKind {
    name: Is::NAME,
    doc: "integer sort as in NAS IS: ranks keys by counting (BEN-6); its keys are prescribed, the seed is not used",
    parameters: &[&[
        Parameter {
            name: "class",
            kind: Kind::Choice(&["S", "W", "A", "B"]),
            doc: "problem class of NPB: 2^16, 2^20, 2^23 or 2^25 keys",
        },
        Parameter {
            name: "buckets",
            kind: Kind::Flag { default: true },
            doc: "sort the keys into buckets before they are counted",
        },
        Parameter {
            name: "passes",
            kind: Kind::Count {
                min: 0,
                max: 1 << 32,
                default: ITERATIONS,
            },
            doc: "measured rankings, after the unmeasured one; 0: again and again without end",
        },
    ]],
    build: Build::Program(|values, _| {
        let class = &CLASSES[values.number("class") as usize];
        let config = IsConfig {
            class,
            buckets: values.number("buckets") == 1,
        };
        Ok(Box::new(Looped::new(
            Is::new(&config),
            Passes::new(1, values.number("passes")),
        )))
    }),
};

/// Parameters of [`Is`].
#[derive(Clone, Debug)]
pub(crate) struct IsConfig {
    /// Problem class.
    pub class: &'static Class,
    /// Sort into buckets first, as the original does by default.
    pub buckets: bool,
}

/// The loops of one ranking, in order. Those over buckets are left out where buckets are not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Replace two keys, note the test keys.
    Start,
    ClearBuckets,
    CountBuckets,
    /// Where each bucket begins: the sum of the sizes of those before it.
    PlaceBuckets,
    Distribute,
    ClearRanks,
    CountKeys,
    /// Sum up: the rank of a key is the number of keys that are not larger.
    SumRanks,
    /// Compare the ranks of the test keys.
    Check,
}

/// The running program. A pass is one ranking; the original's untimed first one is the warm-up pass.
pub(crate) struct Is {
    class: &'static Class,
    buckets: bool,
    keys: Traced<u32>,
    /// The keys in the order of their buckets.
    sorted: Traced<u32>,
    /// Count, then rank, of each key value.
    ranks: Traced<u32>,
    bucket_size: Traced<u32>,
    bucket_place: Traced<u32>,
    phase: Phase,
    i: usize,
    /// Running sum of the loops that add up; a register.
    sum: u32,
    /// The test keys as noted at the start of the pass, and the loads that brought them.
    noted: [(u32, Source); 5],
    passes: u64,
    fault: Option<String>,
}

impl Is {
    /// Creates the keys.
    pub fn new(config: &IsConfig) -> Self {
        let class = config.class;
        let count = 1 << class.keys_log2;
        let buckets = if config.buckets { 1 << class.buckets_log2 } else { 0 };
        let mut layout = Layout::new();
        Self {
            class,
            buckets: config.buckets,
            keys: layout.array(keys::create(count, class.max_key_log2)),
            ranks: layout.array(vec![0; 1 << class.max_key_log2]),
            sorted: layout.array(vec![0; if config.buckets { count } else { 0 }]),
            bucket_size: layout.array(vec![0; buckets]),
            bucket_place: layout.array(vec![0; buckets]),
            phase: Phase::Start,
            i: 0,
            sum: 0,
            noted: [(0, Source::NONE); 5],
            passes: 0,
            fault: None,
        }
    }

    /// The original's iteration number of this pass: 1 for the warm-up, then 1 to 10, again and again.
    fn iteration(&self) -> u64 {
        self.passes.saturating_sub(1) % ITERATIONS + 1
    }

    fn start(&mut self, recorder: &mut Recorder<'_>) {
        let iteration = self.iteration() as u32;
        let largest = 1 << self.class.max_key_log2;
        self.keys.set(iteration as usize, iteration, Source::NONE, recorder);
        self.keys.set(
            iteration as usize + ITERATIONS as usize,
            largest - iteration,
            Source::NONE,
            recorder,
        );
        for (noted, test) in self.noted.iter_mut().zip(&self.class.tests) {
            *noted = self.keys.get(test.index as usize, Source::NONE, recorder);
        }
    }

    /// Moves key `i` into its bucket.
    fn distribute(&mut self, recorder: &mut Recorder<'_>) {
        let (key, source) = self.keys.get(self.i, Source::NONE, recorder);
        recorder.work(1); // shift
        let bucket = self.bucket_of(key);
        let (place, source) = self.bucket_place.get(bucket, source, recorder);
        recorder.work(1); // increment
        self.bucket_place.set(bucket, place + 1, source, recorder);
        self.sorted.set(place as usize, key, source, recorder);
    }

    fn bucket_of(&self, key: u32) -> usize {
        (key >> (self.class.max_key_log2 - self.class.buckets_log2)) as usize
    }

    /// Adds the size of bucket `i - 1` to its place: the place of bucket `i`.
    fn place_bucket(&mut self, recorder: &mut Recorder<'_>) {
        let mut source = Source::NONE;
        if self.i > 0 {
            let size;
            (size, source) = self.bucket_size.get(self.i - 1, Source::NONE, recorder);
            recorder.work(1); // add
            self.sum += size;
        }
        self.bucket_place.set(self.i, self.sum, source, recorder);
    }

    fn sum_rank(&mut self, recorder: &mut Recorder<'_>) {
        let (count, source) = self.ranks.get(self.i, Source::NONE, recorder);
        recorder.work(1); // add
        self.sum += count;
        self.ranks.set(self.i, self.sum, source, recorder);
    }

    fn check(&mut self, recorder: &mut Recorder<'_>) {
        // After ten iterations all replacements have been made and the ranks stay.
        let iteration = self.passes.clamp(1, ITERATIONS) as i64;
        for ((key, source), test) in self.noted.into_iter().zip(&self.class.tests) {
            if key == 0 {
                continue;
            }
            let (rank, _) = self.ranks.get(key as usize - 1, source, recorder);
            recorder.work(LOOP);
            let expected = test.rank(iteration);
            if i64::from(rank) != expected && self.fault.is_none() {
                self.fault = Some(format!(
                    "pass {}: key {key} has rank {rank}, not {expected}",
                    self.passes
                ));
            }
        }
    }

    /// Trips round the loop of a phase.
    fn iterations(&self, phase: Phase) -> usize {
        match phase {
            Phase::Start | Phase::Check => 1,
            Phase::ClearBuckets | Phase::PlaceBuckets => self.bucket_size.data.len(),
            Phase::CountBuckets | Phase::Distribute => self.sorted.data.len(),
            Phase::CountKeys => self.keys.data.len(),
            Phase::ClearRanks | Phase::SumRanks => self.ranks.data.len(),
        }
    }

    /// The phase after this one; `Start` after the last.
    fn following(&self) -> Phase {
        match self.phase {
            Phase::Start if self.buckets => Phase::ClearBuckets,
            Phase::ClearBuckets => Phase::CountBuckets,
            Phase::CountBuckets => Phase::PlaceBuckets,
            Phase::PlaceBuckets => Phase::Distribute,
            Phase::Start | Phase::Distribute => Phase::ClearRanks,
            Phase::ClearRanks => Phase::CountKeys,
            Phase::CountKeys => Phase::SumRanks,
            Phase::SumRanks => Phase::Check,
            Phase::Check => Phase::Start,
        }
    }
}

/// `counts[index] += 1`, the index of which comes from `source`.
fn increment(counts: &mut Traced<u32>, index: usize, source: Source, recorder: &mut Recorder<'_>) {
    let (count, source) = counts.get(index, source, recorder);
    recorder.work(1);
    counts.set(index, count + 1, source, recorder);
}

impl Kernel for Is {
    const NAME: &'static str = "is";

    fn areas(&self) -> Vec<Area> {
        let mut areas = vec![self.keys.area("key_array"), self.ranks.area("key_buff1")];
        if self.buckets {
            areas.push(self.sorted.area("key_buff2"));
            areas.push(self.bucket_size.area("bucket_size"));
            areas.push(self.bucket_place.area("bucket_ptrs"));
        }
        areas
    }

    fn step(&mut self, recorder: &mut Recorder<'_>) -> bool {
        match self.phase {
            Phase::Start => self.start(recorder),
            Phase::ClearBuckets => self.bucket_size.set(self.i, 0, Source::NONE, recorder),
            Phase::CountBuckets => {
                let (key, source) = self.keys.get(self.i, Source::NONE, recorder);
                recorder.work(1); // shift
                let bucket = self.bucket_of(key);
                increment(&mut self.bucket_size, bucket, source, recorder);
            }
            Phase::PlaceBuckets => self.place_bucket(recorder),
            Phase::Distribute => self.distribute(recorder),
            Phase::ClearRanks => self.ranks.set(self.i, 0, Source::NONE, recorder),
            Phase::CountKeys => {
                let keys = if self.buckets { &self.sorted } else { &self.keys };
                let (key, source) = keys.get(self.i, Source::NONE, recorder);
                increment(&mut self.ranks, key as usize, source, recorder);
            }
            Phase::SumRanks => self.sum_rank(recorder),
            Phase::Check => self.check(recorder),
        }
        recorder.work(LOOP);
        self.i += 1;
        if self.i < self.iterations(self.phase) {
            return false;
        }
        let last = self.phase == Phase::Check;
        self.passes += u64::from(last);
        (self.phase, self.i, self.sum) = (self.following(), 0, 0);
        last
    }

    /// The ranks of the test keys in every pass so far; and after a pass, that the ranks sort the keys: the rank of
    /// every value is the number of keys up to it, and the buckets hold the keys that were there.
    fn verify(&self) -> Result<(), String> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if self.phase != Phase::Start || self.passes == 0 {
            return Ok(());
        }
        let mut counts = vec![0u32; self.ranks.data.len()];
        for &key in &self.keys.data {
            counts[key as usize] += 1;
        }
        let mut rank = 0;
        for (key, count) in counts.iter().enumerate() {
            rank += count;
            if self.ranks.data[key] != rank {
                return Err(format!("key {key} has rank {}, not {rank}", self.ranks.data[key]));
            }
        }
        for &key in &self.sorted.data {
            counts[key as usize] = counts[key as usize].wrapping_sub(1);
        }
        let misplaced = self
            .sorted
            .data
            .windows(2)
            .find(|pair| self.bucket_of(pair[0]) > self.bucket_of(pair[1]));
        match (misplaced, self.buckets && counts.iter().any(|&left| left != 0)) {
            (Some(pair), _) => Err(format!(
                "key {} stands before key {} of a lower bucket",
                pair[0], pair[1]
            )),
            (None, true) => Err("the buckets do not hold the keys that were there".into()),
            (None, false) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
