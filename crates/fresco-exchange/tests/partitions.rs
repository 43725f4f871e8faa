// SPDX-License-Identifier: MIT OR Apache-2.0
//! Partitions: frames all over the memory have a color of a part exactly if they are of the part, by the text alone.

use crate::support::{lossy, plans, random_partition, subject, task, write};
use fresco_dram::color::parse_list;
use fresco_dram::{ColorSpace, FrameNumber};
use fresco_exchange::{Budgets, Colors, ExportOptions, Subject, Task};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;

/// Machines of all kinds: plain bits, XOR functions, nodes by range, cache and banks that share bits.
const MACHINES: [&str; 8] = [
    "zcu102",
    "raspberry-pi-4",
    "xeon-w3530",
    "p4080",
    "opteron-6128",
    "i5-6200u",
    "gem5-2core",
    "imx8m-mini",
];

/// What a script writes: paths and values.
fn writes(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (value, path) = line.strip_prefix("echo ")?.split_once(" > ")?;
        Some((path.trim_matches('\'').to_owned(), value.trim_matches('\'').to_owned()))
    };
    text.lines().filter_map(line).collect()
}

fn value<'w>(writes: &'w [(String, String)], path: &str) -> Option<&'w str> {
    writes
        .iter()
        .find(|(to, _)| to == path)
        .map(|(_, value)| value.as_str())
}

/// Frames of the memory, drawn evenly.
fn frames(subject: &Subject, count: usize, random: &mut Pcg64) -> Vec<FrameNumber> {
    let regions = subject.machine.memory.map.regions();
    let page = subject.machine.page_bytes;
    (0..count)
        .map(|_| {
            let region = &regions[random.random_range(0..regions.len())];
            FrameNumber((region.base + random.random_range(0..region.size)) / page)
        })
        .collect()
}

fn is_of(space: &ColorSpace, colors: &Colors, frame: FrameNumber) -> bool {
    colors.banks.contains(&space.bank_color(frame)) && colors.llc.contains(&space.llc_color(frame))
}

/// A map as parities, with ranges and what is subtracted in them.
struct Parities {
    masks: Vec<u64>,
    ranges: Vec<(u64, u64, u64)>,
}

impl Parities {
    /// As the kernel of kernel/ reads it.
    fn of_kernel(text: &str) -> Self {
        let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("hexadecimal");
        let (masks, ranges) = text.split_once('@').unwrap_or((text, ""));
        let range = |text: &str| {
            let (start, rest) = text.split_once('-').expect("a range");
            let (end, base) = rest.split_once(':').expect("a base");
            (number(start), number(end), number(base))
        };
        Self {
            masks: masks.split(',').map(number).collect(),
            ranges: ranges.split(',').filter(|text| !text.is_empty()).map(range).collect(),
        }
    }

    fn color(&self, address: u64) -> Option<u32> {
        let base = match self.ranges.is_empty() {
            true => 0,
            false => {
                self.ranges
                    .iter()
                    .find(|(start, end, _)| (*start..*end).contains(&address))?
                    .2
            }
        };
        let bit = |mask: &u64| ((address - base) & mask).count_ones() & 1;
        Some(
            (0..)
                .zip(&self.masks)
                .fold(0, |color, (to, mask)| color | bit(mask) << to),
        )
    }
}

/// Frames are of a part exactly if they have a color of its list, and lie on its nodes.
fn agree(subject: &Subject, map: &Parities, lists: &[(Vec<u32>, Option<Vec<u32>>)], random: &mut Pcg64) {
    let space = subject.machine.colors().expect("it has colors");
    for frame in frames(subject, 2_000, random) {
        let color = map.color(frame.0 * subject.machine.page_bytes);
        let node = space.node_of_color(space.bank_color(frame));
        for (part, (colors, nodes)) in subject.parts().iter().zip(lists) {
            let in_text = color.is_some_and(|color| colors.contains(&color))
                && nodes.as_ref().is_none_or(|nodes| nodes.contains(&node));
            let name = &subject.machine.name;
            assert_eq!(
                in_text,
                is_of(&space, &part.colors, frame),
                "{name}: {} frame {:#x}",
                part.name,
                frame.0
            );
        }
    }
}

