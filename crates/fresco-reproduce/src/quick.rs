// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is shorter, and what is left out, where somebody wants to know in a minute.
//!
//! What takes long and cannot be shorter is left out: jobs of real-time tasks, programs whose data must be larger than the caches, pages that
//! are moved every so often, retention times, rounds of refreshes.

use crate::experiments::Experiment;

/// Runs that are no scenario and are left out.
const LEFT_OUT: [&str; 7] = [
    "cr-densities",
    "cr-densities-set",
    "crs-densities",
    "crs-densities-set",
    "codesign-runs",
    "codesign-banks",
    "codesign-variants",
];

/// Returns true if the experiment is made.
pub(crate) fn is_made(experiment: &Experiment) -> bool {
    match experiment.scenario {
        Some(scenario) => shorter(scenario).is_some(),
        None => !LEFT_OUT.contains(&experiment.name),
    }
}

/// What makes a built-in scenario short, as `--set` takes it; `None` if it is left out.
pub(crate) fn shorter(scenario: &str) -> Option<&'static [&'static str]> {
    Some(match scenario {
        "bpm-banks" | "bpm-mixes" | "bpm-eight" | "bpm-speed" => &[
            "fill.operations=131072",
            "warm_up.time=\"500 us\"",
            "measure.time=\"250 us\"",
        ],
        "camc-tab2.1" => &["measure.passes=1"],
        "camc-fig2.4" => &["warm_up.operations=20000", "measure.operations=100000"],
        "camc-fig2.5" => &["warm_up.operations=50000", "measure.operations=200000"],
        "camc-fig2.6" => &["warm_up.operations=16384", "measure.operations=65536"],
        "camc-fig2.7" => &["warm_up.operations=16384", "measure.operations=65536"],
        "camc-interleave" => &["warm_up.operations=50000", "measure.operations=100000"],
        "palloc-fig5" => &["warm_up.operations=8192", "measure.operations=16384"],
        "palloc-fig5-xeon" => &["warm_up.operations=16384", "measure.operations=32768"],
        "palloc-spec" => &[
            "fill.operations=131072",
            "warm_up.operations=4000",
            "measure.operations=10000",
        ],
        "tint-fig3.10" => &["sweep.threads=[\"16_threads_4_nodes\"]"],
        "memguard-isolation" | "memguard-reclaim" | "memguard-sharing" | "memguard-weights" => {
            &["measure.time=\"5 ms\""]
        }
        "camc-tab2.2" | "palloc-fig4" | "memguard-four" => &[],
        _ => return None,
    })
}

/// What is set in the scenario, as `--set` takes it.
pub(crate) fn set(scenario: &str) -> Vec<String> {
    let shorter = shorter(scenario).unwrap_or_default().iter().copied();
    std::iter::once("repetitions=1")
        .chain(shorter)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::ALL;
    use fresco_scenario::builtin;

    #[test]
    fn what_is_shorter_or_left_out_is_there() {
        for name in LEFT_OUT {
            assert!(
                ALL.iter().any(|one| one.name == name && one.scenario.is_none()),
                "{name}"
            );
        }
        let (mut made, mut left_out) = (0, 0);
        for name in ALL.iter().filter_map(|one| one.scenario) {
            match shorter(name) {
                Some(_) => {
                    builtin(name, &set(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
                    made += 1;
                }
                None => left_out += 1,
            }
        }
        assert!(made > left_out && left_out > 0, "{made} {left_out}");
    }
}
