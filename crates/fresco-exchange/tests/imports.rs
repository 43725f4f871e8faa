// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files of other tools by hand: what is read of them, and what is refused where.

use fresco_exchange::{ImportOptions, Importer, Times, Unit, import};
use fresco_input::InputError;
use fresco_scenario::TaskSet;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;

const US: ImportOptions = ImportOptions { unit: Some(Unit::Us) };

fn times(period: u64, wcet: u64, deadline: u64, phase: u64) -> Times {
    Times {
        period_ns: period,
        wcet_ns: wcet,
        deadline_ns: deadline,
        phase_ns: phase,
        ..Times::default()
    }
}

/// As schedcat.model.serialize writes it, in one line, with `properties` and numbers that were floats.
#[test]
fn schedcat() {
    let text = "<testpoint><config cpus=\"2\" /><taskset><properties count=\"2\" utilization=\"0.3\" />\
                <task id=\"1\" partition=\"0\" period=\"10000\" wcet=\"2000.0\" />\
                <task deadline=\"8000\" id=\"late\" partition=\"1\" period=\"2e4\" response_time=\"5\" wcet=\"1.5\" wss=\"4\" /></taskset></testpoint>";
    let imported = import(Importer::Schedcat, "a.xml", text, &ImportOptions::default()).expect("a set");
    let found: Vec<_> = imported
        .tasks
        .iter()
        .map(|task| (task.name.as_str(), task.times, task.core))
        .collect();
    assert_eq!(
        found,
        [
            ("T1", times(10_000_000, 2_000_000, 10_000_000, 0), Some(0)),
            ("late", times(20_000_000, 1_500, 8_000_000, 0), Some(1)),
        ]
    );
    assert_eq!(imported.notes.len(), 3, "{:?}", imported.notes);
}

/// As programs that write for Cheddar 3 have it.
const MODEL: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<cheddar>\n\
    <core_units><core_unit id=\"id_1\"><name>one</name><speed>0.00000</speed></core_unit></core_units>\n\
    <processors><mono_core_processor id=\"id_2\"><name>CPU_0</name><core ref=\"id_1\"></core></mono_core_processor></processors>\n\
    <tasks>\n<periodic_task id=\"id_10\">\n<object_type>TASK_OBJECT_TYPE</object_type>\n<name>S1</name>\n\
    <task_type>PERIODIC_TYPE</task_type>\n<cpu_name>CPU_0</cpu_name>\n<capacity>2</capacity>\n<deadline>9</deadline>\n\
    <start_time>3</start_time>\n<blocking_time>0</blocking_time>\n<period>10</period>\n<jitter>0</jitter>\n</periodic_task>\n\
    </tasks>\n</cheddar>\n";

#[test]
fn cheddar() {
    let read = |text: &str| {
        import(
            Importer::Cheddar,
            "m.xml",
            text,
            &ImportOptions { unit: Some(Unit::Ms) },
        )
    };
    let imported = read(MODEL).expect("a model");
    let task = &imported.tasks[0];
    assert_eq!(
        (task.name.as_str(), task.times, task.core),
        ("S1", times(10_000_000, 2_000_000, 9_000_000, 3_000_000), Some(0))
    );
    // What says nothing of times is told.
    let more = MODEL.replace(
        "<jitter>0",
        "<priority>7</priority>\n<policy>SCHED_FIFO</policy>\n<criticality>0</criticality>\n<jitter>0",
    );
    let more = more.replace("<tasks>", "<caches><cache/></caches><tasks>");
    let notes = read(&more).expect("a model").notes;
    assert_eq!(
        notes[..3],
        ["<caches> of the model", "policy of 1 tasks", "priority of 1 tasks"]
    );
    // Version 2 has the type as an attribute, and processors by name.
    let two = "<cheddar><processors><processor><name>b</name></processor><processor><name>a</name></processor></processors>\
        <tasks><task task_type=\"PERIODIC_TYPE\"><cpu_name>a</cpu_name><name>T</name><capacity>1</capacity><deadline>0</deadline>\
        <period>4</period></task></tasks></cheddar>";
    let imported = read(two).expect("a model");
    assert_eq!(
        (imported.tasks[0].times, imported.tasks[0].core),
        (times(4_000_000, 1_000_000, 4_000_000, 0), Some(1))
    );
}