fn check_cgroup(subject: &Subject, random: &mut Pcg64) -> bool {
    let Ok(exported) = write(subject, "cgroup", &lossy()) else {
        return false;
    };
    if exported.losses.iter().any(|loss| loss.contains("node")) {
        return false;
    }
    let writes = writes(&exported.text);
    let map = Parities::of_kernel(value(&writes, "/sys/kernel/mm/page_color/map").expect("a map"));
    let list = |part: &fresco_exchange::Part| {
        let of = |file: &str| value(&writes, &format!("/sys/fs/cgroup/{}/{file}", part.name));
        let read = |text: &str| parse_list(text, 4096, "t").expect("a list");
        assert_eq!(of("cpuset.colors.strict"), Some("1"));
        assert_eq!(of("cpuset.cpus").map(read).unwrap_or_default(), part.cores);
        (read(of("cpuset.colors").expect("colors")), of("cpuset.mems").map(read))
    };
    let lists: Vec<_> = subject.parts().iter().map(list).collect();
    agree(subject, &map, &lists, random);
    true
}

fn check_palloc(subject: &Subject, random: &mut Pcg64) -> bool {
    let Ok(exported) = write(subject, "palloc", &lossy()) else {
        return false;
    };
    if exported.losses.iter().any(|loss| loss.contains("node")) {
        return false;
    }
    let writes = writes(&exported.text);
    let map = match value(&writes, "/sys/kernel/debug/palloc/palloc_mask") {
        Some(mask) => {
            let mask = u64::from_str_radix(mask.trim_start_matches("0x"), 16).expect("a mask");
            let pairs: BTreeMap<u32, u32> = writes
                .iter()
                .filter(|(path, _)| path == "/sys/kernel/debug/palloc/control")
                .map(|(_, value)| {
                    let words: Vec<&str> = value.split(' ').collect();
                    assert_eq!(words[0], "xor");
                    (words[1].parse().expect("a bit"), words[2].parse().expect("a bit"))
                })
                .collect();
            let bits = (0..64).filter(|bit| mask >> bit & 1 == 1);
            let masks = bits.map(|bit| 1 << bit | pairs.get(&bit).map_or(0, |partner| 1u64 << partner));
            assert_eq!(
                value(&writes, "/sys/kernel/debug/palloc/use_mc_xor").is_some(),
                !pairs.is_empty()
            );
            masks.collect()
        }
        None => {
            let line = exported
                .text
                .lines()
                .find_map(|line| line.strip_prefix("printf '"))
                .expect("a map");
            let (map, _) = line.split_once("\\n' > ").expect("its end");
            let bits = |line: &str| {
                line.split(' ')
                    .fold(0, |mask, bit| mask | 1u64 << bit.parse::<u32>().expect("a bit"))
            };
            map.split("\\n").map(bits).collect()
        }
    };
    let map = Parities {
        masks: map,
        ranges: Vec::new(),
    };
    let list = |part: &fresco_exchange::Part| {
        let of = |file: &str| value(&writes, &format!("/sys/fs/cgroup/{}/{file}", part.name)).expect("a value");
        let read = |text: &str| parse_list(text, 4096, "t").expect("a list");
        let by_range = subject
            .machine
            .memory
            .map
            .regions()
            .iter()
            .all(|region| region.node.is_some());
        (read(of("palloc.bins")), by_range.then(|| read(of("cpuset.mems"))))
    };
    let lists: Vec<_> = subject.parts().iter().map(list).collect();
    agree(subject, &map, &lists, random);
    true
}

