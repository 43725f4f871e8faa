// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco evidence`: a folder whose digests are true, whose results its own commands print again, and that says what is not covered.

use crate::common::files::TASKS;
use crate::common::{directory_with, fresco, refused, stdout};
use crate::json_reference;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Two cores in order, each in banks and ways of its own.
const PAIR: &str = r#"name = "pair"
machine = "imx8m-mini"
memory.controller = { hit_cap = 4, drain_once = true }
measure.operations = 2000
policy.frames = "palloc"
[[task]]
name = "chase"
program = "latency"
core = 0
banks = "0-1"
ways = "0-7"
parameters.bytes = "2 MiB"
[[task]]
name = "reader"
program = "random"
core = 1
banks = "2-3"
ways = "8-15"
role = "background"
parameters = { bytes = "2 MiB", write_percent = 30 }
"#;

/// The headings of the report.
const SECTIONS: [&str; 9] = [
    "1. What is claimed",
    "2. The machine",
    "3. The partition",
    "4. Bounds",
    "5. The worst that was found",
    "6. Requested, applied, measured",
    "7. The plan",
    "8. What is not covered",
    "9. Where each number is from",
];

fn evidence(folder: &Path) -> Value {
    let text = fs::read_to_string(folder.join("evidence.json")).expect("there");
    serde_json::from_str(&text).expect("JSON")
}

/// Names of all fields and elements, with the place of each: what readers of the JSON rely on.
fn keys(value: &Value, place: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            let place = format!("{place}.{name}");
            keys(value, &place, into);
            into.insert(place);
        }),
        Value::Array(elements) => elements
            .iter()
            .for_each(|value| keys(value, &format!("{place}[]"), into)),
        _ => {}
    }
}

/// Every digest is true, every command prints its file again, page and PDF have all sections, tasks and verdicts.
fn is_whole(folder: &Path) {
    let sums = Command::new("sha256sum")
        .args(["-c", "--strict", "--quiet", "SHA256SUMS"])
        .current_dir(folder)
        .output();
    let sums = sums.expect("sha256sum runs");
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stdout));
    let document = evidence(folder);
    json_reference::check(&document, &[]);
    let data = &document["data"];
    for file in data["files"].as_array().expect("files") {
        let path = file["path"].as_str().expect("a path");
        let Some(command) = file["command"].as_str() else {
            continue;
        };
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        let printed = fresco(&words, folder);
        let kept = fs::read(folder.join(path)).expect("there");
        assert!(
            printed.stdout == kept,
            "{command}: prints another {path}: {}",
            String::from_utf8_lossy(&printed.stderr)
        );
    }
    let html = fs::read_to_string(folder.join("index.html")).expect("there");
    let pdf = fs::read(folder.join("evidence.pdf")).expect("there");
    let pdf = texts(&pdf);
    let (html, pdf) = (
        html.replace("&quot;", "\"").replace("&amp;", "&"),
        pdf.replace('\n', " "),
    );
    for section in SECTIONS {
        assert!(html.contains(section) && pdf.contains(section), "{section}");
    }
    for claim in data["claims"].as_array().expect("claims") {
        let about = claim["about"].as_str().expect("a name");
        let verdict = claim["verdict"].as_str().expect("a verdict").replace('-', " ");
        for name in [about, &verdict] {
            assert!(html.contains(name) && pdf.contains(name), "{name}");
        }
    }
    for file in data["files"].as_array().expect("files") {
        assert!(html.contains(file["sha256"].as_str().expect("a digest")), "{file}");
    }
}

/// The texts of a PDF: its streams are not compressed, and its strings literal or hexadecimal.
fn texts(pdf: &[u8]) -> String {
    let text: String = pdf.iter().map(|&byte| char::from(byte)).collect();
    let strings = text.lines().filter_map(|line| line.strip_suffix(" Tj"));
    let read = strings.map(|string| match string.strip_prefix('<') {
        Some(digits) => {
            let digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_hexdigit).collect();
            let byte = |pair: &[u8]| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).expect("digits");
            digits.chunks(2).map(|pair| char::from(byte(pair))).collect()
        }
        None => string[1..string.len() - 1]
            .replace("\\(", "(")
            .replace("\\)", ")")
            .replace("\\\\", "\\"),
    });
    read.collect::<Vec<String>>().join("\n")
}

