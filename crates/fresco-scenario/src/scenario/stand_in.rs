// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings in place of statistical models.

use super::{Point, Scenario};
use fresco_load::ProgramSpec;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Scenario {
    /// Names of the programs whose statistical models run at this point.
    pub fn models_at(point: &Point) -> BTreeSet<&'static str> {
        let programs = point.setup.tasks.iter().filter_map(|task| task.program.as_ref());
        programs.filter_map(ProgramSpec::model_of).collect()
    }

    /// Replaces each program that is the statistical model of another one by what `recording` has for that name, if it has something.
    ///
    /// # Panics
    /// If points are shared with others: it is for a scenario that was just read.
    pub fn replace_models(&mut self, recording: impl Fn(&str) -> Option<ProgramSpec>) {
        for point in &mut self.points {
            let point = Arc::get_mut(point).expect("a scenario that was just read");
            let setup = Arc::get_mut(&mut point.setup).expect("a scenario that was just read");
            for task in &mut setup.tasks {
                let of = task.program.as_ref().and_then(ProgramSpec::model_of);
                if let Some(program) = of.and_then(&recording) {
                    task.program = Some(program.endless());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn models_are_replaced_where_there_is_a_recording() {
        let text = "name = \"s\"\nmachine = \"xeon-w3530\"\n[sweep]\ntask.a.parameters.of = [\"470.lbm\", \"403.gcc\"]\n\
                    [[task]]\nname = \"a\"\nprogram = \"model\"\ncore = 0\n[[task]]\nname = \"b\"\nprogram = \"idle\"\ncore = 1\n";
        let mut scenario = Scenario::parse("s.toml", text, Path::new(""), &[]).expect("sound");
        let recording = |of: &str| {
            (of == "470.lbm").then(|| ProgramSpec::parse("trace", "file = \"/lbm.ftrace\"").expect("a program"))
        };
        let models = |scenario: &Scenario, point: usize| Scenario::models_at(&scenario.points[point]);
        assert!(models(&scenario, 0).contains("470.lbm") && models(&scenario, 1).contains("403.gcc"));
        scenario.replace_models(recording);
        assert!(models(&scenario, 0).is_empty() && models(&scenario, 1).contains("403.gcc"));
        let kinds = |point: usize| -> Vec<&str> {
            let tasks = scenario.points[point].setup.tasks.iter();
            tasks
                .map(|task| task.program.as_ref().expect("one").kind().name)
                .collect()
        };
        assert_eq!((kinds(0), kinds(1)), (vec!["trace", "idle"], vec!["model", "idle"]));
        assert_eq!(scenario.traces()[0].path, Path::new("/lbm.ftrace"));
    }
}
