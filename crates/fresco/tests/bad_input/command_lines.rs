// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong command lines.

use crate::bad_input::case::Case;

const XEON: [&str; 2] = ["--machine", "xeon-w3530"];
const MAP: &str = "14 18\n15 19\n";

/// `fresco map WHAT --machine xeon-w3530 …`.
fn of_xeon(name: &'static str, what: &'static str, more: &[&'static str]) -> Case {
    Case::new(name, &[&["map", what], &XEON[..], more].concat())
}

/// `fresco map colors map.txt …`.
fn of_file(name: &'static str, more: &[&'static str]) -> Case {
    Case::new(name, &[&["map", "colors", "map.txt"], more].concat()).file("map.txt", MAP)
}

pub fn cases() -> Vec<Case> {
    let mut cases = verbs();
    cases.extend(sources());
    cases.extend(quantities());
    cases.extend(colors());
    cases.extend(places());
    cases.extend(live());
    cases
}

fn verbs() -> Vec<Case> {
    let memory = |name, more: &[&'static str]| {
        Case::new(name, &[&["memory", "t", "--machine", "ddr4-2400-bench"], more].concat()).file("t", "0x40 R\n")
    };
    vec![
        Case::new("no verb", &[]).usage("Commands:"),
        Case::new("unknown verb", &["simulate"]).usage("unrecognized subcommand 'simulate'"),
        Case::new("misspelt verb", &["mashine"]).usage("similar subcommand exists: 'machine'"),
        Case::new("misspelt option", &["machine", "list", "--jsn"]).usage("similar argument exists: '--json'"),
        Case::new("one word too many", &["machine", "list", "all"]).usage("unexpected argument 'all'"),
        Case::new("memory without machine", &["memory", "t"]).usage("--machine <MACHINE>"),
        memory("no request outstanding", &["--outstanding", "0"]).told("--outstanding: found \"0\""),
        memory("outstanding that is no number", &["--outstanding", "many"]).told("--outstanding: found \"many\""),
        memory("negative outstanding", &["--outstanding", "-4"]).told("--outstanding: found \"-4\""),
        memory("unknown trace format", &["--format", "dramsim2"]).told("--format: found \"dramsim2\""),
        memory("--set without a value", &["--set", "memory.density"]).told("--set memory.density: found no"),
        Case::new(
            "JSON and TOML at once",
            &["machine", "show", "p4080", "--toml", "--json"],
        )
        .usage("cannot be used with"),
    ]
}

fn sources() -> Vec<Case> {
    vec![
        Case::new("no map", &["map", "colors"]).told("command line: found no map"),
        Case::new("no map to show", &["map", "show"]).told("command line: found no map"),
        Case::new("two maps", &["map", "colors", "map.txt", "--machine", "p4080"]).usage("cannot be used with"),
        Case::new("a machine where a file belongs", &["map", "show", "p4080"]).told("p4080: "),
        Case::new("a machine file where a map belongs", &["map", "show", "m.toml"]).told("m.toml: "),
        Case::new("addresses without a map", &["map", "decode", "0x1000", "4096"]).told("command line: "),
        Case::new("nothing to decode with", &["map", "decode"]).told("command line: "),
        of_xeon("no address", "decode", &[]).told("command line: "),
        of_xeon("unknown map format", "show", &["--to", "csv"]).usage("[possible values: map.txt, palloc, hex]"),
        of_xeon("two kinds of output", "show", &["--to", "hex", "--json"]).usage("cannot be used with"),
        of_xeon("--usable without --to", "show", &["--usable"]).usage("--to <FORMAT>"),
        of_xeon("node that does not exist", "show", &["--to", "hex", "--node", "1"]).told("--node: found node 1"),
        of_xeon("conversion into nothing", "convert", &[]).told("--to: found no format"),
        Case::new(
            "conversion of three bits for PALLOC",
            &["map", "convert", "three", "--to", "palloc"],
        )
        .file("three", "14 18 22\n")
        .told("three: --to palloc: function 0"),
        Case::new(
            "conversion for PALLOC of what pages cannot choose",
            &["map", "convert", "m", "--to", "palloc"],
        )
        .file("m", "6\n14 18\n")
        .told("m: --to palloc: function 0"),
        of_xeon(
            "conversion of a whole map by node",
            "convert",
            &["--to", "dramsys", "--node", "0"],
        )
        .told("--to dramsys: "),
        Case::new(
            "conversion of nodes for a simulator without",
            &["map", "convert", "--machine", "opteron-6128", "--to", "dramsys"],
        )
        .told("opteron-6128: --to dramsys: found several nodes"),
        Case::new(
            "conversion of bank functions alone",
            &["map", "convert", "map.txt", "--to", "ramulator"],
        )
        .file("map.txt", MAP)
        .told("map.txt: --to ramulator: "),
        of_xeon("node that is no number", "show", &["--to", "hex", "--node", "abc"]).told("--node: found \"abc\""),
        of_xeon("override of an unknown key", "show", &["--set", "memory.ranks=2"]).told("--set memory.ranks=2: "),
        of_xeon("override of the wrong kind", "show", &["--set", "cores=many"]).told("--set cores=many: "),
        of_xeon("override below a value", "show", &["--set", "cores.count=4"]).told("--set cores.count=4: "),
        of_xeon("override that is half TOML", "show", &["--set", "memory.map.bank=[12,"])
            .told("--set memory.map.bank=[12,: "),
        of_xeon("override without a key", "show", &["--set", "=4"]).told("--set =4: "),
        of_file("override without machine", &["--set", "cores=2"]).told("--set cores=2: "),
        Case::new(
            "node without machine",
            &["map", "show", "map.txt", "--to", "hex", "--node", "0"],
        )
        .file("map.txt", MAP)
        .told("--node: "),
    ]
}

