// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figures of all tasks of a point, bandwidth by channel and energy, of whole runs (MET-5 to MET-8, BPM-16, BPM-17).

use crate::common::{point, results, task};

/// Two tasks on banks of their own or on the same, alone or beside each other. The machine has two channels, and devices whose
/// currents are public.
const TWO: &str = r#"
    name = "two"
    machine = "i7-860"
    check = true
    [warm_up]
    operations = 500
    [measure]
    operations = 4000
    [policy]
    frames = "buddy"
    [sweep]
    corunners = [0, 1]
    [baseline]
    corunners = 0
    [[task]]
    name = "chase"
    program = "latency"
    core = 0
    parameters.bytes = "16 MiB"
    [[task]]
    name = "noise"
    program = "bandwidth"
    core = 1
    role = "background"
    parameters.bytes = "32 MiB"
"#;

#[test]
fn figures_follow_from_those_of_tasks_and_controllers() {
    let result = results(TWO);
    let alone = point(&result, &["0"]);
    assert!(alone.together.weighted_speedup.is_none(), "nothing to compare with");
    let beside = point(&result, &["1"]);
    let together = &beside.together;
    // One task is measured: what is left of its speed, and the inverse.
    let slowdown = task(beside, "chase").slowdown.expect("a baseline").mean;
    let mean = |spread: Option<fresco_system::results::Spread>| spread.expect("a value").mean;
    assert!(slowdown > 1.0, "{slowdown}");
    assert!((mean(together.maximum_slowdown) - slowdown).abs() < 1e-12);
    assert!((mean(together.weighted_speedup) * slowdown - 1.0).abs() < 1e-12);
    assert!((mean(together.harmonic_mean) * slowdown - 1.0).abs() < 1e-12);
    let tasks: f64 = beside.tasks.iter().map(|task| task.bandwidth_bytes_per_s.mean).sum();
    assert!((together.bandwidth_bytes_per_s.mean / tasks - 1.0).abs() < 1e-9);
    // A chase and a scan differ in locality: the mean lies between them.
    let shares = beside.tasks.iter().map(|task| task.row_hit_share.mean);
    let (least, most) = shares.fold((1.0_f64, 0.0_f64), |(least, most), share| {
        (least.min(share), most.max(share))
    });
    let average = mean(together.row_hit_share);
    assert!(least < average && average < most, "{least} {average} {most}");
    let product = together.bandwidth_bytes_per_s.mean * mean(together.row_hit_share_stddev);
    assert!((mean(together.bandwidth_times_stddev) / product - 1.0).abs() < 1e-9);
    let chase = task(beside, "chase");
    assert!(
        chase.misses_per_kilo_instruction.mean > 1.0,
        "a chase through 16 MiB misses"
    );
}

#[test]
fn channels_add_up_and_energy_follows_the_counts() {
    let result = results(TWO);
    let run = &point(&result, &["1"]).runs[0];
    let controller = &run.controllers[0];
    assert_eq!(controller.channels.len(), 2);
    let sum: u64 = controller.channels.iter().map(|one| one.reads + one.writes).sum();
    assert_eq!(sum, controller.reads + controller.writes);
    let bandwidth: f64 = controller.channels.iter().map(|one| one.bandwidth_bytes_per_s).sum();
    assert!((bandwidth / controller.bandwidth_bytes_per_s - 1.0).abs() < 1e-9);
    assert!(
        controller
            .channels
            .iter()
            .all(|one| (0.0..=1.0).contains(&one.active_share))
    );
    assert!(controller.channels.iter().any(|one| one.active_share > 0.1));
    // DDR3-1333 of 1 Gb: a read takes (72 - 23) mA for 6 ns of 1.35 V in eight devices.
    let energy = controller.energy.as_ref().expect("known devices");
    let reads = controller.reads as f64 * 49.0 * 6.0 * 1.35 * 8.0;
    assert!((energy.parts.read_pj as f64 / reads - 1.0).abs() < 1e-3, "{energy:?}");
    let share = [energy.parts.activate_pj, energy.parts.read_pj, energy.parts.refresh_pj];
    assert!(share.into_iter().all(|part| part > 0), "{energy:?}");
    assert_eq!(energy.total_pj, energy.parts.total_pj());
    assert!((energy.power_w * controller.window_ns * 1000.0 / energy.total_pj as f64 - 1.0).abs() < 1e-9);
    // All standby is that of eight ranks for the window: between 17 and 23 mA.
    let standby = (energy.parts.active_standby_pj + energy.parts.precharge_standby_pj) as f64;
    let of_current = |current: f64| current * 1.35 * 8.0 * 8.0 * controller.window_ns;
    assert!(
        (of_current(17.0) * 0.99..of_current(23.0) * 1.01).contains(&standby),
        "{energy:?}"
    );
}
