// SPDX-License-Identifier: MIT OR Apache-2.0
//! Response times of both idling servers in closed form, for any phases of locks and servers (F25, correcting E25).

use super::TopLevel;
use crate::time::Time;

/// Response times `[r1, r2]`, each at most its server's period; `None` where it is longer, or where it rests on one that is.
///
/// Locks and handlers count as work of the highest priority, server 0 as a task with jitter `r1 − e1`.
pub fn response_times(top: &TopLevel) -> [Option<Time>; 2] {
    let [first, second] = top.servers;
    let r1 = fixed_point(first.budget, first.period, |r| {
        u128::from(first.budget) + refresh(top, 0, r)
    });
    let r2 = r1.and_then(|r1| {
        let jitter = u128::from(r1 - first.budget);
        fixed_point(second.budget, second.period, |r| {
            let interference = (u128::from(r) + jitter).div_ceil(u128::from(first.period)) * u128::from(first.budget);
            u128::from(second.budget) + interference + refresh(top, 1, r)
        })
    });
    [r1, r2]
}

/// Delay of the server of `color` by its locks and by the handlers of the other color, in an interval of length `r`.
fn refresh(top: &TopLevel, color: usize, r: Time) -> u128 {
    let locks = &top.locks;
    let each = locks.window_length(color) + locks.lock_cost() + locks.unlock_cost();
    u128::from(r.div_ceil(locks.retention())) * u128::from(each)
}

/// Least fixed point of `next` from `start` on, if it is at most `limit`.
fn fixed_point(start: Time, limit: Time, next: impl Fn(Time) -> u128) -> Option<Time> {
    let mut r = start.max(1);
    loop {
        let risen = Time::try_from(next(r)).ok().filter(|&risen| risen <= limit)?;
        if risen <= r {
            return Some(r);
        }
        r = risen;
    }
}
