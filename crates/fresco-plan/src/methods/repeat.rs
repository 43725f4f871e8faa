// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hyperperiod, for methods that look at every job until all repeats. Proofs for sporadic tasks need none.

use super::words::time;
use crate::check::RunSize;
use crate::refusal::Refusal;
use fresco_rt::time::{gcd, lcm};
use fresco_rt::{Task, Time};

/// Nanoseconds of a year of 365.25 days.
const YEAR_NS: u128 = 31_557_600_000_000_000;

/// The least common multiple of the periods of some tasks and of `turn`, after which the refresh or the servers repeat.
///
/// # Errors
/// It exceeds 64 bits of nanoseconds, 584 years: the method is not applicable.
pub(super) fn hyperperiod(tasks: &[Task], turn: Time) -> Result<Time, Refusal> {
    let found = tasks.iter().try_fold(turn, |turn, task| lcm(turn, task.period).ok());
    found.ok_or_else(|| {
        let exact = tasks.iter().try_fold(u128::from(turn), |turn, task| {
            let rest = Time::try_from(turn % u128::from(task.period)).unwrap_or(0);
            turn.checked_mul(u128::from(task.period / gcd(rest, task.period)))
        });
        let years = exact.map_or("more than 10^22".to_owned(), |ns| (ns / YEAR_NS).to_string());
        Refusal::undecided(format!(
            "not applicable: hyperperiod of {years} years exceeds 584 years (2^64 ns), and the method looks at every job in it"
        ))
    })
}

/// As [`hyperperiod`], if a run of this `size` over it twice, after the last phase, has no more than `most` events.
///
/// # Errors
/// As [`hyperperiod`], or there are more.
pub(super) fn run(tasks: &[Task], size: RunSize, most: u64) -> Result<Time, Refusal> {
    let length = hyperperiod(tasks, size.length)?;
    let phase = tasks.iter().map(|task| task.phase).max().unwrap_or(0);
    fits(tasks, size, length.saturating_mul(2).saturating_add(phase), most)?;
    Ok(length)
}

/// Refuses a run up to `end` that the checker would not make: of more than `most` events.
///
/// # Errors
/// There are more.
pub(super) fn fits(tasks: &[Task], size: RunSize, end: Time, most: u64) -> Result<(), Refusal> {
    let events = size.events(tasks, end);
    match events <= most {
        true => Ok(()),
        false => Err(Refusal::undecided(format!(
            "not applicable: a run of {} shows whether deadlines are met for these phases, and it has {events} events, more than the \
             {most} that are looked at",
            time(end)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(periods: &[Time]) -> Vec<Task> {
        let task = |&period: &Time| Task::new("t", 0, period, 1, period).unwrap();
        periods.iter().map(task).collect()
    }

    #[test]
    fn the_refusal_tells_the_hyperperiod() {
        assert_eq!(hyperperiod(&tasks(&[20, 32, 40]), 64), Ok(320));
        // Two primes near 10^12 and 64 ms: 6.4 * 10^31 ns.
        let primes = hyperperiod(&tasks(&[999_999_999_989, 999_999_999_961]), 64_000_000).unwrap_err();
        assert!(
            primes.reason.contains("hyperperiod of 2028037619996450 years"),
            "{primes}"
        );
        let three = hyperperiod(&tasks(&[999_999_999_989, 999_999_999_961, 999_999_999_959]), 64_000_000);
        assert!(three.unwrap_err().reason.contains("more than 10^22 years"));
    }

    #[test]
    fn a_run_has_a_number_of_events() {
        // 16 + 10 + 8 releases and 5 * 4 spans, twice.
        let size = RunSize { length: 64, spans: 4 };
        assert_eq!(run(&tasks(&[20, 32, 40]), size, 108), Ok(320));
        let refused = run(&tasks(&[20, 32, 40]), size, 107).unwrap_err();
        assert!(refused.reason.contains("it has 108 events"), "{refused}");
    }
}
