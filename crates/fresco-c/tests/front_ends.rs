// SPDX-License-Identifier: MIT OR Apache-2.0
//! The front ends of other simulators, unmodified, with Fresco behind them: what the memory counts and when requests are done is what the core does alone
//! under the same requests.

use crate::adapters::{most, printed, stats};
use crate::built::{compiles, crate_dir, output, program, succeeded, text};
use crate::replayed::{Random, machine, replayed};
use fresco_dram::{AddressMap, CommandKind};
use fresco_machine::Machine;
use fresco_memory::controller::ChannelStats;
use fresco_memory::embedded::{Done, Memory, Options};
use fresco_memory::{Access, TraceRequest};
use fresco_testing::{Need, skip};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The directory of a package that `tests/front-ends` depends on, as `dramsim3-0.2.2`; `None`, and the test is skipped, where cargo cannot fetch it.
fn package(name: &str) -> Option<PathBuf> {
    static FETCHED: OnceLock<Result<String, String>> = OnceLock::new();
    let fetched = FETCHED.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let done = Command::new(cargo)
            .args(["metadata", "--locked", "--format-version=1", "--manifest-path"])
            .arg(crate_dir().join("tests/front-ends/Cargo.toml"))
            .output();
        match done {
            Ok(done) if done.status.success() => Ok(text(&done.stdout)),
            Ok(done) => Err(text(&done.stderr)),
            Err(error) => Err(error.to_string()),
        }
    });
    match fetched {
        Err(why) => {
            skip(Need::Simulators, format!("cargo cannot fetch {name}: {}", why.trim()));
            None
        }
        Ok(metadata) => {
            let manifests = metadata.split("\"manifest_path\":\"").skip(1);
            let mut paths = manifests.filter_map(|rest| rest.split('"').next()).map(Path::new);
            let found = paths.find_map(|path| path.parent().filter(|directory| directory.ends_with(name)));
            Some(found.expect("the manifest names it").to_owned())
        }
    }
}

/// What C++ calls `std::mt19937_64`, with its parameters and its seed (ISO C++, 28.5.5).
struct Mersenne {
    state: [u64; 312],
    next: usize,
}

impl Mersenne {
    fn new() -> Self {
        let mut state = [5489; 312];
        for i in 1..312 {
            let last: u64 = state[i - 1];
            state[i] = 6_364_136_223_846_793_005_u64
                .wrapping_mul(last ^ (last >> 62))
                .wrapping_add(i as u64);
        }
        Self { state, next: 312 }
    }

    fn draw(&mut self) -> u64 {
        if self.next == 312 {
            for i in 0..312 {
                let joined = (self.state[i] & (!0 << 31)) | (self.state[(i + 1) % 312] & !(!0 << 31));
                let odd = if joined & 1 == 1 { 0xB502_6F5A_A966_19E9 } else { 0 };
                self.state[i] = self.state[(i + 156) % 312] ^ (joined >> 1) ^ odd;
            }
            self.next = 0;
        }
        let mut x = self.state[self.next];
        self.next += 1;
        x ^= (x >> 29) & 0x5555_5555_5555_5555;
        x ^= (x << 17) & 0x71D6_7FFF_EDA6_0000;
        x ^= (x << 37) & 0xFFF7_EEE0_0000_0000;
        x ^ (x >> 43)
    }
}

/// The core alone under a host with a clock.
struct Alone {
    memory: Memory,
    told: Vec<Done>,
}

impl Alone {
    fn tick(&mut self) {
        self.memory.advance(self.memory.now() + 1, |done| self.told.push(*done));
    }

    /// Sends a request to the memory that an address names, if it is taken.
    fn send(&mut self, address: u64, access: Access) -> bool {
        let place = place(self.memory.map(), address);
        self.memory.send(place, access, address).is_ok()
    }
}

