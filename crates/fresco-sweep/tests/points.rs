// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which points a sweep has: worked examples.

use fresco_report::dataset::{Kind, Value};
use fresco_sweep::Sweep;
use std::path::Path;

fn listed(text: &str) -> Vec<String> {
    let text = format!("scenario = \"first\"\n{text}");
    let sweep = Sweep::parse("s.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    (0..sweep.points())
        .map(|number| sweep.point(number).set().join(" "))
        .collect()
}

#[test]
fn a_grid_of_two_by_three_has_six_points_in_this_order() {
    let points = listed("[grid]\npolicy.frames = [\"buddy\", \"palloc\"]\nseed = [1, 2, 3]\n");
    assert_eq!(
        points,
        [
            "policy.frames=\"buddy\" seed=1",
            "policy.frames=\"buddy\" seed=2",
            "policy.frames=\"buddy\" seed=3",
            "policy.frames=\"palloc\" seed=1",
            "policy.frames=\"palloc\" seed=2",
            "policy.frames=\"palloc\" seed=3",
        ]
    );
}

#[test]
fn a_range_of_a_grid_has_each_of_its_values() {
    let points = listed(
        "[grid]\nmemory.controller.hit_cap = { from = 1, to = 6, step = 2 }\ntask.victim.parameters.bytes = { from = 0.5, to = 1, step = 0.5, unit = \"MiB\" }\n",
    );
    let both = |cap| {
        ["0.5 MiB", "1 MiB"]
            .map(|size| format!("memory.controller.hit_cap={cap} task.victim.parameters.bytes=\"{size}\""))
    };
    assert_eq!(points, [1, 3, 5].map(both).concat());
    let many = listed("grid.seed = { from = 0, to = 99999, step = 1 }");
    assert!(many.len() == 100_000 && (0..).zip(&many).all(|(seed, point)| *point == format!("seed={seed}")));
}

#[test]
fn samples_are_combined_with_the_grid_and_listed_points_come_last() {
    let points = listed(
        r#"set.repetitions = 1
        [random]
        samples = 2
        over.measure.operations = { from = 100, to = 900, step = 100 }
        [grid]
        where = ["near", "far"]
        [[variant]]
        name = "near"
        set = { task.victim.banks = 0, task.neighbour.banks = 0 }
        [[variant]]
        name = "far"
        set = { task.victim.banks = 0, task.neighbour.banks = 1 }
        [[point]]
        seed = 7
        "#,
    );
    let near = "task.victim.banks=0 task.neighbour.banks=0";
    let far = "task.victim.banks=0 task.neighbour.banks=1";
    assert_eq!(points.len(), 5);
    for (number, place) in [near, far, near, far].iter().enumerate() {
        let point = &points[number];
        assert!(
            point.starts_with("repetitions=1 measure.operations=") && point.ends_with(place),
            "{point}"
        );
    }
    assert_eq!(points[0].split(' ').nth(1), points[1].split(' ').nth(1));
    assert_eq!(points[4], "repetitions=1 seed=7");
}

/// What a seed draws stays what it is: results are found by it.
#[test]
fn the_points_of_a_seed_are_these() {
    let over = "samples = 4\nover.measure.operations = { from = 1, to = 1000, scale = \"log\", step = 1 }\nover.task.victim.parameters.bytes = { from = 1, to = 64, unit = \"MiB\", step = 1 }\nover.policy.boot = [\"fresh\", \"pristine\"]\n";
    let random = listed(&format!("seed = 3\n[random]\n{over}"));
    let hypercube = listed(&format!("seed = 3\n[latin_hypercube]\n{over}"));
    assert_eq!(
        [random, hypercube].concat(),
        include_str!("golden/points.txt").lines().collect::<Vec<_>>()
    );
}

#[test]
fn a_variant_comes_after_what_all_points_set() {
    let text = "set.seed = 9\ngrid.where = [\"a\", \"b\"]\n\
                [[variant]]\nname = \"a\"\nset = {}\n[[variant]]\nname = \"b\"\nset.seed = 2";
    assert_eq!(listed(text), ["seed=9", "seed=9 seed=2"]);
}

#[test]
fn the_order_counts_where_a_task_goes_by_name_and_by_number() {
    let spelled = |text: &str| {
        let text = format!("scenario = \"first\"\n{text}");
        let sweep = Sweep::parse("s.toml", &text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
        sweep.spelling(&sweep.point(0))
    };
    let by = |all: &str, own: &str| {
        format!("set.task.{all}\ngrid.where = [\"a\"]\n[[variant]]\nname = \"a\"\nset.task.{own}")
    };
    let (name, number) = ("victim.core = 1", "0.core = 2");
    assert_ne!(spelled(&by(name, number)), spelled(&by(number, name)));
    // Of two tasks it does not.
    let other = "1.core = 2";
    assert_eq!(spelled(&by(name, other)), spelled(&by(other, name)));
}

#[test]
fn points_by_number_are_those_of_the_whole_list() {
    let text = "scenario = \"first\"\n[latin_hypercube]\nsamples = 500\nover.measure.operations = { from = 1, to = 1000000, step = 1 }\n[grid]\nseed = [1, 2]\n";
    let sweep = Sweep::parse("s.toml", text, Path::new(""), &[]).expect("a sweep");
    let set = |number| sweep.point(number).set();
    // Whoever asks, and in whatever order.
    let (last, again) = (
        set(999),
        Sweep::parse("s.toml", text, Path::new(""), &[]).expect("a sweep"),
    );
    assert_eq!(again.point(999).set(), last);
    let mut operations: Vec<u64> = (0..1000)
        .step_by(2)
        .map(|number| {
            set(number)[0]
                .rsplit('=')
                .next()
                .and_then(|text| text.parse().ok())
                .expect("a number")
        })
        .collect();
    operations.sort_unstable();
    // One in each five-hundredth.
    for (stratum, operations) in operations.iter().enumerate() {
        assert_eq!((operations - 1) * 500 / 1_000_000, stratum as u64);
    }
}

#[test]
fn in_whatever_order_keys_are_set_the_point_is_the_same() {
    let spelling = |text: &str| {
        let sweep = Sweep::parse("s.toml", &format!("scenario = \"first\"\n{text}"), Path::new(""), &[]);
        let sweep = sweep.unwrap_or_else(|error| panic!("{error}"));
        sweep.spelling(&sweep.point(0))
    };
    let first = spelling("[grid]\nseed = [1]\npolicy.frames = [\"palloc\"]\n");
    assert_eq!(spelling("[grid]\npolicy.frames = [\"palloc\"]\nseed = [1]\n"), first);
    assert_eq!(spelling("set.seed = 1\n[grid]\npolicy.frames = [\"palloc\"]\n"), first);
    assert_ne!(spelling("set.seed = 2\n[grid]\npolicy.frames = [\"palloc\"]\n"), first);
    // The last one of a key holds, and a table replaces what was set in it.
    let variant = |set: &str| {
        spelling(&format!(
            "set.seed = 1\ngrid.v = [\"a\"]\n[[variant]]\nname = \"a\"\n{set}\n"
        ))
    };
    assert_ne!(
        variant("set.seed = 2"),
        spelling("set.seed = 2\ngrid.v = [\"a\"]\n[[variant]]\nname = \"a\"\nset.seed = 1\n")
    );
}

#[test]
fn columns_are_as_narrow_as_their_values() {
    let text = r#"scenario = "first"
        [random]
        samples = 2
        over.measure.operations = { from = 100, to = 900, step = 100 }
        over.task.victim.parameters.bytes = { from = 1, to = 2, step = 0.25, unit = "MiB" }
        over.task.neighbour.parameters.bytes = { from = 1, to = 8, unit = "KiB" }
        [grid]
        seed = [1, 4294967295]
        task.victim.banks = [0, 1]
        memory.controller.hit_cap = { from = 1, to = 3, step = 1 }
        [[point]]
        task.victim.banks = "0-3"
        memory.controller.hit_cap = 9
        "#;
    let sweep = Sweep::parse("s.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let columns = sweep.columns.iter();
    let kinds: Vec<(String, Kind)> = columns.map(|column| (column.data().name, column.kind)).collect();
    let expected = [
        ("axis.measure.operations", Kind::Integer),
        ("axis.task.victim.parameters.bytes_MiB", Kind::Number),
        ("axis.task.neighbour.parameters.bytes_KiB", Kind::Number),
        ("axis.seed", Kind::Integer),
        ("axis.task.victim.banks", Kind::Text),
        ("axis.memory.controller.hit_cap", Kind::Integer),
    ];
    assert_eq!(kinds, expected.map(|(name, kind)| (name.to_owned(), kind)));
    let seed = &sweep.columns[3];
    assert_eq!(seed.value(Some("4294967295")), Value::Integer(4_294_967_295));
}
