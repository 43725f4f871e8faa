// SPDX-License-Identifier: MIT OR Apache-2.0
//! Synthetic models in place of the programs of the co-design's mixes, which cannot be shipped: footprint and class of
//! misses are the paper's, everything else is uniformly random (BEN-12).

use super::failed;
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_system::{Scenario, run_all};
use std::path::Path;

/// A model: uniformly random lines of its footprint.
pub struct Model {
    /// The program it stands for.
    pub program: &'static str,
    /// Its memory in millions of bytes.
    pub footprint_mb: u64,
    /// Instructions between two accesses: with caches that hold next to nothing of the footprint, 1000 / (gap + 1) misses
    /// in 1000 instructions.
    pub gap: u32,
}

impl Model {
    const fn new(program: &'static str, footprint_mb: u64, gap: u32) -> Self {
        Self {
            program,
            footprint_mb,
            gap,
        }
    }

    /// Parameters of the program `random`, as a scenario or a task takes them.
    pub fn parameters(&self) -> String {
        let Self { footprint_mb, gap, .. } = self;
        format!("bytes = '{footprint_mb}000000 B'\nwrite_percent = 20\ngap = {gap}")
    }
}

/// The models of all mixes. Published are four footprints, the first; and the classes, above 10, from 1 to 10, and below 1
/// miss in 1000 instructions.
pub const MODELS: [Model; 7] = [
    Model::new("mcf", 1700, 29),
    Model::new("bwaves", 920, 49),
    Model::new("stream", 800, 149),
    Model::new("gemsfdtd", 850, 149),
    Model::new("npb_ua", 480, 249),
    Model::new("povray", 4, 4999),
    Model::new("h264ref", 60, 2499),
];

/// Misses of each model alone on the paper's machine, and its footprint.
pub fn models(seed: u64) -> Result<Vec<Row>, InputError> {
    MODELS.iter().map(|model| alone(model, seed)).collect()
}

fn alone(model: &Model, seed: u64) -> Result<Row, InputError> {
    let text = format!(
        "name = \"alone\"\nmachine = \"gem5-2core\"\nseed = {seed}\nwarm_up.operations = 20000\nmeasure.operations = 20000\n\
         [[task]]\nname = \"model\"\nprogram = \"random\"\ncore = 0\n[task.parameters]\n{}\n",
        model.parameters(),
    );
    let scenario = Scenario::parse("a built-in scenario", &text, Path::new(""), &[])?;
    let result = run_all(&scenario, 1, &|_| {})?;
    let runs = result.points.iter().flat_map(|point| &point.runs);
    let task = runs
        .flat_map(|run| &run.tasks)
        .next()
        .ok_or_else(|| failed("no task"))?;
    let misses = task.caches.llc.or(task.caches.l2).map_or(0, |cache| cache.misses);
    let setting = fresco_load::Setting::default();
    let program = fresco_load::build("random", &model.parameters(), &setting)?;
    let bytes: u64 = program.footprint().iter().map(|area| area.bytes).sum();
    Ok(Row::new()
        .label("program", model.program)
        .value("mpki", misses as f64 * 1000.0 / task.instructions as f64)
        .value("footprint_mb", bytes as f64 / 1e6))
}
