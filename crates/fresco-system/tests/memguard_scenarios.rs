// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the MemGuard scenarios show: isolation, what reclaiming and sharing give, weights, bounds.

use crate::common::{point, task};
use fresco_system::results::{PointResult, ScenarioResult};
use fresco_system::{Scenario, run_all};
use std::path::Path;

/// A scenario that comes with Fresco, with keys set.
fn shipped(name: &str, set: &[&str]) -> ScenarioResult {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"));
    let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
    let scenario = Scenario::load(path, &set).unwrap_or_else(|error| panic!("{error}"));
    run_all(&scenario, 2, &|_| {}).unwrap_or_else(|error| panic!("{error}"))
}

/// A shorter course with shorter periods.
const SHORT: [&str; 3] = ["bandwidth.period=400us", "warm_up.time=800us", "measure.time=4ms"];

fn ipc(point: &PointResult, name: &str) -> f64 {
    task(point, name).instructions_per_cycle.mean
}

fn achieved(point: &PointResult, name: &str) -> f64 {
    let task = point.runs[0].tasks.iter().find(|task| task.name == name);
    let core = task.and_then(|task| task.regulation.as_ref());
    core.expect("it is regulated").achieved_bytes_per_s / 1e6
}

#[test]
fn a_reservation_isolates() {
    let result = shipped("memguard-isolation", &SHORT);
    let alone = ipc(point(&result, &["reservation", "0"]), "foreground");
    let beside = ipc(point(&result, &["reservation", "1"]), "foreground");
    let without = ["0", "1"].map(|number| ipc(point(&result, &["none", number]), "foreground"));
    println!("regulated: {alone:.3} alone, {beside:.3} beside; not: {without:.3?}");
    assert!(without[1] < 0.8 * without[0], "a hog slows it down");
    assert!((0.98..=1.02).contains(&(beside / alone)), "not if both have budgets");
    let shared = point(&result, &["reclaim-share", "1"]);
    assert!(
        ipc(shared, "foreground") > beside && ipc(shared, "hog") > ipc(point(&result, &["reservation", "1"]), "hog")
    );
}

#[test]
fn reclaiming_and_sharing_help_the_background_and_hardly_cost_the_foreground() {
    let gaps = "sweep.task.foreground.parameters.gap=[400]";
    let set = [&SHORT[..], &[gaps]].concat();
    let result = shipped("memguard-reclaim", &set);
    let at = |variant: &str| point(&result, &[variant, "400"]);
    let background = ["reservation", "reclaim", "reclaim-share"].map(|variant| ipc(at(variant), "background"));
    let foreground = ["reservation", "reclaim", "reclaim-share"].map(|variant| ipc(at(variant), "foreground"));
    println!("background {background:.4?}, foreground {foreground:.4?}");
    assert!(background[1] > 1.5 * background[0] && background[2] > 0.98 * background[1]);
    assert!(foreground[1] > 0.9 * foreground[0]);
}

#[test]
fn sharing_makes_up_for_small_budgets() {
    let totals = "sweep.bandwidth.total=[\"400 MB/s\", \"1.2 GB/s\"]";
    let result = shipped("memguard-sharing", &[&SHORT[..], &[totals]].concat());
    let sum = |share: &str, total: &str| {
        let point = point(&result, &[share, total]);
        (0..4)
            .map(|copy| achieved(point, &format!("worker.{copy}")))
            .sum::<f64>()
    };
    let lost = [sum("none", "400 MB/s"), sum("none", "1.2 GB/s")];
    let shared = [sum("best-effort", "400 MB/s"), sum("best-effort", "1.2 GB/s")];
    println!("not shared {lost:.0?} MB/s, shared {shared:.0?} MB/s");
    assert!((390.0..480.0).contains(&lost[0]) && (1190.0..1300.0).contains(&lost[1]));
    assert!(shared.iter().all(|sum| *sum > 1.5 * lost[1]));
}

#[test]
fn bandwidth_goes_by_weight() {
    let result = shipped("memguard-weights", &SHORT);
    let names = ["one", "two", "four", "eight"];
    for variant in ["budgets", "weighed"] {
        let point = point(&result, &[variant]);
        let got = names.map(|name| achieved(point, name));
        println!("{variant}: {got:.0?} MB/s");
        for (got, weight) in got.iter().zip([1.0, 2.0, 4.0, 8.0]) {
            // Lines under way count most where a budget is small.
            let fair = got / weight * 15.0;
            let sum: f64 = names.map(|name| achieved(point, name)).iter().sum();
            assert!(
                (0.85 * sum..1.35 * sum).contains(&fair),
                "{variant}: {got} MB/s for weight {weight}"
            );
        }
    }
    let equal = names.map(|name| achieved(point(&result, &["shared"]), name));
    println!("shared: {equal:.0?} MB/s");
    assert!(equal[3] < 4.0 * equal[0], "what all may take blurs the weights");
}

#[test]
fn four_tasks_on_a_controller_stay_below_the_bound() {
    let result = shipped("memguard-four", &["measure.time=3ms"]);
    let without = task(point(&result, &["none", "3"]), "foreground")
        .slowdown
        .expect("a baseline")
        .max;
    let with = task(point(&result, &["memguard", "3"]), "foreground");
    let (slowdown, bound) = (
        with.slowdown.expect("a baseline").max,
        with.slowdown_bound.expect("a bound"),
    );
    println!("without budgets {without:.3}, with {slowdown:.3}, bound {bound:.3}");
    assert!(slowdown < without && slowdown <= bound && bound < 4.0);
    assert_eq!(task(point(&result, &["none", "3"]), "foreground").slowdown_bound, None);
}

#[test]
fn a_controller_each_with_banks_and_cache_is_as_good_as_alone() {
    let result = shipped("memguard-controllers", &[]);
    let slowdown = |colors: &str| {
        task(point(&result, &[colors, "3"]), "victim")
            .slowdown
            .expect("a baseline")
            .max
    };
    let (leaks, isolated) = (slowdown("camc"), slowdown("camc-llc"));
    println!("camc {leaks:.4}, with LLC colors {isolated:.4}");
    assert!(leaks > 1.01, "the cache is shared: {leaks}");
    assert!((0.995..=1.005).contains(&isolated), "{isolated}");
}
