// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[memory.rfm]` and `[memory.prac]`: what devices of DDR5 ask for where rows are opened often.

use fresco_dram::{Prac, Rfm};
use fresco_machine::{Guaranteed, Machine, load_with};

fn with(machine: &str, keys: &[(&str, &str)]) -> Result<Machine, String> {
    let keys: Vec<_> = keys
        .iter()
        .map(|(key, value)| (format!("memory.{key}"), (*value).to_owned()))
        .collect();
    load_with(machine, &keys).map_err(|error| error.to_string())
}

#[test]
fn a_machine_without_the_tables_asks_for_nothing() {
    for name in fresco_machine::builtin_names() {
        assert!(
            with(name, &[]).expect("built in").memory.timing.management.is_off(),
            "{name}"
        );
    }
}

#[test]
fn refresh_management_has_the_values_of_mode_registers_58_and_59() {
    let keys = [("rfm.raaimt", "40"), ("rfm.raammt", "160")];
    let machine = with("xeon-8460y", &keys).expect("DDR5");
    let full = Rfm {
        raaimt: 40,
        raammt: 160,
        per_refresh: 40,
        same_bank: false,
    };
    assert_eq!(machine.memory.timing.management.rfm, Some(full));
    let more = [("rfm.per_refresh", "half"), ("rfm.command", "same-bank")];
    let machine = with("xeon-8460y", &[keys, more].concat()).expect("DDR5");
    let half = Rfm {
        per_refresh: 20,
        same_bank: true,
        ..full
    };
    assert_eq!(machine.memory.timing.management.rfm, Some(half));
    for (raaimt, raammt, mode, told) in [
        (
            "100",
            "400",
            "1x",
            "raaimt: found 100\n  allowed: without fine_refresh one of 32, 40, 48, 56, 64, 72, 80, in",
        ),
        (
            "80",
            "480",
            "2x",
            "raaimt: found 80\n  allowed: with this fine_refresh one of 16, 20, 24, 28, 32, 36, 40, in",
        ),
        (
            "40",
            "140",
            "1x",
            "raammt: found 140\n  allowed: without fine_refresh and with raaimt = 40 one of 120, 160, 200, 240, in",
        ),
        (
            "40",
            "120",
            "2x",
            "raammt: found 120\n  allowed: with this fine_refresh and with raaimt = 40 one of 240, 320, 400, 480, in",
        ),
    ] {
        let found = with(
            "xeon-8460y",
            &[("rfm.raaimt", raaimt), ("rfm.raammt", raammt), ("fine_refresh", mode)],
        );
        let found = found.unwrap_err();
        assert!(found.contains(told), "{found}");
    }
    // Each of the two alone: the other one is missing, and not misspelt.
    for (key, missing) in [(keys[0], "raammt"), (keys[1], "raaimt")] {
        let found = with("xeon-8460y", &[key]).unwrap_err();
        assert!(found.contains(&format!("memory.rfm.{missing}: missing")), "{found}");
        assert!(!found.contains("did you mean"), "{found}");
    }
}

#[test]
fn activation_counting_changes_the_timing() {
    let machine = with("xeon-8460y", &[("prac.threshold", "256"), ("prac.level", "4")]).expect("DDR5");
    let timing = &machine.memory.timing;
    let asked = Prac {
        threshold: 256,
        level: 4,
    };
    assert_eq!(timing.management.prac, Some(asked));
    assert_eq!((timing.rp, timing.ras, timing.rc), (87, 39, 126));
    let told = with("xeon-8460y", &[("prac.threshold", "256"), ("prac.level", "3")]).unwrap_err();
    assert!(
        told.contains("memory.prac.level: found 3") && told.contains("1, 2 or 4"),
        "{told}"
    );
}

#[test]
fn devices_of_other_generations_have_neither() {
    let told = with("ddr4-2400-bench", &[("prac.threshold", "256"), ("prac.level", "1")]).unwrap_err();
    assert!(told.contains("memory.prac: ddr4-2400 has none"), "{told}");
    assert!(told.contains("ddr5-4800, ddr5-5600, ddr5-6400"), "{told}");
    let told = with("ddr4-2400-bench", &[("rfm.raaimt", "32"), ("rfm.raammt", "96")]).unwrap_err();
    assert!(told.contains("memory.rfm: ddr4-2400 has none"), "{told}");
}

#[test]
fn what_a_bank_guarantees_counts_what_the_devices_ask_for() {
    let cycles = |keys: &[(&str, &str)]| Guaranteed::of(&with("xeon-8460y", keys).expect("DDR5"), false).cycles;
    // A read in tRC of 116 clocks; RFMab of 708, tRFC1 of 16 Gb, after PREA of 39, for each 32 of them.
    let plain = cycles(&[]);
    assert_eq!(plain, 116);
    assert_eq!(cycles(&[("rfm.raaimt", "32"), ("rfm.raammt", "96")]), 116 + 24);
    // RFMsb takes 312.
    let same = [("rfm.raaimt", "32"), ("rfm.raammt", "96"), ("rfm.command", "same-bank")];
    assert_eq!(cycles(&same), 116 + 11);
    // tRCD + tRTP + tRP of 39 + 12 + 87 clocks; after each four of them at worst four RFMab of 840, a line and PREA of 87.
    let counting = [("prac.threshold", "16"), ("prac.level", "4")];
    assert_eq!(cycles(&counting), 138 + (138 + 87 + 4 * 840_u64).div_ceil(4));
}
