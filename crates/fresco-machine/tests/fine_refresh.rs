// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fine-granularity refresh of a machine (REF-7), and adaptive refresh, which needs the 1x mode (REF-10).

use fresco_machine::{Machine, RefreshPolicy};

fn load(fine: &str, policy: &str) -> Result<Machine, String> {
    let set = |key: &str, value: &str| (key.to_owned(), format!("\"{value}\""));
    let overrides = [
        set("memory.fine_refresh", fine),
        set("memory.controller.refresh", policy),
    ];
    fresco_machine::load_with("xeon-e3-1220v5", &overrides).map_err(|error| error.to_string())
}

#[test]
fn each_mode_has_its_interval_its_length_and_its_commands() {
    // 4 Gb at 1200 MHz: 260, 160 and 110 ns; 7.8 us and its halves.
    for (fine, rfc, refi, refreshes, rfc_quarter) in [
        ("1x", 312, 9360, 8192, 132),
        ("2x", 192, 4680, 16_384, 0),
        ("4x", 132, 2340, 32_768, 0),
    ] {
        let timing = load(fine, "all-bank-independent")
            .expect("a mode of DDR4")
            .memory
            .timing;
        let found = (timing.rfc_ab, timing.refi, timing.refreshes, timing.rfc_ab4);
        assert_eq!(found, (rfc, refi, refreshes, rfc_quarter), "{fine}");
    }
}

#[test]
fn adaptive_refresh_chooses_by_itself_and_so_needs_the_1x_mode() {
    let machine = load("1x", "adaptive").expect("DDR4 has it");
    assert_eq!(machine.memory.controller.refresh, RefreshPolicy::Adaptive);
    let refused = load("4x", "adaptive").unwrap_err();
    assert!(
        refused.contains("ddr4-2400 with this refresh table and mode has no REFab4"),
        "{refused}"
    );
}

#[test]
fn a_machine_that_gives_its_own_interval_needs_that_of_the_mode() {
    let set = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let fine = set("memory.fine_refresh", "\"2x\"");
    let refused = fresco_machine::load_with("ddr4-2400-bench", std::slice::from_ref(&fine)).unwrap_err();
    assert_eq!(
        refused.help,
        "give refi and rfc_ab of this mode in memory.timing: those that stand there are of another"
    );
    let given = [
        fine,
        set("memory.timing.refi", "4680"),
        set("memory.timing.rfc_ab", "312"),
    ];
    let machine = fresco_machine::load_with("ddr4-2400-bench", &given).expect("consistent");
    assert_eq!(machine.memory.timing.refreshes, 16_384);
}
