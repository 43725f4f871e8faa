// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results to show, for the tests of what shows them.

use fresco_system::results::ScenarioResult;

/// A built-in scenario, cut short, with more keys set.
pub fn short_run(name: &str, set: &[&str]) -> ScenarioResult {
    let short = ["repetitions=1", "warm_up.operations=100", "measure.operations=300"];
    let overrides: Vec<String> = short.iter().chain(set).map(|text| (*text).to_owned()).collect();
    let (scenario, _) = crate::scenarios::load(name, &overrides).expect(name);
    fresco_system::run_all(&scenario, 2, &|_| {}).expect(name)
}
