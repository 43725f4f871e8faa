// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace sample`: intervals that stand for a whole.

use super::{compared, records};
use crate::common::{json, refused, stdout};
use fresco_load::Marker;
use fresco_load::trace::ftrace::What;
use fresco_load::trace::ftrace::recorded::{About, Block, Encoder, Ending, RecordedWriter, Site, Source};
use serde_json::Value;
use std::path::Path;

/// Sixteen intervals of 1000 instructions: three in which a block reads the same word again and again, then one in which another block goes from
/// line to line; and so on.
fn phases(path: &Path) {
    let block = |address: u64| Block {
        address,
        instructions: 10,
        sites: vec![Site {
            instruction: 1,
            size: 8,
            write: false,
            address: Source { load: 0, entry: 1 },
            data: Source::default(),
            beside: 0,
            distance: 0,
        }],
        changed: vec![(0, Source { load: 1, entry: 0 })].into(),
        code: None,
    };
    let (still, walk) = (block(0x40_1000), block(0x40_2000));
    let about = About {
        program: "phases".to_owned(),
        tool: "test".to_owned(),
        architecture: "x86-64".to_owned(),
        fetches: false,
    };
    let file = std::fs::File::create(path).expect("writable");
    let mut writer = RecordedWriter::new(file, &about).expect("writable");
    writer.blocks([&still, &walk]).expect("writable");
    let mut encoder = Encoder::new(0);
    let mut line = 0x10_0000;
    for interval in 0..16 {
        for _ in 0..100 {
            if interval % 4 < 3 {
                encoder.run(0, &still, &[0x1000]);
            } else {
                encoder.run(1, &walk, &[line]);
                line += 64;
            }
        }
    }
    writer.chunk(&encoder.take()).expect("writable");
    writer.finish(Ending::Status(0), Vec::new()).expect("writable");
}

#[test]
fn two_kinds_of_intervals_with_their_weights() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    phases(&here.join("all.ftrace"));
    let sample = [
        "trace",
        "sample",
        "all.ftrace",
        "-o",
        "part.ftrace",
        "--sample",
        "2x1k",
        "--json",
    ];
    let document = json(&sample, here);
    crate::json_reference::check(&document, &[]);
    let data = &document["data"];
    assert_eq!(
        (&data["instructions"], &data["intervals"]),
        (&16_000.into(), &16.into())
    );
    let chosen = data["chosen"].as_array().expect("a list");
    let weights: Vec<_> = chosen
        .iter()
        .map(|part| part["weight"].as_f64().expect("a number"))
        .collect();
    assert_eq!(weights, [0.75, 0.25]);
    let firsts: Vec<_> = chosen.iter().map(|part| part["first_instruction"].as_u64()).collect();
    assert_eq!(firsts, [Some(0), Some(3000)]);
    // Four times the line of the word, which each walk drives out, and 400 for the walks, of 16,000 instructions; and three times the first interval and
    // the fourth.
    let cache = &data["caches"][0];
    assert_eq!(
        (&cache["bytes"], &cache["whole"]),
        (&4096.into(), &Value::from(404.0 / 16.0))
    );
    // Shares of instructions are added up in another order.
    let misses = cache["chosen"].as_f64().expect("a number");
    assert!((misses - (0.75 + 0.25 * 100.0)).abs() < 1e-12, "{misses}");
    assert_eq!(cache["replayed"], cache["chosen"]);
    let accesses = &data["accesses_per_instruction"];
    assert_eq!(
        (&accesses["whole"], &accesses["chosen"]),
        (&Value::from(0.1), &Value::from(0.1))
    );

    // The second one comes after an interval that is not measured; what needed an access before that needs none now.
    let found = records(&here.join("part-2.ftrace"));
    let marks: Vec<_> = (found.iter().enumerate())
        .filter_map(|(at, record)| match record.what {
            What::Mark(marker) => Some((at, marker)),
            What::Access { .. } => None,
        })
        .collect();
    assert_eq!(marks, [(0, Marker::Begin), (101, Marker::Pass), (202, Marker::Pass)]);
    let needs = |at: usize| match found[at].what {
        What::Access { dep, .. } => dep,
        What::Mark(_) => 77,
    };
    assert_eq!([needs(1), needs(2), needs(102), needs(103)], [0, 1, 1, 1]);
    // The first has nothing before it: its first pass is empty.
    let first = records(&here.join("part-1.ftrace"));
    assert_eq!(
        [first[0].what, first[1].what],
        [What::Mark(Marker::Begin), What::Mark(Marker::Pass)]
    );
    // Replayed, the second pass is what is measured: of the walk each access is a read of the memory.
    for (part, misses) in [("./part-1.ftrace", "1"), ("./part-2.ftrace", "100")] {
        let passes = ["--set", "warm_up={passes=1}", "--set", "measure={passes=1}"];
        let table = stdout(
            &[&["sim", "--on", "xeon-w3530", part, "--policies", "buddy"][..], &passes].concat(),
            here,
        );
        // Below the title, the names of the columns and a line.
        let row = table.lines().nth(3).expect("a row");
        assert_eq!(row.split_whitespace().nth_back(1), Some(misses), "{table}");
    }
    let about = json(&["trace", "info", "part-2.ftrace", "--json"], here);
    assert_eq!(about["data"]["program"], "interval 2 of 2, weight 0.2500, of phases");
    // As a table, without warm-up, one interval for all.
    let (status, table) = compared(
        &[
            "trace",
            "sample",
            "all.ftrace",
            "-o",
            "one.ftrace",
            "--sample",
            "1x1000",
            "--warm-up",
            "0",
        ],
        here,
    );
    assert_eq!(status, Some(0));
    assert!(
        table.contains("1 of 16 intervals") && table.contains("misses of 4 KiB"),
        "{table}"
    );
    assert!(!here.join("one-2.ftrace").exists());
}

#[test]
fn what_cannot_be_sampled_is_told() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    phases(&here.join("all.ftrace"));
    let told = |file: &str, sample: &str, more: &[&str]| {
        let words = ["trace", "sample", file, "-o", "part.ftrace", "--sample", sample];
        refused(&[&words[..], more].concat(), here)
    };
    assert!(told("all.ftrace", "ten", &[]).contains("write it as 10x1M"));
    assert!(told("all.ftrace", "0x1M", &[]).contains("1 to 1000 intervals"));
    assert!(told("all.ftrace", "2x10", &[]).contains("1000 instructions or more"));
    assert!(told("all.ftrace", "2x1k", &["--thread", "3"]).contains("no access of thread 3"));
    std::fs::write(here.join("walk.trace"), "LD 64\nLD 128\n").expect("writable");
    assert!(told("walk.trace", "2x1k", &[]).contains("which blocks of instructions run"));
    assert!(std::fs::read_dir(here).expect("readable").count() == 2);
}
