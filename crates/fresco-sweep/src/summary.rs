// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much of a sweep there is.

use crate::store::{Index, State};
use crate::{Shard, Sweep};
use serde::Serialize;

/// Failures that a summary holds; the table of points has all.
const MOST_FAILURES: usize = 1000;

/// How much there is.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Name of the sweep.
    pub sweep: String,
    /// Points of the part that was asked about.
    pub points: u32,
    /// Points with results.
    pub done: u32,
    /// Points that failed.
    pub failed: u32,
    /// Points that were not run.
    pub missing: u32,
    /// Files of results.
    pub segments: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes at their ends that are no whole results: they are being written, or their runner was killed. They are passed over.
    pub torn_bytes: u64,
    /// The first 1000 failures.
    pub failures: Vec<FailedPoint>,
}

/// A point that failed.
#[derive(Clone, Debug, Serialize)]
pub struct FailedPoint {
    /// Its number.
    pub point: u32,
    /// What it sets.
    pub set: Vec<String>,
    /// Exit status that `fresco sim` would have had.
    pub exit_status: u8,
    /// Why.
    pub error: String,
}

/// Sums up what is known of a part of a sweep.
pub fn summarize(sweep: &Sweep, index: &Index, shard: Shard) -> Summary {
    let inputs = sweep.inputs();
    let (segments, bytes, torn_bytes) = index.size();
    let mut summary = Summary {
        sweep: sweep.spec.name.clone(),
        points: 0,
        done: 0,
        failed: 0,
        missing: 0,
        segments,
        bytes,
        torn_bytes,
        failures: Vec::new(),
    };
    for number in shard.points(sweep.points()) {
        let point = sweep.point(number);
        summary.points += 1;
        match index.state(sweep, &point, &inputs) {
            State::Done => summary.done += 1,
            State::Missing => summary.missing += 1,
            State::Failed(failure) => {
                summary.failed += 1;
                if summary.failures.len() < MOST_FAILURES {
                    summary.failures.push(FailedPoint {
                        point: number,
                        set: point.set(),
                        exit_status: failure.status,
                        error: failure.message,
                    });
                }
            }
        }
    }
    summary
}
