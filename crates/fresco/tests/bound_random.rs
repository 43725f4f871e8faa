// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random scenarios: no read and no work that a run shows is longer than its bound. Those of the first kind are of all machines of several cores, policies and
//! allocators; those of the second are such that the work of tasks beside others is bounded: each task has ways of the last-level cache of its own; those of the third
//! have a program of random dependences on a core with a window, whose accesses others bring into another order.
//! `BOUND_SCENARIOS` in the environment says how many of each (44 if omitted, `make soak` 10,000), `BOUND_SEED` the first seed; how near they come is
//! printed.

use crate::common::fresco;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Machines, with the cores of the largest scenario that is drawn for each.
const MACHINES: [(&str, u32); 22] = [
    ("gem5-2core", 2),
    ("i5-6200u", 2),
    ("imx8m-mini", 4),
    ("zcu102", 4),
    ("p4080", 8),
    ("xeon-w3530", 4),
    ("core2-q8400", 4),
    ("opteron-6128", 8),
    ("opteron-6128-interleaved", 8),
    ("raspberry-pi-4", 4),
    ("raspberry-pi-5", 4),
    ("i7-860", 4),
    ("i7-860-channels", 4),
    ("i7-8700", 4),
    ("jetson-nano", 4),
    ("jetson-orin", 8),
    ("ryzen-3600", 4),
    ("xeon-e3-1220v5", 4),
    ("xeon-5218", 8),
    ("epyc-7742", 8),
    ("grace-72", 8),
    ("xeon-8460y", 8),
];

/// Refresh policies that most standards know; a machine that does not refuses the scenario.
const REFRESH: [&str; 7] = [
    "none",
    "all-bank-simultaneous",
    "all-bank-independent",
    "elastic",
    "burst",
    "per-bank",
    "same-bank",
];

/// One of a list.
fn one<'l, T>(of: &'l [T], rng: &mut Pcg64) -> &'l T {
    of.choose(rng).expect("some")
}

/// Tasks and perhaps a device, in banks of their own or shared ones, on a controller of any kind.
fn scenario((machine, most): (&str, u32), rng: &mut Pcg64, _: &Path) -> String {
    let mut order: Vec<u32> = (0..most).collect();
    order.shuffle(rng);
    let used = *one(&[1, 2, 4, 8], rng).min(&most) as usize;
    let policy = *one(&["palloc", "palloc", "palloc", "camc", "buddy"], rng);
    let mut text = format!(
        "name = \"b\"\nmachine = \"{machine}\"\nseed = {}\nwarm_up.operations = 1000\nmeasure.operations = 3000\n\
         [memory.controller]\nhit_cap = {}\ndrain_once = true\npage = \"{}\"\npage_idle = 50\nscheduler = \"{}\"\n",
        rng.random_range(0..1000),
        one(&[1, 4, 16], rng),
        one(&["open", "open", "closed", "adaptive"], rng),
        one(&["fr-fcfs", "fr-fcfs", "fr-fcfs", "fcfs"], rng),
    );
    if rng.random_bool(0.4) {
        text += &format!("refresh = \"{}\"\n", one(&REFRESH, rng));
    }
    if rng.random_bool(0.4) {
        let kind = one(&["global", "per-bank", "front-queue"], rng);
        text += &format!("queues = {{ kind = \"{kind}\", reads = 24, reads_per_bank = 8, front = 16, writes = 64 }}\n");
    }
    if rng.random_bool(0.3) {
        text += &format!("[core]\nmshrs = {}\n", one(&[1, 2, 8], rng));
    }
    text += &format!("[policy]\nframes = \"{policy}\"\n");
    let budgets = rng.random_bool(0.2);
    if budgets {
        text +=
            "bandwidth = \"memguard\"\n[bandwidth]\nperiod = \"100 us\"\ncount_write_backs = true\nreclaim = false\n";
    }
    for (i, core) in order.iter().take(used).enumerate() {
        let (program, more) = *one(
            &[
                ("latency", ""),
                ("random", ", gap = 0"),
                ("random", ", gap = 20, write_percent = 50"),
                ("bandwidth", ", access = \"read\""),
                ("bandwidth", ", access = \"write\""),
            ],
            rng,
        );
        text += &format!(
            "[[task]]\nname = \"t{i}\"\nprogram = \"{program}\"\ncore = {core}\nparameters = {{ bytes = \"2 MiB\"{more} }}\n"
        );
        if policy == "palloc" {
            text += &format!("banks = \"{}\"\n", if rng.random_bool(0.8) { i } else { 0 });
        }
        if budgets {
            text += &format!("reserve = \"{} MB/s\"\n", one(&[20, 100], rng));
        }
    }
    if rng.random_bool(0.15) {
        let writes = one(&[0, 50, 100], rng);
        text += &format!("[[agent]]\nname = \"dev\"\nbytes = \"1 MiB\"\nwrite_percent = {writes}\nin_flight = 8\n");
    }
    text
}

