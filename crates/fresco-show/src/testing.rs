// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results to show, for the tests of what shows them.

use fresco_scenario::builtin_source;
use fresco_system::Scenario;
use fresco_system::results::ScenarioResult;

/// A built-in scenario with keys set.
pub fn built_in(name: &str, overrides: &[String]) -> Scenario {
    let source = builtin_source(name).expect(name);
    Scenario::of(&source, overrides).expect(name)
}

/// A built-in scenario, cut short, with more keys set.
pub fn short_run(name: &str, set: &[&str]) -> ScenarioResult {
    let short = ["repetitions=1", "warm_up.operations=100", "measure.operations=300"];
    let overrides: Vec<String> = short.iter().chain(set).map(|text| (*text).to_owned()).collect();
    let scenario = built_in(name, &overrides);
    fresco_system::run_all(&scenario, 2, &|_| {}).expect(name)
}
