// SPDX-License-Identifier: MIT OR Apache-2.0
//! The long run of the soundness claims: random sets of servers and aligned plans until one breaks a claim (a panic names its
//! seed) or the number asked for is done.
//!
//! `cargo run --release -p fresco-rt --example soundness -- [SETS] [FIRST_SEED]`; 100000 sets from seed 1000000 by default.

#[path = "../tests/soundness/mod.rs"]
mod soundness;

use soundness::servers::Accepted;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| match argument.parse::<u64>() {
        Ok(number) => number,
        Err(error) => {
            eprintln!("{argument}: {error}; usage: soundness [SETS] [FIRST_SEED]");
            std::process::exit(2);
        }
    });
    let sets = arguments.next().unwrap_or(100_000);
    let first = arguments.next().unwrap_or(1_000_000);
    let mut accepted = Accepted::default();
    let mut planned = 0u64;
    for done in 0..sets {
        accepted.add(soundness::servers::check(first.wrapping_add(done)));
        planned += u64::from(soundness::aligned::check(first.wrapping_add(done)));
        if (done + 1) % (sets / 20).max(1) == 0 {
            eprintln!("{} of {sets} sets", done + 1);
        }
    }
    println!("{sets} sets, no claim broken: {accepted:?}, {planned} aligned plans");
}
