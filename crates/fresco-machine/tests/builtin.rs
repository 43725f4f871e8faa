// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every built-in machine: it parses, its map is one to one, it has the banks and colors that its paper states.

use fresco_dram::{ColorSpace, FrameNumber, Location, PhysAddr};
use fresco_machine::{Machine, builtin, builtin_names, builtin_text, load, load_with};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

fn machine(name: &str) -> Machine {
    builtin(name).unwrap_or_else(|error| panic!("{error}"))
}

fn colors(machine: &Machine) -> ColorSpace {
    let llc = machine
        .llc
        .as_ref()
        .map(fresco_machine::LlcConfig::set_functions)
        .unwrap_or_default();
    ColorSpace::new(&machine.memory.map, &llc, machine.page_bytes.trailing_zeros()).expect("pages are aligned")
}

#[test]
fn all_parse_and_are_named_as_their_file() {
    assert!(builtin_names().count() >= 9);
    for name in builtin_names() {
        let machine = machine(name);
        assert_eq!(machine.name, name);
        assert!(!machine.title.is_empty() && !machine.sources.is_empty(), "{name}");
        assert_eq!(machine.text_digest.len(), 16, "{name}");
        assert!(machine.title.len() < 110, "{name}: the title is one line");
    }
}

#[test]
fn maps_are_one_to_one_and_cover_the_organisation() {
    let mut rng = Pcg64::seed_from_u64(1);
    for name in builtin_names() {
        let memory = machine(name).memory;
        let org = memory.organisation;
        assert_eq!(memory.map.capacity(), org.total_bytes(), "{name}");
        let covered: u64 = memory.map.regions().iter().map(|region| region.size).sum();
        assert_eq!(covered, org.total_bytes(), "{name}");
        for _ in 0..2000 {
            let location = Location {
                node: rng.random_range(0..org.nodes),
                channel: rng.random_range(0..org.channels),
                rank: rng.random_range(0..org.ranks),
                bank_group: rng.random_range(0..org.bank_groups),
                bank: rng.random_range(0..org.banks),
                row: rng.random_range(0..org.rows),
                column: rng.random_range(0..org.columns),
            };
            let address = memory.map.encode(&location);
            assert_eq!(memory.map.decode(address), Some(location), "{name}: {location:?}");
        }
    }
}

/// One burst lies in one row of one bank.
#[test]
fn a_line_is_not_split() {
    let mut rng = Pcg64::seed_from_u64(2);
    for name in builtin_names() {
        let memory = machine(name).memory;
        let burst = memory.timing.bytes_of_line(&memory.organisation);
        for _ in 0..500 {
            let region = &memory.map.regions()[rng.random_range(0..memory.map.regions().len())];
            let line = region.base + rng.random_range(0..region.size / burst) * burst;
            let row = |address: u64| {
                let place = memory.map.decode(PhysAddr(address)).expect("inside a region");
                Location { column: 0, ..place }
            };
            assert_eq!(row(line), row(line + burst - 1), "{name}: {line:#x}");
        }
    }
}

