// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a sweep costs beyond its simulations: `overhead POINTS OPERATIONS THREADS MACHINE`, each point with so many loads and stores of one
//! task, on a built-in machine or that of a file.
//!
//! The same points are simulated without anything around it, run as a sweep, looked at once more (nothing is missing), run as eight shards
//! and merged. Processor time counts, which other programs on the machine do not change; wall-clock time stands beside it.

use fresco_input::InputError;
use fresco_sweep::{Effects, Runner, Shard, Store, Sweep, Tool, look, merge};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

fn text(points: u32) -> String {
    format!(
        "scenario = \"./one.toml\"\n[random]\nsamples = {points}\nover.seed = {{ from = 0, to = 999999999, step = 1 }}\n"
    )
}

fn scenario(operations: u64, machine: &str) -> String {
    format!(
        "name = \"one\"\nmachine = {machine:?}\nwarm_up.operations = 0\nmeasure.operations = {operations}\n[[task]]\nname = \"t\"\nprogram = \"random\"\ncore = 0\nparameters.bytes = \"64 KiB\"\n"
    )
}

fn cpu() -> f64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// What it gives, with processor and wall-clock time in seconds.
fn timed<T>(what: &str, work: impl FnOnce() -> Result<T, InputError>) -> Result<(T, f64), InputError> {
    let (begin, before) = (Instant::now(), cpu());
    let made = work()?;
    let (wall, used) = (begin.elapsed().as_secs_f64(), cpu() - before);
    println!("{what:<44} {used:>9.2} s of processors {wall:>9.2} s");
    Ok((made, used))
}

fn run(sweep: &Sweep, out: &Path, shard: Shard, threads: usize) -> Result<u32, InputError> {
    let store = Store::open(out, sweep, false)?;
    let runner = Runner {
        sweep,
        store: &store,
        shard,
        threads,
        retry_failed: false,
        progress: &|_| {},
        stop: &|| false,
        is_given_up: &|| false,
    };
    Ok(runner.run()?.run)
}

fn merged(sweep: &Sweep, out: &Path) -> Result<Vec<u8>, InputError> {
    let tool = Tool {
        version: "0".to_owned(),
        revision: None,
    };
    let mut effects = Effects::of(sweep);
    merge(
        sweep,
        &look(out)?,
        0..sweep.points(),
        (out, ""),
        &tool,
        Some(&mut effects),
    )?;
    Ok(std::fs::read(out.join("observations.parquet")).expect("was written"))
}

fn main() -> Result<(), InputError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let ([points, operations, threads], Some(machine)) = (&numbers[..], words.get(3)) else {
        println!("overhead POINTS OPERATIONS THREADS MACHINE");
        return Ok(());
    };
    let (points, operations, threads) = (*points, *operations, *threads);
    let machine = std::fs::canonicalize(machine).map_or(machine.clone(), |path| path.display().to_string());
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    std::fs::write(here.join("one.toml"), scenario(operations, &machine)).expect("written");
    let sweep = Sweep::parse("sweep.toml", &text(points as u32), here, &[])?;
    let ((), plain) = timed("simulations alone", || {
        let next = AtomicU32::new(0);
        let work = || {
            while let Some(number) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < sweep.points())
            {
                let scenario = sweep.scenario(&sweep.point(number))?;
                fresco_system::run_here(&scenario, &|| false)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            all.into_iter().try_for_each(|one| one.join().expect("no panic"))
        })
    })?;
    let whole = here.join("whole");
    let (made, swept) = timed("as a sweep", || run(&sweep, &whole, Shard::WHOLE, threads as usize))?;
    assert_eq!(u64::from(made), points);
    let (one, tables) = timed("tables", || merged(&sweep, &whole))?;
    println!(
        "overhead: {:.2} % to run, {:.2} % with the tables",
        100.0 * (swept / plain - 1.0),
        100.0 * ((swept + tables) / plain - 1.0)
    );
    timed("once more: nothing is missing", || {
        run(&sweep, &whole, Shard::WHOLE, threads as usize)
    })?;
    let parts = here.join("parts");
    timed("as eight shards", || {
        (0..8).try_for_each(|number| run(&sweep, &parts, Shard { number, of: 8 }, threads as usize).map(|_| ()))
    })?;
    let (other, _) = timed("tables of the shards", || merged(&sweep, &parts))?;
    assert!(one == other, "the tables of shards differ from those of one run");
    let files = |name: &str| std::fs::read_dir(whole.join(name)).map_or(0, |entries| entries.count());
    let bytes: u64 = std::fs::read_dir(whole.join("segments"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some(entry.metadata().ok()?.len()))
        .sum();
    println!(
        "{} segments with {} bytes a point, {} claims, {} bytes of observations a point; the same tables",
        files("segments"),
        bytes / points,
        files("claims"),
        one.len() as u64 / points
    );
    let peak = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!(
        "{}",
        peak.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default()
    );
    Ok(())
}
