// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bound --certificate` and `--check`: what is certified is verified, by itself and against its scenario; what is less, or of another scenario, is not.

use crate::common::{directory_with, fresco, json, refused, stdout};
use crate::json_reference;
use fresco_bound_check::{Failure, check};
use fresco_system::Scenario;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Two cores in order, in banks of their own, one of which writes; the last-level cache is divided.
const PAIR: &str = r#"name = "pair"
machine = "imx8m-mini"
memory.controller = { hit_cap = 4, drain_once = true }
warm_up.operations = 2000
measure.operations = 3000
policy.frames = "palloc"
[[task]]
name = "chase"
program = "random"
core = 0
banks = "0-1"
ways = "0-7"
parameters = { bytes = "2 MiB", write_percent = 10 }
[[task]]
name = "writer"
program = "random"
core = 1
banks = "2-3"
ways = "8-15"
role = "background"
parameters = { bytes = "2 MiB", write_percent = 30 }
"#;

/// The same, regulated.
fn regulated() -> String {
    let budgets = "bandwidth = { count_write_backs = true, period = \"50 us\" }\npolicy.bandwidth = \"memguard\"\n";
    PAIR.replace("policy.frames", &format!("{budgets}policy.frames"))
        .replace("ways = \"0-7\"\n", "ways = \"0-7\"\nreserve = \"800 MB/s\"\n")
        .replace("ways = \"8-15\"\n", "ways = \"8-15\"\nreserve = \"20 MB/s\"\n")
}

fn certificate(scenario: &str, here: &Path) -> Value {
    stdout(&["bound", scenario, "--certificate", "c.json"], here);
    serde_json::from_str(&fs::read_to_string(here.join("c.json")).expect("it was written")).expect("JSON")
}

