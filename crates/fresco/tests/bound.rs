// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco bound`: nothing that a run shows is longer, and what has no bound is told.

use crate::common::{directory_with, fresco, json, refused, stdout};
use crate::json_reference;
use serde_json::Value;
use std::fs;

/// Two cores in order, each in banks of its own, with a last-level cache divided by ways.
pub const PAIR: &str = r#"name = "pair"
machine = "imx8m-mini"
memory.controller = { hit_cap = 4, drain_once = true }
warm_up.operations = 2000
measure.operations = 3000
policy.frames = "palloc"
[[task]]
name = "chase"
program = "latency"
core = 0
banks = "0-1"
ways = "0-7"
parameters.bytes = "2 MiB"
[[task]]
name = "reader"
program = "random"
core = 1
banks = "2-3"
ways = "8-15"
role = "background"
parameters.bytes = "2 MiB"
"#;

fn tasks(document: &Value) -> &Vec<Value> {
    document["data"]["points"][0]["tasks"].as_array().expect("tasks")
}

#[test]
fn reads_and_work_are_bounded_and_stay_within() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let document = json(&["bound", "pair.toml", "--observe", "--json"], directory.path());
    json_reference::check(&document, &[]);
    let [chase, reader] = tasks(&document).as_slice() else {
        panic!("two tasks")
    };
    for task in [chase, reader] {
        let parts = task["reads"]["bound"].as_object().expect("parts");
        assert_eq!(
            (&parts["bank"], &parts["overtaking"], &parts["drain"]),
            (&0.into(), &0.into(), &0.into())
        );
        let (observed, longest) = (&task["observed_read_ps"], &task["reads"]["longest_ps"]);
        assert!(observed.as_u64() <= longest.as_u64(), "{observed} {longest}");
        // One read each under way, the other's bank is another: within a third of the worst.
        assert!(3 * observed.as_u64().unwrap() > longest.as_u64().unwrap());
    }
    let (work, observed) = (&chase["work"], chase["observed_work_ps"].as_u64().expect("it ran"));
    let [longest, alone] = [&work["longest_ps"], &work["alone"]["time_ps"]].map(|ps| ps.as_u64().expect("a time"));
    assert!(alone <= observed && observed <= longest, "{alone} {observed} {longest}");
    assert_eq!(reader["work"], Value::Null);
}

#[test]
fn what_has_no_bound_is_told_with_a_way_out() {
    let directory = directory_with(&[("pair.toml", PAIR)]);
    let told = |sets: &[&str]| {
        let mut arguments = vec!["bound", "pair.toml"];
        sets.iter().for_each(|set| arguments.extend(["--set", set]));
        let output = fresco(&arguments, directory.path());
        (output.status.code(), String::from_utf8(output.stdout).expect("text"))
    };
    // Its reads are bounded, its work is not.
    let (status, text) = told(&["task.reader.ways='0-7'"]);
    assert_eq!(status, Some(0));
    assert!(
        text.contains("reader displaces its lines") && text.contains("LLC colors"),
        "{text}"
    );
    let writing = [
        "memory.controller.drain_once=false",
        "task.reader.parameters.write_percent=10",
    ];
    let (status, text) = told(&writing);
    assert_eq!(status, Some(1));
    assert!(
        text.contains("drain again and again") && text.contains("drain_once = true"),
        "{text}"
    );
    let managed = "name = \"m\"\nmachine = \"xeon-8460y\"\nmemory.rfm = { raaimt = 32, raammt = 96 }\n[[task]]\nname = \"t\"\nprogram = \"latency\"\ncore = 0\n";
    fs::write(directory.path().join("managed.toml"), managed).expect("writable");
    let output = fresco(&["bound", "managed.toml"], directory.path());
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(
        output.status.code(),
        Some(1),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("unbounded") && text.contains("memory.rfm"), "{text}");
    let complaint = refused(&["bound", "pair.toml", "--set", "machine='nowhere'"], directory.path());
    assert!(complaint.contains("nowhere"), "{complaint}");
}

