// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains: a known answer, every built-in machine and random maps, each page looked at through the machine's decoder.

use crate::common::{parse, results_on};
use fresco_dram::PhysAddr;
use fresco_dram::apart::Judge;
use fresco_frames::TaskId;
use fresco_scenario::allocator;
use fresco_system::Scenario;
use fresco_system::results::{PointResult, RowsApart, RowsPart};
use proptest::prelude::*;
use std::collections::HashMap;

/// A row of all banks of a node of the small machine is 128 KiB, a domain of 1 MiB 8 rows; two of them are guards, but in the first of a node.
fn run(keys: &str) -> PointResult {
    let text = format!(
        "name = \"rows\"
        machine = \"small.toml\"
        check = true
        measure.time = \"50 us\"
        [[task]]
        name = \"low\"
        program = \"latency\"
        core = 0
        rows = 0
        parameters.bytes = \"1 MiB\"
        [[task]]
        name = \"high\"
        program = \"latency\"
        core = 1
        rows = \"1-2\"
        parameters.bytes = \"1536 KiB\"
        [[task]]
        name = \"other\"
        program = \"bandwidth\"
        core = 2
        parameters.bytes = \"1 MiB\"
        {keys}"
    );
    results_on(1, &text).points[0].clone()
}

const ROWS: &str = "[rows]\nsize = \"1 MiB\"\nblast = 2\n";

#[test]
fn domains_are_as_far_apart_as_their_guards() {
    let point = run(ROWS);
    let rows: Vec<_> = point.runs[0].tasks.iter().map(|task| task.rows.as_deref()).collect();
    assert_eq!(rows, [Some("0"), Some("1-2"), None]);
    let domains = point.row_domains.as_ref().expect("tasks have some");
    assert_eq!(
        (domains.domains, domains.domain_bytes, domains.blast),
        (4 * 32, 1 << 20, 2)
    );
    let part = |rows: &str, users: &[&str], bytes: u64| RowsPart {
        rows: rows.to_owned(),
        users: users.iter().map(|name| (*name).to_owned()).collect(),
        bytes,
    };
    // 8 rows, then 6 of each; 125 domains are left, the first ones of three nodes among them.
    let row = 128 << 10;
    let expected = [
        part("0", &["low"], 8 * row),
        part("1-2", &["high"], 12 * row),
        part("3-127", &[], (125 * 6 + 3 * 2) * row),
    ];
    assert_eq!(domains.parts, expected);
    assert_eq!(domains.unused_bytes, 4 * 31 * 2 * row);
    // Row 7 of one is full, and row 10 of the other.
    let RowsApart { pages, nearest, .. } = point.runs[0].rows_apart.expect("it was judged");
    assert_eq!(nearest, Some(3));
    assert!(pages > 3 * 256, "{pages} with those of the kernel");
}

