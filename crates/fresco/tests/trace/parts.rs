// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of traces, traces put together, and traces compared.

use super::{Access, accesses, compared, recorded, records, told};
use crate::common::{directory_with, fresco_with, json, refused};
use fresco_load::trace::ftrace::What;

#[test]
fn a_part_is_what_was_there() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    recorded(&here.join("list.ftrace"));
    let whole = accesses(&here.join("list.ftrace"), 0);
    let cut = [
        "trace",
        "cut",
        "list.ftrace",
        "-o",
        "part.ftrace",
        "--from",
        "2",
        "--accesses",
        "3",
    ];
    let line = told(&cut, here);
    assert!(
        line.contains("3 accesses") && line.contains("1 dependences on accesses before the cut"),
        "{line}"
    );
    let part = accesses(&here.join("part.ftrace"), 0);
    assert_eq!((part[0].4, &part[1..]), (0, &whole[3..5]));
    // They are instructions 1, 4, 7 and so on: of 3 to 8 there are the second and the third.
    let cut = [
        "trace",
        "cut",
        "list.ftrace",
        "-o",
        "part.ftrace",
        "--from",
        "3",
        "--instructions",
        "6",
        "--thread",
        "0",
    ];
    told(&cut, here);
    let addresses = |found: &[Access]| found.iter().map(|access| access.1).collect::<Vec<_>>();
    assert_eq!(
        addresses(&accesses(&here.join("part.ftrace"), 0)),
        addresses(&whole[1..3])
    );
    let parts = [["0", "4", "a.ftrace"], ["4", "4", "b.ftrace"]];
    for [from, count, name] in parts {
        told(
            &[
                "trace",
                "cut",
                "list.ftrace",
                "-o",
                name,
                "--from",
                from,
                "--accesses",
                count,
            ],
            here,
        );
    }
    let both = [accesses(&here.join("a.ftrace"), 0), accesses(&here.join("b.ftrace"), 0)].concat();
    assert_eq!(addresses(&both), addresses(&whole));
}

#[test]
fn a_cut_beyond_the_end_is_refused() {
    let directory = directory_with(&[("a.trace", "LD 0x40\nLD 0x80\n")]);
    let complaint = refused(
        &["trace", "cut", "a.trace", "-o", "b.ftrace", "--from", "2"],
        directory.path(),
    );
    assert!(
        complaint.contains("--from: ") && complaint.contains("its longest thread has 2"),
        "{complaint}"
    );
    let none = ["trace", "cut", "a.trace", "-o", "b.ftrace", "--instructions", "5"];
    let complaint = refused(&none, directory.path());
    assert!(complaint.contains("holds no instructions"), "{complaint}");
    assert!(!directory.path().join("b.ftrace").exists());
}

