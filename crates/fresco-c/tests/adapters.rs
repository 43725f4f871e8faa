// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fresco behind the interfaces of others: each host sees what the core does alone.

use crate::built::{CPP, compiles, crate_dir, program, run, shared_library, static_library, succeeded, text};
use crate::replayed::{lines, machine, traffic};
use fresco_dram::CommandKind;
use fresco_machine::Machine;
use fresco_memory::embedded::{Done, Limit, Memory, Options};
use fresco_memory::{Access, TraceRequest};
use fresco_testing::{Need, skip};
use std::fmt::Write;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The core alone under a host that sends at most one request a cycle, as soon as it is taken, and waits for the last: what is told of each,
/// and the memory as it stands then.
fn alone(machine: &Machine, limit: Limit, requests: &[TraceRequest]) -> (Vec<Done>, Memory) {
    let options = Options {
        limit,
        ..Options::default()
    };
    let mut memory = Memory::new(machine, options);
    let mut told = vec![None; requests.len()];
    let mut next = 0;
    for (i, request) in requests.iter().enumerate() {
        let earliest = request.cycle.max(next);
        while memory.now() < earliest || memory.send(request.address, request.access, i as u64).is_err() {
            let until = earliest.max(memory.now() + 1);
            memory.advance(until, |done| told[done.tag as usize] = Some(*done));
        }
        next = memory.now() + 1;
    }
    while memory.outstanding() > 0 {
        let until = memory.next_event().expect("requests are outstanding");
        memory.advance(until, |done| told[done.tag as usize] = Some(*done));
    }
    (told.into_iter().flatten().collect(), memory)
}

pub fn most(places: u32) -> Limit {
    Limit::Outstanding(NonZeroU32::new(places).expect("some"))
}

/// The host takes transactions to one address to be done in order, which a write that waits for a place need not be: each address once.
fn once(mut requests: Vec<TraceRequest>) -> Vec<TraceRequest> {
    let mut seen = std::collections::BTreeSet::new();
    requests.retain(|request| seen.insert(request.address));
    requests
}

#[test]
fn a_host_of_dramsim3_sees_what_the_core_does_alone() {
    let include = ["-I", concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/dramsim3")];
    let Some(host) = program(&CPP, "tests/programs/dramsim3_host.cpp", &include) else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let to = directory.path().display().to_string();
    for (name, places, first) in [
        ("ddr4-2400-bench", 32, "clock 0.833333 ns, queue 32, burst 64 bytes\n"),
        // Four controllers with a front queue of 24 each.
        ("opteron-6128", 96, "clock 1.500375 ns, queue 96, burst 64 bytes\n"),
        // A line is two bursts.
        ("raspberry-pi-5", 32, "clock 0.468823 ns, queue 32, burst 64 bytes\n"),
    ] {
        let machine = machine(name);
        let requests = once(traffic(&machine, 31, 2_000));
        let (told, mut memory) = alone(&machine, most(places), &requests);
        let mut expected = first.to_owned();
        told.iter()
            .for_each(|done| writeln!(expected, "{}", done.at).expect("a string"));
        let seen = run(&host, &[name, &to], &lines(&requests));
        assert_eq!(seen.lines().next(), expected.lines().next(), "{name}");
        assert!(seen == expected, "{name}");
        assert_eq!(printed(directory.path()), stats(&told, &mut memory), "{name}");
    }
}

/// What `PrintStats` wrote.
pub fn printed(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("fresco.txt")).expect("it was written")
}

