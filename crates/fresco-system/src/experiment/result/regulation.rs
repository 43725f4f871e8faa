// SPDX-License-Identifier: MIT OR Apache-2.0
//! What budgets of bandwidth did to the cores of a run.

use crate::bandwidth::Regulator;
use crate::results::{CoreRegulation, RegulationResult};

/// Budgets in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RegulationOutcome {
    /// What holds for all cores.
    pub rules: RegulationResult,
    /// Cores with budgets, by number.
    pub cores: Vec<CoreBudget>,
}

/// The budget of one core.
#[derive(Clone, Debug, PartialEq)]
pub struct CoreBudget {
    /// Its number.
    pub core: u32,
    /// What became of it.
    pub budget: CoreRegulation,
}

impl RegulationOutcome {
    pub(crate) fn new(regulator: &Regulator) -> Self {
        let cores = regulator.cores();
        let cores = cores.filter_map(|core| Some((core, regulator.core_result(core)?)));
        Self {
            rules: regulator.result(),
            cores: cores.map(|(core, budget)| CoreBudget { core, budget }).collect(),
        }
    }
}
