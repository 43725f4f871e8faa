// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a user is told: one wrong value of every kind, and the whole message.

use fresco_input::{Document, InputError, Table};
use proptest::prelude::*;

/// Reads `v` of a document that holds nothing else.
fn message<T: std::fmt::Debug>(value: &str, read: impl Fn(&Table<'_>) -> Result<T, InputError>) -> String {
    let doc = Document::parse("f.toml", &format!("\nv = {value}\n")).expect("is TOML");
    read(&doc.root()).expect_err("is refused").to_string()
}

#[test]
fn wrong_values_are_explained() {
    let integer = |v: &str| message(v, |t| t.integer("v", 1..=16u32));
    let power = |v: &str| message(v, |t| t.power_of_two("v", 1..=64));
    let size = |v: &str| message(v, |t| t.size("v", 1024..=1 << 30));
    let time = |v: &str| message(v, |t| t.duration("v", 1..=1_000_000_000));
    let clock = |v: &str| message(v, |t| t.frequency("v", 1_000_000..=10_000_000_000));
    let choice = |v: &str| message(v, |t| t.choice("v", &[("open", 1), ("closed", 2)]));
    let numbers = |v: &str| message(v, |t| t.numbers("v", 0..=15));
    let cases = [
        (
            integer("17"),
            "the integer 17",
            "an integer from 1 to 16",
            "write a smaller number",
        ),
        (
            integer("-3"),
            "the integer -3",
            "an integer from 1 to 16",
            "write a larger number",
        ),
        (
            integer("\"4\""),
            "the text \"4\"",
            "an integer from 1 to 16",
            "remove the quotes",
        ),
        (
            integer("4.0"),
            "the number 4.0",
            "an integer from 1 to 16",
            "write a whole number, without quotes and without a point",
        ),
        (
            power("12"),
            "the integer 12",
            "a power of two from 1 to 64",
            "write 8 or 16",
        ),
        (
            power("100"),
            "the integer 100",
            "a power of two from 1 to 64",
            "write a smaller number",
        ),
        (
            size("\"8 MB\""),
            "the text \"8 MB\"",
            "a size, for example \"64 KiB\", \"8 MiB\", \"1G\", 4096",
            "MB means 1000s to some and 1024s to others: write MiB",
        ),
        (
            size("100"),
            "the integer 100",
            "a size from 1 KiB to 1 GiB",
            "write a larger value",
        ),
        (
            size("\"2G\""),
            "the text \"2G\"",
            "a size from 1 KiB to 1 GiB",
            "write a smaller value",
        ),
        (
            size("\"0.3 B\""),
            "the text \"0.3 B\"",
            "a size, for example \"64 KiB\", \"8 MiB\", \"1G\", 4096",
            "round it to a multiple of 1 B",
        ),
        (
            time("7"),
            "the integer 7",
            "a duration, for example \"7.5 ns\", \"64 us\", \"20 ms\"",
            "add a unit: ps, ns, us, µs, ms, s",
        ),
        (
            time("\"3 KiB\""),
            "the text \"3 KiB\"",
            "a duration, for example \"7.5 ns\", \"64 us\", \"20 ms\"",
            "use one of the units ps, ns, us, µs, ms, s",
        ),
        (
            time("\"1 s\""),
            "the text \"1 s\"",
            "a duration from 1 ps to 1 ms",
            "write a smaller value",
        ),
        (
            time("[1]"),
            "a list of one element",
            "a duration, for example \"7.5 ns\", \"64 us\", \"20 ms\"",
            "write a number and a unit: ps, ns, us, µs, ms, s",
        ),
        (
            clock("2000"),
            "the integer 2000",
            "a frequency, for example \"800 MHz\", \"2.8 GHz\"",
            "add a unit: Hz, kHz, MHz, GHz",
        ),
        (
            choice("\"opne\""),
            "the text \"opne\"",
            "one of \"open\", \"closed\"",
            "did you mean \"open\"?",
        ),
        (
            choice("\"adaptive\""),
            "the text \"adaptive\"",
            "one of \"open\", \"closed\"",
            "choose one of these",
        ),
        (
            choice("true"),
            "true",
            "one of \"open\", \"closed\"",
            "put the value between double quotes",
        ),
        (
            numbers("\"3-1\""),
            "\"3-1\"",
            "numbers and ranges such as \"0-3,8\", from 0 to 15",
            "write the smaller number first",
        ),
        (
            numbers("\"9-16\""),
            "\"9-16\"",
            "numbers and ranges such as \"0-3,8\", from 0 to 15",
            "name numbers that exist",
        ),
        (numbers("[\"0-3\", 2]"), "2 twice", "each number once", "remove one"),
        (
            message("1", |t| t.text("v").map(drop)),
            "the integer 1",
            "a text in quotes",
            "put the value between double quotes",
        ),
        (
            message("\"yes\"", |t| t.boolean("v")),
            "the text \"yes\"",
            "true or false",
            "write true or false, without quotes",
        ),
        (
            message("3", |t| t.table("v").map(drop)),
            "the integer 3",
            "a table",
            "write [v] and its keys below, one to a line",
        ),
        (
            message("{}", |t| t.array_of_tables("v").map(drop)),
            "a table",
            "a list of tables",
            "head each table with [[v]], in double brackets",
        ),
        (
            message("2020-01-01", |t| t.fraction("v")),
            "the date or time 2020-01-01",
            "a fraction from 0 to 1, for example 0.25, \"25 %\"",
            "write the share of the whole, from 0 to 1, in decimals: 0.25",
        ),
        (
            message("nan", |t| t.fraction("v")),
            "the number nan",
            "a fraction from 0 to 1, for example 0.25, \"25 %\"",
            "write the share of the whole, from 0 to 1, in decimals: 0.25",
        ),
        (
            message("-0.0", |t| t.fraction("v")),
            "the number -0.0",
            "a fraction from 0 to 1, for example 0.25, \"25 %\"",
            "write the share of the whole, from 0 to 1, in decimals: 0.25",
        ),
        (
            message("1e-3", |t| t.fraction("v")),
            "the number 1e-3",
            "a fraction from 0 to 1, for example 0.25, \"25 %\"",
            "write the share of the whole, from 0 to 1, in decimals: 0.25",
        ),
        (
            size("-4096"),
            "the integer -4096",
            "a size from 1 KiB to 1 GiB",
            "write a number that is not negative",
        ),
        (
            message("\"7.5 ns\"", |t| t.item("v", "")?.whole_ns(0..=1_000_000)),
            "the text \"7.5 ns\"",
            "whole nanoseconds",
            "round it up: schedules are exact in nanoseconds",
        ),
        (
            message("1.5", |t| t.fraction("v")),
            "the number 1.5",
            "a fraction from 0 to 1",
            "write the share of the whole, for example 0.25",
        ),
    ];
    for (message, found, allowed, help) in cases {
        assert_eq!(
            message,
            format!("f.toml:2: v: found {found}\n  allowed: {allowed}\n  help: {help}")
        );
    }
}

#[test]
fn right_values_are_read() {
    let text = "n = 0x10\nsize = \"1.5 MiB\"\ntime = \"7.8 us\"\nclock = \"2.8 GHz\"\nshare = 0.125\ncores = \"0-2,8\"\nmore = [5, \"1-2\"]\n";
    let doc = Document::parse("f.toml", text).expect("is TOML");
    let root = doc.root();
    assert_eq!(root.integer("n", 0..=100u64), Ok(16));
    assert_eq!(root.size("size", 0..=u64::MAX), Ok(3 << 19));
    assert_eq!(root.duration("time", 0..=u64::MAX), Ok(7_800_000));
    let time = root.item("time", "").and_then(|time| time.whole_ns(0..=u64::MAX));
    assert_eq!(time, Ok(7_800));
    assert_eq!(root.frequency("clock", 0..=u64::MAX), Ok(2_800_000_000));
    assert_eq!(root.fraction("share"), Ok(125_000));
    assert_eq!(root.numbers("cores", 0..=15), Ok(vec![0, 1, 2, 8]));
    assert_eq!(root.numbers("more", 0..=15), Ok(vec![5, 1, 2]));
    assert_eq!(root.opt_duration("absent", 0..=1), Ok(None));
    root.finish().expect("all keys were read");
}

#[test]
fn a_short_text_cannot_ask_for_gigabytes() {
    let message = message("\"0-4000000000\"", |t| t.numbers("v", 0..=u32::MAX));
    assert!(message.contains("allowed: 65536 numbers at most"), "{message}");
}

/// Reads `v` in every way there is; only errors may come of it.
fn read_in_every_way(doc: &Document) {
    let root = doc.root();
    let _ = root.text("v").is_ok() | root.boolean("v").is_ok() | root.integer("v", 0..=u64::MAX).is_ok();
    let _ = root.power_of_two("v", 0..=u32::MAX).is_ok() | root.choice("v", &[("a", 0)]).is_ok();
    let _ = root.size("v", 1..=9).is_ok() | root.duration("v", 1..=9).is_ok() | root.frequency("v", 1..=9).is_ok();
    let _ = root.fraction("v").is_ok() | root.numbers("v", 0..=u32::MAX).is_ok() | root.list("v").is_ok();
    let _ = root.table("v").is_ok() | root.array_of_tables("v").is_ok() | root.texts("v").is_ok();
    let _ = root.finish();
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,60}") {
        if let Ok(doc) = Document::parse("f.toml", &text) {
            read_in_every_way(&doc);
        }
    }

    #[test]
    fn no_toml_like_text_panics(text in "((\\[\\[?[av.]{1,3}\\]?\\])?\n?([vab] = ([0-9a-f\"'{}\\[\\],.xe-]{0,12}))?\n){0,6}") {
        if let Ok(doc) = Document::parse("f.toml", &text) {
            read_in_every_way(&doc);
        }
    }

    #[test]
    fn no_value_panics(value in "([0-9]{1,45}|\"[0-9.]{0,30} ?(ns|GiB|MHz|%|-|,)?[0-9]{0,20}\"|\\[([0-9],?){0,4}\\])") {
        if let Ok(doc) = Document::parse("f.toml", &format!("v = {value}")) {
            read_in_every_way(&doc);
        }
    }
}