/// The address of the memory that an address names: where there is none, they wrap around.
fn place(map: &AddressMap, address: u64) -> u64 {
    let regions = map.regions();
    if regions.iter().any(|r| (r.base..r.end()).contains(&address)) {
        return address;
    }
    let mut offset = address % regions.iter().map(|r| r.end() - r.base).sum::<u64>();
    for r in regions {
        if offset < r.end() - r.base {
            return r.base + offset;
        }
        offset -= r.end() - r.base;
    }
    unreachable!("the offset lies in a region")
}

/// What DRAMsim3's processor without a trace does in so many cycles: a random request each, or the lines of
/// two arrays read and of a third written, of which none ends.
fn dramsim3_alone(memory: &mut Alone, stream: bool, cycles: u64) {
    let mut random = Mersenne::new();
    let arrays = [(); 3].map(|()| if stream { random.draw() } else { 0 });
    let (mut wanted, mut offset) = (Vec::new(), 0);
    for _ in 0..cycles {
        memory.tick();
        if wanted.is_empty() && stream {
            let access = [Access::Read, Access::Read, Access::Write];
            let addresses = arrays.map(|array| array.wrapping_add(offset));
            wanted = addresses.into_iter().zip(access).collect();
        } else if wanted.is_empty() {
            let address = random.draw();
            let access = if random.draw().is_multiple_of(3) {
                Access::Write
            } else {
                Access::Read
            };
            wanted.push((address, access));
        }
        wanted.retain(|&(address, access)| !memory.send(address, access));
        if wanted.is_empty() && stream {
            offset += 64;
        }
    }
}

/// DRAMsim3's own program, compiled as the page says, once.
fn dramsim3() -> Option<&'static Path> {
    static HOST: OnceLock<Option<PathBuf>> = OnceLock::new();
    compiles("c++")?;
    let sources = package("dramsim3-0.2.2")?.join("DRAMsim3");
    let compiled = || {
        let source = |name: &str| sources.join(name).display().to_string();
        let shim = crate_dir().join("adapters/dramsim3/dramsim3.h").display().to_string();
        let (common, fmt) = (source("src/common.h"), source("ext/fmt/include"));
        // Its warnings are its own.
        let compiler = ["c++", "-std=c++11", "-w", "-include", &shim, "-include", &common];
        let (cpu, text) = (source("src/cpu.cc"), source("src/common.cc"));
        let others = [&*cpu, &*text, "-DFMT_HEADER_ONLY", "-I", &*fmt];
        program(&compiler, &source("src/main.cc"), &[&others[..], &QUICKLY].concat())
    };
    HOST.get_or_init(compiled).as_deref()
}

/// Compiling takes far longer than the runs.
const QUICKLY: [&str; 2] = ["-O0", "-g0"];

/// What the memory counted below DRAMsim3's program.
fn counts_of_dramsim3(host: &Path, arguments: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let mut command = Command::new(host);
    command.args(arguments).arg("-o").arg(directory.path());
    succeeded("DRAMsim3's program", output(&mut command, ""));
    printed(directory.path())
}

fn alone(machine: &Machine, places: u32) -> Alone {
    let options = Options {
        limit: most(places),
        ..Options::default()
    };
    Alone {
        memory: Memory::new(machine, options),
        told: Vec::new(),
    }
}

#[test]
fn processors_of_dramsim3_see_what_the_core_does_alone() {
    let Some(host) = dramsim3() else { return };
    for (name, places) in [("ddr4-2400-bench", 32), ("opteron-6128", 96)] {
        for kind in ["random", "stream"] {
            let mut memory = alone(&machine(name), places);
            dramsim3_alone(&mut memory, kind == "stream", 20_000);
            let seen = counts_of_dramsim3(host, &[name, "-s", kind, "-c", "20000"]);
            assert_eq!(seen, stats(&memory.told, &mut memory.memory), "{name}, {kind}");
        }
    }
}

