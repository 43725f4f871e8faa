// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reservations missed in random mixes (LIM-28), of a program on each core, and of two periodic tasks on each:
//! `cargo run --release -p fresco-system --example memguard_mixes -- 200`. Exit status 1 if a hard one was missed, or soft ones
//! in 5 % of their periods.

#[path = "../tests/mixes/mod.rs"]
mod mixes;

use mixes::Missed;
use rayon::prelude::*;
use std::process::ExitCode;

fn main() -> ExitCode {
    let count: u64 = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(200);
    let kept = [
        kept("a program on each core", count, mixes::missed),
        kept("two periodic tasks on each core", count, mixes::periodic::missed),
    ];
    if kept == [true, true] {
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

/// Runs so many mixes, and tells what was missed.
fn kept(what: &str, count: u64, missed: fn(u64) -> Missed) -> bool {
    let mixes = (0..count).into_par_iter().map(missed);
    let all = mixes.reduce(Missed::default, Missed::and);
    println!("{count} mixes, {what}: {all:?}");
    println!(
        "hard reservations missed: {} of {} core-periods, and {} of {} in which the program wanted more",
        all.hard_errors, all.hard, all.hungry_short, all.hungry
    );
    println!(
        "soft reservations missed: {} of {} core-periods, {:.3} %",
        all.soft_errors,
        all.soft,
        100.0 * all.soft_errors as f64 / all.soft.max(1) as f64
    );
    all.hard_errors + all.hungry_short == 0 && 20 * all.soft_errors < all.soft
}
