// SPDX-License-Identifier: MIT OR Apache-2.0
use super::*;
use crate::{Cycle, Organisation};

fn ddr4_2400_bench() -> TimingOverrides {
    TimingOverrides::from([
        ("cl", 16),
        ("cwl", 12),
        ("rcd", 16),
        ("rp", 16),
        ("ras", 39),
        ("rc", 55),
        ("rrd_s", 4),
        ("rrd_l", 6),
        ("faw", 26),
        ("ccd_s", 4),
        ("ccd_l", 6),
        ("rtp", 9),
        ("wr", 18),
        ("wtr_s", 3),
        ("wtr_l", 9),
        ("rtrs", 2),
        ("rfc_ab", 420),
        ("refi", 9360),
    ])
}

fn row(name: &str, density: u32, parameters: &[&str]) -> Vec<Cycle> {
    let timing = timing(name, density).expect("built in");
    let value = |p: &&str| timing.values().find(|(n, _)| n == p).expect("a parameter").1;
    parameters.iter().map(value).collect()
}

/// The clocks that data sheets print for these grades.
#[test]
fn known_clocks() {
    let p = [
        "cl", "cwl", "rcd", "rp", "ras", "rc", "rrd_s", "rrd_l", "faw", "ccd_s", "ccd_l", "wtr_s", "wtr_l", "rtp", "wr",
    ];
    assert_eq!(row("ddr2-800", 1, &p), [5, 4, 5, 5, 18, 23, 3, 3, 14, 4, 4, 3, 3, 5, 6]);
    assert_eq!(row("ddr3-800", 1, &p), [6, 5, 6, 6, 15, 21, 4, 4, 16, 4, 4, 4, 4, 4, 6]);
    assert_eq!(
        row("ddr3-1066", 2, &p),
        [7, 6, 7, 7, 20, 27, 4, 4, 20, 4, 4, 4, 4, 4, 8]
    );
    assert_eq!(
        row("ddr3-1333", 2, &p),
        [9, 7, 9, 9, 24, 33, 4, 4, 20, 4, 4, 5, 5, 5, 10]
    );
    assert_eq!(
        row("ddr3-1600", 4, &p),
        [11, 8, 11, 11, 28, 39, 5, 5, 24, 4, 4, 6, 6, 6, 12]
    );
    assert_eq!(
        row("ddr3-1866", 4, &p),
        [13, 9, 13, 13, 32, 45, 5, 5, 26, 4, 4, 7, 7, 7, 14]
    );
    assert_eq!(
        row("ddr3-2133", 4, &p),
        [14, 10, 14, 14, 36, 50, 6, 6, 27, 4, 4, 8, 8, 8, 16]
    );
    assert_eq!(
        row("ddr4-2133", 8, &p),
        [15, 11, 15, 15, 36, 51, 4, 6, 23, 4, 6, 3, 8, 8, 16]
    );
    assert_eq!(
        row("ddr4-2400", 8, &p),
        [17, 12, 17, 17, 39, 56, 4, 6, 26, 4, 6, 3, 9, 9, 18]
    );
    assert_eq!(
        row("ddr4-2666", 8, &p),
        [19, 14, 19, 19, 43, 62, 4, 7, 28, 4, 7, 4, 10, 10, 20]
    );
    assert_eq!(
        row("ddr4-2933", 8, &p),
        [21, 16, 21, 21, 47, 68, 4, 8, 31, 4, 8, 4, 11, 11, 22]
    );
    assert_eq!(
        row("ddr4-3200", 8, &p),
        [22, 16, 22, 22, 52, 74, 4, 8, 34, 4, 8, 4, 12, 12, 24]
    );
    assert_eq!(
        row("ddr5-4800", 16, &p),
        [40, 38, 39, 39, 77, 116, 8, 12, 32, 8, 12, 6, 24, 18, 72]
    );
    assert_eq!(
        row("ddr5-5600", 16, &p),
        [46, 44, 45, 45, 90, 135, 8, 14, 32, 8, 14, 7, 28, 21, 84]
    );
    assert_eq!(
        row("ddr5-6400", 16, &p),
        [52, 50, 52, 52, 103, 155, 8, 16, 32, 8, 16, 8, 32, 24, 96]
    );
    assert_eq!(
        row("lpddr3-1600", 8, &p),
        [12, 6, 15, 15, 34, 49, 8, 8, 40, 4, 4, 7, 7, 6, 13]
    );
    assert_eq!(
        row("lpddr3-1866", 8, &p),
        [14, 8, 17, 17, 40, 57, 10, 10, 47, 4, 4, 8, 8, 7, 15]
    );
    assert_eq!(
        row("hbm3-6400", 4, &p),
        [26, 8, 27, 26, 49, 75, 8, 8, 24, 2, 4, 8, 12, 6, 24]
    );
    assert_eq!(
        row("lpddr4-3200", 8, &p),
        [28, 14, 29, 29, 68, 97, 16, 16, 64, 8, 8, 17, 17, 12, 30]
    );
    assert_eq!(
        row("lpddr4x-4266", 8, &p),
        [36, 18, 39, 39, 90, 129, 16, 16, 64, 8, 8, 23, 23, 16, 40]
    );
    assert_eq!(
        row("lpddr5-6400", 8, &p),
        [17, 9, 16, 15, 35, 50, 4, 4, 16, 2, 4, 5, 12, 6, 29]
    );
    assert_eq!(
        row("lpddr5-6400-8b", 8, &p),
        [17, 9, 16, 15, 35, 50, 8, 8, 32, 4, 4, 10, 10, 8, 29]
    );
    assert_eq!(
        row("lpddr5x-8533", 8, &p),
        [23, 12, 21, 20, 46, 66, 6, 6, 22, 2, 4, 7, 15, 8, 38]
    );
    assert_eq!(
        row("hbm2-2000", 2, &p),
        [18, 7, 13, 14, 29, 43, 4, 6, 16, 2, 3, 4, 9, 5, 14]
    );
    assert_eq!(
        row("hbm2e-3200", 2, &p),
        [29, 12, 21, 23, 46, 69, 7, 10, 26, 2, 5, 7, 15, 8, 23]
    );
}