#[test]
fn csv_with_units_in_columns_and_cells() {
    let text = "# a comment\nname, period ,wcet_us,deadline,core,memory\na,20 ms,1500,,0,65536\nb,1.5s,2.5,1 s,1,\n";
    let imported = import(Importer::Csv, "t.csv", text, &ImportOptions::default()).expect("a set");
    let found: Vec<_> = imported
        .tasks
        .iter()
        .map(|task| (task.times, task.core, task.memory_bytes))
        .collect();
    assert_eq!(
        found,
        [
            (times(20_000_000, 1_500_000, 20_000_000, 0), Some(0), Some(65_536)),
            (times(1_500_000_000, 2_500, 1_000_000_000, 0), Some(1), None),
        ]
    );
}

#[test]
fn pycpa_as_csv_and_a_distance_that_says_nothing() {
    let text = "name,P,J,dmin,wcet\na,100,0,100,20\n";
    let imported = import(Importer::Pycpa, "t.csv", text, &US).expect("a set");
    assert_eq!(imported.tasks[0].times, times(100_000, 20_000, 100_000, 0));
}

fn refused(importer: Importer, text: &str) -> InputError {
    let error = import(importer, "f", text, &US).expect_err(text);
    assert!(!error.allowed.is_empty() && !error.help.is_empty(), "{error}");
    error
}

