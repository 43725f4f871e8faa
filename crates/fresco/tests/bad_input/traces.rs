// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong traces and wrong places for results of `fresco memory`.

use crate::bad_input::case::Case;
use fresco_load::generate::{Pattern, write_fresco};
use fresco_load::trace::ftrace::Header;

fn of(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    with(name, content, &[])
}

fn with(name: &'static str, content: impl Into<Vec<u8>>, more: &[&'static str]) -> Case {
    let arguments = [&["memory", "a.trace", "--machine", "ddr4-2400-bench"], more].concat();
    Case::new(name, &arguments).file("a.trace", content)
}

/// Three requests in Fresco's own format.
fn ftrace() -> Vec<u8> {
    let mut bytes = Vec::new();
    write_fresco(Pattern::Random.generate(3, 1), &Header::default(), &mut bytes).expect("memory takes everything");
    bytes
}

/// Two requests in gzip.
const GZIP: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x33, 0xa8, 0x30, 0x31, 0x50, 0x08, 0xe2, 0x32, 0xa8,
    0xb0, 0x00, 0x51, 0x00, 0x25, 0x13, 0x9b, 0x59, 0x0e, 0x00, 0x00, 0x00,
];

pub fn cases() -> Vec<Case> {
    let mut cases = text();
    cases.extend(binary());
    cases.extend(results());
    cases
}

fn text() -> Vec<Case> {
    vec![
        Case::new("missing trace", &["memory", "a.trace", "--machine", "p4080"]).told("a.trace: cannot be opened"),
        Case::new("directory for a trace", &["memory", "directory", "--machine", "p4080"]).told("directory: "),
        of("empty trace", "").told("a.trace: contains no access"),
        of("trace of comments", "# nothing\n").told("a.trace: contains no access"),
        of("no known format", "READ the manual\n").told("a.trace:1: no known format"),
        of("wrong line in the middle", "0x40 R\n0x80 R\n0xzz W\n").told_at("a.trace", "0xzz"),
        of("unknown operation", "0x40 READ 1\n0x80 REED 2\n").told_at("a.trace", "0x80 REED"),
        of("missing operation", "0x40 R\n0x80\n").told_at("a.trace", "0x80\n"),
        of("cycles that go back", "0x40 READ 10\n0x80 READ 9\n").told_at("a.trace", "0x80"),
        of("address of 68 bits", "0x40 R\n0x10000000000000000 R\n").told_at("a.trace", "0x1000"),
        of("huge cycle", "0x40 READ 18446744073709551616\n").told_at("a.trace", "0x40"),
        of("cycle without end", "0x0 READ 18446744073709551615\n").told_at("a.trace", "0x0"),
        of("pause without end", "0x0 READ 5\n0x0 READ 99999999999999\n").told_at("a.trace", "0x0 READ 9"),
        of("negative address", "0x40 R\n-64 R\n").told_at("a.trace", "-64"),
        of("address outside the memory", "0x40 R\n# far\n0x400000000 R\n").told_at("a.trace", "0x400000000"),
        of("trace that is no text", b"0x40 R\n0x80 \xff\n").told_at("a.trace", "0x80"),
        of("endless line", vec![b'7'; 1 << 20]).told("a.trace:1: "),
        with("trace of another format", "0x40 R\n", &["--format", "dramsim3"]).told_at("a.trace", "0x40"),
        with("text for Fresco's own format", "0x40 R\n", &["--format", "fresco"]).told("a.trace: "),
    ]
}

fn binary() -> Vec<Case> {
    let whole = ftrace();
    let cut = |end: usize| whole[..end].to_vec();
    let mut newer = whole.clone();
    newer[8] = 99;
    let mut damaged = whole.clone();
    let middle = whole.len() - 10;
    damaged[middle] ^= 0xff;
    vec![
        of("truncated Fresco trace", cut(whole.len() - 4)).told("a.trace: "),
        of("Fresco trace cut in its head", cut(10)).told("a.trace: "),
        of("Fresco trace of a later version", newer).told("a.trace: "),
        of("damaged Fresco trace", damaged).told("a.trace: "),
        with(
            "Fresco trace said to be text",
            whole.clone(),
            &["--format", "ramulator"],
        )
        .told("a.trace: "),
        of("truncated gzip", &GZIP[..GZIP.len() - 6]).told("a.trace:"),
        of("gzip cut in its head", &GZIP[..5]).told("a.trace:"),
        of("zstd that is none", [0x28, 0xb5, 0x2f, 0xfd, 0xff, 0xff, 0xff]).told("a.trace:"),
    ]
}

fn results() -> Vec<Case> {
    let commands = |name, path| with(name, "0x40 R\n", &["--commands", path]);
    vec![
        commands("commands into a missing directory", "missing/out.cmd").told("missing/out.cmd: --commands: "),
        commands("commands over the trace", "a.trace").told("a.trace: --commands: found the file that is read"),
        commands("commands over the trace by another path", "./directory/../a.trace")
            .told("./directory/../a.trace: --commands: found the file that is read"),
        with(
            "commands into the JSON",
            "0x40 R\n",
            &["--commands", "/dev/stdout", "--json"],
        )
        .told("/dev/stdout: --commands: found standard output"),
        commands("commands into a directory", "directory").told("directory: --commands: "),
        Case::new(
            "trace of a machine that does not exist",
            &["memory", "a.trace", "--machine", "ddr4-2400"],
        )
        .told("machine ddr4-2400: "),
    ]
}