/// Neighbors that write, and whose budgets say how much.
#[test]
fn budgets_of_others_bound_the_work() {
    let regulated = PAIR
        .replace("role = \"background\"\n", "role = \"background\"\nreserve = \"20 MB/s\"\nparameters.write_percent = 50\n")
        .replace("policy.frames", "bandwidth = { count_write_backs = true, period = \"50 us\" }\npolicy.bandwidth = \"memguard\"\npolicy.frames")
        .replace("ways = \"0-7\"\n", "ways = \"0-7\"\nreserve = \"800 MB/s\"\n");
    let directory = directory_with(&[("regulated.toml", &regulated)]);
    let work = |sets: &[&str]| {
        let mut arguments = vec!["bound", "regulated.toml", "--observe", "--json"];
        sets.iter().for_each(|set| arguments.extend(["--set", set]));
        let document = json(&arguments, directory.path());
        let task = &tasks(&document)[0];
        let longest = task["work"]["longest_ps"].as_u64().expect("bounded");
        assert!(task["observed_work_ps"].as_u64().expect("it ran") <= longest, "{task}");
        (longest, task["work"]["by_budgets"].as_bool().expect("said"))
    };
    let (by_budgets, said) = work(&[]);
    assert!(said);
    let (of_reads, said) = work(&[
        "bandwidth.reclaim=true",
        "task.chase.reservation='hard'",
        "policy.bandwidth='none'",
    ]);
    assert!(!said && by_budgets < of_reads, "{by_budgets} {of_reads}");
}

/// A task that uses its own budget up, again and again: without the periods lost its work is longer than the rest of its bound.
#[test]
fn periods_lost_are_needed() {
    let scarce = PAIR
        .replace(
            "policy.frames",
            "bandwidth.period = \"50 us\"\npolicy.bandwidth = \"memguard\"\npolicy.frames",
        )
        .replace("ways = \"0-7\"\n", "ways = \"0-7\"\nreserve = \"20 MB/s\"\n");
    let directory = directory_with(&[("scarce.toml", &scarce)]);
    let arguments = [
        "bound",
        "scarce.toml",
        "--observe",
        "--json",
        "--set",
        "bandwidth.reclaim=false",
    ];
    let document = json(&arguments, directory.path());
    let task = &tasks(&document)[0];
    let [longest, lost] = ["longest_ps", "budgets_ps"].map(|of| task["work"][of].as_u64().expect("bounded"));
    let observed = task["observed_work_ps"].as_u64().expect("it ran");
    assert!(longest - lost < observed && observed <= longest, "{task}");
}

/// A plan stands for its tasks; what these lack for a bound is told in its terms: it has no lines of TOML and no tables.
#[test]
fn what_a_plan_lacks_is_told_in_its_terms() {
    let tasks = "machine = \"imx8m-mini\"\nplan.method = \"auto-refresh\"\n[[task]]\nname = \"a\"\nperiod = \"8 ms\"\nwcet = \"1 ms\"\n";
    let directory = directory_with(&[("t.toml", tasks)]);
    let here = directory.path();
    stdout(&["plan", "t.toml", "--out", "p.json"], here);
    for verb in ["bound", "attack"] {
        let complaint = refused(&[verb, "p.json"], here);
        assert!(
            complaint.starts_with("fresco: p.json: task.a.program: missing\n"),
            "{complaint}"
        );
        assert!(
            complaint.contains("help: add it with --set task.a.program=…"),
            "{complaint}"
        );
        assert!(!complaint.contains("[["), "{complaint}");
    }
}

/// A device reads one row again and again, and another one conflicts with it: the second waits until the cap lets it, and the drain for both. So a core
/// whose reads have a short bound waits long for its displaced lines.
const STARVED: &str = r#"name = "starved"
machine = "imx8m-mini"
memory.controller = { drain_once = true, refresh = "none", hit_cap = 100000 }
warm_up.operations = 2000
measure.operations = 400
policy.frames = "palloc"
[[task]]
name = "victim"
program = "random"
core = 0
banks = "0"
parameters = { bytes = "2 MiB", write_percent = 100 }
[[agent]]
name = "row"
bytes = "4 KiB"
banks = "1"
in_flight = 20
[[agent]]
name = "others"
bytes = "1 MiB"
pattern = "random"
banks = "1"
in_flight = 2
"#;

