// SPDX-License-Identifier: MIT OR Apache-2.0
//! Attacks on the work of tasks of random scenarios, on the built-in machines of several cores: none takes longer than its bound. `ATTACK_SCENARIOS` in the
//! environment says how many (8 if omitted), `ATTACK_TRIES` how many attacks each (16), `ATTACK_SEED` the first seed; how near they come is printed.

use crate::common::fresco;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Machines, misses of a core under way, and ways of the cache that cores share, if they do. `p4080` has no room for a part for each core.
const MACHINES: [(&str, &str, u32); 8] = [
    ("imx8m-mini", "one", 16),
    ("zcu102", "one", 16),
    ("raspberry-pi-4", "six", 16),
    ("jetson-nano", "six", 16),
    ("gem5-2core", "more", 16),
    ("xeon-w3530", "more", 16),
    ("i7-860", "more", 16),
    ("ryzen-3600", "more", 16),
];

/// Two or four tasks, each with ways of its own, in banks of their own or in shared ones. Returns its group, too.
fn scenario(number: u64, rng: &mut Pcg64) -> (String, String) {
    let (machine, misses, ways) = MACHINES[number as usize % MACHINES.len()];
    let cores = if machine == "gem5-2core" {
        2
    } else {
        *[2, 4].choose(rng).expect("some")
    };
    let is_shared = rng.random_bool(0.5);
    let stores = rng.random_bool(0.5);
    let operations = *[20, 200, 1000].choose(rng).expect("some");
    let mut text = format!(
        "name = \"a\"\nmachine = \"{machine}\"\nseed = {}\nwarm_up.operations = 300\nmeasure.operations = {operations}\n\
         [memory.controller]\nhit_cap = {}\ndrain_once = true\n[policy]\nframes = \"palloc\"\n",
        rng.random_range(0..1000),
        [1, 4].choose(rng).expect("some"),
    );
    for core in 0..cores {
        let (role, program) = match core {
            0 => ("measured", ["latency", "random"].choose(rng).expect("some")),
            _ => ("background", &"random"),
        };
        let more = if *program == "random" && stores {
            ", write_percent = 50"
        } else {
            ""
        };
        let each = ways / cores;
        let bank = if is_shared { 0 } else { core };
        text += &format!(
            "[[task]]\nname = \"t{core}\"\nprogram = \"{program}\"\ncore = {core}\nrole = \"{role}\"\nbanks = \"{bank}\"\nways = \"{}-{}\"\n\
             parameters = {{ bytes = \"2 MiB\"{more} }}\n",
            core * each,
            core * each + each - 1
        );
    }
    let banks = if is_shared { "shared" } else { "own" };
    let kind = if stores { "reads and stores" } else { "reads" };
    (format!("{misses} misses, {banks} banks, {kind}"), text)
}

/// Shares of bounds that attacks reached, by group.
type Shares = BTreeMap<String, Vec<f64>>;

/// Attacks one. One that its machine refuses is drawn for nothing.
fn attack(number: u64, tries: &str, here: &Path) -> Option<(String, f64)> {
    let (group, text) = scenario(number, &mut Pcg64::seed_from_u64(number));
    fs::write(here.join("a.toml"), &text).expect("writable");
    let output = fresco(&["attack", "a.toml", "--work", "--json", "--tries", tries], here);
    let complaint = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {}
        Some(2) => return None,
        status => panic!(
            "{status:?}: {complaint}\n{}\n{text}",
            String::from_utf8_lossy(&output.stdout)
        ),
    }
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let task = &document["data"]["tasks"][0];
    let [observed, bound] = [&task["observed_ps"], &task["bound"]["longest_ps"]].map(|ps| ps.as_f64().expect("a time"));
    assert!(observed <= bound, "{task}\n{text}");
    Some((group, observed / bound))
}

#[test]
fn attacks_on_random_work_stay_within_its_bound() {
    let get = |key: &str, default: &str| std::env::var(key).unwrap_or_else(|_| default.to_owned());
    let number = |key: &str, default: &str| get(key, default).parse::<u64>().expect("a number");
    let (scenarios, seed) = (number("ATTACK_SCENARIOS", "8"), number("ATTACK_SEED", "0"));
    let tries = get("ATTACK_TRIES", "16");
    let directory = tempfile::tempdir().expect("a directory");
    let mut shares = Shares::new();
    for number in seed..seed + scenarios {
        if let Some((group, share)) = attack(number, &tries, directory.path()) {
            shares.entry(group).or_default().push(share);
        }
    }
    let all: usize = shares.values().map(Vec::len).sum();
    for (group, mut shares) in shares {
        shares.sort_by(f64::total_cmp);
        let (middle, most) = (shares[shares.len() / 2], shares[shares.len() - 1]);
        println!(
            "{group}: {} cases, {middle:.2} in the middle, {most:.2} at most",
            shares.len()
        );
    }
    assert!(2 * all > scenarios as usize, "{all} of {scenarios} are bounded");
}
