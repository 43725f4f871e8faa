// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans: one that is read gets a verdict against its machine, if that is built in.
#![no_main]

use fresco_plan::check::Objection;
use fresco_plan::{Plan, check};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(plan) = Plan::parse("fuzz.json", text) else {
        return;
    };
    // The fuzzer must not open any file that it names.
    if !fresco_machine::builtin_names().any(|name| name == plan.machine.given) {
        return;
    }
    if let Ok(machine) = fresco_machine::load_with(&plan.machine.given, &plan.machine.changes)
        && let Err(objection) = check(&plan, &machine)
    {
        match objection {
            Objection::Violated(violation) => assert!(!violation.place.is_empty() && !violation.fact.is_empty()),
            Objection::Unverifiable(report) => assert!(!report.unverified.is_empty()),
        }
    }
});