#[test]
fn evidence_of_a_scenario_is_whole() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let shown = stdout(&["evidence", "pair.toml", "--out", "out/e", "--tries", "40"], here);
    assert!(shown.contains("pair: all that is claimed holds"), "{shown}");
    let folder = here.join("out/e");
    is_whole(&folder);
    let document = evidence(&folder);
    let data = &document["data"];
    let part = &data["partition"];
    assert_eq!(part["pairs"][0]["banks"]["apart"], true);
    assert_eq!(part["pairs"][0]["banks"]["seen_shared"], 0);
    // 2 GiB of pages of 4 KiB; half of them in banks 0 to 3.
    assert_eq!(
        (&part["pages"]["pages"], &part["pages"]["exhaustive"]),
        (&(1 << 19).into(), &true.into())
    );
    assert_eq!(part["parts"][0]["pages"], 1 << 17);
    assert_eq!(part["parts"][1]["banks"], "2-3");
    // The bound is the sum of its parts.
    let bound = &data["bounds"][0];
    let cycles: u64 = bound["terms"]
        .as_array()
        .expect("terms")
        .iter()
        .map(|term| term["cycles"].as_u64().expect("a number"))
        .sum();
    let clock_ps = 625;
    assert_eq!(bound["read_ps"], cycles * clock_ps);
    assert!(data["attacks"][0]["observed_ps"].as_u64() <= bound["read_ps"].as_u64());
    let replayed = fresco(&["attack", "inputs/pair.toml", "--replay", "attack.json"], &folder);
    assert!(
        replayed.status.success(),
        "{}",
        String::from_utf8_lossy(&replayed.stderr)
    );
    // The same once more, in place of the first: all the same bytes.
    let first = fs::read(folder.join("evidence.json")).expect("there");
    stdout(&["evidence", "pair.toml", "--out", "out/e", "--tries", "40"], here);
    assert_eq!(fs::read(folder.join("evidence.json")).expect("there"), first);
    assert_eq!(
        fs::read_dir(here.join("out")).expect("there").count(),
        1,
        "nothing is left beside"
    );
    let mut all = BTreeSet::new();
    keys(data, "", &mut all);
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/evidence.golden");
    let found = Vec::from_iter(all).join("\n") + "\n";
    if std::env::var_os("FRESCO_BLESS").is_some() {
        fs::write(&golden, &found).expect("the golden file is writable");
    }
    assert_eq!(
        found,
        fs::read_to_string(&golden).unwrap_or_default(),
        "FRESCO_BLESS=1 accepts the new fields"
    );
}