/// The size of a page decides when rows may be opened: x4 has half a KiB in DDR4, x16 two KiB. In DDR5 x4 writes half of an ECC word.
#[test]
fn known_clocks_by_width() {
    let of = |name: &str, width: u32| {
        let device = Device {
            width: Some(width),
            ..Device::jedec(8)
        };
        let timing = timing_with(name, &device, &TimingOverrides::default()).expect(name);
        [timing.rrd_s, timing.rrd_l, timing.faw, timing.ccd_l_wr]
    };
    for (name, x4, x8, x16) in [
        ("ddr2-800", [3, 3, 14, 4], [3, 3, 14, 4], [4, 4, 18, 4]),
        ("ddr3-800", [4, 4, 16, 4], [4, 4, 16, 4], [4, 4, 20, 4]),
        ("ddr3-1066", [4, 4, 20, 4], [4, 4, 20, 4], [6, 6, 27, 4]),
        ("ddr3-1333", [4, 4, 20, 4], [4, 4, 20, 4], [5, 5, 30, 4]),
        ("ddr3-1600", [5, 5, 24, 4], [5, 5, 24, 4], [6, 6, 32, 4]),
        ("ddr3-1866", [5, 5, 26, 4], [5, 5, 26, 4], [6, 6, 33, 4]),
        ("ddr3-2133", [6, 6, 27, 4], [6, 6, 27, 4], [7, 7, 38, 4]),
        ("ddr4-2133", [4, 6, 16, 6], [4, 6, 23, 6], [6, 7, 32, 6]),
        ("ddr4-2400", [4, 6, 16, 6], [4, 6, 26, 6], [7, 8, 36, 6]),
        ("ddr4-2666", [4, 7, 16, 7], [4, 7, 28, 7], [8, 9, 40, 7]),
        ("ddr4-2933", [4, 8, 16, 8], [4, 8, 31, 8], [8, 10, 44, 8]),
        ("ddr4-3200", [4, 8, 16, 8], [4, 8, 34, 8], [9, 11, 48, 8]),
        ("ddr5-4800", [8, 12, 32, 48], [8, 12, 32, 24], [8, 12, 40, 24]),
        ("ddr5-5600", [8, 14, 32, 56], [8, 14, 32, 28], [8, 14, 40, 28]),
        ("ddr5-6400", [8, 16, 32, 64], [8, 16, 32, 32], [8, 16, 40, 32]),
    ] {
        assert_eq!([of(name, 4), of(name, 8), of(name, 16)], [x4, x8, x16], "{name}");
    }
    let known = |name: &str| widths(name).expect(name);
    assert_eq!(known("ddr3-1600"), [(4, 1), (8, 1), (16, 1)]);
    assert_eq!(known("ddr4-2400"), [(4, 4), (8, 4), (16, 2)]);
    assert_eq!(known("ddr5-4800"), [(4, 8), (8, 8), (16, 4)]);
    assert_eq!(known("lpddr4-3200"), [(16, 1)]);
    assert_eq!(known("lpddr5-6400"), [(16, 4)]);
    assert_eq!(known("lpddr5-6400-8b"), [(16, 1)]);
    assert_eq!(known("hbm2-2000"), [(64, 4)]);
    assert_eq!(known("hbm3-6400"), [(32, 4)]);
    assert_eq!(known("lpddr3-1600"), [(32, 1)]);
}