fn quantities() -> Vec<Case> {
    vec![
        of_file("page of no power of two", &["--page", "12K"]).told("--page: found 12288 bytes"),
        of_file("page without size", &["--page", "0"]).told("--page: "),
        of_file("page in a wrong unit", &["--page", "4kB"]).told("--page: "),
        of_file("page larger than any", &["--page", "99999999999999999999"]).told("--page: "),
        of_file("negative page", &["--page=-4096"]).told("--page: "),
        of_file("page that is a list", &["--page", "[4096]"]).told("--page: "),
        of_file("page that is half TOML", &["--page", "\"4K"]).told("--page: "),
        of_xeon("page larger than the memory", "colors", &["--page", "8G"]).told("xeon-w3530: "),
        of_file("negative offset", &["--offset=-1"]).told("--offset: "),
        of_file("offset beyond all addresses", &["--offset", "0x8000000000000000"]).told("--offset: "),
        of_file("offset inside a page", &["--offset", "100"]).told("--offset: found 0x64"),
        of_file("cache bits in the wrong order", &["--llc", "16-6"]).told("--llc: "),
        of_file("cache bit that does not exist", &["--llc", "6-64"]).told("--llc: "),
        of_file("too many pairs of colors", &["--llc", "12-40"]).told("map.txt: "),
    ]
}

fn colors() -> Vec<Case> {
    vec![
        of_xeon("color that does not exist", "colors", &["--banks", "12-16"]).told("--banks: `12-16` does not exist"),
        of_xeon("colors that do not ascend", "colors", &["--banks", "3,1"]).told("--banks: "),
        of_xeon("no color", "colors", &["--banks", ""]).told("--banks: "),
        of_xeon(
            "proof about a color that does not exist",
            "colors",
            &["--disjoint", "0", "16"],
        )
        .told("--disjoint: "),
        of_xeon("proof about one color", "colors", &["--disjoint", "0"]).told("--disjoint: found 0 alone"),
        of_xeon("pattern without bits", "colors", &["--pattern", "[00XX]"]).usage("--bits <BITS>"),
        of_xeon(
            "pattern without brackets",
            "colors",
            &["--pattern", "00XX", "--bits", "20,19,13,12"],
        )
        .told("--pattern: `00XX`"),
        of_xeon(
            "pattern of another length",
            "colors",
            &["--pattern", "[00X]", "--bits", "20,19,13,12"],
        )
        .told("--pattern: `[00X]`, which has 3 places"),
        of_xeon(
            "pattern of other digits",
            "colors",
            &["--pattern", "[02]", "--bits", "13,12"],
        )
        .told("--pattern: `[02]`"),
        of_xeon(
            "pattern over a bit that selects no bank",
            "colors",
            &["--pattern", "[0]", "--bits", "14"],
        )
        .told("--pattern: 14 selects no bank"),
        of_xeon(
            "pattern over a bit inside the page",
            "colors",
            &["--pattern", "[1]", "--bits", "6"],
        )
        .told("--pattern: pages of 2^12 bytes cannot choose 6"),
        of_xeon(
            "bits that are no numbers",
            "colors",
            &["--pattern", "[00]", "--bits", "13-12"],
        )
        .told("--bits: "),
        of_xeon("a bit twice", "colors", &["--pattern", "[00]", "--bits", "12,12"]).told("--pattern: "),
    ]
}