#[test]
fn displaced_lines_wait_for_reads_of_others_that_go_before_a_drain() {
    let directory = directory_with(&[("starved.toml", STARVED)]);
    let document = json(&["bound", "starved.toml", "--observe", "--json"], directory.path());
    let victim = &tasks(&document)[0];
    let ps = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("a time in {victim}"));
    let (observed, work) = (ps(&victim["observed_work_ps"]), &victim["work"]);
    // One run of hits, while the task does nothing.
    assert!(observed > 20 * ps(&work["alone"]["time_ps"]), "{victim}");
    assert!(observed <= ps(&work["longest_ps"]), "{victim}");
    assert!(
        ps(&work["hold_ps"]) > 100 * ps(&victim["reads"]["longest_ps"]),
        "{victim}"
    );
    let here = directory.path();
    // A certificate names those reads, and is refused without them.
    stdout(&["bound", "starved.toml", "--certificate", "c.json"], here);
    let text = fs::read_to_string(here.join("c.json")).expect("it was written");
    let mut certificate: Value = serde_json::from_str(&text).expect("JSON");
    stdout(&["bound", "--check", "c.json", "starved.toml"], here);
    certificate["data"]["points"][0]["tasks"][0]["work"]["before_drains"]
        .as_array_mut()
        .expect("a list")
        .clear();
    fs::write(here.join("c.json"), certificate.to_string()).expect("writable");
    let output = fresco(&["bound", "--check", "c.json", "starved.toml"], here);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.code() == Some(1) && text.contains("before_drains"),
        "{text}"
    );
}

/// What work does beside others must be what it did alone: where that depends on others there is no bound, in certificates neither. Runs of each kind
/// took up to 78 times as long as their bounds.
#[test]
fn work_that_others_change_has_no_bound() {
    let lru = "llc.replacement='lru'";
    let measured = "task.reader.role='measured'";
    let [kind, window, registers] = ["core.kind='out-of-order'", "core.window=40", "core.mshrs=4"];
    let walks = "core.tlb={ entries=16, ways=16 }";
    let budgets: [&str; 4] = [
        "policy.bandwidth='memguard'",
        "bandwidth.reclaim=false",
        "task.chase.reserve='100 MB/s'",
        "task.reader.reserve='100 MB/s'",
    ];
    let with_budgets = [&[kind, window, registers][..], &budgets].concat();
    let cases: [(&[&str], Option<&str>); 18] = [
        (&[kind, window, registers], None),
        (&budgets, None),
        (&with_budgets, Some("empty the window")),
        (&[kind, window, registers, walks], Some("walks page tables")),
        (
            &[kind, window, registers, "llc.inclusion='inclusive'"],
            Some("with the inclusive last-level cache"),
        ),
        (&["llc.mshrs=4"], Some("miss registers of the last-level cache")),
        (
            &["task.chase.ways='7-8'", "task.reader.ways='9-15'"],
            Some("displaces depends on others, with tree-plru"),
        ),
        (&["task.chase.ways='7-8'", "task.reader.ways='9-15'", lru], None),
        (&["task.chase.ways='4-7'"], None),
        (
            &["llc.replacement='qlru-h11-m1-r0-u0'"],
            Some("displaces depends on others, with qlru"),
        ),
        (
            &["llc.replacement='drrip'"],
            Some("displaces depends on others, with drrip"),
        ),
        (&["llc.replacement='srrip'"], None),
        (&["warm_up={time='100 us'}"], Some("begins elsewhere in its program")),
        (&["warm_up={passes=1}"], None),
        (
            &["warm_up={passes=1}", measured],
            Some("begins elsewhere in its program"),
        ),
        (
            &["warm_up={operations=0}", measured],
            Some("begins elsewhere in its program"),
        ),
        (&[measured], None),
        (&["task.chase.pages='on-touch'"], Some("which frames it gets")),
    ];
    let directory = directory_with(&[("pair.toml", PAIR)]);
    for (set, why) in cases {
        let mut arguments = vec!["bound", "pair.toml", "--json"];
        set.iter().for_each(|set| arguments.extend(["--set", set]));
        let document = json(&arguments, directory.path());
        let chase = &tasks(&document)[0];
        match why {
            None => assert!(chase["work"].is_object(), "{set:?}: {chase}"),
            Some(why) => {
                let told = chase["work_unknown"]["why"].as_str();
                assert!(told.is_some_and(|told| told.contains(why)), "{set:?}: {chase}");
            }
        }
    }
}

