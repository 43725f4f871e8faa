// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong traces and wrong options of `fresco trace`.

use crate::bad_input::case::Case;
use fresco_load::trace::{Packed, Packing};
use std::io::Write;

fn convert(name: &'static str, content: impl Into<Vec<u8>>, more: &[&'static str]) -> Case {
    let arguments = [&["trace", "convert", "a.trace", "-o", "out.ftrace"], more].concat();
    Case::new(name, &arguments).file("a.trace", content)
}

fn of(name: &'static str, content: impl Into<Vec<u8>>) -> Case {
    convert(name, content, &[])
}

/// Instructions of ChampSim: each loads from an address of its own.
fn champsim(count: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..count {
        let mut instruction = [0; 64];
        instruction[..8].copy_from_slice(&(0x40_1000 + 4 * number).to_le_bytes());
        instruction[32..40].copy_from_slice(&(0x1000 + 64 * number).to_le_bytes());
        bytes.extend(instruction);
    }
    bytes
}

fn xz(content: &[u8]) -> Vec<u8> {
    let mut packed = Packed::new(Vec::new(), Packing::Xz).expect("memory takes everything");
    packed.write_all(content).expect("memory takes everything");
    packed.finish().expect("memory takes everything")
}

/// A zip archive of these files, stored.
fn zip(files: &[(&str, u32)], flags: u8) -> Vec<u8> {
    let mut out = Vec::new();
    for (text, crc) in files {
        let length = (text.len() as u32).to_le_bytes();
        out.extend(b"PK\x03\x04\x14\0");
        out.extend([flags, 0, 0, 0, 0, 0, 0, 0]);
        out.extend([crc.to_le_bytes(), length, length].concat());
        out.extend(b"\x01\0\0\0a");
        out.extend(text.as_bytes());
    }
    out.extend(b"PK\x01\x02");
    out
}

/// Of a program, by perf.
const SAMPLES: &str =
    "ls 3808 35026.138268: page-faults: 5647857935c0\nls 3808 35026.138296: page-faults: 7f9bac407110\n";

/// CRC-32 of "LD 64\n".
const SUM: u32 = 0xbf00_b9c8;

pub fn cases() -> Vec<Case> {
    let mut cases = readers();
    cases.extend(options());
    cases
}

fn readers() -> Vec<Case> {
    let whole = champsim(3);
    let mut wrong = whole.clone();
    wrong[64 + 9] = 9;
    let packed = xz(&champsim(5000));
    let mut damaged = packed.clone();
    damaged[9] ^= 0x55;
    vec![
        of("ChampSim trace cut in an instruction", &whole[..150]).told("a.trace: instruction 3: "),
        of("ChampSim trace with a branch that is neither", wrong).told("a.trace: instruction 2: "),
        convert("empty ChampSim trace", "", &["--format", "champsim"]).told("a.trace: contains no instruction"),
        convert(
            "text said to be ChampSim's",
            "LD 64\n".repeat(20),
            &["--format", "champsim"],
        )
        .told("a.trace: instruction 1: "),
        of("truncated xz", &packed[..packed.len() - 20]).told("a.trace: the compressed data end early"),
        of("xz cut in its head", &packed[..9]).told("a.trace: "),
        of("damaged xz", damaged).told("a.trace: the compressed data are damaged"),
        of("zip of two files", zip(&[("LD 64\n", SUM), ("LD 64\n", SUM)], 0))
            .told("a.trace: the zip archive holds more"),
        of("zip that is encrypted", zip(&[("LD 64\n", SUM)], 1))
            .told("a.trace: the file in the zip archive is encrypted"),
        of("zip with another sum", zip(&[("LD 64\n", 1)], 0)).told("a.trace: the compressed data are damaged"),
        of("zip cut in its file", &zip(&[("LD 64\n", SUM)], 0)[..34]).told("a.trace: the compressed data end early"),
        of("unknown operation of lackey", "I  0040,4\n L 0080,4\n X 0080,4\n").told_at("a.trace", " X 0080"),
        of("access of no bytes", "I  0040,4\n L 0080,0\n").told_at("a.trace", " L 0080"),
        of("address of lackey without size", "I  0040,4\n L 0080\n").told_at("a.trace", " L 0080\n"),
        of(
            "unknown record of drmemtrace",
            "1 0: 7 <marker: version 5>\n2 1: 7 fetch 3 byte(s) @ 0x1\n",
        )
        .told_at("a.trace", "2 1: 7 fetch"),
        of(
            "access of drmemtrace without instruction",
            "1 1: 7 read 8 byte(s) @ 0x1\n",
        )
        .told_at("a.trace", "1 1: 7"),
        of(
            "drmemtrace cut in a number",
            "1 1: 7 read 8 byte(s) @ 0x1 by PC 0x2\n2 1: 7 re",
        )
        .told_at("a.trace", "2 1: 7 re"),
        of(
            "headings of drmemtrace alone",
            "Output format:\n----\nView tool results:\n 0 : total instructions\n",
        )
        .told("a.trace: contains no access"),
        convert(
            "drmemtrace said to be lackey's",
            "1 1: 7 read 8 byte(s) @ 0x1 by PC 0x2\n",
            &["--format", "lackey"],
        )
        .told_at("a.trace", "1 1: 7"),
        convert(
            "thread that drmemtrace has not",
            "1 1: 7 read 8 byte(s) @ 0x1 by PC 0x2\n",
            &["--thread", "1"],
        )
        .told("a.trace: --thread: "),
        Case::new(
            "samples that are to be converted",
            &["trace", "convert", "a.txt", "-o", "b.ftrace"],
        )
        .file("a.txt", SAMPLES)
        .told("a.txt: holds samples"),
        Case::new(
            "samples that are to be merged",
            &["trace", "merge", "a.txt", "a.txt", "-o", "b.ftrace"],
        )
        .file("a.txt", SAMPLES)
        .told("a.txt: holds samples"),
        Case::new(
            "samples as requests",
            &["memory", "a.txt", "--machine", "ddr4-2400-bench"],
        )
        .file("a.txt", SAMPLES)
        .told("a.txt: holds samples"),
        Case::new("samples as a program", &["sim", "--on", "xeon-w3530", "./a.txt"])
            .file("a.txt", SAMPLES)
            .told("./a.txt: holds samples"),
        Case::new("samples without time", &["trace", "info", "a.txt", "--format", "perf"])
            .file("a.txt", "ls 3808 page-faults: 5647857935c0\n")
            .told_at("a.txt", "ls 3808"),
        Case::new("samples without address", &["trace", "info", "a.txt"])
            .file("a.txt", "ls 3808 35026.138268: cycles:\n")
            .told_at("a.txt", "ls 3808"),
        of("what valgrind says alone", "==1== Lackey\n==1== \n").told("a.trace: contains no access"),
    ]
}