/// Machines whose cores share a last-level cache of sixteen ways, and how many of them are used at most.
const WAYS: [(&str, u32); 8] = [
    ("imx8m-mini", 4),
    ("zcu102", 4),
    ("raspberry-pi-4", 4),
    ("jetson-nano", 4),
    ("gem5-2core", 2),
    ("xeon-w3530", 4),
    ("i7-860", 4),
    ("ryzen-3600", 4),
];

/// Tasks with ways of their own, many of which store, and perhaps devices, which may read one row again and again; write buffers of any size, and caps
/// that let hits go on for long.
fn work_scenario((machine, most): (&str, u32), rng: &mut Pcg64, _: &Path) -> String {
    let used = rng.random_range(2..=most);
    // Jobs of the first, beside programs that go on and on, or operations of all.
    let has_jobs = rng.random_bool(0.3);
    let extent = match has_jobs {
        true => "measure.jobs = 4\n".to_owned(),
        false => format!(
            "warm_up.operations = 500\nmeasure.operations = {}\n",
            one(&[20, 300, 2000], rng)
        ),
    };
    let writes = *one(&[1, 2, 8, 32, 64], rng);
    let high = rng.random_range(1..=writes);
    let mut text = format!(
        "name = \"b\"\nmachine = \"{machine}\"\nseed = {}\n{extent}\
         [memory.controller]\nhit_cap = {}\ndrain_once = true\ndrain_high = {high}\ndrain_low = {}\npage = \"{}\"\npage_idle = 50\n\
         queues = {{ kind = \"{}\", reads = {}, reads_per_bank = 8, front = 16, writes = {writes} }}\n",
        rng.random_range(0..1000),
        one(&[1, 4, 16, 10_000], rng),
        rng.random_range(0..high),
        one(&["open", "open", "closed", "adaptive"], rng),
        one(&["global", "global", "per-bank", "front-queue"], rng),
        one(&[4, 24, 64], rng),
    );
    text += &format!(
        "refresh = \"{}\"\n",
        one(&["none", "none", "all-bank-independent", "burst", "elastic"], rng)
    );
    if rng.random_bool(0.4) {
        text += &format!("[core]\nmshrs = {}\n", one(&[1, 2, 8], rng));
    }
    text += "[policy]\nframes = \"palloc\"\n";
    let budgets = rng.random_bool(0.2);
    if budgets {
        text +=
            "bandwidth = \"memguard\"\n[bandwidth]\nperiod = \"100 us\"\ncount_write_backs = true\nreclaim = false\n";
    }
    for core in 0..used {
        let (mut program, mut more) = *one(
            &[
                ("latency", ""),
                ("random", ""),
                ("random", ", write_percent = 50"),
                ("random", ", write_percent = 100"),
                ("random", ", gap = 100, write_percent = 100"),
                ("bandwidth", ", access = \"write\""),
            ],
            rng,
        );
        if has_jobs && core == 0 {
            let kinds = [
                ", accesses = 20",
                ", accesses = 200, write_percent = 50",
                ", accesses = 50, write_percent = 100",
            ];
            (program, more) = ("random", *one(&kinds, rng));
        }
        // Halves or quarters: with a tree others change the order of other ways.
        let (each, bank) = (
            16 / used.next_power_of_two(),
            if rng.random_bool(0.7) { core } else { 0 },
        );
        text += &format!(
            "[[task]]\nname = \"t{core}\"\nprogram = \"{program}\"\ncore = {core}\nbanks = \"{bank}\"\nways = \"{}-{}\"\n\
             parameters = {{ bytes = \"2 MiB\"{more} }}\n",
            core * each,
            core * each + each - 1
        );
        if budgets {
            text += &format!("reserve = \"{} MB/s\"\n", one(&[20, 100], rng));
        }
        text += match (has_jobs, core) {
            (true, 0) => "period = \"300 us\"\nwcet = \"200 us\"\n",
            (true, _) => "role = \"background\"\n",
            (false, _) => "",
        };
    }
    // Two that conflict in a bank.
    let bank = rng.random_range(0..=used);
    for (name, bytes, pattern) in [("row", "4 KiB", "stream"), ("others", "1 MiB", "random")] {
        if rng.random_bool(0.25) {
            text += &format!(
                "[[agent]]\nname = \"{name}\"\nbytes = \"{bytes}\"\npattern = \"{pattern}\"\nbanks = \"{bank}\"\nin_flight = {}\nwrite_percent = {}\n",
                one(&[1, 2, 8, 20, 40], rng),
                one(&[0, 0, 50, 100], rng),
            );
        }
    }
    text
}

