// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines whose lines take several bursts, and the modes that their devices have: which files are accepted, and why others are not.

use fresco_dram::{Location, PhysAddr};
use fresco_machine::{Guaranteed, Machine};

/// A small machine with one channel; `organisation` and `map` are lines of these tables.
fn text(standard: &str, organisation: &str, map: &str, refresh: &str) -> String {
    format!(
        "name = \"small\"\ntitle = \"One channel\"\nsources = [\"made up\"]\nassumptions = []\ncores = 1\n\
         [core]\nclock = \"2 GHz\"\nkind = \"in-order\"\nissue_width = 1\nwindow = 1\nmshrs = 1\n\
         [l1]\nsize = \"32 KiB\"\nways = 8\nline = 64\nlatency = \"4 cycles\"\nreplacement = \"lru\"\n\
         [memory]\nstandard = \"{standard}\"\ndensity = \"8 Gb\"\n\
         [memory.organisation]\n{organisation}\n\
         [memory.map]\nrow = \"rest\"\n{map}\n\
         [memory.controller]\nscheduler = \"fr-fcfs\"\nhit_cap = 16\npage = \"open\"\ndrain_high = 24\ndrain_low = 8\n\
         refresh = \"{refresh}\"\nfrontend = \"10 ns\"\n\
         [memory.controller.queues]\nkind = \"global\"\nreads = 32\nwrites = 32\n"
    )
}

const GROUPS: &str = "bank_groups = 4\nbanks = 4\nrows = 32768\ncolumns = 1024\nbus_bytes = 2";
const GROUPS_MAP: &str = "bank_group = [6, 7]\nbank = [13, 14]\ncolumn = \"rest\"";
const EIGHT: &str = "banks = 8\nrows = 32768\ncolumns = 2048\nbus_bytes = 2";
const EIGHT_MAP: &str = "bank = [12, 13, 14]\ncolumn = \"rest\"";

/// A pseudo-channel of 4 Gb.
const PSEUDO: &str = "bank_groups = 4\nbanks = 4\nrows = 65536\ncolumns = 128\nbus_bytes = 8";
const PSEUDO_MAP: &str = "bank_group = [6, 7]\nbank = [12, 13]\ncolumn = \"rest\"";

/// One of HBM3, of 8 Gb, and a x32 channel of LPDDR3.
const HBM3: &str = "bank_groups = 4\nbanks = 4\nrows = 65536\ncolumns = 256\nbus_bytes = 4";
const LPDDR3: &str = "banks = 8\nrows = 32768\ncolumns = 1024\nbus_bytes = 4";
const LPDDR3_MAP: &str = "bank = [12, 13, 14]\ncolumn = \"rest\"";

fn parse(standard: &str, organisation: &str, map: &str, refresh: &str) -> Result<Machine, String> {
    let text = text(standard, organisation, map, refresh);
    Machine::parse("m.toml", &text, &[]).map_err(|error| error.to_string())
}

#[test]
fn each_grade_has_machines() {
    for (standard, organisation, map, bursts) in [
        ("lpddr5-6400", GROUPS, GROUPS_MAP, 2),
        ("lpddr5x-8533", GROUPS, GROUPS_MAP, 2),
        ("lpddr5-6400-8b", EIGHT, EIGHT_MAP, 1),
        ("hbm2-2000", PSEUDO, PSEUDO_MAP, 2),
        ("hbm2e-3200", PSEUDO, PSEUDO_MAP, 2),
        ("hbm3-6400", HBM3, PSEUDO_MAP, 2),
        ("lpddr3-1600", LPDDR3, LPDDR3_MAP, 2),
    ] {
        let machine = parse(standard, organisation, map, "per-bank").unwrap_or_else(|error| panic!("{error}"));
        let (timing, org) = (&machine.memory.timing, &machine.memory.organisation);
        assert_eq!(
            (timing.bursts_of_line(org), timing.bytes_of_line(org)),
            (bursts, 64),
            "{standard}"
        );
        let place = |address| machine.memory.map.decode(PhysAddr(address)).expect("in memory");
        let column = if bursts == 1 { 16 } else { timing.burst_length as u32 };
        assert_eq!(place(32), Location { column, ..place(0) }, "{standard}");
    }
    // Two channels in lockstep move a line in one burst.
    let wide = GROUPS.replace("bus_bytes = 2", "bus_bytes = 4");
    let machine = parse(
        "lpddr5-6400",
        &wide,
        "bank_group = [6, 7]\nbank = [14, 15]\ncolumn = \"rest\"",
        "per-bank",
    );
    let machine = machine.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(machine.memory.timing.bursts_of_line(&machine.memory.organisation), 1);
}

