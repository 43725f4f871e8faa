// SPDX-License-Identifier: MIT OR Apache-2.0
//! Synthetic models in place of the programs of the co-design's mixes, which cannot be shipped: footprint and class of
//! misses are the paper's, everything else is uniformly random (BEN-12).

use super::failed;
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_system::{Scenario, run_all};
use std::path::Path;
use std::sync::LazyLock;

/// A model: uniformly random lines of its footprint.
pub struct Model {
    /// The program it stands for, as rows call it.
    pub program: &'static str,
    /// The same as `fresco_load::characteristics` and recipes call it.
    pub of: &'static str,
    /// Its memory in millions of bytes.
    pub footprint_mb: u64,
    /// Instructions between two accesses: with caches that hold next to nothing of the footprint, 1000 / (gap + 1) misses
    /// in 1000 instructions.
    pub gap: u32,
}

impl Model {
    /// Parameters of the program `random`, as a scenario or a task takes them.
    pub fn parameters(&self) -> String {
        let Self { footprint_mb, gap, .. } = self;
        format!("bytes = '{footprint_mb}000000 B'\nwrite_percent = 20\ngap = {gap}")
    }
}

/// The models of all mixes, with the footprints of `fresco_load::characteristics`. Published are four of them, the first; and
/// the classes, above 10, from 1 to 10, and below 1 miss in 1000 instructions.
pub static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let published = fresco_load::characteristics().expect("the built-in data file is valid");
    let footprint = |of: &str| {
        published
            .iter()
            .find(|other| other.name == of)
            .map_or(0, |other| other.footprint)
    };
    let model = |(program, of, gap)| Model {
        program,
        of,
        footprint_mb: footprint(of) / 1_000_000,
        gap,
    };
    let models = [
        ("mcf", "429.mcf", 29),
        ("bwaves", "410.bwaves", 49),
        ("stream", "stream", 149),
        ("gemsfdtd", "459.GemsFDTD", 149),
        ("npb_ua", "npb-ua", 249),
        ("povray", "453.povray", 4999),
        ("h264ref", "464.h264ref", 2499),
    ];
    models.map(model).into()
});

/// Misses of each model alone on the paper's machine, and its footprint.
pub fn models(seed: u64) -> Result<Vec<Row>, InputError> {
    let alone = |model: &Model| {
        let misses = misses_alone("random", &model.parameters(), (20_000, 20_000), seed)?;
        let setting = fresco_load::Setting::default();
        let program = fresco_load::build("random", &model.parameters(), &setting)?;
        let bytes: u64 = program.footprint().iter().map(|area| area.bytes).sum();
        Ok(Row::new()
            .label("program", model.program)
            .value("mpki", misses)
            .value("footprint_mb", bytes as f64 / 1e6))
    };
    MODELS.iter().map(alone).collect()
}

/// Misses of a program alone on the paper's machine in 1000 instructions, measured in so many loads and stores after so many.
pub fn misses_alone(
    program: &str,
    parameters: &str,
    (warm_up, measure): (u64, u64),
    seed: u64,
) -> Result<f64, InputError> {
    let text = format!(
        "name = \"alone\"\nmachine = \"gem5-2core\"\nseed = {seed}\nwarm_up.operations = {warm_up}\n\
         measure.operations = {measure}\n[[task]]\nname = \"program\"\nprogram = \"{program}\"\ncore = 0\n\
         [task.parameters]\n{parameters}\n",
    );
    let scenario = Scenario::parse("a built-in scenario", &text, Path::new(""), &[])?;
    let result = run_all(&scenario, 1, &|_| {})?;
    let runs = result.points.iter().flat_map(|point| &point.runs);
    let task = runs
        .flat_map(|run| &run.tasks)
        .next()
        .ok_or_else(|| failed("no task"))?;
    let misses = task.caches.llc.or(task.caches.l2).map_or(0, |cache| cache.misses);
    Ok(misses as f64 * 1000.0 / task.instructions as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_are_those_of_the_data_file() {
        let footprints: Vec<(&str, u64)> = MODELS.iter().map(|model| (model.program, model.footprint_mb)).collect();
        let published = [("mcf", 1700), ("bwaves", 920), ("stream", 800), ("gemsfdtd", 850)];
        assert_eq!(footprints[..4], published);
        assert_eq!(footprints[4..], [("npb_ua", 480), ("povray", 4), ("h264ref", 60)]);
    }
}
