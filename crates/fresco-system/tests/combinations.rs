// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every frame policy with budgets of bandwidth and without (MG-10), under every refresh scheme that a machine allows; each
//! DRAM command is judged by the checker.

use crate::common::{data, parse};
use fresco_machine::RefreshPolicy;
use fresco_system::results::PointResult;
use fresco_system::run_all;

/// The policies, and what they need to be told.
const FRAMES: [(&str, &str); 10] = [
    ("buddy", ""),
    ("palloc", ""),
    ("palloc", "variant = \"pb\""),
    ("camc", ""),
    ("tintmalloc", ""),
    ("bpm", ""),
    ("bpm+", ""),
    ("cache-only", ""),
    ("channel-only", ""),
    ("soft", ""),
];

/// A machine, and what is changed in its memory.
type Changed = (&'static str, &'static [(&'static str, &'static str)]);

/// Machines of four standards, the small one with DDR5 devices, and one with three channels, which pages choose.
const MACHINES: [Changed; 5] = [
    ("i7-860-channels", &[]),
    ("xeon-e3-1220v5", &[]),
    ("jetson-nano", &[]),
    (
        "xeon-w3530",
        &[("organisation.channels", "3"), ("map.granule", "\"4 KiB\"")],
    ),
    (
        "small.toml",
        &[
            ("standard", "\"ddr5-4800\""),
            ("density", "\"16 Gb\""),
            ("organisation.bank_groups", "2"),
            ("organisation.banks", "4"),
            ("organisation.bus_bytes", "4"),
            ("organisation.columns", "2048"),
            ("map.bank_group", "[13]"),
            ("map.bank", "[14, 15]"),
        ],
    ),
];

/// Two cores, whose programs always want more.
const TEXT: &str = r#"
name = "combined"
machine = "MACHINE"
check = true
[policy]
frames = "FRAMES"
boot = "pristine"
OPTIONS
[memory]
CHANGES
[bandwidth]
period = "40 us"
count_write_backs = true
[sweep]
policy.bandwidth = ["none", "memguard"]
memory.controller.refresh = [REFRESH]
[warm_up]
time = "1 us"
[measure]
time = "125 us"
[[task]]
name = "one"
program = "random"
core = 0
reserve = "150 MB/s"
reservation = "hard"
BANKS
parameters = { bytes = "BYTES", write_percent = 40 }
[[task]]
name = "other"
program = "bandwidth"
core = 1
reserve = "150 MB/s"
parameters.bytes = "BYTES"
"#;

/// The schemes that a machine's memory allows.
fn schemes(machine: &str, changes: &[(&str, &str)]) -> Vec<&'static str> {
    let path = data().join(machine);
    let given = if path.exists() {
        path.display().to_string()
    } else {
        machine.to_owned()
    };
    let overrides: Vec<(String, String)> = changes
        .iter()
        .map(|(key, value)| (format!("memory.{key}"), (*value).to_owned()))
        .collect();
    let machine = fresco_machine::load_with(&given, &overrides).unwrap_or_else(|error| panic!("{error}"));
    let memory = &machine.memory;
    let allowed = |policy: &RefreshPolicy| policy.check(&memory.organisation, &memory.timing).is_ok();
    let all = RefreshPolicy::NAMES.into_iter();
    all.filter(|(_, policy)| allowed(policy))
        .map(|(name, _)| name)
        .collect()
}

/// Runs a frame policy on a machine; false if it cannot divide this machine's colors.
fn combined((machine, changes): Changed, (frames, options): (&str, &str), schemes: &[&str]) -> bool {
    let changes: Vec<String> = changes.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    let small = machine == "small.toml";
    let text = TEXT
        .replace("MACHINE", machine)
        .replace("FRAMES", frames)
        .replace("OPTIONS", options)
        .replace("CHANGES", &changes.join("\n"))
        .replace(
            "REFRESH",
            &schemes
                .iter()
                .map(|name| format!("{name:?}"))
                .collect::<Vec<_>>()
                .join(", "),
        )
        .replace(
            "BANKS",
            if frames == "palloc" && options.is_empty() {
                "banks = \"0-7\""
            } else {
                ""
            },
        )
        .replace("BYTES", if small { "1 MiB" } else { "16 MiB" });
    let scenario = match parse(&text) {
        Ok(scenario) => scenario,
        Err(error) => {
            println!("{machine}, {frames} {options}: {error}");
            return false;
        }
    };
    let result = run_all(&scenario, 2, &|_| {}).unwrap_or_else(|error| panic!("{machine}, {frames}: {error}"));
    assert_eq!(result.points.len(), 2 * schemes.len());
    for point in &result.points {
        judge(point);
    }
    true
}

/// Commands were clean, budgets were kept, and nobody went without.
fn judge(point: &PointResult) {
    let run = &point.runs[0];
    assert!(run.checker.as_ref().is_some_and(|checker| checker.commands > 100));
    assert_eq!(run.regulation.is_some(), point.values[0] == "memguard");
    for task in &run.tasks {
        assert!(task.operations > 0);
        let Some(core) = &task.regulation else { continue };
        // 150 MB/s in 40 us.
        assert_eq!(core.reserved_lines, 93);
        assert!(core.counts.periods >= 2, "{core:?}");
        let most = core.reserved_lines + core.counts.overshoot;
        let least = if core.guaranteed_bytes_per_s > 0.0 {
            core.reserved_lines
        } else {
            0
        };
        let values = &point.values;
        // Beyond the budget goes a window full of misses and a store buffer, 160 at most, each with a line written back.
        let kept = core.lines_by_period.iter().all(|lines| (least..=most).contains(lines));
        assert!(
            kept && core.counts.overshoot < 320,
            "{values:?}, {}: {core:?}",
            task.banks
        );
    }
}

#[test]
fn every_frame_policy_goes_with_budgets_and_every_refresh() {
    let (mut met, mut ran) = (Vec::new(), [0; FRAMES.len()]);
    for machine in MACHINES {
        let schemes = schemes(machine.0, machine.1);
        for (frames, ran) in FRAMES.into_iter().zip(&mut ran) {
            *ran += usize::from(combined(machine, frames, &schemes));
        }
        println!("{}: {schemes:?}", machine.0);
        met.extend(schemes);
    }
    // Each policy on two machines or more, each scheme somewhere.
    assert!(ran.iter().all(|machines| *machines >= 2), "{ran:?}");
    for (name, _) in RefreshPolicy::NAMES {
        assert!(met.contains(&name), "{name} is never run");
    }
}