/// Alone each gap between reads of a bank is just too short for its page to be closed. One line of another makes one longer, and that the next one: by
/// budgets, too, each read may find its bank closed.
#[test]
fn by_budgets_reads_may_lose_the_rows_that_they_found_alone() {
    let mut trace = String::new();
    for pass in 0..300 {
        for line in 0..128 {
            for row in 0..2 {
                let gap = if pass == 0 { 0 } else { 400 };
                trace += &format!("{gap} {}\n", 0x0100_0000 + 8192 * row + 64 * line);
            }
        }
    }
    let text = r#"name = "adaptive"
machine = "zcu102"
page = "16 KiB"
policy = { frames = "palloc", bandwidth = "memguard" }
bandwidth = { period = "1 ms", count_write_backs = true, over_reserve = true, interrupt = 0 }
l1 = { size = "256 B", ways = 1, line = 64, latency = "1 cycles", replacement = "lru" }
llc = { size = "64 KiB", ways = 16, line = 64, latency = "15 cycles", replacement = "lru", cores_per_cache = 4 }
warm_up.operations = 256
measure.operations = 50000
memory.controller = { hit_cap = 1, drain_once = true, refresh = "none", page = "adaptive", page_idle = 552 }
memory.timing = { rcd = 300, ras = 320, rc = 340, rrd_s = 1, rrd_l = 1, faw = 4, ccd_s = 4, ccd_l = 4 }
[[task]]
name = "control"
program = "trace"
core = 0
banks = "0"
ways = "0"
reserve = "50 GB/s"
parameters = { file = "gaps.trace", format = "ramulator-cpu" }
[[task]]
name = "noise"
program = "random"
core = 1
banks = 4
ways = "8-15"
role = "background"
reserve = "1 MB/s"
parameters.bytes = "1 MiB"
"#;
    let directory = directory_with(&[("adaptive.toml", text), ("gaps.trace", &trace)]);
    let document = json(&["bound", "adaptive.toml", "--observe", "--json"], directory.path());
    let control = &tasks(&document)[0];
    let ps = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("a time in {control}"));
    let (observed, work) = (ps(&control["observed_work_ps"]), &control["work"]);
    assert_eq!(work["by_budgets"], true, "{control}");
    assert!(
        observed > 3 * ps(&work["alone"]["time_ps"]) / 2,
        "rows are lost: {control}"
    );
    assert!(observed <= ps(&work["longest_ps"]), "{control}");
}

