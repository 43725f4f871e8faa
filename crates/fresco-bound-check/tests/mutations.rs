// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a certificate says is found to be true; what is made smaller than it is, or rests on other inputs, is refused.

use crate::setting::Setting;
use fresco_bound::{Crowd, certified_memory, certified_read, read};
use fresco_bound_check::{Failure, Refused, check};
use fresco_dram::{Clock, Timing};
use fresco_machine::{ControllerConfig, Queues, Scheduler};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use serde_json::{Value, json};

fn crowd(setting: &Setting, rng: &mut Pcg64) -> Crowd {
    let reads = *[1, 2, 3, 4, 5, 9, 17, 40].choose(rng).expect("some");
    let of_rank = rng.random_range(1..=reads);
    let of_bank = if rng.random_bool(0.5) {
        1
    } else {
        rng.random_range(1..=of_rank)
    };
    let ranks = rng.random_range(1..=setting.organisation.ranks);
    let waiting_writes = *[0, 0, 8, 40].choose(rng).expect("some");
    Crowd {
        reads,
        of_rank,
        of_group: rng.random_range(of_bank..=of_rank),
        of_bank,
        of_other_ranks: if ranks > 1 { rng.random_range(0..=reads) } else { 0 },
        ranks,
        waiting_writes,
        front: reads + waiting_writes,
    }
}

/// The certificate of one task with one crowd; `None` without a bound.
fn certificate(seed: u64) -> Option<(Setting, Value)> {
    let mut rng = Pcg64::seed_from_u64(seed);
    let setting = Setting::draw(&mut rng);
    let crowd = crowd(&setting, &mut rng);
    let dram = setting.dram();
    let bound = read(&dram, &crowd).ok()?;
    let task = json!({
        "name": "t", "core": 0, "work": null,
        "bounds": [certified_read(&dram, &crowd, &bound)],
        "longest_ps": setting.timing.clock.longest_ps(bound.total()),
    });
    let memory = certified_memory(&dram);
    Some((setting, json!({ "points": [{ "memory": memory, "tasks": [task] }] })))
}

#[test]
fn what_bounds_say_is_verified() {
    let runs = std::env::var("BOUND_RUNS").map_or(3_000, |runs| runs.parse().expect("a number"));
    let mut verified = 0;
    for seed in 0..runs {
        let Some((setting, certificate)) = certificate(seed) else {
            continue;
        };
        let checked = check(&certificate, None);
        assert!(
            checked.is_ok(),
            "seed {seed}: {}\n{setting:?}\n{certificate:#}",
            checked.unwrap_err()
        );
        verified += 1;
    }
    assert!(verified > runs / 2, "{verified}");
}

/// Paths of all numbers.
fn numbers(value: &Value, path: String, into: &mut Vec<String>) {
    match value {
        Value::Number(_) => into.push(path),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, of)| numbers(of, format!("{path}/{name}"), into)),
        Value::Array(all) => all
            .iter()
            .enumerate()
            .for_each(|(i, of)| numbers(of, format!("{path}/{i}"), into)),
        _ => {}
    }
}

/// The memory and crowd that a certificate speaks of, bounded once more; `None` if there is no such memory, or no bound.
fn truth(setting: &Setting, certificate: &Value) -> Option<(u64, u64)> {
    let memory = &certificate["points"][0]["memory"];
    let number = |name: &str| memory[name].as_u64().expect("a number");
    let small = |name: &str| u32::try_from(number(name)).ok();
    let transfers = small("transfers")?;
    let none = [
        "channels",
        "ranks",
        "bank_groups",
        "banks",
        "bus_bytes",
        "places",
        "writes",
        "rate_mts",
    ]
    .map(number)
    .contains(&0);
    if none || !transfers.is_power_of_two() || number("rcd") > number("rc") || number("burst_length") == 0 {
        return None;
    }
    let mut timing = Timing {
        clock: Clock::with_transfers(small("rate_mts")?, transfers),
        act_delay: number("act_delay"),
        line_bytes: small("line_bytes")?,
        ..setting.timing.clone()
    };
    timing.values_mut().for_each(|(name, value)| *value = number(name));
    let organisation = fresco_dram::Organisation {
        channels: small("channels")?,
        ranks: small("ranks")?,
        bank_groups: small("bank_groups")?,
        banks: small("banks")?,
        bus_bytes: small("bus_bytes")?,
        ..setting.organisation
    };
    let (places, writes) = (small("places")?, small("writes")?);
    let queues = match setting.controller.queues {
        Queues::Global { .. } => Queues::Global { reads: places, writes },
        Queues::PerBank { .. } => Queues::PerBank {
            reads_per_bank: places,
            writes,
        },
        Queues::FrontQueue { front, .. } => Queues::FrontQueue {
            front,
            reads_per_bank: places,
            writes,
        },
    };
    let scheduler = match memory["hit_cap"].as_u64() {
        Some(cap) => Scheduler::FrFcfs { hit_cap: cap as u32 },
        None => setting.controller.scheduler,
    };
    let controller = ControllerConfig {
        scheduler,
        queues,
        drain_low: small("drain_low")?,
        drain_once: number("drain_once") > 0,
        ..setting.controller.clone()
    };
    let dram = fresco_bound::Dram {
        timing: &timing,
        organisation: &organisation,
        controller: &controller,
    };
    let crowd: Crowd =
        serde_json::from_value(certificate["points"][0]["tasks"][0]["bounds"][0]["crowd"].clone()).ok()?;
    let total = read(&dram, &crowd).ok()?.total();
    Some((total, timing.clock.longest_ps(total)))
}