/// Devices of 8 Gb of DDR3 have rows of 2 KB whatever their width (JESD79-3F); a row of x4 that is as long as that of x8 opens like it.
#[test]
fn rows_open_by_their_size() {
    let of = |name: &str, width: u32, page_bytes: u32| {
        let device = Device {
            width: Some(width),
            page_bytes: Some(page_bytes),
            ..Device::jedec(8)
        };
        let timing = timing_with(name, &device, &TimingOverrides::default()).expect(name);
        [timing.rrd_s, timing.faw, timing.ccd_l_wr]
    };
    assert_eq!(of("ddr3-1600", 8, 1024), [5, 24, 4]);
    assert_eq!([of("ddr3-1600", 4, 2048), of("ddr3-1600", 8, 2048)], [[6, 32, 4]; 2]);
    assert_eq!([512, 256].map(|bytes| of("ddr3-1600", 4, bytes)), [[5, 24, 4]; 2]);
    let ddr4 = [256, 512, 1024, 2048, 4096].map(|bytes| of("ddr4-2400", 8, bytes)[1]);
    assert_eq!(ddr4, [16, 16, 26, 36, 36]);
    assert_eq!(of("ddr5-4800", 4, 2048), [8, 40, 48]);
}

#[test]
fn a_width_without_data_is_refused() {
    let device = Device {
        width: Some(8),
        ..Device::jedec(8)
    };
    let error = timing_with("lpddr4-3200", &device, &TimingOverrides::default()).expect_err("no data");
    assert_eq!((error.field.as_str(), error.allowed.as_str()), ("width", "x16"));
}

#[test]
fn known_refresh_clocks() {
    let p = [
        "rfc_ab",
        "rfc_pb",
        "rfc_sb",
        "refresh_to_act_other",
        "refresh_to_refresh_other",
        "refi",
        "refw",
    ];
    assert_eq!(row("ddr2-800", 1, &p), [51, 0, 0, 0, 0, 3120, 25_600_000]);
    assert_eq!(row("ddr3-1333", 2, &p), [107, 0, 0, 0, 0, 5198, 42_656_000]);
    assert_eq!(row("ddr4-2400", 8, &p), [420, 0, 0, 0, 0, 9360, 76_800_000]);
    assert_eq!(row("ddr5-4800", 16, &p), [708, 0, 312, 72, 312, 9360, 76_800_000]);
    assert_eq!(row("lpddr4-3200", 8, &p), [448, 224, 0, 16, 144, 6246, 51_200_000]);
    assert_eq!(row("lpddr5-6400", 8, &p), [168, 96, 0, 6, 72, 3124, 25_600_000]);
    assert_eq!(row("hbm2-2000", 2, &p), [260, 160, 0, 8, 8, 3900, 32_000_000]);
    assert_eq!(row("lpddr3-1600", 8, &p), [168, 72, 0, 8, 72, 3120, 25_600_000]);
    assert_eq!(row("hbm3-6400", 8, &p), [720, 320, 0, 13, 13, 6240, 51_200_000]);
    assert_eq!(row("lpddr5x-8533", 16, &p), [299, 150, 0, 8, 96, 4166, 34_132_000]);
}

