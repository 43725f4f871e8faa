// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading plans: what the planner writes is read as it is; a field that nothing would heed is refused by its path.

use fresco_plan::plan::SCHEMA;
use fresco_plan::{Method, Plan, TaskSet, plan};
use serde_json::{Value, json};
use std::path::Path;

const TASKS: &str = r#"
    memory = { density = 8, density_scales_refresh_only = true }
    plan = { lock = "5 us", unlock = "2 us", handler = "5 us" }
    task = [
        { name = "a", period = "8 ms", wcet = "1 ms" },
        { name = "b", period = "32 ms", wcet = "9 ms", deadline = "30 ms" },
    ]
"#;
const BATCH: &str = "machine = \"gem5-2core\"\n[[task]]\nname = \"a\"\n[[task]]\nname = \"b\"\n";

/// The document of a plan.
fn document(method: Method, changes: &[&str]) -> Value {
    let text = match method {
        Method::Codesign => BATCH,
        Method::Partition => crate::partition::PARTITION,
        _ => TASKS,
    };
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let mut set = TaskSet::parse("t.toml", text, Path::new(""), &changes).unwrap_or_else(|error| panic!("{error}"));
    set.options.method = Some(method);
    let plan = plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", method.name()));
    json!({ "schema": SCHEMA, "data": plan })
}

/// Every kind of plan, schedule and evidence.
fn documents() -> Vec<Value> {
    let by_method = Method::NAMES.map(|(_, method)| document(method, &[]));
    let by_priority = document(Method::AutoRefresh, &["plan.policy=dm"]);
    let executives = document(Method::Crs, &["plan.policy=executive"]);
    [by_method.to_vec(), vec![by_priority, executives]].concat()
}

/// Paths of all objects of a document, as JSON pointers and as errors name them.
fn objects(value: &Value, pointer: String, path: String, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                let below = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                objects(field, format!("{pointer}/{key}"), below, found);
            }
            found.push((pointer, path));
        }
        // The first and the last speak for all.
        Value::Array(elements) => {
            for (number, element) in elements.iter().enumerate() {
                if number == 0 || number + 1 == elements.len() {
                    objects(
                        element,
                        format!("{pointer}/{number}"),
                        format!("{path}[{number}]"),
                        found,
                    );
                }
            }
        }
        _ => {}
    }
}

