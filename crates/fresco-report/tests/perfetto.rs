// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces by the rules of the Trace Event Format, on a small model and on any.

use crate::support::{assert_golden, provenance};
use fresco_report::perfetto::{Detail, Event, EventKind, Process, Thread, Trace, write_trace};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn thread(name: &str, events: Vec<Event>) -> Thread {
    Thread {
        name: name.to_owned(),
        events,
    }
}

fn text(trace: &Trace) -> String {
    let mut out = Vec::new();
    write_trace(trace, &provenance(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn refused(events: Vec<Event>) -> String {
    let trace = one(events);
    let mut out = Vec::new();
    let error = write_trace(&trace, &provenance(), &mut out).unwrap_err();
    assert_eq!((error.kind(), out.len()), (std::io::ErrorKind::InvalidData, 0));
    error.to_string()
}

fn one(events: Vec<Event>) -> Trace {
    Trace {
        processes: vec![Process {
            name: "core 0".to_owned(),
            threads: vec![thread("task", events)],
        }],
    }
}

/// A job with a refresh inside it, and a bank's queue.
fn small() -> Trace {
    let job = Event::span("job 1", 1_234_567, 4_000_001)
        .with("deadline_ns", 16_000_000)
        .with("bank", "3");
    Trace {
        processes: vec![
            Process {
                name: "core 0 \"left\"".to_owned(),
                threads: vec![
                    thread(
                        "task a",
                        vec![Event::span("waits", 2_000_000, 350).with("share", 0.25), job],
                    ),
                    thread(
                        "task b",
                        vec![Event::instant("release", 0), Event::instant("miss", 16_000_000)],
                    ),
                ],
            },
            Process {
                name: "channel 0".to_owned(),
                threads: vec![thread(
                    "queue",
                    vec![Event::counter("requests", 500, 3.0), Event::counter("requests", 7, 1.5)],
                )],
            },
        ],
    }
}

#[test]
fn the_file_matches_its_golden_file() {
    assert_golden("perfetto.json", &text(&small()));
}

#[test]
fn times_are_microseconds_and_keep_every_nanosecond() {
    let text = text(&small());
    assert!(text.contains("\"ts\":1234.567,\"dur\":4000.001,"), "{text}");
    assert!(text.contains("\"ts\":0.007,"), "{text}");
}

#[test]
fn spans_that_overlap_are_refused_with_both_names() {
    let error = refused(vec![Event::span("first", 0, 10), Event::span("second", 5, 10)]);
    assert!(
        error.contains("\"second\"") && error.contains("\"first\"") && error.contains("from 5 to 15 ns"),
        "{error}"
    );
    // One that begins where another ends, one inside another, and two alike are no overlap.
    let fine = [("a", 0, 10), ("b", 10, 10), ("c", 12, 3), ("d", 12, 3), ("e", 15, 5)];
    text(&one(fine
        .map(|(name, from, length)| Event::span(name, from, length))
        .to_vec()));
    // Beyond the end of an inner span, the outer one still counts.
    refused(vec![
        Event::span("outer", 0, 10),
        Event::span("inner", 1, 2),
        Event::span("late", 5, 6),
    ]);
}

#[test]
fn numbers_that_are_none_and_times_too_large_are_refused() {
    assert!(refused(vec![Event::counter("c", 0, f64::NAN)]).contains("NaN"));
    assert!(refused(vec![Event::instant("i", 0).with("x", f64::INFINITY)]).contains("\"x\" of i"));
    assert!(refused(vec![Event::span("s", u64::MAX, u64::MAX)]).contains("later than"));
}

#[test]
fn an_empty_trace_is_a_trace() {
    let value: Value = serde_json::from_str(&text(&Trace::default())).unwrap();
    assert_eq!(value["traceEvents"].as_array().unwrap().len(), 0);
    assert_eq!(value["displayTimeUnit"], "ns");
    assert_eq!(value["otherData"]["provenance"]["tool"], "fresco");
}

/// Any trace whose spans do not overlap: their gaps and lengths follow each other.
fn traces() -> impl Strategy<Value = Trace> {
    let event = (0..3u8, 0..50_000u64, 1..50_000u64, ".{0,6}");
    let events = proptest::collection::vec(event, 0..12).prop_map(|parts| {
        let mut now = 0;
        let mut events = Vec::new();
        for (kind, gap, length, name) in parts {
            now += gap;
            match kind {
                0 => events.push(Event::instant(name, now).with("n", 7)),
                1 => events.push(Event::counter(name, now, gap as f64 / 3.0)),
                _ => {
                    events.push(Event::span(name, now, length));
                    now += length;
                }
            }
        }
        events.reverse();
        events
    });
    let threads = proptest::collection::vec((".{0,6}", events), 0..4);
    proptest::collection::vec((".{0,6}", threads), 0..4).prop_map(|processes| Trace {
        processes: processes
            .into_iter()
            .map(|(name, threads)| Process {
                name,
                threads: threads
                    .into_iter()
                    .map(|(name, events)| thread(&name, events))
                    .collect(),
            })
            .collect(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, rng_seed: proptest::test_runner::RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_trace_keeps_the_rules(trace in traces()) {
        let written = text(&trace);
        prop_assert_eq!(&written, &text(&trace));
        let value: Value = serde_json::from_str(&written).unwrap();
        let events = value["traceEvents"].as_array().unwrap();
        let (names, rest): (Vec<&Value>, Vec<&Value>) = events.iter().partition(|event| event["ph"] == "M");
        // Names come first, each thread has one, and no number is used twice.
        prop_assert!(events[..names.len()].iter().all(|event| event["ph"] == "M"));
        let threads: Vec<&Thread> = trace.processes.iter().flat_map(|process| &process.threads).collect();
        let named: BTreeMap<u64, &Value> = names
            .iter()
            .filter(|event| event["name"] == "thread_name")
            .map(|event| (event["tid"].as_u64().unwrap(), &event["args"]["name"]))
            .collect();
        prop_assert_eq!(named.len(), threads.len());
        let pids: BTreeSet<u64> = names.iter().map(|event| event["pid"].as_u64().unwrap()).collect();
        prop_assert_eq!(pids.len(), trace.processes.len());
        prop_assert!(pids.iter().all(|pid| !named.contains_key(pid)));
        // In order of time, and every event is there with its own name, time and length.
        let ts = |event: &Value| (event["ts"].as_f64().unwrap() * 1000.0).round() as u64;
        prop_assert!(rest.windows(2).all(|pair| ts(pair[0]) <= ts(pair[1])));
        let found = rest.iter().map(|event| {
            let length = event.get("dur").map(|dur| (dur.as_f64().unwrap() * 1000.0).round() as u64);
            (named[&event["tid"].as_u64().unwrap()].clone(), event["name"].clone(), event["ph"].clone(), ts(event), length)
        });
        let expected = threads.iter().flat_map(|thread| thread.events.iter().map(|event| {
            let (phase, length) = match event.kind {
                EventKind::Span { for_ns } => ("X", Some(for_ns)),
                EventKind::Instant => ("i", None),
                EventKind::Counter { .. } => ("C", None),
            };
            (Value::from(thread.name.as_str()), Value::from(event.name.as_str()), Value::from(phase), event.at_ns, length)
        }));
        let sorted = |list: Vec<_>| { let mut lines: Vec<String> = list.iter().map(|entry| format!("{entry:?}")).collect(); lines.sort(); lines };
        prop_assert_eq!(sorted(found.collect()), sorted(expected.collect()));
        // What each kind must have, and what only it may have.
        for event in rest {
            match event["ph"].as_str().unwrap() {
                "X" => prop_assert!(event.get("s").is_none()),
                "i" => prop_assert_eq!(&event["s"], "t"),
                _ => {
                    let series = event["args"].as_object().unwrap();
                    prop_assert!(series.len() == 1 && series.values().all(Value::is_number));
                }
            }
        }
    }
}

#[test]
fn details_keep_their_types() {
    let event = Event::instant("i", 1)
        .with("text", "a\"b")
        .with("integer", -3)
        .with("number", 0.5);
    let value: Value = serde_json::from_str(&text(&one(vec![event.clone()]))).unwrap();
    let written = value["traceEvents"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        written["args"],
        serde_json::json!({ "text": "a\"b", "integer": -3, "number": 0.5 })
    );
    assert!(matches!(event.details[1].1, Detail::Integer(-3)));
}