fn options() -> Vec<Case> {
    let load_store = |name, arguments: &[&'static str]| Case::new(name, arguments).file("a.trace", "LD 64\nLD 128\n");
    vec![
        load_store(
            "format that the name does not say",
            &["trace", "convert", "a.trace", "-o", "b.trace"],
        )
        .told("b.trace: --output: the name does not say the format"),
        load_store(
            "format that is not written",
            &["trace", "convert", "a.trace", "-o", "b", "--to", "lackey"],
        )
        .told("--to: "),
        load_store(
            "conversion over its input",
            &["trace", "convert", "a.trace", "-o", "./a.trace", "--to", "load-store"],
        )
        .told("./a.trace: --output: found the file that is read"),
        load_store(
            "conversion into standard output",
            &["trace", "convert", "a.trace", "-o", "-", "--to", "load-store"],
        )
        .told("-: --output: "),
        load_store(
            "conversion into a missing directory",
            &["trace", "convert", "a.trace", "-o", "no/b.ftrace"],
        )
        .told("no/b.ftrace: --output: "),
        load_store(
            "thread that no trace has",
            &["trace", "convert", "a.trace", "-o", "b.ftrace", "--thread", "1024"],
        )
        .told("--thread: "),
        load_store(
            "thread that this trace has not",
            &["trace", "convert", "a.trace", "-o", "b.ftrace", "--thread", "7"],
        )
        .told("a.trace: --thread: "),
        load_store(
            "cycles without instructions",
            &[
                "trace",
                "convert",
                "a.trace",
                "-o",
                "b",
                "--to",
                "dramsim3",
                "--instructions-per-cycle",
                "0",
            ],
        )
        .told("--instructions-per-cycle: "),
        load_store(
            "cut behind the end",
            &["trace", "cut", "a.trace", "-o", "b.ftrace", "--from", "9"],
        )
        .told("a.trace: --from: "),
        load_store(
            "cut of a thread that the trace has not",
            &["trace", "cut", "a.trace", "-o", "b.ftrace", "--thread", "9"],
        )
        .told("a.trace: --thread: no access of thread 9"),
        load_store(
            "cut of no access",
            &["trace", "cut", "a.trace", "-o", "b.ftrace", "--accesses", "0"],
        )
        .usage("1 at least is wanted"),
        load_store(
            "cut in instructions of a trace without",
            &["trace", "cut", "a.trace", "-o", "b.ftrace", "--instructions", "9"],
        )
        .told("a.trace: --instructions: "),
        load_store(
            "cut in two measures",
            &[
                "trace",
                "cut",
                "a.trace",
                "-o",
                "b.ftrace",
                "--instructions",
                "9",
                "--accesses",
                "9",
            ],
        )
        .usage("--instructions"),
        load_store("merging one trace", &["trace", "merge", "a.trace", "-o", "b.ftrace"]).usage("FILE"),
        load_store(
            "merging over an input",
            &["trace", "merge", "a.trace", "a.trace", "-o", "a.trace"],
        )
        .told("a.trace: --output: found the file that is read"),
        load_store("comparing with nothing", &["trace", "diff", "a.trace", "b.trace"])
            .told("b.trace: cannot be opened"),
    ]
}