fn places() -> Vec<Case> {
    let encode = |name, place| of_xeon(name, "decode", &["--encode", place]);
    vec![
        of_xeon("address that is no number", "decode", &["1f40"]).told("command line: found \"1f40\""),
        of_xeon("address of 65 bits", "decode", &["0x10000000000000000"]).told("command line: "),
        of_xeon("address outside the memory", "decode", &["0x100000000"])
            .told("command line: found address 0x100000000"),
        of_xeon("negative address", "decode", &["-4096"]).usage("unexpected argument '-4'"),
        of_xeon("wrong line of standard input", "decode", &["-"])
            .input(b"\n# fine\n0x2000 0x3000\n")
            .told("standard input:3: "),
        of_xeon("address outside the memory on standard input", "decode", &["-"])
            .input(b"\n0xffffffffff\n")
            .told("standard input:2: "),
        of_xeon("standard input that is no text", "decode", &["-"])
            .input(b"\n\xff\xfe\n")
            .told("standard input:2: "),
        encode("place of an unknown field", "bnak=3").told("--encode: found \"bnak=3\""),
        encode("place without a value", "bank").told("--encode: "),
        encode("place with a negative value", "bank=-1").told("--encode: "),
        encode("place that does not exist", "bank=8").told("--encode: found bank 8"),
        encode("place with a field twice", "bank=1,bank=2").told("--encode: found a second bank"),
        Case::new(
            "address below the offset",
            &["map", "decode", "map.txt", "0x1000", "--offset", "1M"],
        )
        .file("map.txt", MAP)
        .told("command line: found address 0x1000"),
    ]
}