/// Of reads alone it is what `fresco memory` does, too.
#[test]
fn a_trace_of_dramsim3_gives_what_the_core_does_alone() {
    let Some(host) = dramsim3() else { return };
    let bench = machine("ddr4-2400-bench");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("requests.trace");
    for only_reads in [false, true] {
        let mut random = Random(7);
        let mut cycle = 0;
        let request = |i| {
            cycle += if i < 590 { 1 + random.below(19) } else { 2_000 };
            let address = random.below(4_000) * 4_096 + random.below(4) * 64;
            let writes = !only_reads && random.below(3) == 0;
            let access = if writes { Access::Write } else { Access::Read };
            TraceRequest { cycle, address, access }
        };
        let mut requests: Vec<TraceRequest> = (0..600).map(request).collect();
        let line = |r: &TraceRequest| {
            let kind = if r.access == Access::Write { "WRITE" } else { "READ" };
            format!("{:#x} {kind} {}\n", r.address, r.cycle)
        };
        let lines: String = requests.iter().map(line).collect();
        std::fs::write(&file, lines).expect("it is written");
        let trace = file.display().to_string();
        let seen = counts_of_dramsim3(host, &["ddr4-2400-bench", "-t", &trace, "-c", "40000"]);

        // It finds the end of its trace when it has sent the last once more, as a read.
        let last = *requests.last().expect("some");
        requests.push(TraceRequest {
            cycle: last.cycle + 1,
            access: Access::Read,
            ..last
        });
        let mut memory = alone(&bench, 32);
        let mut wanted = requests.iter().peekable();
        for clock in 0..40_000 {
            memory.tick();
            wanted.next_if(|r| r.cycle <= clock && memory.send(r.address, r.access));
        }
        assert!(wanted.next().is_none());
        assert_eq!(seen, stats(&memory.told, &mut memory.memory));
        if only_reads {
            // Its clock ticks before it sends.
            requests.iter_mut().for_each(|request| request.cycle += 1);
            let (ends, _, counted) = replayed(&bench, &requests, 32);
            let latencies: Vec<u64> = requests.iter().zip(&ends).map(|(r, end)| end - r.cycle).collect();
            for (name, expected) in [
                ("num_reads_done", 601),
                ("read_latency_sum", latencies.iter().sum()),
                ("read_latency_max", *latencies.iter().max().expect("some")),
                ("row_hits", counted[0].row_hits),
                ("row_misses", counted[0].row_misses),
                ("row_conflicts", counted[0].row_conflicts),
            ] {
                let line = format!("\n{name} {expected}\n");
                assert!(seen.contains(&line), "{line} in {seen}");
            }
        }
    }
}

/// Ramulator's own program, compiled once; of its standards with the one that the configurations here name.
fn ramulator() -> Option<&'static Path> {
    static HOST: OnceLock<Option<PathBuf>> = OnceLock::new();
    compiles("c++")?;
    let sources = package("ramulator_wrapper-0.2.6")?.join("ramulator");
    let compiled = || {
        let source = |name: &str| sources.join(name).display().to_string();
        let own = |name: &str| crate_dir().join(name).display().to_string();
        let (include, adapter) = (source("src"), own("adapters/ramulator"));
        let mut compiler = vec!["c++", "-std=c++11", "-w", "-I", &include, "-I", &adapter];
        // All in one, as each file would read all headers of Ramulator anew, which takes longer than all else.
        let parts = ["StatType", "RamulatorConfig", "Cache", "Processor", "DDR4"];
        let mut before = vec![format!("{adapter}/fresco_in_ramulator.h")];
        before.extend(parts.map(|name| source(&format!("src/{name}.cpp"))));
        before.extend(["ramulator_host.cpp", "recorder.c"].map(|name| own(&format!("tests/programs/{name}"))));
        compiler.extend(before.iter().flat_map(|name| ["-include", name]));
        // What the other standards are made of is never called.
        let missing = ["-no-pie", "-Wl,--unresolved-symbols=ignore-all"];
        let wrapped = ["send", "on_done", "free"].map(|name| format!("-Wl,--wrap=fresco_memory_{name}"));
        let flags = wrapped.iter().map(String::as_str).chain(missing).chain(QUICKLY);
        program(&compiler, &source("src/Main.cpp"), &flags.collect::<Vec<_>>())
    };
    HOST.get_or_init(compiled).as_deref()
}

/// What Ramulator's program wants to know of a memory that is not used.
const UNUSED: &str = "standard = DDR4\nchannels = 1\nranks = 1\nspeed = DDR4_2400R\norg = DDR4_4Gb_x8\n";