#[test]
fn parameters_of_one_standard_only() {
    let p = [
        "burst_length",
        "rp_ab",
        "ccd_l_wr",
        "rtw_gap",
        "rtrs",
        "ppd",
        "act_slots",
        "column_slots",
        "pre_slots",
    ];
    assert_eq!(row("ddr2-800", 1, &p), [8, 6, 4, 1, 1, 1, 1, 1, 1]);
    assert_eq!(row("ddr4-3200", 8, &p), [8, 22, 8, 2, 2, 1, 1, 1, 1]);
    assert_eq!(row("ddr5-4800", 16, &p), [16, 39, 24, 4, 2, 2, 2, 2, 1]);
    assert_eq!(row("lpddr4-3200", 8, &p), [16, 34, 8, 8, 3, 4, 4, 4, 2]);
    assert_eq!(row("lpddr5-6400", 8, &p), [16, 17, 4, 4, 2, 2, 2, 1, 1]);
    assert_eq!(row("lpddr5-6400-8b", 8, &p), [32, 17, 4, 2, 2, 2, 2, 1, 1]);
    assert_eq!(row("hbm2-2000", 2, &p), [4, 14, 3, 5, 2, 1, 2, 1, 1]);
    assert_eq!(row("lpddr3-1866", 8, &p), [8, 20, 4, 7, 2, 1, 1, 1, 1]);
    assert_eq!(row("hbm3-6400", 4, &p), [8, 26, 4, 2, 2, 2, 2, 1, 1]);
}

/// A pseudo-channel of HBM2 and a x16 channel of LPDDR5 move lines in two bursts. The latter moves 32 bytes in a burst of 16, which takes two clocks of 800 MHz: two of them make a line, one on a channel
/// twice as wide; with eight banks one burst of 32 does.
#[test]
fn bursts_of_a_line() {
    let of = |name: &str, bus_bytes| {
        let org = Organisation {
            nodes: 1,
            channels: 1,
            ranks: 1,
            bank_groups: 4,
            banks: 4,
            rows: 32_768,
            columns: 1024,
            bus_bytes,
        };
        let t = timing(name, 8).expect("built in");
        let line = [t.bursts_of_line(&org), t.bytes_of_line(&org), t.line_on_bus(&org)];
        (t.burst(), line, [t.read_data(&org), t.write_data(&org)])
    };
    assert_eq!(of("ddr4-2400", 8), (4, [1, 64, 4], [17 + 4, 12 + 4]));
    assert_eq!(of("ddr4-2400", 4), (4, [1, 32, 4], [17 + 4, 12 + 4]));
    assert_eq!(of("lpddr5-6400", 2), (2, [2, 64, 4], [4 + 17 + 2, 4 + 9 + 2]));
    assert_eq!(of("lpddr5-6400", 4), (2, [1, 64, 2], [17 + 2, 9 + 2]));
    assert_eq!(of("lpddr5-6400-8b", 2), (4, [1, 64, 4], [17 + 4, 9 + 4]));
    assert_eq!(of("hbm2-2000", 8), (2, [2, 64, 4], [3 + 18 + 2, 3 + 7 + 2]));
    assert_eq!(of("hbm3-6400", 4), (2, [2, 64, 4], [4 + 26 + 2, 4 + 8 + 2]));
    assert_eq!(of("lpddr3-1600", 4), (4, [2, 64, 8], [4 + 12 + 4, 4 + 6 + 4]));
    assert_eq!(of("lpddr3-1600", 8), (4, [1, 64, 4], [12 + 4, 6 + 4]));
}

/// A burst shorter than a clock of commands would take none.
#[test]
fn a_burst_takes_a_clock_at_least() {
    let short = TimingOverrides::from([("burst_length", 4)]);
    let error = timing_with("lpddr5-6400", &Device::jedec(8), &short).expect_err("half a clock");
    assert_eq!(
        (error.field.as_str(), error.allowed.as_str()),
        ("burst_length", "8 to 64")
    );
}

/// The configuration in which other simulators were compared: every value of the speed benchmark, and what follows from it.
#[test]
fn overrides_give_the_benchmark_machine() {
    let t = timing_with("ddr4-2400", &Device::jedec(8), &ddr4_2400_bench()).expect("consistent");
    for (name, value) in ddr4_2400_bench().0 {
        assert_eq!(t.values().find(|(n, _)| **n == name), Some((name.as_str(), value)));
    }
    assert_eq!((t.rp_ab, t.ccd_l_wr, t.burst(), t.rtw_gap), (16, 6, 4, 2));
}