/// Machines whose cores have a window.
const WINDOWS: [(&str, u32); 6] = [
    ("gem5-2core", 2),
    ("xeon-w3530", 4),
    ("opteron-6128", 4),
    ("raspberry-pi-4", 4),
    ("i7-860", 4),
    ("ryzen-3600", 4),
];

/// A trace of ChampSim's of random loads and stores: each needs what some of the loads before it have read, many are of the same few sets.
fn program(rng: &mut Pcg64) -> Vec<u8> {
    let (pages, sets, registers) = (
        *one(&[4, 10, 20, 60], rng),
        *one(&[1, 3, 12, 60], rng),
        *one(&[2u8, 4, 12], rng),
    );
    let (needs, far, stores) = (
        *one(&[0.2, 0.5, 0.9], rng),
        *one(&[0.0, 0.1, 0.5], rng),
        *one(&[0.0, 0.0, 0.1, 0.5], rng),
    );
    // The same few instructions again and again, with other lines, or none like another.
    let body = *one(&[5, 40, 1000], rng);
    let shape: Vec<[f64; 3]> = (0..body).map(|_| [rng.random(), rng.random(), rng.random()]).collect();
    let mut trace = Vec::new();
    for number in 0..1000 {
        let [is_far, needs_one, is_store] = shape[number % body];
        let (page, line) = match is_far < far {
            true => (1000 + rng.random_range(0..2000u64), rng.random_range(0..64)),
            false => (rng.random_range(0..pages), rng.random_range(0..sets)),
        };
        let address = 0x1000_0000 + page * 4096 + line * 64;
        let mut register = || 64 + rng.random_range(0..registers);
        let (to, from) = (register(), register());
        let is_store = is_store < stores;
        let mut instruction = [0u8; 64];
        instruction[..8].copy_from_slice(&(0x40_0000 + 4 * (number % body) as u64).to_le_bytes());
        instruction[10] = if is_store { 0 } else { to };
        instruction[12] = if needs_one < needs { from } else { 0 };
        let operand = if is_store { 16 } else { 32 };
        instruction[operand..operand + 8].copy_from_slice(&address.to_le_bytes());
        trace.extend(instruction);
        // Others that take a while, in a row.
        if rng.random_bool(0.05) {
            let mut other = [0u8; 64];
            (other[10], other[12]) = (to, to);
            trace.extend(other.repeat(rng.random_range(1..30)));
        }
    }
    trace
}

