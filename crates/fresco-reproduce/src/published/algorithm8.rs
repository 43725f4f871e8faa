// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithm 8 (Refresh_Overhead_Calculate) as printed (CRS-15, E27).

use super::response_times;
use fresco_rt::time::Time;
use fresco_rt::toplevel::TopLevel;

/// The refresh overhead charged to job `job` of server `index` (0 or 1) over a table of `length`.
///
/// As printed: the first lock that falls strictly inside a period of both servers decides, for good or for nothing; the lock
/// of both colors is looked for at multiples of tRET, without the phase tRET/2; both servers are tested with the same
/// inequalities; and without any such lock, where the printed algorithm ends without a value, the overhead is 0, as it is where a
/// response time exceeds its period. With periods
/// that divide tRET it is therefore always 0.
pub fn refresh_overhead(top: &TopLevel, index: usize, job: Time, length: Time) -> Time {
    let [Some(r1), Some(r2)] = response_times(top) else {
        return 0;
    };
    let [p1, p2] = top.servers().map(|server| u128::from(server.period()));
    let inside = |k: u128, period: u128, lock: u128| (k + 1) * period > lock && lock > k * period;
    let retention = u128::from(top.locks().retention());
    let other = u128::from(length) / if index == 0 { p2 } else { p1 };
    for k in 0..=u128::from(length) / retention {
        let lock = retention * k;
        for n in 0..=other {
            let (m, n) = if index == 0 {
                (u128::from(job), n)
            } else {
                (n, u128::from(job))
            };
            if inside(m, p1, lock) && inside(n, p2, lock) {
                let charged = lock - p1 * m <= u128::from(r1) && lock - p2 * n >= u128::from(r2);
                return if charged { top.locks().colors()[index].burst } else { 0 };
            }
        }
    }
    0
}