/// Two independent reads, of which a device delays the first: what needs the first comes to three sets of the last-level cache before what needs the other
/// one, or after, and other lines are displaced.
#[test]
fn others_change_which_lines_miss_and_hits_are_bounded_as_reads() {
    let mut trace = Vec::new();
    let mut load = |line: u64, to: u8, from: u8| {
        let mut instruction = [0u8; 64];
        (instruction[10], instruction[12]) = (to, from);
        instruction[32..40].copy_from_slice(&(0x1000_0000 + 64 * line).to_le_bytes());
        trace.extend(instruction);
    };
    for turn in 0..600 {
        load(64 * (200 + turn * 577 % 1500) + 63, 72, 70);
        load(64 * (2000 + turn * 691 % 1500) + 62, 71, 70);
        (0..3).for_each(|set| load(64 * (100 + turn % 2) + set, 80 + set as u8, 72));
        for other in 0..39 {
            load(64 * (other / 3) + other % 3, 70, if other == 0 { 71 } else { 70 });
        }
    }
    let text = r#"name = "order"
machine = "opteron-6128"
policy = { frames = "palloc", boot = "pristine" }
topology.hop_latency = ["2 us", "4 us"]
core = { mshrs = 5, window = 128 }
l1 = { size = "128 B", ways = 1, line = 64, latency = "1 cycles", replacement = "lru" }
l2 = { size = "128 B", ways = 1, line = 64, latency = "1 cycles", replacement = "lru" }
llc = { size = "64 KiB", ways = 16, line = 64, latency = "2 cycles", replacement = "lru", cores_per_cache = 4 }
warm_up.operations = 4400
measure.operations = 17600
[memory.controller]
hit_cap = 1
drain_once = true
refresh = "none"
frontend = "0 ns"
queues = { kind = "global", reads = 64, writes = 1 }
drain_high = 1
drain_low = 0
[[task]]
name = "control"
program = "trace"
core = 4
node = 0
banks = "0-1"
ways = "0-13"
parameters = { file = "order.champsim", format = "champsim" }
[[agent]]
name = "dma"
node = 0
bytes = "1 MiB"
pattern = "random"
write_percent = 0
banks = 0
in_flight = 1
"#;
    let directory = directory_with(&[("order.toml", text)]);
    std::fs::write(directory.path().join("order.champsim"), trace).expect("is writable");
    let document = json(&["bound", "order.toml", "--observe", "--json"], directory.path());
    let control = &tasks(&document)[0];
    let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("a number in {control}"));
    let alone = &control["work"]["alone"];
    let [reads, hits, cached] = ["reads", "hits", "cached"].map(|field| number(&alone[field]));
    assert!(hits > reads / 2 && hits <= cached, "{control}");
    let run = json(&["sim", "order.toml", "--json"], directory.path());
    let seen = &run["data"]["scenarios"][0]["points"][0]["tasks"][0]["reads"];
    let more = number(&seen["count"]) - number(&seen["joined"]) - (reads - hits);
    assert!(more > 100 && more <= hits, "{more} hits are reads: {control}");
    assert!(number(&control["observed_work_ps"]) <= number(&control["work"]["longest_ps"]));

    // What an inclusive cache displaces leaves the caches above, and what these have depends on the order, too.
    let kept = text.replace("cores_per_cache = 4", "cores_per_cache = 4, inclusion = \"inclusive\"");
    std::fs::write(directory.path().join("order.toml"), kept).expect("is writable");
    let document = json(&["bound", "order.toml", "--json"], directory.path());
    let told = tasks(&document)[0]["work_unknown"]["why"].as_str().map(str::to_owned);
    assert!(
        told.as_ref()
            .is_some_and(|told| told.contains("with the inclusive last-level cache")),
        "{told:?}"
    );
}

/// A memory that takes one line after the other, and a last-level cache smaller than what is above it.
const SLOW: &str = r#"
name = "slow"
title = "Eight cores in order above a memory with one place for writes"
sources = []
assumptions = []
cores = 8
page = "64 KiB"
core = { clock = "4000 MHz", kind = "in-order", issue_width = 4 }
l2 = { size = "64 KiB", ways = 2, line = 64, latency = "1 cycles", replacement = "lru" }
llc = { size = "32 KiB", ways = 1, line = 64, latency = "2 cycles", replacement = "lru", cores_per_cache = 1 }
[memory]
standard = "ddr3-1333"
density = "2 Gb"
organisation = { channels = 1, ranks = 1, banks = 8, rows = 32768, columns = 1024, bus_bytes = 8 }
map = { bank = [16, 17, 18], column = "rest", row = "rest" }
[memory.controller]
scheduler = "fr-fcfs"
hit_cap = 1
page = "open"
drain_high = 1
drain_low = 0
drain_once = true
refresh = "none"
frontend = "0 ns"
queues = { kind = "front-queue", reads_per_bank = 32, reads = 32, front = 4, writes = 1 }
"#;

