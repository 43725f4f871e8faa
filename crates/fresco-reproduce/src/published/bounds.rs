// SPDX-License-Identifier: MIT OR Apache-2.0
//! Utilisation bounds and periodic capacity bounds of §5.3.7, as printed.

use fresco_rt::budget::{Family, least_budget};
use fresco_rt::demand::utilization;
use fresco_rt::policy::{Order, Policy};
use fresco_rt::supply::{LinearBound, Supply};
use fresco_rt::task::Task;
use fresco_rt::time::{Overflow, Time};
use fresco_rt::toplevel::Server;

/// How jobs of higher priority are counted in a response time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// As printed (E22).
    Floor,
    /// As meant.
    Ceiling,
}

/// ln 2 in units of 2⁻⁴⁰, rounded up: in favour of the printed bound.
const LN2_Q40: i128 = 762_123_384_786;

/// Whether the utilisation is within the printed bound of a server: for EDF `(e/p)(1 − 2(p−e)/p′)`, for rate-monotonic
/// priorities `(e/p)(ln 2 − (p−e)/p′)`, with `p′` the shortest period. The second is unsound (E23); it is
/// compared with ln 2 to 40 binary digits.
///
/// # Errors
/// If the hyperperiod or a product is too large.
pub fn within_utilization_bound(tasks: &[Task], policy: Policy, server: Server) -> Result<bool, Overflow> {
    let Some(room) = room(tasks, policy, server) else {
        return Ok(true);
    };
    let load = utilization(tasks)?;
    // U p p′ ≤ e (c p′ − g (p − e)), scaled by the denominator of U and by 2^40.
    let product = |factors: &[i128]| factors.iter().try_fold(1i128, |a, &b| a.checked_mul(b)).ok_or(Overflow);
    let left = product(&[load.num().into(), server.period().into(), room.shortest, room.scale])?;
    Ok(left <= product(&[load.den().into(), server.budget().into(), room.length])?)
}

/// The printed bound in millionths, rounded down; `None` without tasks, or if a product is too large.
pub(super) fn utilization_bound(tasks: &[Task], policy: Policy, server: Server) -> Option<i64> {
    let room = room(tasks, policy, server)?;
    let num = room
        .length
        .checked_mul(server.budget().into())?
        .checked_mul(1_000_000)?;
    let den = i128::from(server.period())
        .checked_mul(room.shortest)?
        .checked_mul(room.scale)?;
    i64::try_from(num.div_euclid(den)).ok()
}

/// `c p′ − g (p − e)`, scaled, and p′: the bound is `e length / (p p′ scale)`.
struct Room {
    length: i128,
    scale: i128,
    shortest: i128,
}

fn room(tasks: &[Task], policy: Policy, server: Server) -> Option<Room> {
    let shortest = i128::from(tasks.iter().map(|task| task.period).min()?);
    let gap = i128::from(server.period() - server.budget());
    let (scale, length) = match policy {
        Policy::Edf => (1, shortest - 2 * gap),
        Policy::FixedPriority(_) => (1 << 40, LN2_Q40 * shortest - (gap << 40)),
    };
    Some(Room {
        length,
        scale,
        shortest,
    })
}

/// Least budget that the printed periodic capacity bound allows; `None` if none does.
///
/// For EDF that is the linear bound over all deadlines, which is sound. For fixed priorities it is
/// `(√((p_i − 2p)² + 8 p r_i) − (p_i − 2p)) / 4` over the tasks, with `r_i` on a processor of one's own: unsound (E24).
///
/// # Errors
/// [`least_budget`].
pub fn capacity_bound(
    tasks: &[Task],
    policy: Policy,
    period: Time,
    rounding: Rounding,
) -> Result<Option<Time>, Overflow> {
    let Policy::FixedPriority(order) = policy else {
        return least_budget(tasks, policy, Family::PeriodicLinear, period);
    };
    let bounds = dedicated_responses(tasks, order, rounding)
        .into_iter()
        .zip(tasks)
        .map(|(response, task)| {
            response.and_then(|response| Family::PeriodicLinear.least_budget_at(period, task.period, response))
        });
    Ok(bounds
        .collect::<Option<Vec<Time>>>()
        .map(|budgets| budgets.into_iter().max().unwrap_or(0)))
}

/// Response times on a processor of one's own, in the order of the set; `None` where they exceed the period. With
/// [`Rounding::Floor`], as printed, an overloaded set may "respond" in time (E22).
pub fn dedicated_responses(tasks: &[Task], order: Order, rounding: Rounding) -> Vec<Option<Time>> {
    let ranking = order.ranking(tasks);
    let mut responses = vec![None; tasks.len()];
    for (rank, &i) in ranking.iter().enumerate() {
        let mut response = tasks[i].wcet;
        responses[i] = loop {
            let jobs = |period: Time| match rounding {
                Rounding::Floor => response / period,
                Rounding::Ceiling => response.div_ceil(period),
            };
            let higher = ranking[..rank]
                .iter()
                .map(|&k| u128::from(jobs(tasks[k].period)) * u128::from(tasks[k].wcet));
            let next = u128::from(tasks[i].wcet) + higher.sum::<u128>();
            if next > u128::from(tasks[i].period) {
                break None;
            }
            if next == u128::from(response) {
                break Some(response);
            }
            response = next as Time;
        };
    }
    responses
}

/// Printed response times inside a server: `ltbf` applied once to the response on a processor of one's own (E22), rounded
/// up; `None` where they exceed the period.
pub fn responses_by_ltbf(tasks: &[Task], order: Order, server: Server, rounding: Rounding) -> Vec<Option<Time>> {
    let line = LinearBound::new(server.period(), server.budget()).expect("a server is a resource");
    let responses = dedicated_responses(tasks, order, rounding).into_iter().zip(tasks);
    responses
        .map(|(r, task)| r.and_then(|r| line.tbf(r.into())).filter(|&r| r <= task.period))
        .collect()
}