#[test]
fn rows_and_banks_are_both_heeded() {
    // 16 bank colors of node 0, one page in 16 of each domain: 128 KiB of two of them in 8 rows.
    let text = |bytes: &str| {
        format!(
            "name = \"rows\"
            machine = \"small.toml\"
            check = true
            policy.frames = \"palloc\"
            measure.time = \"20 us\"
            rows = {{ size = \"1 MiB\", blast = 2 }}
            [[task]]
            name = \"low\"
            program = \"latency\"
            core = 0
            rows = 0
            banks = \"0-1\"
            parameters.bytes = \"{bytes}\"
            [[agent]]
            name = \"dma\"
            bytes = \"64 KiB\"
            rows = 1"
        )
    };
    let run = &results_on(1, &text("128 KiB")).points[0].runs[0];
    let task = &run.tasks[0];
    assert_eq!((task.banks.as_str(), task.rows.as_deref()), ("0-1", Some("0")));
    assert_eq!(task.pages.by_bank, [(0, 16), (1, 16)]);
    assert_eq!(run.agents[0].rows.as_deref(), Some("1"));
    let error = parse(&text("132 KiB")).err().expect("a page too many").to_string();
    assert!(
        error.contains("132 KiB for the memory of [bank colors 0-1][row domains 0]"),
        "{error}"
    );
    assert!(error.contains("128 KiB at most"), "{error}");
}

#[test]
fn without_rows_of_tasks_nothing_is_set_apart() {
    let text = |keys: &str| {
        format!(
            "name = \"rows\"\nmachine = \"small.toml\"\ncheck = true\nmeasure.passes = 1\n{keys}
            [[task]]\nname = \"low\"\nprogram = \"random\"\ncore = 0\nparameters.bytes = \"256 KiB\""
        )
    };
    let shown = |keys: &str| serde_json::to_string(&results_on(1, &text(keys))).expect("it serialises");
    let without = shown("");
    assert_eq!(shown("rows = { size = \"1 MiB\", blast = 2 }"), without);
    assert!(!without.contains("rows_apart") && !without.contains("row_domains"));
}

/// Gives the owners of rows 0 and 1 and an owner without rows all pages that there are, `most` at most, and looks at each line of them.
fn assert_apart(scenario: &Scenario, seed: u64, most: usize) {
    let setup = &scenario.points[0].setup;
    let rows = setup.rows.as_deref().expect("tasks have rows");
    let mut frames =
        allocator::frames(&setup.machine, &setup.space, setup.frames, Some(rows), seed).expect("an allocator");
    let (map, page) = (&setup.machine.memory.map, setup.machine.page_bytes);
    let mut judge = Judge::new(map);
    // By bank and row, who has pages there, a bit for each.
    let mut found: HashMap<(u32, u32), u32> = HashMap::new();
    for (owner, agent) in (0u32..).zip(&setup.agents) {
        frames.register(TaskId(owner), agent.memory()).expect("rows that exist");
        let mut pages = 0;
        while let Ok((frame, _)) = frames.alloc(TaskId(owner)) {
            judge.see(owner, PhysAddr(frame.0 * page), page);
            for address in (frame.0 * page..(frame.0 + 1) * page).step_by(64) {
                let place = map.decode(PhysAddr(address)).expect("memory");
                let row = (place.bank_in_machine(map.organisation()), place.row);
                *found.entry(row).or_default() |= 1 << owner;
            }
            pages += 1;
            if pages == most {
                break;
            }
        }
        assert!(pages > 0, "{}: agent {owner} has none", setup.machine.name);
    }
    let (blast, remaps) = (rows.request.blast, rows.request.remaps);
    let apart = judge.judge(blast, remaps, |one, other| one != other);
    let apart = apart.unwrap_or_else(|near| panic!("{}: {near}", setup.machine.name));
    assert!(apart.nearest.is_none_or(|nearest| nearest > blast));
    for ((bank, row), owners) in &found {
        assert_eq!(owners.count_ones(), 1, "row {row} of bank {bank}");
        for near in row.saturating_sub(blast)..=row + blast {
            let others = found.get(&(*bank, near));
            assert!(
                others.is_none_or(|others| others == owners),
                "rows {row} and {near} of bank {bank}"
            );
        }
    }
}

/// Three buffers of a page: in domain 0, in domain 1, and where nobody names a domain.
fn buffers(machine: &str, keys: &str) -> String {
    let agent = |name: &str, rows: &str| format!("[[agent]]\nname = \"{name}\"\nbytes = 4096\n{rows}\n");
    let agents = [("a", "rows = 0"), ("b", "rows = 1"), ("c", "")]
        .map(|(name, rows)| agent(name, rows))
        .concat();
    format!(
        "name = \"rows\"\nmachine = \"{machine}\"\n{keys}\n{agents}
        [[task]]\nname = \"t\"\nprogram = \"latency\"\ncore = 0\nparameters.bytes = 4096\n"
    )
}

#[test]
fn on_every_built_in_machine_domains_are_apart() {
    let mut seen = 0;
    for name in fresco_machine::builtin_names() {
        let machine = fresco_machine::load_with(name, &[]).unwrap_or_else(|error| panic!("{error}"));
        let memory = &machine.memory;
        let by_range = memory.map.regions()[0].node.is_some();
        let row = memory.organisation.total_bytes() / u64::from(memory.organisation.rows);
        let row = if by_range {
            row / u64::from(memory.organisation.nodes)
        } else {
            row
        };
        let ddr4 = memory.timing.standard.starts_with("ddr4");
        for (rows, remaps) in [(9, ""), (256, "mirrored = true\ninverted = true\nblocks = 2\n")] {
            if !remaps.is_empty() && (!ddr4 || row > 1 << 20) {
                continue;
            }
            let keys = format!("[rows]\nsize = {}\nblast = 3\n{remaps}", rows * row);
            match parse(&buffers(name, &keys)) {
                Ok(scenario) => {
                    assert_apart(&scenario, 1, 2_000);
                    seen += 1;
                }
                Err(error) => {
                    let text = error.to_string();
                    assert!(
                        memory.organisation.odd_ways() > 1 && text.contains("no power of two"),
                        "{name}: {text}"
                    );
                }
            }
        }
    }
    assert!(seen > 12, "{seen} divisions");
}

/// Bits that are added to a function, each of those above it or not.
fn mixed(own: u32, above: std::ops::Range<u32>, choice: u64) -> String {
    let more = above.filter(|bit| choice >> bit & 1 == 1).map(|bit| format!(", {bit}"));
    format!("[{own}{}]", more.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_201_020),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn under_random_maps_domains_are_apart(
        choices in proptest::collection::vec(any::<u64>(), 12),
        mixes_rows: bool,
        rows in 9u64..40,
        blast in 1u32..5,
        block_bits in 0u32..3,
        policy in 0usize..5,
    ) {
        // Banks add up row bits; rows add up higher ones, so that the map stays one to one.
        let banks: Vec<String> = (13..16).map(|bit| mixed(bit, 17..25, choices[bit as usize - 13])).collect();
        let of_rows: Vec<String> = (17..25)
            .map(|bit| mixed(bit, bit + 1..25, if mixes_rows { choices[bit as usize - 14] } else { 0 }))
            .collect();
        let frames = ["buddy", "palloc", "tintmalloc", "bpm", "soft"][policy];
        let keys = format!(
            "policy.frames = \"{frames}\"
            memory.map.rank = [{}]
            memory.map.bank = [{}]
            memory.map.row = [{}]
            rows = {{ size = {}, blast = {blast}, blocks = {} }}",
            mixed(16, 17..25, choices[11]), banks.join(", "), of_rows.join(", "), rows << 17, 1 << block_bits,
        );
        let scenario = match parse(&buffers("small.toml", &keys)) {
            Ok(scenario) => scenario,
            Err(error) => {
                // Pages of 4 KiB lie in one row; blocks may leave nothing of a domain of few rows, but never so many of these.
                prop_assert!(error.to_string().contains("found domains of"), "{error}");
                prop_assert!(rows < 3 * u64::from(blast.next_multiple_of(1 << block_bits)) + (1 << block_bits), "{error}");
                return Ok(());
            }
        };
        assert_apart(&scenario, u64::from(blast), usize::MAX);
    }
}
