// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong requests for a detection.

use crate::bad_input::case::Case;

/// `fresco map detect --simulate xeon-w3530 …`.
fn of(name: &'static str, more: &[&'static str]) -> Case {
    Case::new(name, &[&["map", "detect", "--simulate", "xeon-w3530"], more].concat())
}

/// `fresco map verify m --simulate xeon-w3530 …`, with two functions in `m`.
fn verify(name: &'static str, more: &[&'static str]) -> Case {
    Case::new(
        name,
        &[&["map", "verify", "m", "--simulate", "xeon-w3530"], more].concat(),
    )
    .file("m", "12\n13 19\n")
}

/// `fresco map verify m --simulate xeon-w3530`, with this map in `m`.
fn verify_map(name: &'static str, map: &'static str) -> Case {
    Case::new(name, &["map", "verify", "m", "--simulate", "xeon-w3530", "--quick"]).file("m", map)
}

/// `fresco map detect --method registers --dump d`.
fn registers(name: &'static str, dump: &'static str) -> Case {
    Case::new(name, &["map", "detect", "--method", "registers", "--dump", "d"]).file("d", dump)
}

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("machine that does not exist", &["map", "detect", "--simulate", "xeon"]).told("machine xeon: "),
        of("key that does not exist", &["--set", "memory.bank=3"]).told("--set memory.bank=3"),
        of("method that does not exist", &["--method", "solve"]).told("--method: found \"solve\""),
        of("seed below zero", &["--seed", "-1"]).told("--seed: found \"-1\""),
        of("noise below zero", &["--noise", "-3"]).told("--noise: found \"-3\""),
        of("noise that is a word", &["--noise", "abc"]).told("--noise: found \"abc\""),
        of("noise above all", &["--noise", "1e308"]).told("--noise: found \"1e308\""),
        of("labels below zero", &["--labels", "-1"]).told("--labels: found \"-1\""),
        of("noise that is no number", &["--noise", "nan"]).told("--noise: found \"nan\""),
        of("drift above all", &["--drift", "2"]).told("--drift: found \"2\""),
        of("share above one", &["--prefetch", "1.5"]).told("--prefetch: found \"1.5\""),
        of("labels that do not exist", &["--labels", "shuffled"]).told("--labels: found \"shuffled\""),
        of("share of labels above one", &["--labels", "1.5"]).told("--labels: found \"1.5\""),
        Case::new(
            "machine file that is missing",
            &["map", "detect", "--simulate", "./x.toml"],
        )
        .told("./x.toml: cannot read it"),
        Case::new(
            "registers of a machine of another family",
            &["map", "detect", "--method", "registers", "--root", "."],
        )
        .file(
            "proc/cpuinfo",
            "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n",
        )
        .told("./sys/bus/pci/devices: found no memory controller of a known family (this is AuthenticAMD family 25 model 17)"),
        Case::new(
            "tree for timing",
            &["map", "detect", "--method", "solver", "--root", "."],
        )
        .told("command line: found both"),
        Case::new(
            "dump for timing",
            &["map", "detect", "--method", "solver", "--dump", "d"],
        )
        .told("command line: found both"),
        Case::new("dump that is missing", &["map", "detect", "--dump", "d"]).told("d: cannot read it"),
        Case::new("disturbances of this machine", &["map", "detect", "--noise", "3"])
            .told("command line: found disturbances of a simulated memory without one"),
        Case::new("memory that is no size", &["map", "detect", "--memory", "much"]).told("--memory: found the text \"much\""),
        Case::new("memory that is none", &["map", "detect", "--memory", "0"]).told("--memory: "),
        Case::new("memory that is too little", &["map", "detect", "--memory", "1K"]).told("--memory: "),
        Case::new("no time", &["map", "detect", "--limit", "0"]).told("--limit: found \"0\""),
        of("memory of a simulation", &["--memory", "1G"]).usage("--memory <SIZE>"),
        of("machine for registers", &["--method", "registers"]).told("command line: found both"),
        registers("dump of another machine", "00:18.1 Host bridge\n00: 22 10 01 16\n")
            .told("d: found no memory controller"),
        registers(
            "dump without registers",
            "00:18.1 x\n00: 22 10 01 12\n00:18.2 x\n00: 22 10 02 12\n",
        )
        .told("d: found no register 0x40 of 00:18.1"),
        Case::new("dump to be written", &["map", "detect", "--dump", "d", "--out", "found"]).told("--out: found it where registers"),
        Case::new("dump with a seed", &["map", "detect", "--dump", "d", "--seed", "3"]).told("--seed: found it where registers"),
        Case::new("dump in a hurry", &["map", "detect", "--dump", "d", "--quick"]).told("--quick: found it where registers"),
        registers("file that is no dump", "hello\n").told("d: found no function"),
        registers("dump that is broken", "00:18.1 x\n00: 22 1\n").told_at("d", "00: 22 1"),
        Case::new("nothing to verify", &["map", "verify"]).told("command line: found no map"),
        Case::new("map to verify that is missing", &["map", "verify", "m"]).told("m: cannot read it"),
        Case::new(
            "machine to verify on that does not exist",
            &["map", "verify", "--machine", "i7-860", "--simulate", "xeon"],
        )
        .told("machine xeon: "),
        verify("memory of a simulation to verify on", &["--memory", "1G"]).usage("--memory <SIZE>"),
        verify("verification with noise below zero", &["--noise", "-3"]).told("--noise: found \"-3\""),
        verify_map("map of bits beyond the memory", "40\n41\n").told("m: found function 0 (40), none of whose bits"),
        verify_map("map of a bit within a line", "14\n2\n").told("m: found function 1 (2), none of whose bits"),
        verify_map("map that this memory makes one function of", "14 40\n14 41\n").told("m: found function 1 (14^41), which is the XOR"),
        of("figure in a directory that is not there", &["--quick", "--svg", "no/x.svg", "--out", "lost"])
            .told("no/x.svg: --svg: cannot write it"),
        of("figure that is a directory", &["--svg", "directory"]).told("directory: --svg: found a directory"),
        of("map into a file", &["--out", "f"]).file("f", "x").told("f: --out: found a file where a directory belongs"),
        of("map below a file", &["--out", "f/map"]).file("f", "x").told("f/map: --out: found a file where a directory belongs"),
        of("figure over the map", &["--out", "found", "--svg", "found/map.txt"])
            .told("found/map.txt: --svg: found the same as with --out"),
        Case::new("map over the machine that is probed", &["map", "detect", "--simulate", "./map.toml", "--out", "."])
            .file("map.toml", crate::common::files::MACHINE)
            .told("./map.toml: --out: found the file that is read as ./map.toml"),
        Case::new("registers of a tree that is not there", &["map", "detect", "--root", "no/tree"])
            .told("no/tree: --root: found no such directory"),
        verify("verification without time", &["--limit", "0"]).told("--limit: found \"0\""),
        Case::new(
            "disturbances of this machine, verifying",
            &["map", "verify", "m", "--drift", "0.1"],
        )
        .file("m", "12\n")
        .told("command line: found disturbances"),
        Case::new("key without machine", &["map", "detect", "--set", "cores=1"]).usage("--simulate <MACHINE>"),
    ]
}