/// The same of the core alone.
pub fn stats(told: &[Done], memory: &mut Memory) -> String {
    let reads: Vec<u64> = told
        .iter()
        .filter(|done| done.access == Access::Read)
        .map(|done| done.at - done.arrived)
        .collect();
    let counted = memory.stats();
    let sum = |part: fn(&fresco_memory::controller::ChannelStats) -> u64| counted.iter().map(part).sum::<u64>();
    let command = |kinds: &[CommandKind]| -> u64 {
        let of = |kind: &CommandKind| counted.iter().map(|s| s.command(*kind)).sum::<u64>();
        kinds.iter().map(of).sum()
    };
    use CommandKind as K;
    let values = [
        ("cycles", memory.now()),
        ("num_reads_done", reads.len() as u64),
        ("num_writes_done", (told.len() - reads.len()) as u64),
        ("read_latency_sum", reads.iter().sum()),
        ("read_latency_max", *reads.iter().max().expect("some")),
        ("dram_reads", sum(|s| s.reads)),
        ("dram_writes", sum(|s| s.writes)),
        ("forwarded_reads", sum(|s| s.forwarded)),
        ("merged_writes", sum(|s| s.merged)),
        ("row_hits", sum(|s| s.row_hits)),
        ("row_misses", sum(|s| s.row_misses)),
        ("row_conflicts", sum(|s| s.row_conflicts)),
        ("data_cycles", sum(|s| s.data_cycles)),
        ("rank_active_cycles", sum(|s| s.rank_active_cycles)),
        ("act", command(&[K::Act])),
        ("pre", command(&[K::Pre, K::PreAll])),
        ("refresh", command(&[K::RefAb, K::RefAb4, K::RefPb, K::RefSb])),
    ];
    values.iter().map(|(name, value)| format!("{name} {value}\n")).collect()
}

/// DRAMsim3's directory, as the page makes it, is found as gem5's SConscript and SST's configure look for it.
#[test]
fn the_page_makes_a_directory_of_dramsim3() {
    let Some(directory) = shared_library() else { return };
    if compiles("c++").is_none() {
        return;
    }
    let home = directory.join("home-of-dramsim3");
    let install = crate_dir().join("../../scripts/c-install");
    let done = Command::new(install)
        .arg(static_library())
        .arg(home.join("fresco"))
        .output();
    succeeded("scripts/c-install", done.expect("it starts"));
    let page = std::fs::read_to_string(crate_dir().join("../../docs/embed.md")).expect("it is there");
    let (_, block) = page
        .split_once("```sh norun\nmkdir -p DRAMsim3/src")
        .expect("the page makes it");
    let (commands, _) = block.split_once("```").expect("it ends");
    let gem5 = home.join("ext/dramsim3");
    std::fs::create_dir_all(&gem5).expect("a directory");
    let done = Command::new("sh")
        .args(["-ec", &format!("mkdir -p DRAMsim3/src{commands}")])
        .current_dir(&gem5)
        .env("HOME", &home)
        .output();
    succeeded("the page's commands", done.expect("it starts"));
    let compiled = |name: &str, text: &str, flags: &[&str], libraries: &[&str]| {
        let source = home.join(name).with_extension("cpp");
        std::fs::write(&source, text).expect("it is written");
        let program = home.join(name);
        let mut compiler = Command::new("c++");
        compiler
            .args(flags)
            .arg("-I")
            .arg(gem5.join("DRAMsim3/src"))
            .arg("-I")
            .arg(&gem5)
            .arg("-o");
        compiler
            .arg(&program)
            .arg(source)
            .arg("-L")
            .arg(gem5.join("DRAMsim3"))
            .args(libraries);
        succeeded(name, compiler.output().expect("a compiler"));
        program
    };
    // AC_CHECK_HEADERS and AC_CHECK_LIB of SST.
    let probe = "#include <dramsim3.h>\nextern \"C\" char libdramsim3_is_present();\nint main() { return libdramsim3_is_present() != 1; }\n";
    run(&compiled("probe", probe, &["-std=c++11"], &["-ldramsim3"]), &[], "");
    // SST's wrapper lies in a shared library, gem5's in the program.
    let host = std::fs::read_to_string(crate_dir().join("tests/programs/dramsim3_host.cpp")).expect("it is there");
    let hidden = ["-Wl,--exclude-libs,libfresco.a", "-ldramsim3"];
    compiled("libelement.so", &host, &["-std=c++11", "-shared", "-fPIC"], &hidden);
    let host = host.replace("\"dramsim3.h\"", "\"DRAMsim3/src/dramsim3.h\"");
    let host = compiled("gem5", &host, &["-std=c++17"], &["-ldramsim3", "-lgomp"]);
    let to = home.display().to_string();
    let seen = run(&host, &["ddr4-2400-bench", &to], "0 0 0\n");
    assert_eq!(seen, "clock 0.833333 ns, queue 32, burst 64 bytes\n37\n");
}