/// A line of text for each of so many lines of a trace.
fn trace(path: &Path, seed: u64, count: usize, line: impl Fn(&mut Random) -> String) -> String {
    let mut random = Random(seed);
    let lines: String = (0..count).map(|_| line(&mut random)).collect();
    std::fs::write(path, lines).expect("it is written");
    path.display().to_string()
}

/// Runs Ramulator's program with lines of a configuration, and compares what its memory was asked and told, and counted since the statistics were reset, with
/// the core alone; returns what the memory took.
fn ramulator_beside_alone(
    host: &Path,
    name: &str,
    configuration: &str,
    mode: &str,
    traces: &[String],
) -> Vec<(u64, Access)> {
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name);
    let configuration = format!("{UNUSED}machine = {name}\ncpu_tick = 8\nmem_tick = 3\n{configuration}");
    std::fs::write(file("configuration"), configuration).expect("it is written");
    let mut command = Command::new(host);
    command.arg(file("configuration")).arg(format!("--mode={mode}"));
    command.arg("--stats").arg(file("statistics")).args(traces);
    succeeded(
        "Ramulator's program",
        output(command.env("RECORDED", file("recorded")), ""),
    );
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("it was written");
    let statistics = read("statistics");
    let counted = |name: &str| -> f64 {
        let of = |line: &str| {
            let mut words = line.split_whitespace();
            let found = words.next()? == format!("ramulator.{name}");
            found.then(|| words.next()?.parse().ok()).flatten()
        };
        statistics
            .lines()
            .find_map(of)
            .unwrap_or_else(|| panic!("{name} in {statistics}"))
    };

    let mut memory = Memory::new(&machine(name), Options::default());
    let (mut expected, mut told, mut taken, mut latencies) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let recorded = read("recorded");
    let end: u64 = recorded
        .lines()
        .last()
        .and_then(|line| line.strip_prefix("end ")?.parse().ok())
        .expect("its end");
    let reset = end - counted("dram_cycles") as u64;
    for line in recorded.lines() {
        let (what, numbers) = line.split_once(' ').expect("words");
        let numbers: Vec<u64> = numbers.split(' ').map(|n| n.parse().expect("a number")).collect();
        if what == "done" {
            expected.push((numbers[0], numbers[1]));
            continue;
        }
        if memory.now() <= reset && numbers[0] > reset {
            memory.advance(reset, |done| told.push(*done));
            memory.reset_stats();
        }
        memory.advance(numbers[0], |done| told.push(*done));
        if what == "sent" {
            let access = if numbers[2] == 1 { Access::Write } else { Access::Read };
            memory.send(numbers[1], access, numbers[3]).expect("it was taken there");
            taken.push((numbers[1], access));
            assert!(numbers[3] < 500, "names are used again");
        }
    }
    let seen: Vec<(u64, u64)> = told.iter().map(|done| (done.at, done.tag)).collect();
    assert!(seen == expected, "{name}, {mode}");
    latencies.extend(
        told.iter()
            .filter(|d| d.access == Access::Read && d.at > reset)
            .map(|d| d.at - d.arrived),
    );
    let channels = memory.stats();
    let sum = |part: fn(&ChannelStats) -> u64| channels.iter().map(part).sum::<u64>();
    for (count, expected) in [
        ("read_latency_sum", latencies.iter().sum()),
        ("read_latency_max", *latencies.iter().max().expect("some")),
        ("dram_reads", sum(|s| s.reads)),
        ("dram_writes", sum(|s| s.writes)),
        ("row_hits", sum(|s| s.row_hits)),
        ("row_misses", sum(|s| s.row_misses)),
        ("row_conflicts", sum(|s| s.row_conflicts)),
        ("activates", sum(|s| s.command(CommandKind::Act))),
    ] {
        assert_eq!(counted(count), expected as f64, "{name}, {mode}: {count}");
    }
    let average = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
    assert!((counted("read_latency_avg") - average).abs() < 1e-6);
    taken
}

