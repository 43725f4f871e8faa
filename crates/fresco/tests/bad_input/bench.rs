// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong requests for yardsticks.

use crate::bad_input::case::Case;

/// `fresco bench YARDSTICK …`.
fn of(name: &'static str, yardstick: &'static str, more: &[&'static str]) -> Case {
    Case::new(name, &[&["bench", yardstick], more].concat())
}

pub fn cases() -> Vec<Case> {
    vec![
        of("yardstick that does not exist", "latencies", &[]).told("YARDSTICK: found \"latencies\""),
        Case::new("no yardstick", &["bench"]).usage("<YARDSTICK>"),
        of("parameter without a value", "latency", &["--set", "bytes"]).told("--set bytes: found no"),
        of("parameter that does not exist", "latency", &["--set", "size=1MiB"]).told("--set size=1MiB: unknown key"),
        of("parameter out of range", "latency", &["--set", "bytes=3"]).told("--set bytes=3: found the integer 3"),
        of("passes as a parameter", "latency", &["--set", "passes=3"]).told("--set passes=3: found a number of passes"),
        of("parameter that is code", "latency", &["--set", "bytes='1'"]).told("--set bytes='1': found no parameter"),
        of("passes that differ", "strides", &["--set", "writes=1000"]).told("parameters of strides: found passes"),
        of(
            "pass that is too long",
            "bandwidth",
            &["--set", "bytes=1GiB", "--set", "stride=4"],
        )
        .told("parameters of bandwidth: found a longer pass"),
        of("no repetitions", "latency", &["--repetitions", "0"]).told("--repetitions: found \"0\""),
        of("jobs of a chase", "latency", &["--jobs", "7"]).told("--jobs: found it with a yardstick that has no jobs"),
        of("repetitions of jobs", "hrt", &["--repetitions", "7"]).told("--repetitions: found it with hrt"),
        of("no jobs", "hrt", &["--jobs", "0"]).told("--jobs: found \"0\""),
        of(
            "deadline after the period",
            "hrt",
            &["--period", "1000", "--deadline", "1001"],
        )
        .told("--deadline: found 1001 us"),
        of("machine that does not exist", "latency", &["--simulate", "xeon"]).told("machine xeon: "),
        of(
            "figure in a directory that is not there",
            "latency",
            &["--svg", "no/x.svg"],
        )
        .told("no/x.svg: --svg: cannot write it"),
        of(
            "figure over the model",
            "latency",
            &["--simulate", "./m.toml", "--svg", "m.toml"],
        )
        .file("m.toml", crate::common::files::MACHINE)
        .told("m.toml: --svg: found the file that is read"),
        of(
            "figure within the result",
            "latency",
            &["--json", "--svg", "/dev/stdout"],
        )
        .told("/dev/stdout: --svg: found standard output"),
        of("period that is no number", "hrt", &["--period", "20ms"]).told("--period: found \"20ms\""),
    ]
}