#[test]
fn a_wrong_machine_is_told_by_the_shim() {
    let include = ["-I", concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/dramsim3")];
    let Some(host) = program(&CPP, "tests/programs/dramsim3_host.cpp", &include) else {
        return;
    };
    let done = Command::new(host)
        .args(["DDR4_8Gb_x8_2400.ini", "."])
        .output()
        .expect("it runs");
    assert_eq!(done.status.code(), Some(3));
    assert!(text(&done.stdout).starts_with("machine DDR4_8Gb_x8_2400.ini: found no built-in machine of this name\n"));
}

/// The host of the SystemC target, in the C++ that Debian's library was built for. It is compiled once; without what that takes, each test is skipped.
fn tlm_host() -> Option<&'static Path> {
    static HOST: OnceLock<Option<PathBuf>> = OnceLock::new();
    compiles("c++")?;
    if !Path::new("/usr/include/tlm_utils").is_dir() {
        skip(Need::SystemC, "there is no SystemC (libsystemc-dev)");
        return None;
    }
    let compiled = || {
        let compiler = ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror"];
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/adapters/systemc");
        program(&compiler, "tests/programs/tlm_host.cpp", &["-I", include, "-lsystemc"])
    };
    HOST.get_or_init(compiled).as_deref()
}

#[test]
fn a_systemc_host_sees_what_the_core_does_alone() {
    let Some(host) = tlm_host() else { return };
    // Lines written one after the other, as fast as they are taken: once the write buffers are full, nothing is outstanding.
    let burst = |count: u64| -> Vec<TraceRequest> {
        let line = |i| TraceRequest {
            cycle: 0,
            address: 64 * i,
            access: Access::Write,
        };
        (0..count).map(line).collect()
    };
    for (name, is_burst) in [
        ("ddr4-2400-bench", false),
        ("opteron-6128", false),
        ("raspberry-pi-5", false),
        ("ddr4-2400-bench", true),
        ("zcu102", true),
        ("xeon-w3530", true),
    ] {
        let machine = machine(name);
        let requests = match is_burst {
            false => traffic(&machine, 13, 2_000),
            true => burst(500),
        };
        let (told, mut memory) = alone(&machine, Limit::Queues, &requests);
        let clock = memory.clock();
        let mut expected: String = told.iter().map(|done| format!("{}\n", clock.to_ps(done.at))).collect();
        let counted = memory.stats();
        let sum = |part: fn(&fresco_memory::controller::ChannelStats) -> u64| counted.iter().map(part).sum::<u64>();
        let acts = sum(|s| s.command(CommandKind::Act));
        let counts = [sum(|s| s.reads), sum(|s| s.writes), sum(|s| s.row_hits), acts];
        writeln!(expected, "{} {} {} {}", counts[0], counts[1], counts[2], counts[3]).expect("a string");
        let seen = run(host, &[name, "requests"], &lines(&requests));
        let seen = seen
            .lines()
            .skip_while(|line| !line.starts_with(|c: char| c.is_ascii_digit()));
        let seen: String = seen.map(|line| format!("{line}\n")).collect();
        assert!(seen == expected, "{name}");
    }
}

