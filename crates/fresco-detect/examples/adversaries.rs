// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many adversaries of each kind: not one may be given a false map.
//!
//! `cargo run --release -p fresco-detect --example adversaries -- 1000` runs a thousand of each kind; status 1 if any
//! verdict is wrong.

use fresco_detect::Verdict;
use fresco_detect::synthetic::Adversary;
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> ExitCode {
    let trials = std::env::args()
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(1_000u64);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut wrong = 0;
    for adversary in Adversary::ALL {
        let parts: Vec<_> = (0..threads)
            .map(|thread| std::thread::spawn(move || run(adversary, (thread..trials).step_by(threads as usize))))
            .collect();
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for part in parts {
            let Ok((verdicts, faults)) = part.join() else {
                wrong += 1;
                continue;
            };
            wrong += faults;
            verdicts
                .into_iter()
                .for_each(|(verdict, n)| *counts.entry(verdict).or_default() += n);
        }
        println!("{adversary:?}: {counts:?}");
    }
    println!(
        "{} adversaries, {wrong} wrong verdicts",
        trials * Adversary::ALL.len() as u64
    );
    if wrong == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Verdicts of these seeds, and how many of them are wrong.
fn run(adversary: Adversary, seeds: impl Iterator<Item = u64>) -> (BTreeMap<String, u64>, u64) {
    let (mut counts, mut wrong) = (BTreeMap::new(), 0);
    for seed in seeds {
        let (found, is_true) = adversary.detection(seed);
        if !adversary.allows(found.verdict, is_true) {
            println!(
                "WRONG: {adversary:?} {seed}: {} {:?}",
                found.verdict,
                found.evidence.failed()
            );
            wrong += 1;
        }
        let mut name = found.verdict.to_string();
        if found.verdict == Verdict::Map && is_true {
            name.push_str(" (true)");
        }
        *counts.entry(name).or_default() += 1;
    }
    (counts, wrong)
}