#[test]
fn evidence_of_a_plan_is_whole() {
    let directory = directory_with(&[("t.toml", TASKS)]);
    let here = directory.path();
    stdout(&["plan", "t.toml", "--method", "aligned", "--out", "p.json"], here);
    stdout(&["evidence", "p.json", "--out", "e", "--tries", "10"], here);
    is_whole(&here.join("e"));
    let document = evidence(&here.join("e"));
    let data = &document["data"];
    assert_eq!(
        (&data["plan"]["verdict"], &data["holds"]),
        (&"sound".into(), &true.into())
    );
    assert!(data["simulation"]["promises"].as_array().expect("promises").len() > 3);
    // Its tasks name no program, so that nothing bounds their reads, which a plan does not promise; that is told.
    let gaps = data["not_covered"].to_string();
    assert!(gaps.contains("name no program") && data["attacks"].is_null(), "{gaps}");

    // A record of live tasks, of this plan and of another.
    let live = |digest: &str, share: f64| {
        let task = |name: &str| {
            serde_json::json!({"task": name, "pid": 7, "program": name, "asked": "banks=0-3,llc=0", "pages": 100,
                "inside": (100.0 * share) as u64, "share": share, "cpus_asked": "0", "cpus_applied": "0",
                "limits_asked": {"ways": null, "bytes_per_s": null}, "limits_applied": null, "holds": share > 0.99})
        };
        let provenance = serde_json::json!({"tool": "fresco", "version": "0.1.0", "revision": null, "command": "fresco verify p.json --json",
            "seed": null, "machine_files": [], "scenario": null, "inputs": [{"name": "p.json", "digest": digest}]});
        let document = serde_json::json!({"schema": "fresco-verify-plan/1", "provenance": provenance,
            "data": {"plan": "two", "tasks": [task("a"), task("b")], "not_looked_at": 0, "caveat": ""}});
        fs::write(here.join("live.json"), document.to_string()).expect("writable");
    };
    let digest = document["provenance"]["inputs"][0]["digest"]
        .as_str()
        .expect("a digest")
        .to_owned();
    let arguments = ["evidence", "p.json", "--out", "e", "--no-attack", "--live", "live.json"];
    live("0123456789abcdef", 1.0);
    let complaint = refused(&arguments, here);
    assert!(
        complaint.contains("live.json") && complaint.contains("provenance.inputs"),
        "{complaint}"
    );
    assert!(
        evidence(&here.join("e"))["data"]["live"].is_null(),
        "the folder is as it was"
    );
    live(&digest, 1.0);
    stdout(&arguments, here);
    is_whole(&here.join("e"));
    assert_eq!(evidence(&here.join("e"))["data"]["live"]["processes"][1]["holds"], true);
    live(&digest, 0.5);
    assert_eq!(fresco(&arguments, here).status.code(), Some(1));
    let document = evidence(&here.join("e"));
    assert_eq!(document["data"]["holds"], false);
    fs::write(here.join("live.json"), "{\n\"schema\": ").expect("writable");
    let complaint = refused(&arguments, here);
    assert!(complaint.contains("live.json:2"), "{complaint}");
}

/// A scenario with `[plan]`, and a machine in a file above it. The tasks of a partition are bounded and attacked, too.
#[test]
fn a_scenario_is_planned_and_its_machine_copied() {
    let machine = stdout(&["machine", "show", "imx8m-mini", "--toml"], Path::new("."));
    let machine = machine.replace("name = \"imx8m-mini\"", "name = \"mine\"");
    let scenario = PAIR
        .replace(
            "machine = \"imx8m-mini\"",
            "machine = \"../mine.toml\"\nplan.method = \"partition\"",
        )
        .replace("ways = \"0-7\"\n", "")
        .replace("ways = \"8-15\"\n", "")
        .replace("role = \"background\"\n", "")
        .replace("measure.operations = 2000\n", "");
    let directory = directory_with(&[("mine.toml", &machine)]);
    let here = directory.path();
    fs::create_dir(here.join("sets")).expect("writable");
    fs::write(here.join("sets/t.toml"), scenario).expect("writable");
    let done = fresco(&["evidence", "sets/t.toml", "--out", "e", "--tries", "10"], here);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let folder = here.join("e");
    is_whole(&folder);
    let data = &evidence(&folder)["data"];
    assert_eq!(data["subject"]["kind"], "planned");
    assert_eq!(data["subject"]["needs"], Value::Array(Vec::new()));
    assert!(folder.join("inputs/sets/t.toml").exists() && folder.join("inputs/mine.toml").exists());
    assert_eq!(data["partition"]["pairs"][0]["banks"]["apart"], true);
    assert_eq!(data["attacks"].as_array().map(Vec::len), Some(2));
}

#[test]
fn what_has_no_bound_is_told_and_not_claimed() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let arguments = [
        "evidence",
        "pair.toml",
        "--out",
        "e",
        "--no-attack",
        "--set",
        "memory.controller.drain_once=false",
    ];
    let done = fresco(&arguments, here);
    assert_eq!(done.status.code(), Some(1), "{}", String::from_utf8_lossy(&done.stderr));
    is_whole(&here.join("e"));
    let data = &evidence(&here.join("e"))["data"];
    let unbounded = &data["bounds"][0]["unbounded"][0];
    assert!(
        unbounded["way_out"]
            .as_str()
            .expect("text")
            .contains("drain_once = true"),
        "{unbounded}"
    );
    let html = fs::read_to_string(here.join("e/index.html")).expect("there");
    assert!(html.contains("NOT all that is claimed here holds") && html.contains("drain again and again"));
    // Without ways of their own they share the cache, which is not claimed to be apart.
    let shared = PAIR
        .replace("ways = \"0-7\"\n", "")
        .replace("banks = \"2-3\"", "banks = \"1-3\"");
    fs::write(here.join("shared.toml"), shared).expect("writable");
    fresco(&["evidence", "shared.toml", "--out", "s", "--no-attack"], here);
    let pair = &evidence(&here.join("s"))["data"]["partition"]["pairs"][0];
    assert_eq!(
        (&pair["banks"]["apart"], &pair["cache"]["apart"]),
        (&false.into(), &false.into())
    );
    assert_eq!(pair["banks"]["seen_shared"], 1);
}