/// A program of random dependences, with ways and banks of its own, beside devices or a task that is always at the memory.
fn window_scenario((machine, _): (&str, u32), rng: &mut Pcg64, here: &Path) -> String {
    fs::write(here.join("program.champsim"), program(rng)).expect("writable");
    let (queue, writes) = (*one(&[8, 64], rng), *one(&[1, 8, 64], rng));
    let cache = |name: &str, size: &str, ways: u32, cycles: u32, more: &str| {
        format!(
            "{name} = {{ size = \"{size}\", ways = {ways}, line = 64, latency = \"{cycles} cycles\", replacement = \"lru\"{more} }}\n"
        )
    };
    let mut text = format!(
        "name = \"b\"\nmachine = \"{machine}\"\nseed = {}\nwarm_up.operations = {}\nmeasure.operations = {}\n",
        rng.random_range(0..1000),
        one(&[1, 300, 4000], rng),
        one(&[50, 1000, 5000], rng),
    );
    text += &format!(
        "core.window = {}\ncore.mshrs = {}\n",
        one(&[8, 40, 128], rng),
        one(&[1, 2, 3, 5, 10], rng)
    );
    // Private caches that keep nothing, or what one would expect.
    if rng.random_bool(0.6) {
        text += &cache("l1", "128 B", 1, 1, "");
        text += &cache("l2", "128 B", 1, 1, "");
    }
    let has_own_llc = rng.random_bool(0.6);
    if has_own_llc {
        let size = one(&["64 KiB", "256 KiB"], rng);
        text += &cache("llc", size, 16, 40, ", cores_per_cache = 2");
    }
    if machine == "opteron-6128" {
        text += &format!(
            "topology.hop_latency = {}\n",
            one(&["[\"50 ns\", \"100 ns\"]", "[\"2 us\", \"4 us\"]"], rng)
        );
    }
    text += &format!(
        "policy = {{ frames = \"palloc\", boot = \"pristine\" }}\n[memory.controller]\nhit_cap = {}\ndrain_once = true\nrefresh = \"{}\"\nfrontend = \"{}\"\n\
         queues = {{ kind = \"global\", reads = {queue}, writes = {writes} }}\ndrain_high = 1\ndrain_low = 0\n",
        one(&[1, 16], rng),
        one(&["none", "none", "all-bank-independent", "elastic"], rng),
        one(&["0 ns", "20 ns"], rng),
    );
    // This machine has no cache that its cores share.
    let ways = |ways: &str| match machine {
        "opteron-6128" if !has_own_llc => String::new(),
        _ => format!("ways = \"{ways}\"\n"),
    };
    text += &format!(
        "[[task]]\nname = \"control\"\nprogram = \"trace\"\ncore = 0\nbanks = \"0-1\"\n{}\
         parameters = {{ file = \"program.champsim\", format = \"champsim\" }}\n",
        ways("0-7")
    );
    if rng.random_bool(0.5) {
        text += &format!(
            "[[task]]\nname = \"noise\"\nprogram = \"random\"\ncore = 1\nbanks = \"2-3\"\nrole = \"background\"\n{}\
             parameters = {{ bytes = \"2 MiB\", write_percent = 50 }}\n",
            ways("8-15")
        );
    }
    text += &format!(
        "[[agent]]\nname = \"device\"\nbytes = \"1 MiB\"\npattern = \"random\"\nbanks = \"{}\"\nin_flight = {}\nwrite_percent = {}\n",
        one(&["0", "2"], rng),
        one(&[1, 4, 16], rng),
        one(&[0, 0, 50], rng),
    );
    text
}

/// What was bounded and seen of some scenarios.
#[derive(Default)]
struct Seen {
    scenarios: usize,
    refused: usize,
    /// Reads of measured work that were observed.
    reads: u64,
    /// Longest read over its bound, of each task.
    of_reads: Vec<f64>,
    /// Longest work over its bound, of each task.
    of_work: Vec<f64>,
}

impl Seen {
    fn join(mut self, other: Self) -> Self {
        self.scenarios += other.scenarios;
        self.refused += other.refused;
        self.reads += other.reads;
        self.of_reads.extend(other.of_reads);
        self.of_work.extend(other.of_work);
        self
    }

