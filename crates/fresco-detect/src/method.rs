// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where functions come from. Whatever the method, they have to explain the classes and to predict.

use crate::algorithm1;
use crate::governor::Governor;
use crate::list;
use crate::model::{Form, Model};
use crate::probe::Probe;
use crate::random::LINE;
use crate::shape::LINE_BITS;
use crate::solve::Solution;
use crate::stats::median;

/// A way of finding bank functions by timing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Elimination over the differences of lines that conflict: any XORs, offsets, odd interleaves.
    #[default]
    Solver,
    /// BPM's algorithm, bit by bit: single bits, XORs of two (MAP-12).
    Algorithm1,
    /// PALLOC's two lists: single bits below 8 MiB (MAP-11).
    List,
}

/// Base lines that one difference is timed at.
const BASES: usize = 5;
/// Base lines tried, to find some whose partners exist.
const TRIES: usize = 64;

/// The functions of a bitwise method, judged by the pairs that are known to share a bank. No functions where the method
/// finds none, or says that the map is none of its kind.
pub(crate) fn bitwise(method: Method, probe: &mut Probe<'_>, pairs: &[(u64, u64)]) -> Solution {
    let ranges = probe.governor.ranges().to_vec();
    let top = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    let bits: Vec<u32> = (LINE_BITS..64 - top.saturating_sub(1).leading_zeros()).collect();
    let functions = match method {
        Method::List => by_lists(&mut probe.governor, &mut probe.draws, &bits),
        _ => algorithm1::discover(&bits, |mask| time(probe, mask)).and_then(|found| found.functions()),
    };
    let model = Model {
        form: Form::plain(&probe.governor.regions()),
        functions: functions.unwrap_or_default().into_iter().map(u128::from).collect(),
    };
    let explained = pairs.iter().filter(|(a, b)| model.same_bank(*a, *b)).count() as u64;
    Solution {
        model,
        explained,
        pairs: pairs.len() as u64,
        fixed: 0,
        alias_offsets: Vec::new(),
    }
}

/// Time of two lines that differ in the bits of a mask; the median of some bases.
fn time(probe: &mut Probe<'_>, mask: u64) -> f64 {
    let mut times = Vec::new();
    for _ in 0..TRIES {
        let base = probe.line();
        let exists = probe
            .governor
            .ranges()
            .iter()
            .any(|range| range.contains(&(base ^ mask)));
        if exists && times.len() < BASES {
            times.push(probe.careful(base, base ^ mask, BASES));
        }
    }
    // A bit that is never both 0 and 1 moves nothing.
    if times.is_empty() { 0.0 } else { median(&times) }
}

/// The bank bits of PALLOC's detector as functions of one bit each.
fn by_lists(governor: &mut Governor<'_>, draws: &mut crate::random::Draws, bits: &[u32]) -> Option<Vec<u64>> {
    let range = governor
        .ranges()
        .iter()
        .max_by_key(|range| range.end - range.start)?
        .clone();
    let room = (range.end - range.start).checked_sub(list::ENTRIES * list::DISTANCE)?;
    // Shifts by bits above a line stay within aligned blocks of the list's length.
    let base = range.start + draws.below(room / (list::ENTRIES * list::DISTANCE) + 1) * list::ENTRIES * list::DISTANCE;
    let base = base + draws.below(list::DISTANCE / LINE / 4) * LINE;
    let found = list::discover(governor, base, bits, draws)?;
    Some(found.bank_bits.iter().map(|bit| 1 << bit).collect())
}