#[test]
fn traces_become_threads_of_one() {
    let directory = directory_with(&[("a.trace", "9 64\n9 128\n"), ("b.trace", "4 256\n4 320\n4 384\n")]);
    let here = directory.path();
    let line = told(&["trace", "merge", "a.trace", "b.trace", "-o", "both.ftrace"], here);
    assert!(
        line.contains("thread 0: thread 0 of a.trace") && line.contains("thread 1: thread 0 of b.trace"),
        "{line}"
    );
    let merged = here.join("both.ftrace");
    assert_eq!(accesses(&merged, 0), accesses(&here.join("a.trace"), 0));
    assert_eq!(accesses(&merged, 1), accesses(&here.join("b.trace"), 0));
    let order: Vec<u64> = records(&merged)
        .iter()
        .map(|record| match record.what {
            What::Access { addr, .. } => addr,
            What::Mark(_) => 0,
        })
        .collect();
    // At 4, 9 and 9, 14, 19: of two at once the one that was named first.
    assert_eq!(order, [256, 64, 320, 384, 128]);
    // A trace of threads, and the whole once more.
    recorded(&here.join("list.ftrace"));
    told(
        &["trace", "merge", "list.ftrace", "both.ftrace", "-o", "all.ftrace"],
        here,
    );
    let threads: std::collections::BTreeSet<u16> = records(&here.join("all.ftrace")).iter().map(|r| r.thread).collect();
    assert_eq!(threads.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn requests_are_merged_in_time() {
    let directory = directory_with(&[
        ("a.trace", "0x40 READ 5\n0x80 READ 30\n"),
        ("b.trace", "0xc0 WRITE 10\n"),
        ("c.trace", "LD 0x40\n"),
    ]);
    let here = directory.path();
    told(&["trace", "merge", "a.trace", "b.trace", "-o", "m.ftrace"], here);
    told(
        &["trace", "convert", "m.ftrace", "-o", "m.trace", "--to", "dramsim3"],
        here,
    );
    let text = std::fs::read_to_string(here.join("m.trace")).expect("text");
    assert_eq!(text, "0x40 READ 5\n0xc0 WRITE 10\n0x80 READ 30\n");
    let complaint = refused(&["trace", "merge", "a.trace", "c.trace", "-o", "n.ftrace"], here);
    assert!(
        complaint.contains("c.trace: counts instructions, and a.trace cycles"),
        "{complaint}"
    );
}

#[test]
fn the_first_difference_is_told_with_its_place() {
    let directory = directory_with(&[
        ("a.trace", "1 64\n2 128\n3 192\n"),
        ("b.trace", "1 64\n2 256\n4 192\n"),
        ("short.trace", "1 64\n"),
    ]);
    let here = directory.path();
    let (status, text) = compared(&["trace", "diff", "a.trace", "b.trace"], here);
    assert_eq!(status, Some(1));
    let expected = "record 2 (1 accesses before it) differs in address\n\
                    \x20 a.trace: thread 0, gap 2, load of 64 bytes at 0x80, needs no load\n\
                    \x20 b.trace: thread 0, gap 2, load of 64 bytes at 0x100, needs no load\n\
                    a.trace: 3 records, 3 loads, 0 stores, 9 instructions\n\
                    b.trace: 3 records, 3 loads, 0 stores, 10 instructions\n";
    assert_eq!(text, expected);
    let (status, text) = compared(&["trace", "diff", "a.trace", "short.trace"], here);
    assert!(
        status == Some(1) && text.contains("differs in length\n") && text.contains("short.trace: is over"),
        "{text}"
    );
    let (status, text) = compared(&["trace", "diff", "a.trace", "a.trace"], here);
    assert!(status == Some(0) && text.starts_with("no difference\n"), "{text}");
}

#[test]
fn instructions_after_the_last_access_are_counted_and_compared() {
    let long = "I  1000,4\n L 2000,8\nI  1004,4\nI  1008,4\n";
    let short = "I  1000,4\n L 2000,8\nI  1004,4\n";
    let directory = directory_with(&[("long.log", long), ("short.log", short)]);
    let here = directory.path();
    let (status, text) = compared(&["trace", "diff", "long.log", "short.log"], here);
    let expected = "instructions after the last access differ\n  long.log: 2\n  short.log: 1\n\
                    long.log: 1 records, 1 loads, 0 stores, 3 instructions\n\
                    short.log: 1 records, 1 loads, 0 stores, 2 instructions\n";
    assert_eq!((status, text.as_str()), (Some(1), expected));
    // As `info` counts them.
    recorded(&here.join("list.ftrace"));
    let info = json(&["trace", "info", "list.ftrace", "--json"], here);
    let instructions = info["data"]["instructions"].as_u64().expect("a number");
    let (status, text) = compared(&["trace", "diff", "list.ftrace", "list.ftrace"], here);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains(&format!(", {instructions} instructions\n")), "{text}");
}

#[test]
fn a_recorded_program_from_standard_input_is_told_whole() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    recorded(&here.join("list.ftrace"));
    let mut bytes = std::fs::read(here.join("list.ftrace")).expect("is there");
    let of_file = json(&["trace", "info", "list.ftrace", "--json"], here);
    let told = fresco_with(&["trace", "info", "-", "--json"], here, &bytes);
    let mut of_stream: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(of_stream["data"]["file"], "standard input");
    of_stream["data"]["file"] = "list.ftrace".into();
    assert_eq!(of_stream["data"], of_file["data"]);
    assert_eq!(of_stream["data"]["bytes"], bytes.len());
    // All of it is read: what is damaged before the trailer is found.
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    let told = fresco_with(&["trace", "info", "-"], here, &bytes);
    let said = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(2), "{said}");
    assert!(
        said.starts_with("fresco: standard input: ") && told.stdout.is_empty(),
        "{said}"
    );
}
