// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random mixes of four programs under reclaimed budgets on the slides' machine: which reservations are missed (LIM-28).

pub mod periodic;

use fresco_system::bandwidth::Kind;
use fresco_system::results::TaskResult;
use fresco_system::{Scenario, run};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::fmt::Write;
use std::path::Path;

/// What was counted, over core-periods.
#[derive(Clone, Copy, Debug, Default)]
pub struct Missed {
    /// Periods of hard cores.
    pub hard: u64,
    /// Reservation errors of hard cores.
    pub hard_errors: u64,
    /// Periods of hard cores whose programs always want more.
    pub hungry: u64,
    /// Those in which such a core moved less than it reserved.
    pub hungry_short: u64,
    /// Periods of soft cores.
    pub soft: u64,
    /// Reservation errors of soft cores.
    pub soft_errors: u64,
    /// The largest error rate of a soft core in a mix, in thousandths.
    pub worst: u64,
    /// Lines that were donated.
    pub donated: u64,
    /// Most lines beyond a budget.
    pub overshoot: u64,
}

impl Missed {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            hard: self.hard + other.hard,
            hard_errors: self.hard_errors + other.hard_errors,
            hungry: self.hungry + other.hungry,
            hungry_short: self.hungry_short + other.hungry_short,
            soft: self.soft + other.soft,
            soft_errors: self.soft_errors + other.soft_errors,
            worst: self.worst.max(other.worst),
            donated: self.donated + other.donated,
            overshoot: self.overshoot.max(other.overshoot),
        }
    }
}

/// Programs with their parameters; the first three always want more than any budget, the last seven change what they
/// want.
const PROGRAMS: [(&str, &str); 13] = [
    ("bandwidth", "bytes = \"8 MiB\""),
    ("bandwidth", "bytes = \"8 MiB\", access = \"write\""),
    ("random", "bytes = \"16 MiB\", write_percent = 30"),
    ("random", "bytes = \"16 MiB\", gap = 400"),
    ("latency", "bytes = \"8 MiB\""),
    ("idle", "instructions = 100000"),
    ("random", "bytes = \"4 MiB\", gap = 1500, write_percent = 50"),
    ("stream", "elements = 32768"),
    ("is", "class = \"S\""),
    ("is", "class = \"S\", buckets = false"),
    ("compress", "bytes = \"64 KiB\", bits = 16"),
    ("lms", "samples = 65536, taps = 4"),
    ("matmult", "n = 160"),
];
const HUNGRY: usize = 3;
const CHANGING: usize = 6;

/// The scenario of a mix, and for each of its tasks whether it is hungry.
fn mix(seed: u64) -> (String, [bool; 4]) {
    let mut random = Pcg64::seed_from_u64(seed);
    let one_of = |random: &mut Pcg64, texts: &[&'static str]| texts[random.random_range(0..texts.len())];
    let share = one_of(&mut random, &["none", "best-effort", "weights"]);
    let chunk = random.random_range(10..200);
    let mut text = format!(
        "name = \"mix\"\nmachine = \"core2-q8400\"\nseed = {seed}\npolicy.bandwidth = \"memguard\"\n\
         [bandwidth]\nperiod = \"100 us\"\nreclaim = true\nshare = \"{share}\"\nchunk = {chunk}\ncount_write_backs = true\n\
         [warm_up]\ntime = \"300 us\"\n[measure]\ntime = \"3 ms\"\n"
    );
    // r_min with writes is 1,038 MB/s on this machine.
    let mut left = 1_030;
    let mut hungry = [false; 4];
    for core in 0..4usize {
        // One that is hungry, one of any kind, two that change.
        let from = [
            0..HUNGRY,
            0..PROGRAMS.len(),
            CHANGING..PROGRAMS.len(),
            CHANGING..PROGRAMS.len(),
        ];
        let program = random.random_range(from[core].clone());
        hungry[core] = program < HUNGRY;
        let reserve = if core == 3 {
            left
        } else {
            random.random_range(50..=left - 50 * (3 - core as u32))
        };
        left -= reserve;
        let kinds: &[&str] = if core == 0 {
            &["hard", "soft"]
        } else {
            &["hard", "soft", "soft", "soft"]
        };
        let kind = one_of(&mut random, kinds);
        let (name, parameters) = PROGRAMS[program];
        let _ = write!(
            text,
            "[[task]]\nname = \"t{core}\"\nprogram = \"{name}\"\ncore = {core}\nreserve = \"{reserve} MB/s\"\n\
             reservation = \"{kind}\"\nweight = {}\nparameters = {{ {parameters} }}\n",
            core + 1
        );
    }
    (text, hungry)
}

/// Runs a mix.
pub fn missed(seed: u64) -> Missed {
    let (text, hungry) = mix(seed);
    let scenario = Scenario::parse("mix.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let result = run(&scenario.runs()[0]).unwrap_or_else(|error| panic!("{error}"));
    let tasks = result.tasks.iter().zip(hungry);
    tasks.fold(Missed::default(), |missed, (task, hungry)| {
        missed.and(counted(task, hungry))
    })
}

/// What became of the reservation of a task's core, which is hungry or not.
fn counted(task: &TaskResult, hungry: bool) -> Missed {
    let core = task.regulation.as_ref().expect("all are regulated");
    let counts = core.counts;
    assert!(counts.periods >= 25, "{}", counts.periods);
    let mut missed = Missed {
        donated: counts.donated,
        overshoot: counts.overshoot,
        ..Missed::default()
    };
    if core.kind == Kind::Soft {
        missed.soft = counts.periods;
        missed.soft_errors = counts.errors;
        missed.worst = 1000 * counts.errors / counts.periods;
        return missed;
    }
    missed.hard = counts.periods;
    missed.hard_errors = counts.errors;
    if hungry {
        let lines = core.lines_by_period.iter();
        let short = lines.filter(|lines| **lines < core.reserved_lines);
        missed.hungry = counts.periods;
        missed.hungry_short = short.count() as u64;
    }
    missed
}
