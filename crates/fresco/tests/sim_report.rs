// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report of `fresco sim --out`: what is in it, and what becomes of the one that is there.

use crate::common::{refused, stdout};
use crate::sim::{SMALL, files, small};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

#[test]
fn several_scenarios_share_a_report_that_is_replaced_as_a_whole() {
    let directory = small();
    let other = SMALL.replace("\"small\"", "\"other\"");
    fs::write(directory.path().join("other.toml"), other).expect("is writable");
    let out = directory.path().join("out/report");
    let quick = [
        "--set",
        "repetitions=1",
        "--set",
        "measure.operations=200",
        "--out",
        "out/report",
    ];
    let text = stdout(
        &[&["sim", "small.toml", "other.toml"], &quick[..]].concat(),
        directory.path(),
    );
    assert!(text.ends_with("report   out/report/index.html\n"), "{text}");

    let both = files(&out);
    let figures = |name: &str, files: &BTreeSet<String>| files.iter().filter(|file| file.starts_with(name)).count();
    assert_eq!((figures("small-", &both), figures("other-", &both)), (5, 5), "{both:?}");
    assert!(both.contains("index.html") && both.contains("results.json"));
    let page = fs::read_to_string(out.join("index.html")).expect("a page");
    assert_eq!(page.matches("<h1").count(), 1);
    assert!(
        page.contains("<h1>Memory interference: small and other</h1>"),
        "{page:.3000}"
    );
    // Each figure is there for screens and for phones.
    assert_eq!(page.matches("<svg").count(), 20);
    assert!(page.contains("With two co-runners, victim (latency on core 0) takes "));
    assert_eq!(page.matches("<li>small: With two co-runners, ").count(), 1);
    assert!(page.contains(", controllers of xeon-w3530</caption>") && page.contains(">peak <span class=\"unit\">MB/s"));
    for word in [
        "\u{201c}alone\u{201d}: mean of the points without co-runners",
        "Slowdown below 1",
    ] {
        assert!(page.contains(word), "{word} is explained");
    }
    for elsewhere in ["src=", "href=\"http", "<script", "@import", "url("] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    for file in both.iter().filter(|file| file.ends_with(".svg")) {
        let figure = fs::read_to_string(out.join(file)).expect("a figure");
        // The style sheet of a file stands on the page once for all figures.
        let (before, rest) = figure.split_once("\n<style>").expect("a file has its colors");
        let (style, after) = rest.split_once("</style>").expect("the style sheet ends");
        assert!(
            page.contains(&[before, after.trim_end()].concat()),
            "{file} is on the page"
        );
        assert_eq!(page.matches(style.trim()).count(), 1);
    }

    fs::write(out.join("notes.txt"), "mine").expect("is writable");
    fs::write(out.join("mine.svg"), "<svg/>").expect("is writable");
    stdout(&[&["sim", "small.toml"], &quick[..]].concat(), directory.path());
    let one = files(&out);
    assert_eq!((figures("small-", &one), figures("other-", &one)), (5, 0), "{one:?}");
    assert!(one.contains("notes.txt") && one.contains("mine.svg"), "{one:?}");
    assert!(!one.contains(".partial"), "{one:?}");
    let results: Value = serde_json::from_slice(&fs::read(out.join("results.json")).expect("results")).expect("JSON");
    assert_eq!(results["data"]["scenarios"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_failure_leaves_the_report_as_it_was() {
    let directory = small();
    let quick = [
        "sim",
        "small.toml",
        "--set",
        "repetitions=1",
        "--set",
        "measure.operations=200",
        "--out",
        "report",
    ];
    stdout(&quick, directory.path());
    let page = fs::read(directory.path().join("report/index.html")).expect("a page");
    refused(
        &[&quick[..], &["--set", "task.victim.core=99"]].concat(),
        directory.path(),
    );
    assert_eq!(
        fs::read(directory.path().join("report/index.html")).expect("a page"),
        page
    );
    fs::write(directory.path().join("file"), "").expect("is writable");
    let message = refused(&["sim", "small.toml", "--out", "file/report"], directory.path());
    assert!(message.contains("file/report: --out: "), "{message}");
}