/// Colors as hypervisors count them: of frames of a part all have a color of its list; if nothing is said to be lost, no others have.
fn check_ways(subject: &Subject, name: &str, random: &mut Pcg64) -> Option<bool> {
    let exported = write(subject, name, &lossy()).ok()?;
    let lists: Vec<Vec<u32>> = match name {
        "xen" => {
            let ranges = |line: &str| {
                let list = line
                    .strip_prefix("llc_colors=[")?
                    .strip_suffix(']')?
                    .replace(['"', ' '], "");
                Some(parse_list(&list, 1024, "t").expect("a list"))
            };
            exported.text.lines().filter_map(ranges).collect()
        }
        _ => {
            let mark = if name == "bao" { ".colors = 0x" } else { "_COLORS 0x" };
            let of = |line: &str| {
                let line = line
                    .strip_prefix("#define FRESCO_")
                    .filter(|line| line.starts_with("VM_") || line.starts_with("CELL_"))?;
                let digits: String = line
                    .split(mark)
                    .nth(1)?
                    .chars()
                    .take_while(char::is_ascii_hexdigit)
                    .collect();
                let mask = u64::from_str_radix(&digits, 16).expect("hexadecimal");
                Some((0..64).filter(|color| mask >> color & 1 == 1).collect())
            };
            exported.text.lines().filter_map(of).collect()
        }
    };
    let parts = subject.parts();
    assert_eq!(lists.len(), parts.len(), "{name}: {}", exported.text);
    let cache = &subject.machine.llc.as_ref().expect("colors").cache;
    let of_way = cache.size / u64::from(cache.ways) / 4096;
    let side = match (name, &subject.machine.l1) {
        ("bao", Some(l1)) => l1.size / u64::from(l1.ways) / 4096,
        _ => 1,
    };
    let space = subject.machine.colors().expect("it has colors");
    let lost: Vec<&String> = exported
        .losses
        .iter()
        .filter(|loss| loss.contains("has pages of"))
        .collect();
    let mut others = vec![false; parts.len()];
    for frame in frames(subject, 4_000, random) {
        let color = (frame.0 / side % (of_way / side)) as u32;
        for ((part, list), other) in parts.iter().zip(&lists).zip(&mut others) {
            match (is_of(&space, &part.colors, frame), list.contains(&color)) {
                (true, in_list) => assert!(in_list, "{name}: {} misses frame {:#x}", part.name, frame.0),
                (false, true) => *other = true,
                (false, false) => {}
            }
        }
    }
    for (part, other) in parts.iter().zip(others) {
        let is_told = lost.iter().any(|loss| loss.starts_with(&format!("{} has", part.name)));
        assert_eq!(
            is_told, other,
            "{name} on {}: {:?}",
            subject.machine.name, exported.losses
        );
    }
    Some(lost.is_empty())
}

#[test]
fn plans_of_tasks_are_read_back() {
    let mut random = Pcg64::seed_from_u64(1);
    let (mut kernel, mut palloc) = (0, 0);
    for (plan, machine) in plans() {
        let subject = Subject::of_plan("plan.json", plan, machine).expect("a plan");
        if subject.parts().is_empty() {
            continue;
        }
        kernel += u32::from(check_cgroup(&subject, &mut random));
        palloc += u32::from(check_palloc(&subject, &mut random));
    }
    assert!(kernel >= 7 && palloc >= 7, "{kernel} and {palloc}");
}

#[test]
fn random_partitions_are_read_back() {
    let runs: u64 = std::env::var("EXCHANGE_RUNS").map_or(5, |runs| runs.parse().expect("a number"));
    let mut random = Pcg64::seed_from_u64(2);
    let mut read = BTreeMap::new();
    for machine in MACHINES {
        for _ in 0..runs {
            let subject = random_partition(machine, &mut random);
            if subject.tasks.is_empty() {
                continue;
            }
            let mut count = |name: &'static str, found: bool| *read.entry(name).or_insert(0) += u64::from(found);
            count("cgroup", check_cgroup(&subject, &mut random));
            count("palloc", check_palloc(&subject, &mut random));
            for name in ["xen", "bao", "jailhouse"] {
                match check_ways(&subject, name, &mut random) {
                    Some(true) => count("exact", true),
                    Some(false) => count("lossy", true),
                    None => count("refused", true),
                }
            }
        }
    }
    assert!(read["cgroup"] >= 5 * runs && read["palloc"] >= 5 * runs, "{read:?}");
    assert!(read["exact"] >= 2 * runs && read["lossy"] >= 5 * runs, "{read:?}");
}

/// By hand: on the ZCU102 LLC colors are address bits 12 to 15, three of which select banks, too.
#[test]
fn what_colors_of_banks_are_in_xen_is_told() {
    let part = |name: &str, banks: &[u32], llc: &[u32]| Task {
        colors: Some(Colors {
            banks: banks.to_vec(),
            llc: llc.to_vec(),
        }),
        ..task(name)
    };
    let all: Vec<u32> = (0..16).collect();
    // Bits 13 to 15 are 0 in bank colors 0 and 2: these are the pages of the LLC colors 0 and 1.
    let exact = subject("zcu102", vec![part("a", &[0, 2], &[0, 1]), part("b", &all, &[4, 5, 6])]);
    let text = write(&exact, "xen", &ExportOptions::default()).expect("exact").text;
    assert!(
        text.contains("llc_colors=[\"0-1\"]\n") && text.contains("llc_colors=[\"4-6\"]\n"),
        "{text}"
    );
    assert!(text.contains("xen-llc-colors=2 dom0-llc-colors=3,7-15"), "{text}");
    // Bank color 0 alone is bit 16, too, of which Xen knows nothing.
    let more = subject("zcu102", vec![part("a", &[0], &all), part("b", &[2], &all)]);
    let error = write(&more, "xen", &ExportOptions::default()).expect_err("lost");
    assert_eq!(
        error.found,
        "found what xen cannot say: a has pages of bank colors 0,2 instead of 0 with the colors 0-1 of Xen; b has pages of bank \
         colors 0,2 instead of 2 with the colors 0-1 of Xen; a and b share the colors 0-1 of Xen"
    );
    let written = write(&more, "xen", &lossy()).expect("accepted");
    assert!(
        written.text.contains("# lost: a and b share the colors 0-1 of Xen\n"),
        "{}",
        written.text
    );
}