fn checked(certificate: &Value, scenario: &[&str], here: &Path) -> (Option<i32>, String) {
    fs::write(here.join("other.json"), certificate.to_string()).expect("writable");
    let arguments: Vec<&str> = ["bound", "--check", "other.json"]
        .iter()
        .chain(scenario)
        .copied()
        .collect();
    let output = fresco(&arguments, here);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

#[test]
fn certificates_are_verified_and_what_does_not_hold_is_named() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let whole = certificate("pair.toml", here);
    json_reference::check(&whole, &["fresco-bound/1"]);
    let alone = json(&["bound", "--check", "c.json", "--json"], here);
    json_reference::check(&alone, &[]);
    assert_eq!(
        (&alone["data"]["verdict"], &alone["data"]["tasks"]),
        (&json!("verified"), &json!(2))
    );
    assert_eq!(alone["data"]["works"], 1);
    assert_eq!(alone["data"]["on_trust"], json!(["what work is alone"]));
    let against = json(&["bound", "--check", "c.json", "pair.toml", "--json"], here);
    assert_eq!(against["data"]["with_scenario"], true);
    let with = |path: &str, value: Value| {
        let mut certificate = whole.clone();
        *certificate.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
        certificate
    };
    let bound = "/data/points/0/tasks/0/bounds/0";
    let drain = whole
        .pointer(&format!("{bound}/terms/drain"))
        .and_then(Value::as_u64)
        .expect("a term");
    let (status, text) = checked(&with(&format!("{bound}/terms/drain"), json!(drain - 1)), &[], here);
    assert_eq!(status, Some(1), "{text}");
    assert!(
        text.contains("drain") && text.contains(&format!("at least {drain}")),
        "{text}"
    );
    // Fewer reads of others would do, but the scenario has more.
    let fewer = with(&format!("{bound}/crowd/front"), json!(0));
    assert_eq!(checked(&fewer, &[], here).0, Some(0));
    let (status, text) = checked(&fewer, &["pair.toml"], here);
    assert!(status == Some(1) && text.contains("crowd"), "{text}");
    let other = ["pair.toml", "--set", "task.writer.banks='0-3'"];
    let (status, text) = checked(&whole, &other, here);
    assert!(status == Some(1) && text.contains("crowd"), "{text}");
    fs::write(here.join("longer.toml"), format!("{PAIR}\n")).expect("writable");
    let (status, text) = checked(&whole, &["longer.toml"], here);
    assert!(status == Some(1) && text.contains("digest of the scenario"), "{text}");
    let (status, text) = checked(&with("/schema", json!("fresco-bound/1")), &[], here);
    assert!(status == Some(2) && text.contains("--certificate"), "{text}");
    assert_eq!(
        checked(&with("/data/points/0/memory/rcd", json!(-1)), &[], here).0,
        Some(2)
    );
    // A second value of a name, which other readers may take.
    let text = fs::read_to_string(here.join("c.json")).expect("it was written");
    let twice = text.replacen("\"rcd\":", "\"rcd\": 1, \"rcd\":", 1);
    assert_ne!(twice, text);
    fs::write(here.join("twice.json"), twice).expect("writable");
    let complaint = refused(&["bound", "--check", "twice.json"], here);
    assert!(complaint.contains("rcd stands twice"), "{complaint}");
    // Reads one at a time cannot be in memory for longer than the work took; a miss register more, and they can.
    let work = "/data/points/0/tasks/0/work";
    let number = |path: &str| whole.pointer(path).and_then(Value::as_u64).expect("a number");
    assert_eq!(number(&format!("{work}/mshrs")), 1);
    let [time, longest] = [
        format!("{work}/alone/time_ps"),
        "/data/points/0/tasks/0/longest_ps".to_owned(),
    ]
    .map(|path| number(&path));
    let most = time + longest;
    let long = |in_memory: u64| with(&format!("{work}/alone/in_memory_ps"), json!(in_memory));
    assert_eq!(checked(&long(most), &[], here).0, Some(0));
    let (status, text) = checked(&long(most + 1), &[], here);
    assert!(status == Some(1) && text.contains("alone.in_memory_ps"), "{text}");
    assert!(!text.contains("as it stands"), "{text}");
    // Nor can two be under way at once.
    let chain = number(&format!("{work}/alone/chain"));
    assert_eq!(chain, number(&format!("{work}/alone/reads")));
    for wrong in [chain - 1, chain + 1] {
        let (status, text) = checked(&with(&format!("{work}/alone/chain"), json!(wrong)), &[], here);
        assert!(status == Some(1) && text.contains("alone."), "{text}");
    }
    for arguments in [&["bound"][..], &["bound", "--check", "c.json", "--set", "name='x'"]] {
        let complaint = refused(arguments, here);
        assert!(complaint.contains("SCENARIO"), "{complaint}");
    }
}

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

/// Each number one less, one more, twice as large, against the scenario: what is accepted is no smaller a bound than before.
#[test]
fn no_smaller_bound_is_verified_against_the_scenario() {
    for text in [PAIR.to_owned(), regulated()] {
        let directory = directory_with(&[("pair.toml", &text)]);
        let whole = certificate("pair.toml", directory.path())["data"].take();
        let loaded = Scenario::parse("pair.toml", &text, directory.path(), &[]).expect("a scenario");
        let scenario = fresco_bound_check::Scenario::of(&loaded);
        assert!(check(&whole, Some(&scenario)).is_ok());
        let mut paths = Vec::new();
        numbers(&whole, String::new(), &mut paths);
        let (mut accepted, mut refused) = (0, 0);
        // What work is alone was simulated, and is taken as it stands.
        for path in paths.iter().filter(|path| !path.contains("/alone/")) {
            let value = whole.pointer(path).and_then(Value::as_u64).expect("a number");
            for changed in [value.saturating_sub(1), value + 1, value * 2] {
                if changed == value {
                    continue;
                }
                let mut certificate = whole.clone();
                *certificate.pointer_mut(path).expect("it is there") = json!(changed);
                let told = || format!("{path}: {value} -> {changed}");
                match check(&certificate, Some(&scenario)) {
                    Err(Failure::Broken(what)) => panic!("{}: {what}", told()),
                    Err(_) => refused += 1,
                    Ok(_) => {
                        accepted += 1;
                        let is_input = path.contains("/memory/") || path.contains("/crowd/") || path.ends_with("core");
                        assert!(!is_input, "{}", told());
                        assert!(!path.ends_with("longest_ps") || changed > value, "{}", told());
                        assert!(!path.contains("/terms/") || changed > value, "{}", told());
                    }
                }
            }
        }
        assert!(refused > 200 && accepted > 10, "{refused} {accepted}");
    }
}

