// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines.

use crate::errors::raised;
use crate::map::AddressMap;
use fresco_machine as machine;
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// Names of the built-in machines.
#[pyfunction]
pub fn machines() -> Vec<&'static str> {
    machine::builtin_names().collect()
}

/// A machine: cores, caches, memory, address map. By the name of a built-in one (see machines()) or the path of a file;
/// `changes` are pairs of a key of the file and its value in TOML.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Machine {
    pub inner: machine::Machine,
    pub given: String,
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (name_or_path, changes=Vec::new()))]
    fn new(py: Python<'_>, name_or_path: String, changes: Vec<(String, String)>) -> PyResult<Self> {
        let inner = py
            .detach(|| machine::load_with(&name_or_path, &changes))
            .map_err(raised)?;
        Ok(Self {
            inner,
            given: name_or_path,
        })
    }

    /// Short name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// One line for people.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// Number of cores.
    #[getter]
    fn cores(&self) -> u32 {
        self.inner.cores
    }

    /// Size of a page in bytes.
    #[getter]
    fn page_bytes(&self) -> u64 {
        self.inner.page_bytes
    }

    /// Size of the memory in bytes.
    #[getter]
    fn memory_bytes(&self) -> u64 {
        self.inner.memory.organisation.total_bytes()
    }

    /// Length of a cycle of the memory's command clock, in ns.
    #[getter]
    fn clock_ns(&self) -> f64 {
        self.inner.memory.timing.clock.period_ps() / 1000.0
    }

    /// Numbers of nodes, channels per node, ranks per channel, bank groups, banks per group, rows, columns, and bytes of the
    /// data bus.
    #[getter]
    fn organisation(&self) -> BTreeMap<&'static str, u32> {
        let own = &self.inner.memory.organisation;
        BTreeMap::from([
            ("nodes", own.nodes),
            ("channels", own.channels),
            ("ranks", own.ranks),
            ("bank_groups", own.bank_groups),
            ("banks", own.banks),
            ("rows", own.rows),
            ("columns", own.columns),
            ("bus_bytes", own.bus_bytes),
        ])
    }

    /// Where each address lies, and which colors pages have.
    #[getter]
    fn map(&self) -> PyResult<AddressMap> {
        AddressMap::of(&self.inner)
    }

    /// Digest of the file's text and of what was changed in it.
    #[getter]
    fn digest(&self) -> &str {
        &self.inner.text_digest
    }

    fn __repr__(&self) -> String {
        format!("fresco_dram.Machine({:?})", self.given)
    }
}