/// A task beside seven others whose hits displace dirty lines.
const DISPLACED: &str = r#"
name = "displaced"
machine = "./slow.toml"
policy.frames = "palloc"
fill.operations = 1536
warm_up.operations = 0
measure.operations = 20
[[task]]
name = "control"
program = "random"
core = 0
banks = "0"
parameters = { bytes = "1 MiB", write_percent = 100 }
[[task]]
name = "displacing"
program = "trace"
cores = "1-7"
role = "background"
banks = "1"
parameters = { file = "displacing.champsim", format = "champsim" }
"#;

/// Hits displace dirty lines, too: their core stands still while one finds no room in its write-back buffer. So no more of them are before a read in a front
/// queue, or before a line of the task, than all buffers hold. Reads took 8.7 times, work 1.9 times its bound while cores went on.
#[test]
fn lines_that_hits_displace_are_bounded_as_those_of_misses() {
    // Three lines of a set of two ways, above a set of one: all are stored to, two are read again.
    let line = |set: u64, way: u64| 0x1000_0000 + way * 0x1_0000 + set * 64;
    let access = |at: usize, address: u64| {
        let mut instruction = [0u8; 64];
        instruction[at..at + 8].copy_from_slice(&address.to_le_bytes());
        instruction
    };
    let stores = (0..512).flat_map(|set| [0, 1, 2].map(|way| access(16, line(set, way))));
    let loads = (0..512).flat_map(|set| [0, 1].map(|way| access(32, line(set, way))));
    let trace: Vec<u8> = stores.chain(loads).flatten().collect();
    let directory = directory_with(&[("slow.toml", SLOW), ("displaced.toml", DISPLACED)]);
    std::fs::write(directory.path().join("displacing.champsim"), trace).expect("is writable");
    let global = "memory.controller.queues={ kind='global', reads=32, writes=16 }";
    for (what, set) in [
        ("reads", &["task.control.parameters.write_percent=0"][..]),
        ("work", &[global, "memory.controller.drain_high=16"]),
    ] {
        let mut arguments = vec!["bound", "displaced.toml", "--observe", "--json"];
        set.iter().for_each(|set| arguments.extend(["--set", set]));
        let document = json(&arguments, directory.path());
        let control = &tasks(&document)[0];
        let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("a number in {control}"));
        let [reads, work] = [("observed_read_ps", "reads"), ("observed_work_ps", "work")]
            .map(|(seen, bound)| number(&control[seen]) as f64 / number(&control[bound]["longest_ps"]) as f64);
        assert!(reads <= 1.0 && work <= 1.0, "{reads} {work}: {control}");
        let felt = if what == "reads" { reads } else { work };
        assert!(felt > 0.1, "{what} {felt}: {control}");
    }
}

/// Caches are filled for tasks that begin at once, and for these alone: so it is when the task runs alone. And what it displaced before its measured phase
/// may still wait then, though it displaces nothing in it.
#[test]
fn work_begins_alone_as_it_does_beside_others() {
    let begins = [
        "fill.operations=1000",
        "warm_up.operations=0",
        "task.chase.start='333 ns'",
    ];
    let small = "task.chase.parameters.bytes='4 KiB'";
    let directory = directory_with(&[("pair.toml", PAIR)]);
    for (set, reads) in [(&begins[..2], 0..1), (&begins[..], 32..65)] {
        let mut arguments = vec!["bound", "pair.toml", "--observe", "--json", "--set", small];
        arguments.extend(["--set", "measure.operations=64"]);
        set.iter().for_each(|set| arguments.extend(["--set", set]));
        let document = json(&arguments, directory.path());
        let chase = &tasks(&document)[0];
        let number = |value: &Value| value.as_u64().unwrap_or_else(|| panic!("a number in {chase}"));
        let work = &chase["work"];
        assert!(reads.contains(&number(&work["alone"]["reads"])), "{set:?}: {chase}");
        assert!(
            number(&chase["observed_work_ps"]) <= number(&work["longest_ps"]),
            "{chase}"
        );
    }
}
