// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checker's own table beside that of the controllers: every difference is listed here, and a machine that is wrong is found out.

use crate::support::devices;
use crate::traces::{OUTSTANDING, SplitMix64, machine};
use fresco_dram::density::RefreshTable;
use fresco_dram::standards::{self, Device, FineRefresh, TimingOverrides};
use fresco_dram::{Location, Prac, Rfm, Timing};
use fresco_machine::MemoryConfig;
use fresco_memory::checker::{Checker, CheckerReport, Constraint, Options, Required};
use fresco_memory::{Access, Command, Completion, Controller, Driver, Observer, TraceRequest};
use std::collections::BTreeSet;
use std::convert::Infallible;

fn memory(timing: Timing, device: Device) -> MemoryConfig {
    let mut memory = machine().memory;
    memory.organisation = devices::organisation(&timing.standard);
    (memory.timing, memory.device, memory.own_timing) = (timing, device, Vec::new());
    memory
}

/// Densities that the standard of a generation prints.
fn printed(standard: &str) -> &'static [u32] {
    match &standard[..4] {
        "ddr2" => &[1, 2, 4],
        "ddr3" => &[1, 2, 4, 8],
        "ddr4" => &[2, 4, 8, 16],
        "ddr5" => &[8, 16, 24, 32],
        "hbm2" => &[1, 2, 4, 8],
        "hbm3" => &[2, 4, 8, 16],
        _ if standard.starts_with("lpddr3") => &[4, 8],
        _ if standard.starts_with("lpddr5") => &[2, 3, 4, 6, 8, 12, 16, 24, 32],
        _ => &[2, 3, 4, 6, 8, 12, 16],
    }
}

/// Every device of a standard whose timing is known.
fn devices_of(standard: &str) -> Vec<(Device, Timing)> {
    let mut all = Vec::new();
    for (width, _) in standards::widths(standard).expect("built in") {
        for page_bytes in [None, Some(512), Some(1024), Some(2048)] {
            for density_gbit in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64] {
                for table in [
                    RefreshTable::Jedec,
                    RefreshTable::ColoredRefresh,
                    RefreshTable::CoDesign,
                ] {
                    for fine in [FineRefresh::X1, FineRefresh::X2, FineRefresh::X4] {
                        // Only DDR5 asks for more, and what it asks for is a matter of neither table nor heat.
                        let asks = standard.starts_with("ddr5") && table == RefreshTable::Jedec;
                        let asked = asked().into_iter().take(if asks { 4 } else { 1 });
                        let asked = asked.map(|asked| (false, asked)).chain([(true, (None, None))]);
                        for (hot, (rfm, prac)) in asked {
                            let device = Device {
                                density_gbit,
                                width: Some(width),
                                page_bytes: page_bytes.or(Some(devices_page(standard, width))),
                                table,
                                fine,
                                hot,
                                rfm,
                                prac,
                            };
                            let timing = standards::timing_with(standard, &device, &TimingOverrides::default());
                            all.extend(timing.ok().map(|timing| (device, timing)));
                        }
                    }
                }
            }
        }
    }
    all
}

/// What devices may ask for besides refresh: nothing, or one or both of what DDR5 has.
fn asked() -> [(Option<Rfm>, Option<Prac>); 4] {
    let rfm = Some(Rfm {
        raaimt: 32,
        raammt: 96,
        per_refresh: 16,
        same_bank: true,
    });
    let prac = Some(Prac {
        threshold: 512,
        level: 2,
    });
    [(None, None), (rfm, None), (None, prac), (rfm, prac)]
}

/// Bytes of the rows that devices of a width have most often, by the standards once more.
fn devices_page(standard: &str, width: u32) -> u32 {
    match (&standard[..4], width) {
        ("ddr4", 4) => 512,
        _ if standard.ends_with("-8b") || standard.starts_with("lpddr3") => 4096,
        (_, 16) => 2048,
        _ => 1024,
    }
}

#[test]
fn both_tables_say_the_same_but_for_what_is_listed() {
    let (mut differ, mut devices) = (BTreeSet::new(), 0);
    for standard in standards::names() {
        for (device, timing) in devices_of(standard) {
            // Rows of LPDDR4's one kind of channel are of one size, and so are those of a mode of LPDDR5 and of a pseudo-channel.
            if standard.starts_with(['l', 'h']) && device.page_bytes != Some(devices_page(standard, 16)) {
                continue;
            }
            let required = Required::of(&memory(timing.clone(), device));
            assert_eq!(required.timing.clock, timing.clock, "{standard}");
            assert_eq!(required.timing.paired_refresh, timing.paired_refresh, "{standard}");
            assert_eq!(required.timing.act_delay, timing.act_delay, "{standard}");
            assert_eq!(required.timing.column_bus, timing.column_bus, "{standard}");
            assert_eq!(required.timing.management, timing.management, "{standard}");
            let is_printed = device.table == RefreshTable::Jedec && printed(standard).contains(&device.density_gbit);
            if is_printed {
                assert_eq!(required.own, [""; 0], "{standard} {device:?}");
            }
            devices += 1;
            for ((name, theirs), (_, ours)) in timing.values().zip(required.timing.values()) {
                if theirs != ours {
                    differ.insert((standard, name, theirs, ours));
                }
            }
        }
    }
    assert!(devices > 10_000, "{devices} devices");
    // A burst of 8 keeps the bus of DDR2 for four clocks, so that its tCCD of two never counts; the controllers have the four.
    let listed = ["ccd_s", "ccd_l", "ccd_l_wr"].map(|name| ("ddr2-800", name, 4, 2));
    assert_eq!(differ, BTreeSet::from(listed));
}