/// Each number one less, one more, twice as large: what is accepted is a bound of what it speaks of, by the other formulas.
#[test]
fn nothing_below_the_formulas_is_verified() {
    let runs = std::env::var("BOUND_RUNS").map_or(200, |runs| runs.parse().expect("a number"));
    let (mut refused, mut accepted, mut unsound) = (0, 0, 0);
    for seed in 0..runs {
        let Some((setting, whole)) = certificate(seed) else {
            continue;
        };
        let mut paths = Vec::new();
        numbers(&whole, String::new(), &mut paths);
        for path in &paths {
            let value = whole.pointer(path).and_then(Value::as_u64).expect("a number");
            for changed in [value.wrapping_sub(1), value + 1, value * 2] {
                if changed == value || changed == u64::MAX {
                    continue;
                }
                let mut certificate = whole.clone();
                *certificate.pointer_mut(path).expect("it is there") = json!(changed);
                let checked = check(&certificate, None);
                // What the certificate says itself may be raised, hardly lowered.
                let is_claim = path.contains("/terms/") || path.ends_with("longest") || path.ends_with("longest_ps");
                if is_claim && changed < value {
                    let summed = ["/activations", "/bus"].iter().any(|part| path.ends_with(part));
                    assert!(checked.is_err() || summed, "seed {seed}: {path} {value} -> {changed}");
                }
                let Some((cycles, ps)) = truth(&setting, &certificate) else {
                    continue;
                };
                let task = &certificate["points"][0]["tasks"][0];
                let bounds =
                    task["bounds"][0]["longest"].as_u64() >= Some(cycles) && task["longest_ps"].as_u64() >= Some(ps);
                match checked {
                    Ok(_) => assert!(
                        bounds,
                        "seed {seed}: {path} {value} -> {changed}, {cycles}\n{certificate:#}"
                    ),
                    Err(Failure::Broken(what)) => panic!("{what}"),
                    Err(_) => unsound += u64::from(!bounds),
                }
                *(if checked.is_ok() { &mut accepted } else { &mut refused }) += 1;
            }
        }
    }
    println!("{accepted} accepted, {refused} refused, of these {unsound} too small");
    assert!(
        runs < 200 || unsound > 2_000 && accepted > 2_000,
        "{accepted} {refused} {unsound}"
    );
}

#[test]
fn the_first_fact_that_does_not_hold_is_named() {
    let (_, mut certificate) = (0..).find_map(certificate).expect("one is bounded");
    let service = certificate
        .pointer_mut("/points/0/tasks/0/bounds/0/terms/service")
        .expect("a term");
    let right = service.as_u64().expect("a number");
    *service = json!(right - 1);
    let Err(Failure::Refused(Refused {
        place,
        term,
        formula,
        claimed,
        found,
    })) = check(&certificate, None)
    else {
        panic!("it is too small")
    };
    assert_eq!((place.as_str(), term.as_str()), ("point 0, task t", "service"));
    assert!(formula.contains("tRCD"));
    assert_eq!((claimed, found), ((right - 1).to_string(), format!("at least {right}")));
}

#[test]
fn what_is_no_certificate_is_told() {
    let (_, whole) = (0..).find_map(certificate).expect("one is bounded");
    for (path, value) in [
        ("/points", json!(1)),
        ("/points/0/memory/rcd", json!(-1)),
        ("/points/0/memory/rcd", json!(1.5)),
        ("/points/0/memory/refresh", json!("never")),
        ("/points/0/tasks/0/bounds", json!([])),
        ("/points/0/tasks/0/bounds/0/terms", json!({})),
    ] {
        let mut certificate = whole.clone();
        *certificate.pointer_mut(path).expect("it is there") = value;
        assert!(matches!(check(&certificate, None), Err(Failure::Broken(_))), "{path}");
    }
}
