// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings in place of statistical models.

use super::Scenario;
use fresco_load::ProgramSpec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which models of a scenario a recording took the place of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replaced {
    /// Names of programs whose model was replaced.
    pub recorded: BTreeSet<String>,
    /// Names of programs whose model stays.
    pub left: BTreeSet<String>,
}

impl Scenario {
    /// Replaces each program that is the statistical model of another one by what `recording` has for that name.
    ///
    /// # Panics
    /// If points are shared with others: it is for a scenario that was just read.
    pub fn replace_models(&mut self, recording: impl Fn(&str) -> Option<ProgramSpec>) -> Replaced {
        let mut replaced = Replaced::default();
        for point in &mut self.points {
            let point = Arc::get_mut(point).expect("a scenario that was just read");
            let setup = Arc::get_mut(&mut point.setup).expect("a scenario that was just read");
            for task in &mut setup.tasks {
                let Some(of) = task.program.as_ref().and_then(ProgramSpec::model_of) else {
                    continue;
                };
                match recording(of) {
                    Some(program) => {
                        replaced.recorded.insert(of.to_owned());
                        task.program = Some(program.endless());
                    }
                    None => {
                        replaced.left.insert(of.to_owned());
                    }
                }
            }
        }
        replaced
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
        let replaced = scenario.replace_models(recording);
        assert_eq!(replaced.recorded.into_iter().collect::<Vec<_>>(), ["470.lbm"]);
        assert_eq!(replaced.left.into_iter().collect::<Vec<_>>(), ["403.gcc"]);
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