#[test]
fn an_override_changes_its_parameter_and_those_that_follow_it_only() {
    let plain = timing("lpddr4-3200", 8).expect("built in");
    for (name, value) in plain.values() {
        // One step towards the side on which the value stays consistent.
        let new = match name {
            "refi" | "ras" | "rp" | "rcd" | "rrd_s" | "wtr_s" => value - 1,
            "burst_length" | "refreshes" | "bank_refreshes" => value / 2,
            _ => value + 1,
        };
        let changed = timing_with("lpddr4-3200", &Device::jedec(8), &TimingOverrides::from([(name, new)]));
        let changed = changed.unwrap_or_else(|e| panic!("{name} = {new}: {e}"));
        for ((n, before), (_, after)) in plain.values().zip(changed.values()) {
            let follows = matches!(
                (name, n),
                ("ras" | "rp", "rc")
                    | ("rrd_s", "rrd_l")
                    | ("wtr_s", "wtr_l")
                    | ("ccd_s", "ccd_l" | "ccd_l_wr")
                    | ("ccd_l", "ccd_l_wr")
            );
            if n == name {
                assert_eq!(after, new, "{name}");
            } else {
                assert_eq!(before != after, follows, "{name} -> {n}");
            }
        }
    }
}

#[test]
fn contradictions_are_refused() {
    let cases = [
        ("rc", 54),
        ("ras", 8),
        ("rp_ab", 15),
        ("rrd_l", 3),
        ("ccd_s", 3),
        ("ccd_l", 3),
        ("ccd_l_wr", 5),
        ("wtr_l", 2),
        ("refi", 420),
        ("refi", 9376),
        ("refreshes", 9000),
        ("bank_refreshes", 5000),
        ("faw", 3),
        ("cwl", 40),
        ("burst_length", 6),
        ("burst_length", 0),
        ("cl", 0),
        ("act_slots", 0),
        ("rcd", u64::MAX),
        ("refw", u64::MAX),
    ];
    for (name, value) in cases {
        let mut overrides = ddr4_2400_bench();
        overrides.0.insert(name.into(), value);
        assert!(
            timing_with("ddr4-2400", &Device::jedec(8), &overrides).is_err(),
            "{name} = {value}"
        );
    }
}

#[test]
fn errors_list_what_is_allowed() {
    let e = timing("ddr9-1", 8).expect_err("no such standard");
    assert!(e.allowed.contains("ddr4-2400") && e.found.contains("ddr9-1"), "{e}");
    let e = timing("ddr4-2400", 65).expect_err("too dense");
    assert_eq!((e.field.as_str(), e.allowed.as_str()), ("density_gbit", "1 to 64 Gb"));
    let overrides = TimingOverrides::from([("tCL", 16)]);
    let e = timing_with("ddr4-2400", &Device::jedec(8), &overrides).expect_err("no such parameter");
    assert!(e.allowed.starts_with("burst_length, cl, cwl"), "{e}");
    let fine = Device {
        fine: FineRefresh::X4,
        ..Device::jedec(16)
    };
    let e = timing_with("ddr5-4800", &fine, &TimingOverrides::default()).expect_err("no 4x mode");
    assert_eq!(e.allowed, "1x, 2x");
}

#[test]
fn every_standard_exists_at_every_density() {
    assert_eq!(names().count(), 25);
    for name in names() {
        for density in 1..=64 {
            for table in [
                RefreshTable::Jedec,
                RefreshTable::ColoredRefresh,
                RefreshTable::CoDesign,
            ] {
                for hot in [false, true] {
                    // A DDR2 device of 58 Gb, drawn on from 4 Gb, would refresh longer than half a tREFI.
                    if hot && density > 32 {
                        continue;
                    }
                    let choice = Device {
                        table,
                        hot,
                        ..Device::jedec(density)
                    };
                    let t = timing_with(name, &choice, &TimingOverrides::default());
                    let t = t.unwrap_or_else(|e| panic!("{name} {density} Gb {table:?}: {e}"));
                    assert!(t.values().all(|(n, _)| Timing::PARAMETERS.contains(&n)));
                }
            }
        }
    }
}

#[test]
fn heat_halves_interval_and_window_and_fine_refresh_divides_the_interval() {
    let no = TimingOverrides::default();
    let base = Device::jedec(8);
    let hot = timing_with("ddr4-2400", &Device { hot: true, ..base }, &no).expect("valid");
    assert_eq!(
        (hot.refi, hot.refw, hot.refreshes, hot.rfc_ab),
        (4680, 38_400_000, 8192, 420)
    );
    let x2 = timing_with(
        "ddr4-2400",
        &Device {
            fine: FineRefresh::X2,
            ..base
        },
        &no,
    )
    .expect("valid");
    assert_eq!(
        (x2.refi, x2.refw, x2.refreshes, x2.rfc_ab),
        (4680, 76_800_000, 16384, 312)
    );
    let x4 = timing_with(
        "ddr4-2400",
        &Device {
            fine: FineRefresh::X4,
            ..base
        },
        &no,
    )
    .expect("valid");
    assert_eq!(
        (x4.refi, x4.refw, x4.refreshes, x4.rfc_ab),
        (2340, 76_800_000, 32768, 192)
    );
}