#[test]
fn an_unknown_field_is_refused_wherever_it_stands() {
    let mut tried = 0;
    for document in documents() {
        Plan::parse("p.json", &document.to_string()).unwrap_or_else(|error| panic!("{error}"));
        let mut places = Vec::new();
        objects(&document["data"], "/data".to_owned(), "data".to_owned(), &mut places);
        for (pointer, path) in places {
            let mut spoilt = document.clone();
            let object = spoilt
                .pointer_mut(&pointer)
                .and_then(Value::as_object_mut)
                .expect("is there");
            object.insert("surplus".to_owned(), json!(1));
            let error = Plan::parse("p.json", &spoilt.to_string()).expect_err(&path);
            // An object with one field of a fixed name, as that of a policy, is refused by the reader itself.
            let named = error.field == format!("{path}.surplus") || error.line.is_some();
            assert!(
                named && !error.allowed.is_empty() && !error.help.is_empty(),
                "{path}: {error}"
            );
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} places");
}

#[test]
fn a_misspelt_field_is_named_with_its_neighbours() {
    let mut document = document(Method::Crs, &["plan.policy=executive"]);
    let slot = document.pointer_mut("/data/schedule/table/slots/3").expect("a slot");
    slot["jop"] = json!(0);
    let error = Plan::parse("p.json", &document.to_string()).expect_err("unknown");
    assert_eq!(
        error.to_string(),
        "p.json: data.schedule.table.slots[3].jop: found an unknown field\n  \
         allowed: blocked, core, instance, job, length, start, task\n  help: did you mean \"job\"?"
    );
    // Without the right one, the wrong one is not looked at: the slot cannot be read.
    let slot = document.pointer_mut("/data/schedule/table/slots/3").expect("a slot");
    slot.as_object_mut().expect("an object").remove("job");
    let error = Plan::parse("p.json", &document.to_string()).expect_err("missing");
    assert_eq!(
        error.to_string(),
        "p.json: data.schedule.table.slots[3].job: found no such field, and it is required\n  \
         allowed: a whole number from 0 to 18446744073709551615\n  help: mend the field, or plan again: `fresco plan` writes it"
    );
}

/// The path of the value itself, also in parts that the reader of JSON tells apart by their kind, and where the same value is right
/// elsewhere.
#[test]
fn what_cannot_be_read_is_named_in_plain_words() {
    let by_servers = document(Method::Crs, &[]);
    let by_run = document(Method::Flat, &[]);
    let by_slots = document(Method::Aligned, &[]);
    let cases = [
        (
            &by_servers,
            "/data/schedule/locks/phase_ns/1",
            json!("soon"),
            "schedule.locks.phase_ns[1]",
            "\"soon\"",
            "a whole number",
        ),
        (
            &by_servers,
            "/data/schedule/cores/0/servers/1/color",
            json!(-1),
            "schedule.cores[0].servers[1].color",
            "-1",
            "a whole number from 0",
        ),
        (
            &by_servers,
            "/data/memory/ranks",
            json!("8"),
            "memory.ranks",
            "\"8\"",
            "from 0 to 4294967295",
        ),
        (
            &by_servers,
            "/data/tasks/1/name",
            json!(5),
            "tasks[1].name",
            "5",
            "a text",
        ),
        (
            &by_servers,
            "/data/method",
            json!("aligned "),
            "method",
            "\"aligned \"",
            "auto-refresh, burst",
        ),
        (
            &by_servers,
            "/data/refresh/kind",
            json!("Windows"),
            "refresh.kind",
            "\"Windows\"",
            "controller, windows",
        ),
        (&by_servers, "/data/colors", json!({}), "colors", "an object", "a list"),
        (
            &by_run,
            "/data/proofs/0/evidence/jobs",
            json!(0.5),
            "proofs[0].evidence.jobs",
            "0.5",
            "a whole number",
        ),
        (
            &by_run,
            "/data/schedule/locks",
            json!([]),
            "schedule.locks",
            "a list",
            "fields",
        ),
        (
            &by_slots,
            "/data/schedule/cores/0/tasks",
            json!([[0]]),
            "schedule.cores[0].tasks",
            "a list",
            "a list of 2",
        ),
    ];
    for (document, pointer, value, path, found, allowed) in cases {
        let mut spoilt = document.clone();
        *spoilt.pointer_mut(pointer).expect("is there") = value;
        let error = Plan::parse("p.json", &spoilt.to_string()).expect_err(path);
        assert_eq!(
            (error.field.as_str(), error.found.as_str()),
            (&*format!("data.{path}"), &*format!("found {found}")),
            "{error}"
        );
        assert!(error.allowed.contains(allowed), "{error}");
    }
}

/// Fields that are left out while they have their default may be written out.
#[test]
fn defaults_may_be_written_out() {
    let mut document = document(Method::AutoRefresh, &[]);
    let defaults = json!({ "bandwidth": null, "frames": "camc", "page_tables": "uncolored", "refresh_jitter_ns": 0 });
    // An empty command is none that could be started: it is left out or named.
    let of_task = json!({ "pages": "at-start", "stalls": null, "team": null });
    let put = |object: &mut Value, fields: &Value| {
        for (key, value) in fields.as_object().expect("an object") {
            object[key] = value.clone();
        }
    };
    let without = Plan::parse("p.json", &document.to_string()).unwrap_or_else(|error| panic!("{error}"));
    put(&mut document["data"], &defaults);
    put(&mut document["data"]["tasks"][0], &of_task);
    let read = Plan::parse("p.json", &document.to_string()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read, without);
    document["data"]["refresh_jitter"] = json!(0);
    let error = Plan::parse("p.json", &document.to_string()).expect_err("unknown");
    assert!(
        error.allowed.contains("refresh_jitter_ns") && error.help.contains("refresh_jitter_ns"),
        "{error}"
    );
}

/// The seeds of the fuzz target are plans of today.
#[test]
fn seeds_of_the_fuzzer_are_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/plan");
    let mut count = 0;
    for entry in std::fs::read_dir(&directory).expect("has seeds") {
        let path = entry.expect("readable").path();
        let plan = Plan::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(plan.tasks.len(), 2, "{}", path.display());
        count += 1;
    }
    assert!(count >= 9, "{count} seeds");
}
