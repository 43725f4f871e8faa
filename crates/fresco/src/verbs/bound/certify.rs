// SPDX-License-Identifier: MIT OR Apache-2.0
//! Certificates: bounds with all that they were made from, for `fresco bound --check`.

use super::Bounds;
use fresco_bound::{Certificate, CertifiedTask, Dram, Sources, certified_memory};
use fresco_system::Scenario;
use serde::Serialize;

/// Schema of certificates.
pub const SCHEMA: &str = "fresco-bound-certificate/3";

/// Bounds of a scenario, with what they were made from.
#[derive(Debug, Serialize)]
pub struct Certificates {
    /// Name of the scenario.
    scenario: String,
    /// Names of the axes of its sweep.
    axes: Vec<String>,
    /// Its points.
    points: Vec<Certificate>,
}

/// The certificate of bounds that were found.
pub fn certificates(scenario: &Scenario, bounds: &Bounds) -> Certificates {
    let points = scenario.points.iter().zip(&bounds.points).map(|(point, bounds)| {
        let sources = Sources::of(&point.setup);
        let tasks = bounds.tasks.iter().enumerate().filter_map(|(number, task)| {
            let reads = task.reads.as_ref()?;
            Some(sources.certified(number, reads, task.work.as_ref()))
        });
        Certificate {
            values: bounds.values.clone(),
            memory: certified_memory(&Dram::of(&point.setup.machine)),
            tasks: tasks.collect::<Vec<CertifiedTask>>(),
        }
    });
    Certificates {
        scenario: bounds.scenario.clone(),
        axes: bounds.axes.clone(),
        points: points.collect(),
    }
}
