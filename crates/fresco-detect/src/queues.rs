// SPDX-License-Identifier: MIT OR Apache-2.0
//! Finds out from timing whether a controller queues requests per bank or all in one queue (MAP-18).
//!
//! A chase in one bank is timed beside programs that load one other bank, and beside the same programs spread over seven.
//! With a queue per bank, or where requests to open rows overtake others, both take the same time. One queue for all
//! fills with requests to the one busy bank and holds up the chase as well, which is then slower than beside seven.

use crate::benefit::{Ratio, ratio};
use crate::governor::ACTIVATIONS_PER_WINDOW;
use crate::model::Model;
use crate::probe::Probe;
use crate::stats::median;
use crate::timer::Stream;
use serde::Serialize;

/// Lines of each bank.
const LINES: usize = 24;
/// Other banks looked at.
const BANKS: usize = 12;
/// Lines tried at most.
const TRIES: usize = 400_000;
/// Other programs, and their loads under way at once: together more than a queue holds back.
const BESIDE: usize = 3;
const OUTSTANDING: u32 = 10;
/// Interleaved comparisons.
const COMPARISONS: usize = 16;
/// One bank is worse than seven by at least this share, or at most.
const MARGIN: f64 = 0.1;

/// What the queues look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A bank's requests do not hold up those of others: queues per bank, or a scheduler that passes blocked requests by.
    PerBankOrReordering,
    /// They do: one queue, served in order.
    OneQueue,
    /// The interval spans both.
    Unclear,
}

/// What was measured.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Queues {
    /// Latency beside one busy bank as a multiple of that beside seven.
    pub one_over_seven: Ratio,
    /// The conclusion.
    pub kind: Kind,
}

/// Measures; `None` if there are fewer than eight banks.
pub fn find(probe: &mut Probe<'_>, model: &Model) -> Option<Queues> {
    let mut banks: Vec<(u64, Vec<u64>)> = Vec::new();
    for _ in 0..TRIES {
        let line = probe.line();
        let bank = model.bank(line)?;
        match banks.iter().position(|(known, _)| *known == bank) {
            Some(index) if banks[index].1.len() < LINES => banks[index].1.push(line),
            None if banks.len() <= BANKS => banks.push((bank, vec![line])),
            _ => {}
        }
        if banks.len() > BANKS.min(7) && banks.iter().all(|(_, lines)| lines.len() == LINES) {
            break;
        }
    }
    if banks.len() < 8 || banks.iter().any(|(_, lines)| lines.len() < LINES) {
        return None;
    }
    let own = banks.remove(0).1;
    // Banks of other channels do not hurt at all: those that hurt most share the chase's channel.
    let mut hurting: Vec<(f64, Vec<u64>)> = banks
        .into_iter()
        .map(|(_, lines)| (median(&[0; 3].map(|_| beside(probe, &own, &[&lines]))), lines))
        .collect();
    hurting.sort_by(|a, b| b.0.total_cmp(&a.0));
    let one: [&[u64]; 1] = [&hurting[0].1];
    let seven: Vec<&[u64]> = hurting.iter().take(7).map(|(_, lines)| lines.as_slice()).collect();
    let logarithms: Vec<f64> = (0..COMPARISONS)
        .map(|_| (beside(probe, &own, &one) / beside(probe, &own, &seven)).ln())
        .collect();
    let one_over_seven = ratio(&logarithms);
    let kind = if one_over_seven.low > 1.0 + MARGIN {
        Kind::OneQueue
    } else if one_over_seven.high < 1.0 + MARGIN {
        Kind::PerBankOrReordering
    } else {
        Kind::Unclear
    };
    Some(Queues { one_over_seven, kind })
}

/// Latency of a chase beside programs that load these banks.
fn beside(probe: &mut Probe<'_>, own: &[u64], banks: &[&[u64]]) -> f64 {
    let others: Vec<Vec<u64>> = (0..BESIDE)
        .map(|_| {
            let mut lines: Vec<u64> = banks.iter().flat_map(|lines| lines.iter().copied()).collect();
            probe.draws.shuffle(&mut lines);
            lines
        })
        .collect();
    let chase = Stream {
        lines: own,
        outstanding: 1,
    };
    let streams: Vec<Stream<'_>> = std::iter::once(chase)
        .chain(others.iter().map(|lines| Stream {
            lines,
            outstanding: OUTSTANDING,
        }))
        .collect();
    probe.governor.streams(&streams, ACTIVATIONS_PER_WINDOW)
}
