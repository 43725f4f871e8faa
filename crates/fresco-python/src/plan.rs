// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans of tasks and refresh.

use crate::data::as_python;
use crate::errors::{NoPlanError, raised, unshown, wrong};
use crate::scenario::source;
use fresco_plan::check::Objection;
use fresco_plan::plan::SCHEMA;
use fresco_plan::{TaskSet, Watch};
use fresco_report::{Document, InputFile, Provenance};
use fresco_show::inputs::{digest, machine_file};
use pyo3::prelude::*;

/// Tasks and refresh scheduled together: colors, schedule, refresh, and what is promised.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Plan {
    pub inner: fresco_plan::Plan,
    pub machine: fresco_machine::Machine,
    provenance: Provenance,
}

/// Plans the tasks of a file or of a built-in scenario; `overrides` are "key=value", such as "plan.method=crs".
#[pyfunction]
#[pyo3(signature = (name_or_path, command, overrides=Vec::new()))]
pub fn plan(py: Python<'_>, name_or_path: &str, command: String, overrides: Vec<String>) -> PyResult<Plan> {
    let (source, called) = source(name_or_path)?;
    py.detach(|| {
        let set = TaskSet::of(&source, &overrides).map_err(raised)?;
        let inner = fresco_plan::plan_watched(&set, Watch::default())
            .map_err(|refusal| NoPlanError::new_err(format!("{}: there is no plan: {refusal}", set.name)))?;
        let mut provenance = Provenance::new(env!("CARGO_PKG_VERSION"), command, None);
        let file = InputFile::new(called, digest(&source.text));
        provenance.inputs.push(file);
        let machine = machine_file(&set.machine, &set.machine_given.given);
        provenance.machine_files.push(machine);
        Ok(Plan {
            inner,
            machine: set.machine,
            provenance,
        })
    })
}

#[pymethods]
impl Plan {
    /// A plan that was written by `fresco plan --out` or by to_json().
    #[staticmethod]
    fn load(py: Python<'_>, path: String) -> PyResult<Self> {
        py.detach(|| {
            let text = fresco_input::read_file(&path).map_err(raised)?;
            let name = fresco_input::file_name(&path);
            let inner = fresco_plan::Plan::parse(&name, &text).map_err(raised)?;
            let machine = fresco_machine::load_with(&inner.machine.given, &inner.machine.changes).map_err(raised)?;
            let mut provenance = Provenance::new(env!("CARGO_PKG_VERSION"), format!("Plan.load({path:?})"), None);
            provenance.inputs.push(InputFile::new(name, digest(&text)));
            let file = machine_file(&machine, &inner.machine.given);
            provenance.machine_files.push(file);
            Ok(Self {
                inner,
                machine,
                provenance,
            })
        })
    }

    /// Name of the task set.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// How refresh is dealt with, such as "crs".
    #[getter]
    fn method(&self) -> &'static str {
        self.inner.method.name()
    }

    /// Why it is so, in sentences.
    #[getter]
    fn reasons(&self) -> Vec<String> {
        self.inner.reasons.clone()
    }

    /// The plan as dicts and lists, as in the file; times in ns.
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.inner)
    }

    /// The plan's file, as `fresco plan --out` writes it, as text.
    fn to_json(&self) -> PyResult<String> {
        let document = Document {
            schema: SCHEMA,
            provenance: &self.provenance,
            data: &self.inner,
        };
        let bytes = document.to_bytes().map_err(unshown)?;
        String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))
    }

    /// Has the checker verify it, which shares no code with what makes plans. Raises FrescoError if the plan is not sound or cannot
    /// be verified.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let found = py.detach(|| fresco_plan::check(&self.inner, &self.machine));
        match found {
            Ok(_) => Ok(()),
            Err(Objection::Violated(violation)) => Err(wrong(format!("{}: {violation}", self.inner.name))),
            Err(objection) => Err(wrong(format!(
                "{}: it cannot be verified: {objection}",
                self.inner.name
            ))),
        }
    }

    fn __str__(&self) -> PyResult<String> {
        let tables = fresco_show::plan::tables::tables(&self.inner).map_err(unshown)?;
        let texts: Vec<String> = tables.iter().map(|table| table.to_text(100)).collect();
        Ok(texts.join("\n"))
    }

    fn __repr__(&self) -> String {
        let (name, method) = (&self.inner.name, self.inner.method.name());
        format!(
            "<fresco_dram.Plan of {name} by {method}: {} tasks>",
            self.inner.tasks.len()
        )
    }
}