#[test]
fn ways_and_budgets_are_read_back_from_schemata() {
    let mut random = Pcg64::seed_from_u64(3);
    for _ in 0..100 {
        let mut subject = subject("xeon-w3530", Vec::new());
        let cores = subject.machine.cores;
        let mut lines = vec![0; cores as usize];
        for core in 0..cores {
            let first = random.random_range(0..12);
            let ways: Vec<u32> = (first..first + random.random_range(1..=4)).collect();
            lines[core as usize] = random.random_range(20..5_000);
            subject.tasks.push(Task {
                core: Some(core),
                ways: random.random::<bool>().then_some(ways),
                ..task(&format!("t{core}"))
            });
        }
        subject.budgets = Some(Budgets {
            period_ns: 1_000_000,
            line_bytes: 64,
            lines: lines.clone(),
            count_write_backs: false,
            lent: false,
        });
        let exported = write(&subject, "resctrl", &lossy()).expect("it has limits");
        assert_eq!(exported.losses.len(), 1, "{:?}", exported.losses);
        let writes = writes(&exported.text);
        for (core, task) in (0..).zip(&subject.tasks) {
            let path = format!("/sys/fs/resctrl/{}", task.name);
            let of: Vec<&str> = writes
                .iter()
                .filter(|(to, _)| *to == format!("{path}/schemata"))
                .map(|(_, value)| value.as_str())
                .collect();
            let mask = of.iter().find_map(|line| line.strip_prefix("L3:0="));
            let mask = mask.map(|mask| u32::from_str_radix(mask, 16).expect("hexadecimal"));
            let ways = mask.map(|mask| (0..32).filter(|way| mask >> way & 1 == 1).collect::<Vec<u32>>());
            assert_eq!(ways, task.ways);
            let mib: u64 = of
                .iter()
                .find_map(|line| line.strip_prefix("MB:0="))
                .expect("a budget")
                .parse()
                .expect("a number");
            let bytes = lines[core] * 64 * 1000;
            assert!(mib << 20 <= bytes && (mib + 1) << 20 > bytes, "{mib} MiB/s of {bytes}");
            assert_eq!(
                value(&writes, &format!("{path}/cpus_list")),
                Some(core.to_string().as_str())
            );
        }
        // The first class has what is left, or it is told why not.
        let all = subject.tasks.iter().filter_map(|task| task.ways.clone()).flatten();
        let taken = all.fold(0u32, |mask, way| mask | 1 << way);
        match value(&writes, "/sys/fs/resctrl/schemata") {
            Some(rest) => assert_eq!(rest, format!("L3:0={:x}", 0xffff & !taken)),
            None => assert!(taken == 0 || exported.text.contains("still fills all ways")),
        }
    }
}

#[test]
fn memguard_has_a_budget_for_each_core() {
    let colors = Colors {
        banks: vec![0, 1],
        llc: (0..128).collect(),
    };
    let mut subject = subject(
        "xeon-w3530",
        vec![Task {
            colors: Some(colors),
            ..task("a")
        }],
    );
    // 900 and 100 MiB/s in lines of 64 bytes for each ms.
    subject.budgets = Some(Budgets {
        period_ns: 1_000_000,
        line_bytes: 64,
        lines: vec![14_746, 0, 1_639, 0],
        count_write_backs: false,
        lent: false,
    });
    let text = write(&subject, "palloc", &ExportOptions::default())
        .expect("it fits")
        .text;
    assert!(
        text.contains("echo 'mb 900 1 100' > /sys/kernel/debug/memguard/read_limit\n"),
        "{text}"
    );
    assert!(text.contains("g_period_us=1000;"), "{text}");
}