#[test]
fn wrong_files_are_told_with_their_place() {
    use Importer::{Cheddar, Csv, Pycpa, Schedcat};
    let one = |attributes: &str| format!("<taskset>\n <task {attributes}/>\n</taskset>");
    let model = |from: &str, to: &str| {
        assert_eq!(MODEL.matches(from).count(), 1, "{from}");
        MODEL.replace(from, to)
    };
    let cases: [(Importer, String, Option<u32>, &str); 46] = [
        (Schedcat, String::new(), Some(1), "found what cannot be read"),
        (Schedcat, "<taskset>".into(), Some(1), "found what cannot be read"),
        (
            Schedcat,
            "<!DOCTYPE a [<!ENTITY b \"c\">]><taskset/>".into(),
            Some(1),
            "found what cannot be read",
        ),
        (
            Schedcat,
            "<taskset><task period=\"&b;\" wcet=\"1\"/></taskset>".into(),
            Some(1),
            "found what cannot be read",
        ),
        (Schedcat, "<tasks/>".into(), Some(1), "found <tasks>"),
        (Schedcat, "<taskset/>".into(), None, "found no task"),
        (
            Schedcat,
            "<testpoint>\n<taskset/>\n<taskset/></testpoint>".into(),
            Some(3),
            "found 2 task sets",
        ),
        (Schedcat, one("period=\"10\""), Some(2), "found no wcet of task \"T1\""),
        (Schedcat, one("wcet=\"10\""), Some(2), "found no period of task \"T1\""),
        (
            Schedcat,
            one("period=\"x\" wcet=\"1\""),
            Some(2),
            "found \"x\", which is no number",
        ),
        (
            Schedcat,
            one("period=\"nan\" wcet=\"1\""),
            Some(2),
            "which is no number",
        ),
        (
            Schedcat,
            one("period=\"-5\" wcet=\"1\""),
            Some(2),
            "found -5, which is negative",
        ),
        (
            Schedcat,
            one("period=\"0\" wcet=\"1\""),
            Some(2),
            "found 0 us of task \"T1\"",
        ),
        (Schedcat, one("period=\"10\" wcet=\"0\""), Some(2), "found 0 us"),
        (
            Schedcat,
            one("period=\"10\" wcet=\"0.0001\""),
            Some(2),
            "no whole number of nanoseconds",
        ),
        (Schedcat, one("period=\"1e30\" wcet=\"1\""), Some(2), "too large"),
        (Schedcat, one("period=\"2e9\" wcet=\"1\""), Some(2), "found 2e9 us"),
        (
            Schedcat,
            one("period=\"10\" wcet=\"1\" deadline=\"11\""),
            Some(2),
            "column 29: found 11 us",
        ),
        (
            Schedcat,
            one("period=\"10\" wcet=\"5\" deadline=\"4\""),
            Some(2),
            "found 5 us",
        ),
        (
            Schedcat,
            one("period=\"10\" wcet=\"5\" color=\"4\""),
            Some(2),
            "found an unknown attribute",
        ),
        (
            Schedcat,
            one("period=\"10\" wcet=\"5\" partition=\"-1\""),
            Some(2),
            "found \"-1\"",
        ),
        (
            Schedcat,
            one("period=\"10\" wcet=\"5\" id=\"a b\""),
            Some(2),
            "found the name \"a b\"",
        ),
        (
            Schedcat,
            "<taskset>\n<task period=\"1\" wcet=\"1\" id=\"a\"/>\n<task period=\"1\" wcet=\"1\" id=\"a\"/></taskset>"
                .into(),
            Some(3),
            "found a second task \"a\"",
        ),
        (
            Schedcat,
            "<taskset>\n<task period=\"1\" wcet=\"1\" partition=\"0\"/>\n<task period=\"1\" wcet=\"1\"/></taskset>"
                .into(),
            Some(3),
            "found no core of task \"T2\"",
        ),
        (
            Schedcat,
            "<taskset><task period=\"9\" wcet=\"1\">\n<resources><requirement/></resources></task></taskset>".into(),
            Some(2),
            "found shared resources",
        ),
        (Cheddar, "<taskset/>".into(), Some(1), "found <taskset>"),
        (
            Cheddar,
            model("PERIODIC_TYPE", "APERIODIC_TYPE"),
            Some(6),
            "found a task of the type \"APERIODIC_TYPE\"",
        ),
        (
            Cheddar,
            model("<blocking_time>0", "<blocking_time>4"),
            Some(14),
            "found blocking_time 4 us",
        ),
        (
            Cheddar,
            model("<jitter>0", "<jitter>40000"),
            Some(16),
            "found 40000 us of task",
        ),
        (
            Cheddar,
            model("<cpu_name>CPU_0", "<cpu_name>CPU_1"),
            Some(10),
            "found \"CPU_1\"",
        ),
        (
            Cheddar,
            model("0.00000", "2"),
            Some(3),
            "found a core of the speed \"2\"",
        ),
        (Cheddar, model("<period>10</period>", ""), Some(6), "found no period"),
        (
            Cheddar,
            model("</cheddar>", "<dependencies><dependency/></dependencies></cheddar>"),
            Some(19),
            "<dependencies>",
        ),
        (
            Cheddar,
            model("<core ref=\"id_1\"></core>", "<core ref=\"a\"/><core ref=\"b\"/>"),
            Some(4),
            "of 2 cores",
        ),
        (Csv, String::new(), None, "found no task"),
        (Csv, "name,period\na,1,2\n".into(), Some(2), "found 3 cells"),
        (
            Csv,
            "name,perod_us,wcet\n".into(),
            Some(1),
            "found the column \"perod_us\"",
        ),
        (
            Csv,
            "name,period,wcet,period_us\n".into(),
            Some(1),
            "found a second column",
        ),
        (
            Csv,
            "name,period,wcet,core_us\n".into(),
            Some(1),
            "found a unit in \"core_us\"",
        ),
        (
            Csv,
            "name,period_ms,wcet\na,5 us,1\n".into(),
            Some(2),
            "in a column of ms",
        ),
        (
            Csv,
            "name,period,wcet\na,5 parsecs,1\n".into(),
            Some(2),
            "found \"5 parsecs\"",
        ),
        (Csv, "name,period,wcet\na,nan,1\n".into(), Some(2), "which is no number"),
        (Pycpa, "{".into(), Some(1), "found no JSON"),
        (
            Pycpa,
            "{\"tasks\":[{\"name\":\"a\",\"P\":5,\"wcet\":1,\"dmin\":6}]}".into(),
            None,
            "found 6 us",
        ),
        (
            Pycpa,
            "{\"unit\":\"ms\",\"tasks\":[]}".into(),
            None,
            "\"ms\", and --unit us",
        ),
        (
            Pycpa,
            "{\"tasks\":[{\"name\":\"a\",\"P\":5,\"wcet\":1,\"J\":5001}]}".into(),
            None,
            "found 5001 us of task \"a\"",
        ),
    ];
    for (importer, text, line, found) in cases {
        let error = refused(importer, &text);
        assert!(error.found.contains(found), "{text}\n{error}");
        assert_eq!(error.line, line, "{text}\n{error}");
    }
}

