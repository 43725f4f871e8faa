// SPDX-License-Identifier: MIT OR Apache-2.0
//! A search that has not tried all partitions has no verdict; one that has, or that a bound spares, says no.

use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Refusal, TaskSet, Watch, plan, sensitivity};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// So many equal tasks on devices of 32 Gb, where a color is locked for 8.2 ms.
fn set(method: &str, tasks: usize, wcet: &str, options: &str) -> TaskSet {
    let mut text = format!(
        "machine = \"ss-rtmc\"\nmemory = {{ density = 32, density_scales_refresh_only = true }}\n\
         plan = {{ method = \"{method}\", attempts = 20{options} }}\n"
    );
    for number in 0..tasks {
        text += &format!("[[task]]\nname = \"t{number}\"\nperiod = \"10 ms\"\nwcet = \"{wcet}\"\n");
    }
    TaskSet::parse("equal.toml", &text, Path::new(""), &[]).expect("a set like others")
}

fn refused(method: &str, tasks: usize, wcet: &str, options: &str) -> Refusal {
    let found = plan(&set(method, tasks, wcet, options));
    found.map(|plan| plan.method).expect_err(method)
}

#[test]
fn more_than_eight_tasks_are_undecided() {
    for (method, options) in [("flat", ""), ("crs", ", instances = 1"), ("crs", "")] {
        let open = refused(method, 10, "850 us", options);
        assert_eq!(open.kind, Kind::Open, "{method}{options}: {open}");
        // Once for sporadic tasks, once for their phases, once with copies.
        let tried = match (method, options) {
            ("crs", "") => 60,
            ("crs", _) => 40,
            _ => 20,
        };
        let told = format!("not decided after {tried} partitions: no ");
        assert!(open.reason.starts_with(&told), "{method}{options}: {open}");
    }
    let frame = ", longest_period = \"1 ms\", shortest_period = \"1 ms\"";
    let open = refused(
        "aligned",
        10,
        "950 us\"
deadline = \"9790 us",
        frame,
    );
    assert!(
        open.reason.starts_with("not decided after 20 partitions: no frame"),
        "{open}"
    );
}

#[test]
fn what_is_tried_in_every_way_is_refused() {
    // Four tasks have 16 splits.
    for (method, options) in [("flat", ""), ("crs", ", instances = 1")] {
        let refusal = refused(method, 4, "2100 us", options);
        assert_eq!(refusal.kind, Kind::Load, "{method}: {refusal}");
    }
    // More than there is of time, however it is split.
    for method in ["flat", "crs", "aligned"] {
        let refusal = refused(method, 10, "1 ms", "");
        assert_eq!(refusal.kind, Kind::Load, "{method}: {refusal}");
    }
}

#[test]
fn a_sensitivity_says_what_is_open() {
    let open = sensitivity(
        &set("flat", 10, "850 us", ""),
        Method::Flat,
        &[1, 32],
        Watch::default(),
        |_| {},
    );
    let open = open.expect("periodic tasks");
    assert_eq!(open.densities_gbit, [1]);
    let undecided = open.undecided.expect("at 32 Gb it is open");
    assert!(undecided.now && undecided.wcet_scale, "{undecided:?}");
    assert_eq!(undecided.densities_gbit, [32]);
}

/// A method whose part of the time is over has what the others leave, so that "not decided within" the limit is true.
#[test]
fn no_time_is_left_unused() {
    let limit = Duration::from_millis(400);
    // No method has a plan, and colored-refresh looks for one for longer.
    let frame = ", longest_period = \"1 ms\", shortest_period = \"1 ms\"";
    let set = set("flat", 24, "395 us\"\ndeadline = \"9790 us", frame);
    let begun = Mutex::new(Vec::new());
    let report = |method: Method, _: u32, progress: Option<fresco_rt::Progress>| {
        if progress.is_none() {
            begun.lock().unwrap().push(method);
        }
    };
    let mut all = set.clone();
    (all.options.method, all.options.attempts) = (None, 1_000_000);
    let stop = || false;
    let watch = || Watch::new(&stop, &report).within(Some(limit));
    let start = Instant::now();
    let open = fresco_plan::plan_watched(&all, watch())
        .map(|plan| plan.method)
        .expect_err("open");
    assert!(start.elapsed() >= limit, "{open}");
    assert!(
        open.kind == Kind::Stopped && open.reason.contains("not decided within 400 ms"),
        "{open}"
    );
    let times = |begun: &[Method]| begun.iter().filter(|method| **method == Method::ColoredRefresh).count();
    assert!(times(&begun.lock().unwrap()) >= 2);

    begun.lock().unwrap().clear();
    let start = Instant::now();
    let rows = fresco_plan::compare(&all, &[32], watch(), || {})
        .expect("a density")
        .rows;
    assert!(start.elapsed() >= limit);
    assert!(
        rows.iter()
            .any(|row| matches!(&row.outcome, Err(refusal) if refusal.kind == Kind::Stopped))
    );
    assert!(times(&begun.lock().unwrap()) >= 2);

    // And none is begun when the time is over.
    begun.lock().unwrap().clear();
    let over = Watch::new(&stop, &report).within(Some(Duration::ZERO));
    let rows = fresco_plan::compare(&all, &[8, 32], over, || {})
        .expect("densities")
        .rows;
    assert!(
        rows.iter()
            .all(|row| matches!(&row.outcome, Err(refusal) if refusal.kind == Kind::Stopped))
    );
    assert!(begun.lock().unwrap().is_empty());
}