#[test]
fn the_program_of_ramulator_sees_what_the_core_does_alone() {
    let Some(host) = ramulator() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, seed, count, line: fn(&mut Random) -> String| {
        trace(&directory.path().join(name), seed, count, line)
    };
    // Misses of a cache with what it writes back; accesses, of few enough lines that some hit; requests.
    let misses = |random: &mut Random| {
        let back = if random.below(3) == 0 {
            format!(" {}", random.below(1 << 40))
        } else {
            String::new()
        };
        format!("{} {}{back}\n", random.below(6), random.below(1 << 40))
    };
    let accesses = |random: &mut Random| {
        let kind = if random.below(3) == 0 { "W" } else { "R" };
        format!("{} {:#x} {kind}\n", random.below(6), random.below(8_192) * 64)
    };
    let requests = |random: &mut Random| {
        let kind = if random.below(3) == 0 { "W" } else { "R" };
        format!("{:#x} {kind}\n", random.below(1 << 40))
    };
    let reads = |taken: &[(u64, Access)]| taken.iter().filter(|(_, access)| *access == Access::Read).count();
    let cores = [write("a", 1, 1_500, misses), write("b", 2, 1_500, misses)];
    // Statistics are reset once the cores are warm; of the pages, each of which is used once, each has a place of its own.
    let warm = "warmup_insts = 1000\nexpected_limit_insts = 3000\ntranslation = Random\n";
    let taken = ramulator_beside_alone(host, "ddr4-2400-bench", warm, "cpu", &cores);
    let pages: BTreeSet<u64> = taken.iter().map(|(address, _)| address >> 12).collect();
    assert_eq!(pages.len(), taken.len());
    assert!(taken.len() > 2_500 && reads(&taken) < 2_500, "{}", reads(&taken));
    let cached = "cache = L1L2\nexpected_limit_insts = 40000\n";
    let cores = [write("c", 3, 10_000, accesses)];
    let taken = ramulator_beside_alone(host, "opteron-6128", cached, "cpu", &cores);
    let reads = reads(&taken);
    assert!((5_000..10_000).contains(&reads) && taken.len() > reads + 100, "{reads}");
    let trace = write("d", 4, 2_000, requests);
    let taken = ramulator_beside_alone(host, "opteron-6128", "", "dram", std::slice::from_ref(&trace));
    let map = machine("opteron-6128").memory.map;
    let named = |line: &str| {
        let (address, kind) = line.split_once(' ').expect("two words");
        let address = u64::from_str_radix(&address[2..], 16).expect("a number");
        let access = if kind == "W" { Access::Write } else { Access::Read };
        (place(&map, address), access)
    };
    let lines = std::fs::read_to_string(trace).expect("it was written");
    assert!(lines.lines().map(named).eq(taken));
}

#[test]
fn a_memory_of_ramulator_does_what_its_program_never_asks_for() {
    let Some(host) = ramulator() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = |name: &str| directory.path().join(name);
    std::fs::write(file("with"), "machine = ddr4-2400-bench\ntranslation = Random\n").expect("it is written");
    let mut command = Command::new(host);
    let done = output(command.arg(file("with")).env("RECORDED", file("recorded")), "");
    let said = succeeded("the host", done);
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said[0], "clock 0.833333 ns");
    assert_eq!(said[1], "Fresco's memory takes reads and writes alone");
    assert!(
        said[2].starts_with("machine ddr9: found no built-in machine of this name"),
        "{said:?}"
    );
    assert_eq!(
        *said.last().expect("some"),
        "translation: found Some, allowed: None, Random"
    );

    std::fs::write(file("without"), UNUSED).expect("it is written");
    let requests = trace(&file("requests"), 1, 1, |_| "0x0 R\n".to_owned());
    let mut command = Command::new(host);
    command
        .arg(file("without"))
        .args(["--mode=dram", "--stats"])
        .arg(file("statistics"));
    let done = output(command.arg(requests), "");
    let found = "machine: not found in Ramulator's configuration, allowed: ";
    assert!(text(&done.stderr).contains(found), "{done:?}");
}