/// The numbers that a host printed.
fn numbers(host: &Path, arguments: &[&str]) -> Vec<u64> {
    let seen = run(host, arguments, "");
    seen.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Blocking: a read that opens its row, the write and the read behind it, each 3 ns after the one before; of a line, the last three of four lines,
/// and more lines than the write buffer holds.
#[test]
fn a_systemc_host_reads_what_it_wrote() {
    let Some(host) = tlm_host() else { return };
    // A step of SystemC's time is a picosecond; longer than a cycle; shorter than a picosecond.
    for (resolution, step) in [("1", 1), ("1000", 1_000), ("0.001", 1)] {
        let seen = numbers(host, &["ddr4-2400-bench", "data", resolution]);
        let mut memory = Memory::new(&machine("ddr4-2400-bench"), Options::default());
        let clock = memory.clock();
        // When the host sees that a cycle has begun, and the cycle that began last by then.
        let seen_at = |cycle| clock.to_ps(cycle).next_multiple_of(step);
        let reached = |cycle| clock.cycle_at_or_after(seen_at(cycle) + 1) - 1;
        let mut now = 0;
        let mut expected = Vec::new();
        for (address, lines) in [(0x12345, 1), (0x40000, 1), (0x7ff * 4096 + 4000, 4), (0x100_0000, 64)] {
            for access in [Access::Read, Access::Write, Access::Read] {
                now += 3_000;
                memory.advance(reached(clock.cycle_at_or_after(now)), |_| {
                    panic!("nothing is under way")
                });
                let mut last = 0;
                for line in 0..lines {
                    while memory.send(address + 64 * line, access, 0).is_err() {
                        let next = memory.next_event().expect("a place becomes free");
                        memory.advance(reached(next.max(memory.now() + 1)), |done| last = done.at);
                    }
                }
                while memory.outstanding() > 0 {
                    last = memory.next_done(Memory::LAST).expect("it is done").at;
                }
                now = seen_at(last);
                expected.push(now);
            }
        }
        // Addresses without memory: the delay alone.
        expected.extend([now + 3_000, now + 6_000]);
        assert_eq!(seen, expected, "{resolution} ps");
        // 3 ns are 3.6 cycles: it arrives in the fourth, and takes 37.
        assert_eq!(expected[0], clock.to_ps(4 + 37).next_multiple_of(step));
    }
}

/// What covers the end of a node's memory and the beginning of the next one's is read from both; what is to be ignored takes no time; a process that is
/// killed while it waits is told nothing.
#[test]
fn a_systemc_host_asks_for_what_is_odd() {
    let Some(host) = tlm_host() else { return };
    let mut memory = Memory::new(&machine("opteron-6128"), Options::default());
    let clock = memory.clock();
    let (mut reads, mut ends) = (0, Vec::new());
    for (at, first, lines) in [(1_000, 0, 4), (1_003_000, 0xffff_ffc0, 2)] {
        memory.advance(clock.cycle_at_or_after(at), |_| ());
        for line in 0..lines {
            memory.send(first + 64 * line, Access::Read, 0).expect("it is taken");
        }
        while memory.outstanding() > 0 {
            ends.push(clock.to_ps(memory.next_done(Memory::LAST).expect("it is done").at));
            reads += 1;
        }
    }
    // The victim's four lines are not back when it is killed.
    assert!(ends[3] > 20_000, "{ends:?}");
    let read = ends[5];
    assert_eq!(numbers(host, &["opteron-6128", "odd"]), [read, read + 3_000, reads]);
}

/// Requests that overlap have the effect of one after the other, in the order in which they were taken: an older read does not see a younger write, which is
/// done before it is.
#[test]
fn a_systemc_host_reads_what_was_there_when_its_request_was_taken() {
    let Some(host) = tlm_host() else { return };
    for name in ["ddr4-2400-bench", "zcu102", "opteron-6128"] {
        let seen = run(host, &[name, "overlap"], "");
        let counts = seen.lines().last().expect("a line");
        let right: u32 = counts
            .strip_prefix("right ")
            .and_then(|rest| rest.strip_suffix(" wrong 0")?.parse().ok())
            .unwrap_or_else(|| panic!("{name}: {counts}"));
        assert!(right > 1_500, "{name}: {counts}");
    }
}

/// Of a debug access command, address, length and data count, and it takes no time: 200 bytes are written and read again, of 64 at the end of the memory
/// half exist, and behind it none.
#[test]
fn a_systemc_host_looks_without_a_trace() {
    let Some(host) = tlm_host() else { return };
    let mut memory = Memory::new(&machine("ddr4-2400-bench"), Options::default());
    let clock = memory.clock();
    memory.advance(clock.cycle_at_or_after(3_000), |_| ());
    memory.send(4000, Access::Read, 0).expect("it is taken");
    memory.send(4032, Access::Read, 0).expect("it is taken");
    memory.next_done(Memory::LAST).expect("it is done");
    let end = memory.next_done(Memory::LAST).expect("it is done").at;
    assert_eq!(
        numbers(host, &["ddr4-2400-bench", "debug"]),
        [200, 200, 32, 0, 0, 0, clock.to_ps(end)]
    );
}
