// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each server is sure to get in every period, whatever the other one does (F24): deferrable servers rest on it.

use super::table::Frame;
use super::{TopLevel, TopLevelError};
use crate::spans::Spans;
use crate::time::Time;

/// Least time per period open to each server (F24).
///
/// If it is at least the budget, `(p_c, e_c)` is a valid periodic resource, even if the budget is consumed by execution alone.
/// Server 1 is charged, in each period of server 0 that meets its own, with all of that budget that can fall into it.
///
/// # Errors
/// [`TopLevel::repeat`].
pub fn deferrable_guarantee(top: &TopLevel) -> Result<[Time; 2], TopLevelError> {
    let length = top.repeat()?;
    let frame = Frame::new(&top.locks, length);
    let [first, second] = top.servers;
    let blocked = [frame.blocked(0), frame.blocked(1)];
    let open = |color: usize, from: Time, to: Time| (to - from) - blocked[color].measure_within(from, to);
    let least = |period: Time, open: &dyn Fn(Time, Time) -> Time| {
        (0..length / period)
            .map(|k| open(k * period, (k + 1) * period))
            .min()
            .expect("a table holds a period")
    };
    let g1 = least(first.period, &|from, to| open(0, from, to));
    let g2 = least(second.period, &|from, to| {
        let met = from / first.period..to.div_ceil(first.period);
        let common = |m: Time| to.min((m + 1) * first.period) - from.max(m * first.period);
        let taken: Time = met.map(|m| first.budget.min(common(m))).sum();
        open(1, from, to).saturating_sub(taken)
    });
    Ok([g1, g2])
}

impl Frame {
    /// When the server of `color` may not run, whatever others do.
    fn blocked(&self, color: usize) -> Spans {
        Spans::union_of([self.handlers().as_slice(), self.locked(color).as_slice()].concat())
    }
}