#[test]
fn times_without_a_unit_need_one() {
    for (importer, text) in [
        (Importer::Cheddar, MODEL),
        (Importer::Csv, "name,period,wcet\na,5,1\n"),
        (Importer::Pycpa, "name,P,wcet\na,5,1\n"),
    ] {
        let error = import(importer, "f", text, &ImportOptions::default()).expect_err("no unit");
        assert_eq!(
            (error.found.as_str(), error.help.as_str()),
            ("found times without a unit", "say which, as in --unit us")
        );
    }
}

/// Nesting is no recursion, and names of any length are cut in messages.
#[test]
fn what_is_deep_or_long_is_told_as_well() {
    let deep = "<a>".repeat(200_000);
    assert!(import(Importer::Schedcat, "f", &deep, &US).is_err());
    let closed = format!("{deep}{}", "</a>".repeat(200_000));
    assert!(import(Importer::Cheddar, "f", &closed, &US).is_err());
    let long = format!(
        "<taskset><task id=\"{}\" period=\"1\" wcet=\"1\"/></taskset>",
        "x".repeat(100_000)
    );
    let error = refused(Importer::Schedcat, &long);
    assert!(error.found.len() < 200, "{}", error.found.len());
    assert!(
        refused(Importer::Pycpa, &"[".repeat(200_000))
            .found
            .contains("found no JSON")
    );
}

/// The seeds of the fuzz targets with bytes changed, cut and repeated: what comes of them is read or refused, with a message.
#[test]
fn spoilt_files_are_read_or_refused() {
    let runs: u32 = std::env::var("EXCHANGE_RUNS").map_or(2_000, |runs| runs.parse().expect("a number"));
    let mut random = Pcg64::seed_from_u64(6);
    let (mut read, mut refused) = (0, 0);
    for (name, importer) in Importer::NAMES {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fuzz/seeds/import_{name}"));
        for entry in std::fs::read_dir(seeds).expect("seeds are there") {
            let seed = std::fs::read(entry.expect("readable").path()).expect("readable");
            for _ in 0..runs {
                let mut bytes = seed.clone();
                for _ in 0..random.random_range(1..4) {
                    let at = random.random_range(0..bytes.len());
                    match random.random_range(0..4) {
                        0 => bytes[at] = b"0123456789.-e\"<>/,{}[]&\n _x"[random.random_range(0..27)],
                        1 => drop(bytes.drain(at..(at + random.random_range(1..8)).min(bytes.len() - 1).max(at))),
                        2 => {
                            let part = bytes[at..(at + random.random_range(1..30)).min(bytes.len())].to_vec();
                            bytes.splice(at..at, part);
                        }
                        _ => bytes[at] = random.random_range(0..128),
                    }
                }
                let text = String::from_utf8(bytes).expect("ASCII");
                match import(importer, "f", &text, &US) {
                    Ok(imported) => {
                        read += 1;
                        let scenario = imported.to_scenario(None);
                        if let Err(error) = TaskSet::parse("t.toml", &scenario, Path::new(""), &[]) {
                            // A planner may find the set too much for its machine; it reads each key.
                            let is_of_machine = ["utilisation", "core", "memory"]
                                .iter()
                                .any(|word| error.to_string().contains(word));
                            assert!(is_of_machine, "{error}\n{scenario}");
                        }
                    }
                    Err(error) => {
                        refused += 1;
                        assert!(
                            !error.found.is_empty() && !error.allowed.is_empty() && !error.help.is_empty(),
                            "{error}"
                        );
                    }
                }
            }
        }
    }
    assert!(read > 100 && refused > 500, "{read} and {refused}");
}
