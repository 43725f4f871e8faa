// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was sampled, and how far it is from the whole, for people and for programs.

use super::words;
use fresco_load::trace::{CACHES, Interval, Intervals, SMALLEST};
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;

/// An interval that was written.
pub struct Sampled {
    /// Its trace.
    pub file: String,
    /// The share of all instructions that it stands for.
    pub weight: f64,
    /// What it did in the whole.
    pub interval: Interval,
    /// Lines that caches miss when it is replayed by itself.
    pub replayed: [u64; CACHES],
}

/// What `--json` prints: schema `fresco-trace-sample/1`.
#[derive(Debug, Serialize)]
pub struct Sample {
    file: String,
    thread: u16,
    instructions: u64,
    accesses_per_instruction: Estimated,
    intervals: usize,
    chosen: Vec<Part>,
    caches: Vec<Cache>,
}

/// The same of all, and of those that were chosen, by their weights.
#[derive(Debug, Serialize)]
struct Estimated {
    whole: f64,
    chosen: f64,
}

/// An interval that was chosen.
#[derive(Debug, Serialize)]
struct Part {
    file: String,
    weight: f64,
    first_instruction: u64,
    instructions: u64,
    accesses: u64,
}

/// Misses per 1000 instructions of a cache: of all, of those that were chosen as they were in the whole, and as they are replayed.
#[derive(Debug, Serialize)]
struct Cache {
    bytes: u64,
    whole: f64,
    chosen: f64,
    replayed: f64,
}

impl Sample {
    /// What was sampled.
    pub fn new(file: String, thread: u16, intervals: &Intervals, sampled: Vec<Sampled>) -> Self {
        let instructions = intervals.instructions();
        let whole = |of: &dyn Fn(&Interval) -> u64| {
            intervals.all.iter().map(of).sum::<u64>() as f64 / instructions.max(1) as f64
        };
        let chosen = |of: &dyn Fn(&Sampled) -> u64| {
            let each = |sampled: &Sampled| sampled.weight * of(sampled) as f64 / sampled.interval.instructions as f64;
            sampled.iter().map(each).sum::<f64>()
        };
        // Those that are larger than the first one that does as well as the largest say nothing more.
        let least = whole(&|interval| interval.misses[CACHES - 1]);
        let useful = (0..CACHES).find(|cache| whole(&|interval| interval.misses[*cache]) <= least);
        let useful = useful.map_or(CACHES, |cache| cache + 1);
        let cache = |cache: usize| Cache {
            bytes: SMALLEST << cache,
            whole: 1000.0 * whole(&|interval| interval.misses[cache]),
            chosen: 1000.0 * chosen(&|sampled| sampled.interval.misses[cache]),
            replayed: 1000.0 * chosen(&|sampled| sampled.replayed[cache]),
        };
        Self {
            file,
            thread,
            instructions,
            accesses_per_instruction: Estimated {
                whole: whole(&|interval| interval.accesses),
                chosen: chosen(&|sampled| sampled.interval.accesses),
            },
            intervals: intervals.all.len(),
            caches: (0..useful).map(cache).collect(),
            chosen: sampled
                .into_iter()
                .map(|sampled| Part {
                    file: sampled.file,
                    weight: sampled.weight,
                    first_instruction: sampled.interval.first,
                    instructions: sampled.interval.instructions,
                    accesses: sampled.interval.accesses,
                })
                .collect(),
        }
    }
}

/// The tables of it.
pub fn tables(sample: &Sample) -> Result<Vec<Table>, ReportError> {
    let number = |name: &str| Column::number(name, "", 0);
    let mut parts = Table::new(
        format!(
            "{} of {} intervals of {}, {} instructions",
            sample.chosen.len(),
            sample.intervals,
            sample.file,
            words::grouped(sample.instructions)
        ),
        vec![
            Column::text("trace"),
            Column::number("weight", "%", 2),
            number("first instruction"),
            number("instructions"),
            number("accesses"),
        ],
    );
    for part in &sample.chosen {
        parts.push(vec![
            part.file.as_str().into(),
            (part.weight * 100.0).into(),
            part.first_instruction.into(),
            part.instructions.into(),
            part.accesses.into(),
        ])?;
    }
    let mut against = Table::new(
        "against the whole, per 1000 instructions",
        vec![
            Column::text("count"),
            Column::number("whole", "", 2),
            Column::number("chosen", "", 2),
            Column::number("error", "%", 1),
            Column::number("replayed", "", 2),
            Column::number("its error", "%", 1),
        ],
    );
    let error = |found: f64, whole: f64| (whole > 0.0).then(|| (found / whole - 1.0) * 100.0);
    let accesses = &sample.accesses_per_instruction;
    against.push(vec![
        "accesses".into(),
        (accesses.whole * 1000.0).into(),
        (accesses.chosen * 1000.0).into(),
        error(accesses.chosen, accesses.whole).into(),
        (accesses.chosen * 1000.0).into(),
        error(accesses.chosen, accesses.whole).into(),
    ])?;
    for cache in &sample.caches {
        against.push(vec![
            format!("misses of {}", words::size(cache.bytes)).into(),
            cache.whole.into(),
            cache.chosen.into(),
            error(cache.chosen, cache.whole).into(),
            cache.replayed.into(),
            error(cache.replayed, cache.whole).into(),
        ])?;
    }
    Ok(vec![parts, against])
}
