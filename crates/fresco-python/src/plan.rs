// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans of tasks and refresh.

use crate::data::{Reduced, as_python};
use crate::errors::{NoPlanError, raised, unshown, wrong};
use crate::run::provenance;
use crate::scenario::source;
use fresco_plan::check::Objection;
use fresco_plan::plan::SCHEMA;
use fresco_plan::{TaskSet, Watch};
use fresco_report::{Document, InputFile, Provenance};
use fresco_show::inputs::{digest, machine_file};
use pyo3::prelude::*;
use serde::Deserialize;
use std::path::PathBuf;

/// Tasks and refresh scheduled together: colors, schedule, refresh, and what is promised.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Plan {
    pub inner: fresco_plan::Plan,
    pub machine: fresco_machine::Machine,
    provenance: Provenance,
}

/// What a plan's file says of where it comes from.
#[derive(Deserialize)]
struct Written {
    provenance: Option<Provenance>,
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
        let mut provenance = provenance(command, None);
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
    /// A plan that was written by `fresco plan --out` or by to_json(), from its file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let text = py.detach(|| fresco_input::read_file(&path)).map_err(raised)?;
        Self::from_json(py, text, &fresco_input::file_name(&path))
    }

    /// A plan from the text of its file. `name` is what errors call it.
    #[staticmethod]
    #[pyo3(signature = (text, name="plan.json"))]
    fn from_json(py: Python<'_>, text: String, name: &str) -> PyResult<Self> {
        py.detach(|| {
            let inner = fresco_plan::Plan::parse(name, &text).map_err(raised)?;
            let machine = fresco_machine::load_with(&inner.machine.given, &inner.machine.changes).map_err(raised)?;
            let file: Written = serde_json::from_str(&text).map_err(|error| wrong(format!("{name}: {error}")))?;
            Ok(Self {
                inner,
                machine,
                provenance: file.provenance.unwrap_or_else(|| provenance("Plan.from_json", None)),
            })
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (String,)> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json()?,)))
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