/// JESD79-4C's and JESD79-5B's rounding algorithms, with tCK in whole picoseconds, against ours.
#[test]
fn jedecs_rounding_gives_the_same_clocks() {
    let ddr4 = |ps: u64, tck: u64| (ps * 1000 / tck + 974) / 1000;
    let ddr5 = |ps: u64, tck: u64| (ps * 997 / tck + 1000) / 1000;
    for grade in GRADES.iter() {
        // As printed: of 2933 MT/s the nearest, of others rounded down.
        let tck = match grade.rate_mts {
            2933 => 682,
            rate => 2_000_000 / u64::from(rate),
        };
        let others = grade.other.iter().flat_map(|other| &other.parameters);
        let counting = grade.prac.iter().flat_map(|prac| &prac.parameters);
        for (name, minimum) in grade.parameters.iter().chain(others).chain(counting) {
            let ours = grade.clock().cycles(minimum.ps);
            let theirs = match grade.generation {
                Generation::Ddr4 => ddr4(minimum.ps, tck),
                Generation::Ddr5 if minimum.ps > 0 => ddr5(minimum.ps, tck),
                _ => continue,
            };
            assert_eq!(ours, theirs, "{} {name}", grade.name);
        }
    }
}

#[test]
fn data_files_name_known_parameters_only() {
    for grade in GRADES.iter() {
        let others = grade.other.iter().flat_map(|other| other.parameters.keys());
        for name in grade.parameters.keys().chain(others) {
            assert!(Timing::PARAMETERS.contains(&name.as_str()), "{}: {name}", grade.name);
        }
    }
}

#[test]
fn refresh_management_and_activation_counting_of_ddr5() {
    let rfm = crate::Rfm {
        raaimt: 32,
        raammt: 96,
        per_refresh: 32,
        same_bank: false,
    };
    let prac = crate::Prac {
        threshold: 512,
        level: 1,
    };
    let no = TimingOverrides::default();
    let device = |rfm, prac| Device {
        rfm,
        prac,
        ..Device::jedec(16)
    };
    let plain = timing("ddr5-4800", 16).expect("built in");
    let managed = timing_with("ddr5-4800", &device(Some(rfm), None), &no).expect("built in");
    // As long as the refreshes of the same banks, and nothing else is otherwise.
    assert_eq!(
        (managed.management.rfm_ab, managed.management.rfm_sb),
        (plain.rfc_ab, plain.rfc_sb)
    );
    assert!(managed.values().eq(plain.values()));
    assert!(plain.management.is_off());
    // tRP 36 ns, tRAS 16 ns, tRC their sum, tRTP 5 ns, tWR 10 ns; tRFMab 350 ns, tRFMsb 300 ns, and 180 ns after an alert.
    for (name, [rp, ras, rtp, wr, rfm_ab, rfm_sb, window]) in [
        ("ddr5-4800", [87, 39, 12, 24, 840, 720, 432]),
        ("ddr5-5600", [101, 45, 14, 28, 980, 840, 504]),
        ("ddr5-6400", [116, 52, 16, 32, 1120, 960, 576]),
    ] {
        let t = timing_with(name, &device(None, Some(prac)), &no).expect("built in");
        assert_eq!(
            (t.rp, t.rp_ab, t.ras, t.rc, t.rtp, t.wr),
            (rp, rp, ras, ras + rp, rtp, wr),
            "{name}"
        );
        let m = t.management;
        assert_eq!((m.rfm_ab, m.rfm_sb, m.window), (rfm_ab, rfm_sb, window), "{name}");
    }
    for name in names().filter(|name| !name.starts_with("ddr5")) {
        for (field, device) in [("rfm", device(Some(rfm), None)), ("prac", device(None, Some(prac)))] {
            let error = timing_with(name, &device, &no).expect_err("no such command");
            assert_eq!(
                (error.field.as_str(), error.allowed.as_str()),
                (field, "ddr5-4800, ddr5-5600, ddr5-6400")
            );
        }
    }
}
