// SPDX-License-Identifier: MIT OR Apache-2.0
//! Response times of servers and the utilisation condition of §5.3.8, as printed.

use fresco_rt::time::Time;
use fresco_rt::toplevel::{Server, TopLevel};

/// Printed response times of both servers without their ε: floors instead of ceilings, locks counted by their handlers alone
/// (E25). `None` where they exceed the period.
pub fn response_times(top: &TopLevel) -> [Option<Time>; 2] {
    let [first, second] = top.servers();
    let handlers = 2 * u128::from(top.locks().lock_cost() + top.locks().unlock_cost());
    let refresh = |r: Time| u128::from(r / top.locks().retention()) * handlers;
    let r1 = iterate(first, |r| u128::from(first.budget()) + refresh(r));
    let r2 = iterate(second, |r| {
        u128::from(second.budget()) + u128::from(r / first.period()) * u128::from(first.budget()) + refresh(r)
    });
    [r1, r2]
}

/// Printed response times of both servers under auto-refresh (E26): `⌊r/tREFI⌋ · stall`, the stall being tRFC + tRP + tRAS as
/// printed, or tRFC + tRP + tRCD as it is. `interval` (tREFI) is at least 1. `None` where they exceed the period.
pub fn auto_refresh_response_times(top: &TopLevel, interval: Time, stall: Time) -> [Option<Time>; 2] {
    let [first, second] = top.servers();
    let refresh = |r: Time| u128::from(r / interval.max(1)) * u128::from(stall);
    let r1 = iterate(first, |r| u128::from(first.budget()) + refresh(r));
    let r2 = iterate(second, |r| {
        u128::from(second.budget()) + u128::from(r / first.period()) * u128::from(first.budget()) + refresh(r)
    });
    [r1, r2]
}

/// Condition (2): `e1/p1 + e2/p2 + 2 e_rl/tRET + 2 e_ru/tRET ≤ 1`. Necessary, not sufficient.
pub fn within_total_utilization(top: &TopLevel) -> bool {
    let wide = |num: Time, den: Time| (u128::from(num), u128::from(den));
    let [a, b] = top.servers().map(|server| wide(server.budget(), server.period()));
    let handlers = 2 * (top.locks().lock_cost() + top.locks().unlock_cost());
    sum_at_most_one([a, b, wide(handlers, top.locks().retention())])
}

/// The left side of condition (2) in millionths, rounded down.
pub(super) fn total_utilization(top: &TopLevel) -> Option<i64> {
    let q64 = |num: Time, den: Time| (u128::from(num) << 64) / u128::from(den);
    let handlers = 2 * (top.locks().lock_cost() + top.locks().unlock_cost());
    let servers = top.servers().map(|server| q64(server.budget(), server.period()));
    let sum = servers[0] + servers[1] + q64(handlers, top.locks().retention());
    // Each term is short by less than 2⁻⁶⁴: what is whole stays so.
    i64::try_from(((sum + 3) * 1_000_000) >> 64).ok()
}

/// Whether `Σ num/den ≤ 1`, exactly, by peeling off the first two over their common denominator.
fn sum_at_most_one([(a, p), (b, q), (c, r)]: [(u128, u128); 3]) -> bool {
    // a/p + b/q ≤ 1 − c/r: (a q + b p) r ≤ (r − c) p q; divided by the common factor of p and q to stay within 128 bits.
    let common = u128::from(fresco_rt::time::gcd(p as Time, q as Time));
    let (p1, q1) = (p / common, q / common);
    let left = (a * q1 + b * p1).checked_mul(r);
    let right = r
        .checked_sub(c)
        .and_then(|room| room.checked_mul(p1 * q1))
        .and_then(|x| x.checked_mul(common));
    match (left, right) {
        (Some(left), Some(right)) => left <= right,
        _ => false,
    }
}

fn iterate(server: Server, next: impl Fn(Time) -> u128) -> Option<Time> {
    let mut r = server.budget();
    loop {
        let risen = Time::try_from(next(r)).ok().filter(|&risen| risen <= server.period())?;
        if risen <= r {
            return Some(r);
        }
        r = risen;
    }
}
