// SPDX-License-Identifier: MIT OR Apache-2.0
//! The native part of the Python package `fresco_dram`: classes and functions that convert, and nothing that computes.

mod arguments;
mod arrays;
mod data;
mod errors;
mod machine;
mod map;
mod memory;
mod plan;
mod result;
mod run;
mod scenario;
mod sweep;
mod table;
mod trace;

use pyo3::prelude::*;

/// The native part of fresco_dram; import that instead.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::errors::{FrescoError, NoPlanError, fault_of};
    #[pymodule_export]
    use super::machine::{Machine, machines};
    #[pymodule_export]
    use super::map::AddressMap;
    #[pymodule_export]
    use super::memory::{Completion, Memory};
    #[pymodule_export]
    use super::plan::{Plan, plan};
    #[pymodule_export]
    use super::result::{Figure, Result};
    #[pymodule_export]
    use super::run::{simulate, simulate_plan};
    #[pymodule_export]
    use super::scenario::{Scenario, kind, scenarios};
    #[pymodule_export]
    use super::sweep::Sweep;
    #[pymodule_export]
    use super::table::Table;
    #[pymodule_export]
    use super::trace::trace_requests;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Errors without a place have the same attributes.
        let error = module.py().get_type::<FrescoError>();
        for part in ["file", "field", "found", "allowed", "help"] {
            error.setattr(part, "")?;
        }
        error.setattr("line", module.py().None())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
