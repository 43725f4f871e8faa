// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios on statistical models, and what differs where recordings run in their place.

/// How a scenario is simulated with recordings.
#[derive(Debug)]
pub(super) struct Recipe {
    /// Its name.
    pub scenario: &'static str,
    /// The axis whose values are programs or mixes of them, if it has one.
    pub axis: Option<&'static str>,
    /// Programs of Parsec, of which there are no models: values of the axis, of which each runs the recording.
    pub parsec: &'static [&'static str],
    /// Keys of the scenario.
    pub set: &'static [&'static str],
}

/// A model makes only accesses that miss; recorded programs take more of them, the most to fill the caches.
const FILL: &str = "warm_up={operations=3000000}";
/// What is measured after [`FILL`].
const MEASURE: &str = "measure={operations=1000000}";
/// Of models several runs are made, for the frames that each gets; of recordings, which take a hundred times as long, one.
const ONCE: &str = "repetitions=1";

/// The scenarios that are simulated.
pub(super) const RECIPES: &[Recipe] = &[
    Recipe {
        scenario: "palloc-spec",
        axis: Some("program"),
        parsec: &[],
        set: &[FILL, MEASURE],
    },
    Recipe {
        scenario: "bpm-banks",
        axis: Some("task.program.parameters.of"),
        parsec: &[],
        set: &[FILL, MEASURE],
    },
    Recipe {
        scenario: "bpm-mixes",
        axis: Some("workload"),
        parsec: &[],
        set: &[FILL, MEASURE, ONCE],
    },
    Recipe {
        scenario: "bpm-speed",
        axis: Some("workload"),
        parsec: &[],
        set: &[FILL, MEASURE, ONCE],
    },
    // Decided by time, as its intervals are.
    Recipe {
        scenario: "bpm-balance",
        axis: None,
        parsec: &[],
        set: &[],
    },
    Recipe {
        scenario: "camc-fig2.4",
        axis: Some("program"),
        parsec: &["canneal", "ferret", "fluidanimate", "swaptions"],
        set: &[FILL, MEASURE],
    },
    // The program of the slides in place of one that streams; the hog is a loop there, too.
    Recipe {
        scenario: "memguard-isolation",
        axis: None,
        parsec: &[],
        set: &[
            "warm_up={time=\"5 ms\"}",
            "task.foreground.program=\"model\"",
            "task.foreground.parameters={of=\"462.libquantum\"}",
        ],
    },
    // The programs of the slides in place of accesses at random; those of which nothing was published cannot be named.
    Recipe {
        scenario: "memguard-reclaim",
        axis: Some("task.foreground.parameters.of"),
        parsec: &[],
        set: &[
            "warm_up={time=\"5 ms\"}",
            "measure={time=\"10 ms\"}",
            "task.foreground.program=\"model\"",
            "task.foreground.parameters={of=\"470.lbm\"}",
            "task.background.program=\"model\"",
            "task.background.parameters={of=\"470.lbm\"}",
            "sweep={reclaiming=[\"reservation\", \"reclaim\", \"reclaim-share\"], task={foreground={parameters={of=[\
             \"400.perlbench\", \"403.gcc\", \"410.bwaves\", \"429.mcf\", \"433.milc\", \"434.zeusmp\", \"436.cactusADM\", \
             \"437.leslie3d\", \"444.namd\", \"447.dealII\", \"450.soplex\", \"453.povray\", \"456.hmmer\", \"459.GemsFDTD\", \
             \"462.libquantum\", \"464.h264ref\", \"470.lbm\", \"471.omnetpp\", \"473.astar\", \"481.wrf\", \"482.sphinx3\", \
             \"483.xalancbmk\"]}}}}",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::of_systems;
    use fresco_scenario::{Point, Scenario};

    #[test]
    fn every_recipe_is_of_a_scenario_of_an_experiment_with_that_axis() {
        let all = of_systems(&crate::SYSTEMS.map(str::to_owned));
        for recipe in RECIPES {
            assert!(
                all.iter().any(|one| one.scenario == Some(recipe.scenario)),
                "{recipe:?}"
            );
            let set: Vec<String> = recipe.set.iter().map(|set| (*set).to_owned()).collect();
            let scenario = fresco_scenario::builtin(recipe.scenario, &set).expect("built in");
            let has_axis = |name: &str| scenario.axes.iter().any(|axis| axis.name == name);
            assert!(recipe.axis.is_none_or(has_axis), "{recipe:?}");
            let has_model = |point: &Point| !Scenario::models_at(point).is_empty();
            assert_eq!(
                scenario.points.iter().all(|point| has_model(point)),
                recipe.parsec.is_empty(),
                "{recipe:?}"
            );
            // The variant of a program of Parsec reads the recording that stands for it.
            let text = fresco_scenario::builtin_text(recipe.scenario).expect("built in");
            for of in recipe.parsec {
                let all = fresco_programs::recipes().expect("recipes");
                let stands_for = format!("Parsec {of}");
                let recorded = all.iter().find(|one| one.stands_for == stands_for).expect(of);
                let variant = format!(
                    "name = \"{of}\"\nset.task.foreground = {{ program = \"trace\", parameters.file = \"{}.ftrace\" }}",
                    recorded.name
                );
                assert!(text.contains(&variant), "{variant}");
                assert!(!recorded.threads, "thread 0 is replayed");
            }
        }
    }
}