#[test]
fn what_cannot_be_done_is_refused_and_leaves_all_as_it_was() {
    let directory = directory_with(&[("pair.toml", PAIR), ("map.json", "{\"schema\": \"fresco-check/1\"}")]);
    let here = directory.path();
    fs::create_dir(here.join("own")).expect("writable");
    fs::write(here.join("own/notes"), "mine").expect("writable");
    let told = |arguments: &[&str]| {
        let mut all = vec!["evidence"];
        all.extend(arguments);
        refused(&all, here)
    };
    for (arguments, words) in [
        (
            &["pair.toml", "--out", "own"][..],
            "found notes, and no evidence of Fresco",
        ),
        (&["pair.toml", "--out", "pair.toml"], "found a file"),
        (&["pair.toml", "--out", "."], "which is read"),
        (&["-", "--out", "e"], "found standard input"),
        (
            &["pair.toml", "--out", "e", "--set", "sweep.corunners=[0, 1]"],
            "found a sweep over corunners",
        ),
        (&["pair.toml", "--out", "e", "--map", "map.json"], "fresco-map-verify/1"),
        (&["pair.toml", "--out", "e", "--map", "pair.toml"], "found no record"),
        (&["nowhere.toml", "--out", "e"], "nowhere.toml"),
    ] {
        let complaint = told(arguments);
        assert!(complaint.contains(words), "{arguments:?}: {complaint}");
    }
    assert!(!here.join("e").exists());
    assert_eq!(fs::read_to_string(here.join("own/notes")).expect("there"), "mine");
}

/// A record of a map that was proven, and one of another machine.
#[test]
fn how_the_map_was_proven_is_told() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let record = |name: &str| {
        let words = [
            "map",
            "verify",
            "--machine",
            name,
            "--simulate",
            name,
            "--quick",
            "--json",
        ];
        fs::write(here.join("map.json"), stdout(&words, here)).expect("writable");
    };
    let arguments = [
        "evidence",
        "pair.toml",
        "--out",
        "e",
        "--no-attack",
        "--map",
        "map.json",
    ];
    record("i5-6200u");
    let complaint = refused(&arguments, here);
    assert!(complaint.contains("provenance.machine_files"), "{complaint}");
    record("imx8m-mini");
    stdout(&arguments, here);
    is_whole(&here.join("e"));
    let found = &evidence(&here.join("e"))["data"]["machine"]["map_evidence"];
    assert_eq!(
        (&found["from"], &found["on_hardware"]),
        (&"fresco-map-verify/1".into(), &false.into())
    );
}

/// Ctrl-C leaves nothing behind.
#[test]
fn an_interrupt_leaves_nothing() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let here = directory.path();
    let mut child = Command::new("env")
        .args([
            "--default-signal=INT",
            env!("CARGO_BIN_EXE_fresco"),
            "evidence",
            "pair.toml",
            "--out",
            "e",
            "--tries",
            "10000000",
        ])
        .current_dir(here)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    // Once it listens for the signal, the second of those that are caught.
    let status = format!("/proc/{}/status", child.id());
    let listens = || {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let mut caught = text.lines().filter_map(|line| line.strip_prefix("SigCgt:"));
        caught.any(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 2 != 0))
    };
    for _ in 0..200 {
        std::thread::sleep(std::time::Duration::from_millis(50));
        if listens() {
            break;
        }
    }
    // Some attacks are tried.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    assert_eq!(child.wait().expect("ends").code(), Some(130));
    let left: Vec<String> = fs::read_dir(here)
        .expect("there")
        .map(|entry| entry.expect("a name").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left, ["pair.toml"]);
}