/// Live processes: all refused before anything is started or looked at.
fn live() -> Vec<Case> {
    let run = |name, more: &[&'static str]| {
        let end = ["--dry-run", "--", "sh"];
        Case::new(name, &[&["run", "--map", "map.txt"], more, &end].concat()).file("map.txt", MAP)
    };
    vec![
        run("no colors", &[]).told("command line: found no colors"),
        run("colors without a key", &["--colors", "0-3"]).told("--colors: found \"0-3\""),
        run("an unknown kind of color", &["--colors", "bank=0"]).told("--colors: found the key"),
        run("a range of colors that falls", &["--colors", "banks=3-1"]).told("--colors banks: "),
        run("a range of colors without end", &["--colors", "banks=0-"]).told("--colors banks: "),
        run("colors with two commas", &["--colors", "banks=0,,1"]).told("--colors banks: "),
        run("a milliard of colors", &["--colors", "banks=0-999999999"]).told("--colors banks: "),
        run("a cache color that is not there", &["--colors", "llc=1"]).told("--colors llc: "),
        run("colors named twice", &["--colors", "llc=0,banks=1,llc=0"]).told("--colors: found llc twice"),
        run(
            "colors that no frame has",
            &["--llc", "15,19", "--colors", "banks=0-1,llc=1-2"],
        )
        .told("--colors: found "),
        run("pages of another size", &["--page", "64K", "--colors", "banks=0"]).told("--page: found pages of 65536"),
        run("pages of another size, small", &["--page", "64", "--colors", "banks=0"]).told("--page: found pages of 64"),
        run("an offset inside a page", &["--offset", "1", "--colors", "banks=0"]).told("--offset: found 0x1"),
        Case::new("a misspelt option", &["run", "--mapp", "map.txt", "--", "sh"]).told("--mapp: found it where"),
        Case::new(
            "a misspelt option with a value",
            &["run", "--machine=i7-860", "--clors=banks=0", "sh"],
        )
        .told("--clors: found it where"),
        Case::new(
            "an option like none",
            &["run", "--machine", "i7-860", "--verbose", "sh"],
        )
        .told("--verbose: found it"),
        Case::new("a map beside a plan", &["run", "--map", "map.txt", "plan.json"]).told("--map: found it with a plan"),
        Case::new("a schedule for a program", &["run", "--schedule", "fifo", "sh"])
            .told("--schedule: found it with a program"),
        Case::new("an unknown schedule", &["run", "--schedule", "rr", "plan.json"]).told("--schedule: found \"rr\""),
        Case::new("records of a process", &["verify", "1", "--records", "r"])
            .told("--records: found it with a process"),
        Case::new("colors beside a plan", &["run", "--colors", "banks=0", "plan.json"])
            .told("--colors: found it with a plan"),
        Case::new(
            "JSON of a program that runs",
            &["run", "--machine", "i7-860", "--json", "--colors", "banks=0", "sh"],
        )
        .told("--json: found it without --dry-run"),
        run(
            "processors that are not there",
            &["--colors", "banks=0", "--cpus", "4000-5000"],
        )
        .told("--cpus: "),
        run("a list of nodes without end", &["--colors", "banks=0", "--node", "0-"]).told("--node: "),
        run("a pool that is no size", &["--colors", "banks=0", "--pool", "much"]).told("--pool: "),
        run("colors of threads that fall", &["--thread-colors", "banks=0;banks=3-1"]).told("--thread-colors: set 2"),
        run("no colors of threads", &["--thread-colors", "banks=0;"]).told("--thread-colors: "),
        run(
            "a bandwidth without a unit",
            &["--colors", "banks=0", "--bandwidth", "500"],
        )
        .told("--bandwidth: "),
        run("a bandwidth of 0", &["--colors", "banks=0", "--bandwidth", "0"]).told("--bandwidth: "),
        Case::new(
            "a map that is a device",
            &["run", "--map", "/dev/zero", "--colors", "banks=0", "--", "sh"],
        )
        .told("/dev/zero: found a device"),
        run("a bandwidth of nothing", &["--colors", "banks=0", "--bandwidth", "0M"]).told("--bandwidth: "),
        Case::new(
            "a reservation of no processors",
            &["run", "--reserve", "1G", "--", "sh"],
        )
        .told("--reserve: found it without --cpus"),
        Case::new(
            "a reservation of resctrl",
            &[
                "run",
                "--reserve",
                "1G",
                "--cpus",
                "0",
                "--regulator",
                "resctrl",
                "--",
                "sh",
            ],
        )
        .told("--regulator: found resctrl with --reserve"),
        Case::new(
            "a reservation of nothing",
            &["run", "--reserve", "0", "--cpus", "0", "--", "sh"],
        )
        .told("--reserve: "),
        Case::new(
            "a regulator that is not there",
            &["run", "--bandwidth", "1G", "--regulator", "memgard", "--", "sh"],
        )
        .told("--regulator: found \"memgard\""),
        run(
            "a regulator of nothing",
            &["--colors", "banks=0", "--regulator", "memguard"],
        )
        .told("--regulator: found it without --bandwidth"),
        Case::new(
            "a pool without colors",
            &["run", "--bandwidth", "1G", "--pool", "1G", "--", "sh"],
        )
        .told("--pool: found it without colors"),
        Case::new(
            "a reservation beside a plan",
            &["run", "--reserve", "1G", "--cpus", "0", "p.json"],
        )
        .told("--reserve: found it with a plan"),
        run("ways that fall", &["--colors", "banks=0", "--ways", "3-1"]).told("--ways: "),
        run(
            "a back end that is not there",
            &["--colors", "banks=0", "--backend", "pages"],
        )
        .told("--backend: "),
        Case::new("no map to run with", &["run", "--colors", "banks=0", "--", "sh"]).told("command line: found no map"),
        Case::new("no program", &["run", "--machine", "i7-860", "--colors", "banks=0"]).usage("<PROGRAM>"),
        Case::new("no process number", &["verify", "self"]).told("PID: found \"self\""),
        Case::new("process 0", &["verify", "0"]).told("PID: found \"0\""),
        Case::new("a process that is not there", &["verify", "4294967295"]).told("PID: found no process"),
        Case::new("no time between looks", &["verify", "1", "--watch", "-1"]).told("--watch: found \"-1\""),
        Case::new("a share of less than none", &["verify", "1", "--least", "-1"]).told("--least: found \"-1\""),
        Case::new(
            "a machine beside a plan to verify",
            &["verify", "p.json", "--machine", "i7-860"],
        )
        .told("--machine: found it with a plan"),
        Case::new("all mappings of a plan", &["verify", "p.json", "--all", "--watch", "1"])
            .told("--all: found it with a plan"),
        Case::new("a share of more than all", &["verify", "1", "--least", "101"]).told("--least: found \"101\""),
    ]
}