    /// Runs a scenario. One that its machine refuses, as it knows no such refresh or queues or has no room, is drawn for nothing.
    fn check(&mut self, text: &str, here: &Path) {
        fs::write(here.join("b.toml"), text).expect("writable");
        let output = fresco(&["bound", "b.toml", "--observe", "--json"], here);
        let complaint = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0 | 1) => self.scenarios += 1,
            Some(2) => return self.refused += 1,
            status => panic!("{status:?}: {complaint}\n{text}"),
        }
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for task in document["data"]["points"][0]["tasks"].as_array().expect("tasks") {
            let within = |observed: &Value, longest: &Value| {
                let longest = longest.as_u64()?;
                let observed = observed.as_u64()?;
                assert!(observed <= longest, "{task}\n{text}");
                Some(observed as f64 / longest as f64)
            };
            self.of_reads
                .extend(within(&task["observed_read_ps"], &task["reads"]["longest_ps"]));
            let work = within(&task["observed_work_ps"], &task["work"]["longest_ps"]);
            self.reads += work.map_or(0, |_| task["work"]["alone"]["reads"].as_u64().unwrap_or(0));
            self.of_work.extend(work);
        }
    }
}

/// The middle, and the greatest, of some ratios.
fn middle_and_most(ratios: &mut [f64]) -> (f64, f64) {
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.get(ratios.len() / 2).copied();
    (middle.unwrap_or(0.0), ratios.last().copied().unwrap_or(0.0))
}

/// Checks scenarios of one kind, each on the next of the machines, and tells how near to their bounds they come.
fn check_all(machines: &[(&str, u32)], scenario: fn((&str, u32), &mut Pcg64, &Path) -> String) -> Seen {
    let number = |key: &str, default: u64| std::env::var(key).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (scenarios, seed) = (number("BOUND_SCENARIOS", 44), number("BOUND_SEED", 0));
    let part = |odd: u64| {
        let directory = tempfile::tempdir().expect("a directory");
        let mut seen = Seen::default();
        for number in (seed..seed + scenarios).filter(|number| number % 2 == odd) {
            let machine = machines[(number / 2) as usize % machines.len()];
            let rng = &mut Pcg64::seed_from_u64(number);
            seen.check(&scenario(machine, rng, directory.path()), directory.path());
        }
        seen
    };
    let mut seen = std::thread::scope(|scope| {
        let other = scope.spawn(|| part(1));
        part(0).join(other.join().expect("no scenario exceeds a bound"))
    });
    let (reads, works) = (seen.of_reads.len(), seen.of_work.len());
    let (of_reads, of_work) = (middle_and_most(&mut seen.of_reads), middle_and_most(&mut seen.of_work));
    println!(
        "{} scenarios ({} refused), {reads} tasks whose reads are bounded, observed over bound {:.2} in the middle and {:.2} at most; {works} whose work \
         is, {:.2} and {:.2}, of {} reads",
        seen.scenarios, seen.refused, of_reads.0, of_reads.1, of_work.0, of_work.1, seen.reads
    );
    assert!(
        seen.refused * 4 < seen.scenarios,
        "{} of {} are refused",
        seen.refused,
        seen.scenarios
    );
    seen
}

#[test]
fn random_scenarios_stay_within_their_bounds() {
    let seen = check_all(&MACHINES, scenario);
    let (reads, works) = (seen.of_reads.len(), seen.of_work.len());
    assert!(reads > seen.scenarios && works > 4, "{reads} {works}");
}

#[test]
fn random_work_beside_others_stays_within_its_bound() {
    let seen = check_all(&WAYS, work_scenario);
    assert!(
        seen.of_work.len() > seen.scenarios,
        "{} of {}",
        seen.of_work.len(),
        seen.scenarios
    );
}

#[test]
fn programs_whose_accesses_come_in_another_order_stay_within_their_bounds() {
    let seen = check_all(&WINDOWS, window_scenario);
    assert!(
        2 * seen.of_work.len() > seen.scenarios,
        "{} of {}",
        seen.of_work.len(),
        seen.scenarios
    );
}
