// SPDX-License-Identifier: MIT OR Apache-2.0
//! The long run of the judge of plans: random task sets are planned until so many plans have been judged. Each has to pass the checker and
//! the judge, else a panic names its seed. Of one in four edits are judged too: what does harm has to be refused, and reasons have to be true.
//!
//! `cargo run --release -p fresco-plan --example judged -- [PLANS] [FIRST_SEED]`; 100000 plans from seed 1000000 by default.

#[path = "../tests/judge/mod.rs"]
mod judge;

use judge::soak::{Outcome, Tally, one, spoilt};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| match argument.parse::<u64>() {
        Ok(number) => number,
        Err(error) => {
            eprintln!("{argument}: {error}; usage: judged [PLANS] [FIRST_SEED]");
            std::process::exit(2);
        }
    });
    let plans = arguments.next().unwrap_or(100_000);
    let first = arguments.next().unwrap_or(1_000_000);
    let (next, judged) = (AtomicU64::new(0), AtomicU64::new(0));
    let tally = Mutex::new(Tally::default());
    let work = || {
        while judged.load(Ordering::Relaxed) < plans {
            let seed = first.wrapping_add(next.fetch_add(1, Ordering::Relaxed));
            let outcome = one(seed, 20_000, 4);
            if let Outcome::Judged { .. } = &outcome {
                let done = judged.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of((plans / 20).max(1)) {
                    eprintln!("{done} of {plans} plans");
                }
            }
            let verdicts = match &outcome {
                Outcome::Judged { .. } if seed.is_multiple_of(4) => spoilt(seed, 4000, 2),
                _ => Vec::new(),
            };
            let mut tally = tally.lock().expect("no thread has panicked");
            tally.add(outcome);
            tally.add_spoilt(verdicts);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    print!("{}", tally.into_inner().expect("no thread has panicked"));
}