/// Puts commands before the checker.
struct Judge(Checker);

impl Observer for Judge {
    fn completed(&mut self, _: &Completion) {}
    fn command(&mut self, command: &Command) {
        self.0.observe(&command.into());
    }
}

/// Random reads and writes in few rows, so that there are hits and conflicts, by the controller of a machine.
fn judged(memory: &MemoryConfig) -> CheckerReport {
    let org = memory.organisation;
    let options = Options::of_policy(memory.controller.refresh);
    let mut judge = Judge(Checker::of(memory, options));
    let mut random = SplitMix64(11);
    let trace = (0..16_000u64).map(|number| {
        let access = if random.next().is_multiple_of(3) {
            Access::Write
        } else {
            Access::Read
        };
        // Bursts, and pauses in which banks are idle.
        let cycle = number / 64 * 600;
        let address = random.next();
        Ok::<_, Infallible>(TraceRequest { cycle, address, access })
    });
    let place = |address: u64| {
        Ok(Location {
            node: 0,
            channel: 0,
            rank: (address >> 3) as u32 % org.ranks,
            bank_group: (address >> 8) as u32 % org.bank_groups,
            bank: (address >> 16) as u32 % org.banks,
            row: (address >> 24) as u32 % 3,
            column: (address >> 32) as u32 % (org.columns / 32) * 32,
        })
    };
    let controller = Controller::new(&memory.controller, &org, &memory.timing, 0);
    let Ok(driven) = Driver::new(vec![controller], OUTSTANDING).run(trace, place, &mut judge);
    judge.0.finish(driven.end)
}

#[test]
fn a_machine_with_a_distance_too_short_is_found_out_in_every_standard() {
    let shorten = |t: &mut Timing, name: &str| match name {
        "tRCD" => t.rcd -= 1,
        "tRP" => t.rp -= 1,
        "tRAS" => t.ras -= 1,
        "tRTP" => t.rtp -= 1,
        "tWR" => t.wr -= 1,
        "tRRD" => (t.rrd_s, t.rrd_l) = (t.rrd_s - 1, t.rrd_l - 1),
        _ => (t.wtr_s, t.wtr_l) = (t.wtr_s - 1, t.wtr_l - 1),
    };
    for standard in standards::names() {
        let device = Device::jedec(8);
        let timing = standards::timing(standard, 8).expect("built in");
        let sound = judged(&memory(timing.clone(), device));
        assert!(sound.is_clean(), "{standard}: {sound}");
        for name in ["tRCD", "tRP", "tRAS", "tRTP", "tWR", "tRRD", "tWTR"] {
            let mut short = timing.clone();
            shorten(&mut short, name);
            let found = judged(&memory(short, device));
            assert!(
                !found.counts.is_empty(),
                "{standard}: {name} a cycle too short is not found"
            );
        }
    }
}

/// What was wrong once: x16 devices with the activation window of x8, and DDR2 that precharges two clocks too early after a read.
#[test]
fn tables_that_were_wrong_would_be_found_out() {
    let wide = Device {
        width: Some(16),
        page_bytes: Some(2048),
        ..Device::jedec(8)
    };
    let narrow = standards::timing("ddr4-2400", 8).expect("built in");
    let found = judged(&memory(narrow, wide));
    assert!(found.counts.contains_key(&Constraint::Faw), "{found}");
    let mut early = standards::timing("ddr2-800", 2).expect("built in");
    early.rtp -= 2;
    let found = judged(&memory(early, Device::jedec(2)));
    assert_eq!(found.counts.keys().collect::<Vec<_>>(), [&Constraint::Rtp], "{found}");
}

#[test]
fn what_a_machine_sets_itself_is_its_own() {
    let given = TimingOverrides::from([("rcd", 12), ("rp", 12)]);
    let timing = standards::timing_with("ddr4-2400", &Device::jedec(8), &given).expect("sound");
    let mut memory = memory(timing, Device::jedec(8));
    memory.own_timing = vec!["rcd", "rp"];
    let report = judged(&memory);
    assert!(report.is_clean(), "{report}");
    assert_eq!(
        report.own_timing,
        ["rcd", "rp", "rp_ab"],
        "what follows from it is, too"
    );
    assert!(
        report
            .to_string()
            .contains("judged by the machine's own values: rcd, rp, rp_ab\n"),
        "{report}"
    );
    memory.own_timing.clear();
    assert!(judged(&memory).counts.contains_key(&Constraint::Rcd));
    memory.own_timing = vec!["rcd", "rp", "rtrs"];
    assert_eq!(
        Required::of(&memory).own,
        ["rcd", "rp", "rp_ab", "rtrs"],
        "set by the file"
    );
    // tRC of LPDDR4 is a sum.
    let given = TimingOverrides::from([("ras", 60), ("rp", 20)]);
    let timing = standards::timing_with("lpddr4-3200", &Device::jedec(8), &given).expect("sound");
    let mut memory = self::memory(timing, Device::jedec(8));
    memory.own_timing = vec!["ras", "rp"];
    let required = Required::of(&memory);
    assert_eq!((required.timing.rc, required.own), (80, vec!["rp", "ras", "rc"]));
    assert!(judged(&memory).is_clean());
    // A paper's times of commands that there are: DDR4 has no refresh of a bank.
    let device = Device {
        table: RefreshTable::ColoredRefresh,
        ..Device::jedec(8)
    };
    let timing = standards::timing_with("ddr4-2400", &device, &TimingOverrides::default()).expect("sound");
    assert_eq!(Required::of(&self::memory(timing, device)).own, ["rfc_ab"]);
}