/// A rank is made of whole devices of the stated density, 4 to 32 bits wide; of HBM2 it is a pseudo-channel, 64 bits wide.
#[test]
fn density_fits_the_organisation() {
    let with = |name: &str, overrides: &[(&str, &str)]| {
        let owned: Vec<_> = overrides
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect();
        fresco_machine::load_with(name, &owned)
    };
    for name in builtin_names() {
        let memory = machine(name).memory;
        let org = memory.organisation;
        let rank_gbit = (org.bank_bytes() * u64::from(org.banks_per_rank()) * 8) >> 30;
        let devices = rank_gbit / u64::from(memory.device.density_gbit);
        assert_eq!(devices * u64::from(memory.device.density_gbit), rank_gbit, "{name}");
        assert!(
            [4, 8, 16, 32, 64].contains(&(u64::from(org.bus_bytes) * 8 / devices)),
            "{name}: {devices} devices"
        );
        // Sixteen times the density is no device of these rows, whatever its width; that it is meant must be said.
        let denser = (u64::from(memory.device.density_gbit) * 16).min(64).to_string();
        if denser.parse() == Ok(memory.device.density_gbit * 16) {
            let error = with(name, &[("memory.density", &denser)]).expect_err(name);
            assert_eq!(error.field, "memory.density", "{error}");
            let only = ("memory.density_scales_refresh_only", "true");
            let scaled = with(name, &[("memory.density", &denser), only]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(scaled.memory.organisation, org);
        }
    }
    // Of a channel of LPDDR4 the standard has one width; of DDR3 three, each with its own density.
    for (name, fitting) in [
        ("raspberry-pi-4", &["8 Gb"][..]),
        ("xeon-w3530", &["1 Gb", "2 Gb", "4 Gb"]),
    ] {
        for density in ["1 Gb", "2 Gb", "4 Gb", "8 Gb", "16 Gb"] {
            let fits = with(name, &[("memory.density", density)]).is_ok();
            assert_eq!(fits, fitting.contains(&density), "{name} {density}");
        }
    }
    // Rows that grow with the density: REF-2, CON-20.
    for (name, density, rows) in [("ss-rtmc", "32", "524288"), ("gem5-2core", "32", "524288")] {
        let overrides = [("memory.density", density), ("memory.organisation.rows", rows)];
        with(name, &overrides).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// The same rows and columns of another density are devices of another width, which open fewer or more rows at once.
#[test]
fn timing_is_that_of_the_width() {
    let faw = |name: &str, density: &str| {
        let density = [("memory.density".to_owned(), density.to_owned())];
        fresco_machine::load_with(name, &density).map(|machine| machine.memory.timing.faw)
    };
    // DDR4-2400: 16 banks of 2^15 rows of 1024 columns of 4 or 8 bits.
    assert_eq!(faw("xeon-e3-1220v5", "2 Gb").expect("x4"), 16);
    assert_eq!(faw("xeon-e3-1220v5", "4 Gb").expect("x8"), 26);
    let error = faw("xeon-e3-1220v5", "8 Gb").expect_err("x16 has two bank groups");
    assert_eq!(error.field, "memory.organisation.bank_groups");
    assert!(
        error.to_string().contains("found 4 bank groups of x16 devices"),
        "{error}"
    );
    // DDR3-1333: 8 banks of 2^15 rows of 1024 columns of 4, 8 or 16 bits.
    let ddr3 = ["1 Gb", "2 Gb", "4 Gb"].map(|density| faw("xeon-w3530", density).expect(density));
    assert_eq!(ddr3, [20, 20, 30]);
}

/// What an override of a built-in machine lacks is cured by another one: its file cannot be edited.
#[test]
fn missing_keys_of_built_in_machines_are_cured_by_overrides() {
    let page = [("memory.controller.page".to_owned(), "adaptive".to_owned())];
    let error = fresco_machine::load_with("xeon-w3530", &page).expect_err("page_idle is missing");
    assert_eq!(error.field, "memory.controller.page_idle");
    assert_eq!(
        error.allowed,
        "an integer from 1 to 1000000, cycles of the command clock"
    );
    assert!(error.help.contains("--set memory.controller.page_idle=…"), "{error}");
}

/// An override with the value of the file makes the same machine.
#[test]
fn only_changes_change_the_digest() {
    let digest = |value: &str| {
        let set = [("memory.controller.page".to_owned(), value.to_owned())];
        fresco_machine::load_with("xeon-w3530", &set)
            .expect("is a machine")
            .text_digest
    };
    assert_eq!(digest("open"), machine("xeon-w3530").text_digest);
    assert_ne!(digest("closed"), machine("xeon-w3530").text_digest);
}

/// Neither quotes nor blanks, nor the base of a number, nor the order of keys, nor what is set again makes another machine.
#[test]
fn spelling_changes_no_digest() {
    let digest = |set: &[(&str, &str)]| {
        let set: Vec<_> = set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        load_with("xeon-w3530", &set).expect("is a machine").text_digest
    };
    let (page, cap) = ("memory.controller.page", "memory.controller.hit_cap");
    let wanted = digest(&[(page, "closed"), (cap, "7")]);
    assert_eq!(digest(&[(page, "\"closed\""), (cap, "0x7")]), wanted);
    assert_eq!(digest(&[(cap, "7"), (page, "'closed'")]), wanted);
    assert_eq!(
        digest(&[(page, "open"), (cap, "7"), (page, "closed"), ("cores", "4")]),
        wanted
    );
    assert_eq!(digest(&[(page, "closed"), (page, "open")]), digest(&[]));
    // As stored plans of before have it.
    let text = builtin_text("xeon-w3530").expect("is built in");
    assert_eq!(
        wanted,
        fresco_machine::digest(text, &[(cap.into(), "7".into()), (page.into(), "\"closed\"".into())])
    );
}

/// A machine that is written out is the same as by name or file and changes, wherever it is.
#[test]
fn a_machine_is_written_out() {
    let text = builtin_text("xeon-w3530").expect("is built in");
    let set = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
    let changes = set("memory.controller.page", "\"closed\"");
    let wanted = load_with("xeon-w3530", &changes).expect("is a machine");
    for body in ["xeon-w3530", text] {
        let whole = fresco_machine::written_out(body, &changes);
        assert!(fresco_machine::is_text(&whole) && !fresco_machine::is_path(&whole));
        assert_eq!(load(&whole).expect("is a machine").text_digest, wanted.text_digest);
        // Later changes go over it.
        let open = load_with(&whole, &set("memory.controller.page", "open")).expect("is a machine");
        assert_eq!(open.text_digest, load("xeon-w3530").expect("is a machine").text_digest);
    }
    let error = load("--set page\nxeon-w3530").expect_err("has no value");
    assert!(error.allowed.contains("--set key=value"), "{error}");
    let error = load("name = \"x\"\n").expect_err("is no machine");
    assert_eq!(error.file, "the machine's text");
}

/// The colors that the papers count (CON-3 to CON-5, MAP-7, MAP-9), at 4 KiB pages: bank colors, LLC colors, pairs.
#[test]
fn colors_of_the_papers() {
    let count = |name: &str| {
        let space = colors(&machine(name));
        (space.bank_colors(), space.llc_colors(), space.pairs())
    };
    assert_eq!(count("opteron-6128").0, 128);
    // CON-5: bank bits 15 and 16 are LLC bits too, so of 4 nodes x 8 banks x 32 LLC colors a quarter exists.
    assert_eq!(count("opteron-6128-interleaved"), (32, 32, 256));
    // MAP-7: bits 12 and 13 are shared with the cache, 19 and 20 are not; the L3 has colors of bits 12 to 18.
    assert_eq!(count("xeon-w3530"), (16, 128, 512));
    // MAP-9: 32 colors of two banks; bits 13 to 15 are shared with the cache.
    assert_eq!(count("i7-860"), (32, 128, 512));
    // BPM-5: with the channel above the page there are 64 colors of one bank.
    assert_eq!(count("i7-860-channels"), (64, 128, 1024));
}

/// The published maps: as many bank colors at 4 KiB as elimination finds in their functions.
#[test]
fn colors_of_the_published_maps() {
    let counts = [
        ("xeon-e3-1220v5", 16),
        ("i5-6200u", 16),
        ("raspberry-pi-4", 8),
        ("jetson-nano", 4),
    ];
    for (name, bank_colors) in counts {
        assert_eq!(colors(&machine(name)).bank_colors(), bank_colors, "{name}");
    }
}

/// MAP-8: the 32 banks of the P4080; MAP-10: rank bits 15 to 17.
#[test]
fn ranks_and_banks_above_the_page_offset_are_colors() {
    assert_eq!(colors(&machine("p4080")).bank_colors(), 32);
    let ss_rtmc = machine("ss-rtmc").memory;
    for rank in 0..8u32 {
        let place = ss_rtmc.map.decode(PhysAddr(u64::from(rank) << 15)).expect("inside");
        assert_eq!(place.rank, rank);
    }
}

/// Speed bin DDR3-1600G, and the clocks of the simulator comparison.
#[test]
fn timing_that_differs_from_the_standard_is_taken_from_the_file() {
    let t = machine("ss-rtmc").memory.timing;
    assert_eq!((t.cl, t.rcd, t.rp, t.ras, t.rc), (8, 8, 8, 28, 36));
    let t = machine("ddr4-2400-bench").memory.timing;
    assert_eq!((t.cl, t.cwl, t.burst()), (16, 12, 4));
    assert_eq!((t.rcd, t.rp, t.ras, t.rc), (16, 16, 39, 55));
    assert_eq!((t.rrd_s, t.rrd_l, t.faw, t.ccd_s, t.ccd_l), (4, 6, 26, 4, 6));
    assert_eq!((t.rtp, t.wr, t.wtr_s, t.wtr_l, t.rtrs), (9, 18, 3, 9, 2));
    assert_eq!((t.rfc_ab, t.refi), (420, 9360));
    // CON-20: 530 ns at 16 Gb, in clocks of 1.25 ns.
    assert_eq!(machine("gem5-2core").memory.timing.rfc_ab, 424);
}

/// The bench machine's map from low to high: 6 offset, 7 column, 1 rank, 2 bank group, 2 bank, 16 row.
#[test]
fn bench_map_is_that_of_the_comparison() {
    let map = machine("ddr4-2400-bench").memory.map;
    let at = |bit: u32| map.decode(PhysAddr(1 << bit)).expect("inside");
    assert_eq!((at(6).column, at(12).column, at(13).rank), (8, 512, 1));
    assert_eq!(
        (at(14).bank_group, at(15).bank_group, at(16).bank, at(17).bank),
        (1, 2, 1, 2)
    );
    assert_eq!((at(18).row, at(33).row), (1, 32768));
}

/// CAMC's figure 2.6 takes banks 0, 32, 64 and 96, one on each controller.
#[test]
fn opteron_colors_count_node_first() {
    let machine = machine("opteron-6128");
    let space = colors(&machine);
    for color in 0..128 {
        assert_eq!(
            (space.node_of_color(color), space.banks(color)),
            (color / 32, vec![color])
        );
    }
    let nodes: Vec<u32> = (0..16).map(|core| machine.topology.node_of_core[core]).collect();
    assert_eq!(nodes, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    assert!(machine.topology.hop_latency[0][1] < machine.topology.hop_latency[0][2]);
}

/// RLIM-3: the printed bits spread each color over both channels and both ranks of a node.
#[test]
fn interleaved_opteron_colors_are_four_banks() {
    let machine = machine("opteron-6128-interleaved");
    let space = colors(&machine);
    assert!((0..32).all(|color| space.banks(color).len() == 4));
    assert_eq!(space.bank_color(FrameNumber(0)), 0);
}

#[test]
fn machines_are_found_by_name_or_path() {
    assert_eq!(load("xeon-w3530").expect("is built in").name, "xeon-w3530");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines/xeon-w3530.toml");
    let from_file = load(path).expect("is a file");
    assert_eq!(from_file.text_digest, machine("xeon-w3530").text_digest);

    let error = load("xeon-w3503").expect_err("is no machine").to_string();
    assert!(
        error.starts_with("machine xeon-w3503: found no built-in machine of this name"),
        "{error}"
    );
    assert!(error.ends_with("help: did you mean \"xeon-w3530\"?"), "{error}");
    assert!(
        load("./no-such.toml")
            .expect_err("is no file")
            .to_string()
            .contains("cannot read it")
    );
    assert!(
        builtin_text("nothing-like-it")
            .expect_err("is no machine")
            .to_string()
            .contains("choose one of these")
    );
}

#[test]
fn overrides_change_the_machine_and_its_digest() {
    let set = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
    let original = machine("xeon-w3530");
    let changed = load_with("xeon-w3530", &set("memory.controller.queues.kind", "global")).expect("is a machine");
    assert_ne!(changed.text_digest, original.text_digest);
    assert!(matches!(
        changed.memory.controller.queues,
        fresco_machine::Queues::Global { reads: 32, writes: 16 }
    ));
    let error = load_with("xeon-w3530", &set("memory.controller.drain_low", "12")).expect_err("not below drain_high");
    assert_eq!(error.file, "--set memory.controller.drain_low=12");
}
