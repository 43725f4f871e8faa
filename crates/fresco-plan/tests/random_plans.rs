// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random task sets: every plan passes the checker. Random edits of plans: the checker gives a verdict, and never panics.

use fresco_machine::Machine;
use fresco_plan::{Method, Plan, TaskSet, check, plan};
use proptest::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::LazyLock;

/// A task of a random set: period and share of it in per cent, deadline in per cent of the period, phase in ms.
#[derive(Clone, Debug)]
struct Drawn {
    period: u64,
    share: u64,
    deadline: u64,
    phase: u64,
    global: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let period = prop::sample::select(vec![8u64, 10, 16, 20, 32, 40, 64, 80]);
    (period, 1u64..40, 60u64..=100, 0u64..4, any::<bool>()).prop_map(|(period, share, deadline, phase, global)| Drawn {
        period,
        share,
        deadline,
        phase: if phase == 0 { period / 4 } else { 0 },
        global,
    })
}

/// The file of a set.
fn text(tasks: &[Drawn], cores: u32, density: u32, policy: &str) -> String {
    let machine = if cores == 1 { "ss-rtmc" } else { "gem5-2core" };
    let mut text = format!(
        "machine = \"{machine}\"\nmemory.refresh_table = \"colored-refresh\"\nmemory.density = {density}\n\
         memory.density_scales_refresh_only = true\nplan = {{ policy = \"{policy}\", lock = \"8 us\", handler = \"8 us\", attempts = 40 }}\n"
    );
    for (number, task) in tasks.iter().enumerate() {
        let wcet = task.period * task.share * 10;
        let deadline = (task.period * task.deadline * 10).max(wcet);
        let global = if task.global { "global = \"4 KiB\"\n" } else { "" };
        text.push_str(&format!(
            "[[task]]\nname = \"t{number}\"\nperiod = \"{} ms\"\nwcet = \"{wcet} us\"\ndeadline = \"{deadline} us\"\nphase = \"{} ms\"\n{global}",
            task.period, task.phase
        ));
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, rng_seed: proptest::test_runner::RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_plan_found_is_sound(
        tasks in prop::collection::vec(drawn(), 1..=6),
        cores in 1u32..=2,
        density in prop::sample::select(vec![1u32, 4, 8, 16, 32, 64]),
        policy in prop::sample::select(vec!["edf", "rm", "dm"]),
        method in 0usize..=6,
    ) {
        let text = text(&tasks, cores, density, policy);
        // Too high a load is refused while reading.
        let Ok(mut set) = TaskSet::parse("t.toml", &text, Path::new(""), &[]) else { return Ok(()) };
        set.options.method = Some(Method::NAMES[method].1);
        match plan(&set) {
            Ok(plan) => {
                let verdict = check(&plan, &set.machine);
                prop_assert!(verdict.is_ok(), "{}: {}\n{text}", plan.method.name(), verdict.expect_err("is refused"));
            }
            Err(refusal) => prop_assert!(!refusal.reason.is_empty()),
        }
    }
}

/// A plan by each method, as JSON, with its machine.
static PLANS: LazyLock<Vec<(Value, Machine)>> = LazyLock::new(|| {
    let of = |text: &str, method| {
        let mut set = TaskSet::parse("t.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
        set.options.method = Some(method);
        let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
        (serde_json::to_value(plan).expect("is JSON"), set.machine)
    };
    let task = |period, share| Drawn {
        period,
        share,
        deadline: 100,
        phase: 0,
        global: true,
    };
    let light = [task(16, 15), task(32, 20), task(64, 15)];
    let mut plans = Vec::new();
    for method in Method::of_refresh() {
        if method != Method::Codesign {
            plans.push(of(&text(&light, 1, 8, "edf"), method));
            plans.push(of(&text(&light, 2, 8, "dm"), method));
        }
    }
    let batch = "machine = \"gem5-2core\"\n[[task]]\nname = \"a\"\n[[task]]\nname = \"b\"\n";
    plans.push(of(batch, Method::Codesign));
    plans.push(of(crate::partition::PARTITION, Method::Partition));
    // Each job meets the refresh of one color: two instances.
    plans.push(of(&text(&[task(8, 70)], 1, 8, "edf"), Method::ColoredRefresh));
    plans
});

/// Paths of all numbers, and of lists that could be shorter.
fn places(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(path),
        Value::Array(elements) => {
            for (number, element) in elements.iter().enumerate() {
                places(element, format!("{path}/{number}"), found);
            }
            found.push(path);
        }
        Value::Object(fields) => {
            for (name, element) in fields {
                // Of the machine and its memory any change is seen at once.
                if name != "memory" || !path.is_empty() {
                    places(element, format!("{path}/{name}"), found);
                }
            }
        }
        _ => {}
    }
}

/// What becomes of a number, or of a list.
#[derive(Clone, Debug)]
enum Edit {
    Set(u64),
    Add(u64),
    Subtract(u64),
    Multiply(u64),
    Null,
}

fn edit() -> impl Strategy<Value = Edit> {
    let huge = vec![
        0,
        1,
        2,
        7,
        1 << 31,
        1 << 32,
        1 << 62,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];
    let odd = vec![
        999_999_999_989,
        1_000_000_000_000,
        64_000_000,
        63_999_999,
        128_000_000,
        350,
    ];
    prop_oneof![
        4 => prop::sample::select(huge).prop_map(Edit::Set),
        2 => prop::sample::select(odd).prop_map(Edit::Set),
        1 => any::<u64>().prop_map(Edit::Set),
        2 => (1u64..10_000_000).prop_map(Edit::Add),
        2 => (1u64..10_000_000).prop_map(Edit::Subtract),
        2 => (2u64..5).prop_map(Edit::Multiply),
        1 => Just(Edit::Null),
    ]
}

fn apply(value: &mut Value, edit: &Edit) {
    *value = match (value.take(), edit) {
        (Value::Array(mut elements), Edit::Null | Edit::Subtract(_)) => {
            elements.pop();
            Value::Array(elements)
        }
        (Value::Array(mut elements), Edit::Multiply(_)) => {
            let again = elements.last().cloned();
            elements.extend(again);
            Value::Array(elements)
        }
        (Value::Array(mut elements), _) => {
            elements.reverse();
            Value::Array(elements)
        }
        (_, Edit::Null) => Value::Null,
        (_, Edit::Set(number)) => (*number).into(),
        (old, Edit::Add(by)) => old.as_u64().unwrap_or(0).saturating_add(*by).into(),
        (old, Edit::Subtract(by)) => old.as_u64().unwrap_or(0).saturating_sub(*by).into(),
        (old, Edit::Multiply(by)) => old.as_u64().unwrap_or(0).saturating_mul(*by).into(),
    };
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, rng_seed: proptest::test_runner::RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_edit_makes_the_checker_panic(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), edit()), 1..=3),
    ) {
        let (sound, machine) = which.get(&PLANS);
        let mut plan = sound.clone();
        for (place, edit) in &edits {
            let mut found = Vec::new();
            places(&plan, String::new(), &mut found);
            let place: &String = place.get(&found);
            apply(plan.pointer_mut(place).expect("was found"), edit);
        }
        // What serde refuses is wrong input; what it reads gets a verdict.
        if let Ok(plan) = serde_json::from_value::<Plan>(plan)
            && let Err(violation) = check(&plan, machine)
        {
            prop_assert!(!violation.to_string().is_empty());
        }
    }
}
