// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time and work of the co-assignment of frames and colors.
//!
//! `cargo run --release -p fresco-rt --example executive_bench [FILE.json]` decides every question of a file of recorded
//! cyclic executives (by default the sample of the tests), counts what placement after placement can and cannot do, and
//! then decides large random sets.

use std::time::{Duration, Instant};

use fresco_rt::Task;
use fresco_rt::executive::{Answer, CoAssign, Cores, Problem, Rotation, Slicing, candidates};
use fresco_rt::oracle::executive::decisions;
use rand::Rng;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args().nth(1);
    let file = file.unwrap_or_else(|| format!("{}/tests/data/ce_201.json", env!("CARGO_MANIFEST_DIR")));
    let records: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
    recorded(&records)?;
    comparison(&records)?;
    for (tasks, colors) in [(10, 8), (20, 2), (20, 4), (20, 8), (20, 16), (40, 8)] {
        for load in [0.8, 0.95, 1.0] {
            large(tasks, colors, load, 20);
        }
    }
    Ok(())
}

/// Every recorded question: how many are feasible, and the work.
fn recorded(records: &[Value]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut all, mut slowest) = (Vec::new(), (Duration::ZERO, String::new()));
    let start = Instant::now();
    for record in records {
        let begun = Instant::now();
        all.extend(decisions(record)?);
        let took = begun.elapsed();
        if took > slowest.0 {
            slowest = (took, record["id"].to_string());
        }
    }
    println!(
        "{} records in {:?}, the slowest {} in {:?}",
        records.len(),
        start.elapsed(),
        slowest.1,
        slowest.0
    );
    for field in ["one_color", "one_color_private", "two_instances"] {
        let of = |verdict: &str| all.iter().filter(|d| d.field == field && d.verdict == verdict).count();
        let here = || all.iter().filter(|d| d.field == field);
        println!(
            "{field:18} {:4} feasible, {:4} infeasible, {} unknown; nodes {} (most {}), no-goods {} (most {})",
            of("feasible"),
            of("infeasible"),
            of("unknown"),
            here().map(|d| d.effort.nodes).sum::<u64>(),
            here().map(|d| d.effort.nodes).max().unwrap_or(0),
            here().map(|d| d.effort.no_goods).sum::<u64>(),
            here().map(|d| d.effort.no_goods).max().unwrap_or(0),
        );
    }
    Ok(())
}

/// Prints for how many pairs of set (without phases) and color frame there is a color for every task: left by
/// color-blind placement, or found by co-assignment, with one and with two instances.
fn comparison(records: &[Value]) -> Result<(), Box<dyn std::error::Error>> {
    let (mut pairs, mut blind, mut together) = (0, 0, [0; 2]);
    for record in records {
        let mut tasks = Vec::new();
        for task in record["tasks"].as_array().into_iter().flatten() {
            let time = |name: &str| task[name].as_u64().unwrap_or(0);
            tasks.push(Task::new("t", time("phi"), time("p"), time("e"), time("D"))?);
        }
        if tasks.iter().any(|task| task.phase > 0) {
            continue;
        }
        let (retention, ranks) = (
            record["R"].as_u64().unwrap_or(0),
            record["K"].as_u64().unwrap_or(0) as usize,
        );
        for rotation in candidates(retention, ranks) {
            let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere)?;
            let room = vec![tasks.len() as u64; rotation.colors()];
            let Ok(plan) = problem.naive_plan(&vec![1; tasks.len()], &room) else {
                continue;
            };
            pairs += 1;
            blind += usize::from(plan.tasks_to_copy().is_empty());
            for (instances, found) in together.iter_mut().enumerate() {
                let (answer, _) = CoAssign::instances(&problem, instances + 1).solve()?;
                *found += usize::from(matches!(answer, Answer::Found(_)));
            }
        }
    }
    println!("a color for every task in {pairs} pairs without phases: {blind} by color-blind placement,");
    println!("  {} by co-assignment, {} with two instances", together[0], together[1]);
    Ok(())
}

/// Random sets of the given utilisation with periods that divide 960 ms, 64 ms of retention, and the memory of all
/// instances together three quarters of what there is.
fn large(count: usize, colors: usize, load: f64, sets: usize) {
    const MS: u64 = 1_000_000;
    const PERIODS: [u64; 14] = [10, 15, 16, 20, 24, 30, 32, 40, 48, 60, 64, 80, 96, 120];
    let mut random = Pcg64::seed_from_u64(20 + count as u64 + colors as u64);
    for instances in [1, 2] {
        let (mut longest, mut total, mut worst) = (Duration::ZERO, Duration::ZERO, Default::default());
        let mut verdicts = [0usize; 3];
        for _ in 0..sets {
            let weights: Vec<f64> = (0..count).map(|_| random.random_range(0.1..1.0)).collect();
            let sum: f64 = weights.iter().sum();
            let tasks: Vec<Task> = weights
                .iter()
                .map(|weight| {
                    let period = PERIODS[random.random_range(0..PERIODS.len())] * MS;
                    let wcet = ((period as f64 * weight / sum * load) as u64 / 100_000 * 100_000).max(100_000);
                    Task::new("t", 0, period, wcet, period).expect("positive times")
                })
                .collect();
            let rotation = Rotation::frames(64 * MS, colors).expect("even frames");
            let begun = Instant::now();
            let problem = Problem::new(&tasks, rotation, Cores::ONE, Slicing::Anywhere).expect("short tables");
            let memory: Vec<u64> = (0..count).map(|_| random.random_range(1..100)).collect();
            let room = memory.iter().sum::<u64>() * instances as u64 * 4 / 3 / colors as u64;
            let question = CoAssign {
                memory,
                capacity: vec![room; colors],
                ..CoAssign::instances(&problem, instances)
            };
            let (answer, effort) = question.solve().expect("valid question");
            let took = begun.elapsed();
            total += took;
            if took > longest {
                (longest, worst) = (took, effort);
            }
            verdicts[match answer {
                Answer::Found(_) => 0,
                Answer::Impossible(_) => 1,
                Answer::Unknown => 2,
            }] += 1;
        }
        let [found, impossible, unknown] = verdicts;
        println!(
            "{count} tasks, {colors} colors, load {load}, {instances} instances: {found} feasible, {impossible} infeasible, {unknown} unknown; \
             mean {:?}, longest {longest:?} ({} nodes, {} no-goods)",
            total / sets as u32,
            worst.nodes,
            worst.no_goods
        );
    }
}