/// tRC is 50 clocks, but ACT, the second of two RD, PRE and the next ACT are 16 + 4 + 6 + 15 = 41 apart, with WR 16 + 4 + 9 + 2 + 29 + 15 = 75.
#[test]
fn what_a_bank_guarantees_counts_both_bursts() {
    let machine = parse("lpddr5-6400", GROUPS, GROUPS_MAP, "none").unwrap_or_else(|error| panic!("{error}"));
    let guaranteed = Guaranteed::of(&machine, false);
    assert_eq!((guaranteed.line_bytes, guaranteed.cycles), (64, 50));
    assert_eq!(guaranteed.serial_ps, (15 + 16 + 4 + 17 + 2) * 1250);
    assert_eq!(Guaranteed::of(&machine, true).cycles, 75);
}

#[test]
fn modes_and_widths_without_data_are_refused() {
    let sixteen = "banks = 16\nrows = 32768\ncolumns = 1024\nbus_bytes = 2";
    let map = "bank = [11, 12, 13, 14]\ncolumn = \"rest\"";
    let refused = |standard, organisation, map| parse(standard, organisation, map, "none").expect_err("no data");
    let found = refused("lpddr5-6400", sixteen, map);
    assert!(
        found.contains("memory.organisation.banks: found 1 bank group of x16 devices"),
        "{found}"
    );
    let found = refused("lpddr5-6400-8b", sixteen, map);
    assert!(found.contains("found 16 banks in a rank"), "{found}");
    assert!(
        found.contains("allowed: 8, the banks of the mode that lpddr5-6400-8b is the timing of"),
        "{found}"
    );
    assert!(
        found.contains("16 banks without groups, for up to 3200 MT/s, have no data"),
        "{found}"
    );
    let byte = GROUPS.replace("bus_bytes = 2", "bus_bytes = 1");
    let found = refused("lpddr5-6400", &byte, GROUPS_MAP);
    assert!(found.contains("found a bus of 8 bits"), "{found}");
}

/// REFpb of pairs suits every order but that of single banks.
#[test]
fn refresh_of_pairs() {
    for refresh in ["all-bank-independent", "elastic", "per-bank", "per-bank-out-of-order"] {
        parse("lpddr5-6400", GROUPS, GROUPS_MAP, refresh).unwrap_or_else(|error| panic!("{error}"));
    }
    let found = parse("lpddr5-6400", GROUPS, GROUPS_MAP, "per-bank-sequential").expect_err("pairs");
    assert!(found.contains("REFpb of lpddr5-6400 refreshes two banks"), "{found}");
    parse("lpddr5-6400-8b", EIGHT, EIGHT_MAP, "per-bank-sequential").unwrap_or_else(|error| panic!("{error}"));
    let found = parse("lpddr5-6400", GROUPS, GROUPS_MAP, "same-bank").expect_err("no REFsb");
    assert!(found.contains("has no REFsb"), "{found}");
}

/// Both bursts of a line are columns of one row that follow each other, and caches have such lines.
#[test]
fn a_line_lies_in_one_row() {
    let refused = |map| parse("lpddr5-6400", GROUPS, map, "none").expect_err("split");
    let found = refused("bank_group = [5, 7]\nbank = [13, 14]\ncolumn = \"rest\"");
    assert!(
        found.contains("bits from 6 up: a line of 64 bytes lies in one row"),
        "{found}"
    );
    let found = refused("bank_group = [6, 7]\nbank = [13, 14]\ncolumn = [1, 2, 3, 4, 8, 5, 9, 10, 11, 12]");
    assert!(
        found.contains("found that bit 4 is not bit 5 of the address"),
        "{found}"
    );
    assert!(
        found.contains("2 bursts of 32, from columns that follow each other"),
        "{found}"
    );
    let text = text("lpddr5-6400", GROUPS, GROUPS_MAP, "none").replace("line = 64", "line = 32");
    let found = Machine::parse("m.toml", &text, &[])
        .expect_err("half a line")
        .to_string();
    assert!(
        found.contains("found 32 bytes, but 2 bursts of lpddr5-6400 move 64"),
        "{found}"
    );
}