/// Two tasks, one of which writes, on every machine that is built in and has two cores.
#[test]
fn certificates_of_all_machines_are_verified() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    let mut verified = 0;
    for machine in fresco_machine::builtin_names() {
        if fresco_machine::builtin(machine).expect("built in").cores == 1 {
            continue;
        }
        let text = format!(
            "name = \"m\"\nmachine = \"{machine}\"\nmemory.controller = {{ hit_cap = 4, drain_once = true }}\n\
             [[task]]\nname = \"a\"\nprogram = \"latency\"\ncore = 0\n\
             [[task]]\nname = \"b\"\nprogram = \"random\"\ncore = 1\nparameters.write_percent = 30\n"
        );
        fs::write(here.join("m.toml"), &text).expect("writable");
        let output = fresco(&["bound", "m.toml", "--reads", "--certificate", "c.json"], here);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{machine}: {complaint}");
        let check = ["bound", "--check", "c.json", "m.toml", "--json"];
        if output.status.code() == Some(0) {
            verified += json(&check, here)["data"]["tasks"].as_u64().expect("a count");
            continue;
        }
        // A measured task without a bound has none in the certificate, which then does not hold for the scenario.
        let refused = fresco(&check, here);
        let text = String::from_utf8_lossy(&refused.stdout);
        assert_eq!(refused.status.code(), Some(1), "{machine}: {text}");
        assert!(text.contains("each measured task of the scenario"), "{machine}: {text}");
        stdout(&check[..3], here);
    }
    assert!(verified > 30, "{verified}");
}

#[test]
fn values_of_points_are_those_of_the_scenario() {
    let swept = PAIR.replacen("[[task]]", "[sweep]\ncorunners = [0, 1]\n[[task]]", 1);
    let directory = directory_with(&[("pair.toml", &swept)]);
    let whole = certificate("pair.toml", directory.path())["data"].take();
    let loaded = Scenario::parse("pair.toml", &swept, directory.path(), &[]).expect("a scenario");
    let scenario = fresco_bound_check::Scenario::of(&loaded);
    assert!(check(&whole, Some(&scenario)).is_ok());
    let changed = |path: &str, value: Value| {
        let mut certificate = whole.clone();
        *certificate.pointer_mut(path).expect("it is there") = value;
        match check(&certificate, Some(&scenario)) {
            Err(Failure::Refused(refused)) => refused.term,
            other => panic!("{path}: {other:?}"),
        }
    };
    assert_eq!(changed("/points/0/values", json!(["1"])), "values");
    assert_eq!(changed("/axes", json!(["others"])), "axes");
    assert_eq!(changed("/scenario", json!("other")), "scenario");
}

/// Pages of `buddy` may lie on any node: what was a hit alone may be a read of the farthest one, which is 10 us away.
#[test]
fn the_way_is_that_to_the_farthest_controller() {
    let text = r#"
name = "far"
machine = "opteron-6128"
core = { kind = "in-order", window = 1, mshrs = 1 }
llc.cores_per_cache = 1
topology.hop_latency = ["10 us", "10 us"]
memory.controller.drain_once = true
warm_up.operations = 200
measure.operations = 200
[[task]]
name = "control"
program = "random"
core = 0
placement = "bind"
nodes = [1]
parameters.bytes = "1 MiB"
[[task]]
name = "reader"
program = "random"
core = 4
role = "background"
parameters.bytes = "1 MiB"
"#;
    let directory = directory_with(&[("far.toml", text)]);
    let mut document = certificate("far.toml", directory.path());
    let control = document
        .pointer_mut("/data/points/0/tasks/0/work")
        .expect("work is bounded");
    let path = control["path_ps"].as_u64().expect("a number");
    assert!(path >= 20_000_000, "{path} ps");
    control["path_ps"] = (path - 1_000_000).into();
    let (status, told) = checked(&document, &["far.toml"], directory.path());
    assert_eq!(status, Some(1), "{told}");
    assert!(told.contains("path_ps"), "{told}");
}
