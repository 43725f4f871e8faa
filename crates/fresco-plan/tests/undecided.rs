// SPDX-License-Identifier: MIT OR Apache-2.0
//! A search that has not tried all partitions has no verdict; one that has, or that a bound spares, says no.

use fresco_plan::refusal::Kind;
use fresco_plan::{Method, Refusal, TaskSet, Watch, plan, sensitivity};
use std::path::Path;

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
