// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[calibration]` of a machine file: fitted values are in force, and stand apart.

use fresco_machine::{Machine, PagePolicy};

fn parse(section: &str, overrides: &[(&str, &str)]) -> Result<Machine, String> {
    let text = fresco_machine::builtin_text("xeon-w3530").expect("is built in");
    let overrides: Vec<_> = overrides
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    Machine::parse("m.toml", &format!("{text}\n{section}"), &overrides).map_err(|error| error.to_string())
}

const SECTION: &str = "[calibration]
data = \"curves\"
digest = \"0123456789abcdef\"
held_out = [60]
residuals = [\"80 % reads: unloaded +0.1 %\"]
[calibration.fitted]
memory.controller.frontend = \"25 ns\"
memory.controller.page = \"adaptive\"
memory.controller.page_idle = 200
core.mshrs = 8
";

#[test]
fn fitted_values_are_in_force_and_told() {
    let machine = parse(SECTION, &[]).expect("is valid");
    let controller = &machine.memory.controller;
    assert_eq!((controller.frontend, machine.core.mshrs), (25_000, 8));
    assert_eq!(controller.page, PagePolicy::Adaptive { idle: 200 });
    let calibration = machine.calibration.expect("is told");
    assert_eq!(
        (calibration.held_out.as_slice(), calibration.fitted.len()),
        ([60].as_slice(), 4)
    );
}

#[test]
fn overrides_go_over_them() {
    let machine = parse(SECTION, &[("core.mshrs", "4")]).expect("is valid");
    assert_eq!(machine.core.mshrs, 4);
}

#[test]
fn without_them_the_machine_is_what_the_rest_of_the_file_says() {
    let with = parse(SECTION, &[]).expect("is valid");
    let without = parse(SECTION, &[("calibration", "false"), ("core.mshrs", "4")]).expect("is valid");
    assert_eq!((without.memory.controller.frontend, without.core.mshrs), (19_000, 4));
    assert_eq!(without.memory.controller.page, PagePolicy::Open);
    assert_eq!(without.calibration, None);
    assert_ne!(with.text_digest, without.text_digest);
    let error = parse(SECTION, &[("calibration", "true")]).unwrap_err();
    assert!(error.contains("calibration"), "{error}");
}

#[test]
fn what_is_known_is_never_fitted() {
    let error = parse("[calibration.fitted]\nmemory.timing.cl = 7\n", &[]).unwrap_err();
    assert!(error.contains("\"memory.timing.cl\", which is not fitted"), "{error}");
    assert!(error.contains("memory.controller.page_idle"), "{error}");
}

#[test]
fn a_wrong_value_is_told_where_it_stands() {
    let error = parse(&SECTION.replace("core.mshrs = 8", "core.mshrs = 0"), &[]).unwrap_err();
    assert!(
        error.contains("m.toml: calibration.fitted.core.mshrs: found the integer 0"),
        "{error}"
    );
}
