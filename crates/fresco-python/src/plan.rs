// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plans of tasks and refresh.

use crate::data::{Reduced, as_python};
use crate::errors::{fault, raised, unplanned, unshown, wrong};
use crate::run::provenance;
use crate::scenario::{source, source_of_text};
use fresco_input::InputError;
use fresco_plan::check::Objection;
use fresco_plan::plan::SCHEMA;
use fresco_plan::{TaskSet, Watch};
use fresco_report::{Document, InputFile, Provenance};
use fresco_show::inputs::{digest, machine_file};
use pyo3::prelude::*;
use serde::Deserialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Tasks and refresh scheduled together: colors, schedule, refresh, and what is promised.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Plan {
    pub inner: fresco_plan::Plan,
    pub machine: fresco_machine::Machine,
    provenance: Provenance,
    /// The key `seed` of what was planned, for its run; the plan does not depend on it.
    seed: u64,
}

/// An error of a seed that was set, at what set it.
fn of_override(error: InputError, overrides: &[String]) -> InputError {
    let sets = |one: &&String| one.split('=').next().is_some_and(|key| key.trim() == error.field);
    match overrides.iter().rev().find(sets) {
        Some(one) => InputError::new(one, error.found.clone())
            .in_field(error.field.clone())
            .allowed(error.allowed.clone())
            .help(error.help.clone()),
        None => error,
    }
}

/// What a plan's file says of where it comes from.
#[derive(Deserialize)]
struct Written {
    provenance: Option<Provenance>,
}

/// Plans the tasks of a file or of a built-in scenario, or of `text`; `overrides` are "key=value", such as "plan.method=crs".
#[pyfunction]
#[pyo3(signature = (name_or_path, command, overrides=Vec::new(), text=None))]
pub fn plan(
    py: Python<'_>,
    name_or_path: &str,
    command: String,
    overrides: Vec<String>,
    text: Option<String>,
) -> PyResult<Plan> {
    let (source, called) = match text {
        Some(text) => source_of_text(text, name_or_path, "")?,
        None => source(name_or_path)?,
    };
    let seed = fresco_sweep::seed(&source, &overrides).map_err(|error| raised(of_override(error, &overrides)))?;
    py.detach(|| {
        let set = TaskSet::of(&source, &overrides).map_err(raised)?;
        let inner = fresco_plan::plan_watched(&set, Watch::default())
            .map_err(|refusal| unplanned(&set.name, &refusal.to_string()))?;
        let mut provenance = provenance(command, None);
        let file = InputFile::new(called, digest(&source.text));
        provenance.inputs.push(file);
        let machine = machine_file(&set.machine, &set.machine_given.given);
        provenance.machine_files.push(machine);
        Ok(Plan {
            inner,
            machine: set.machine,
            provenance,
            seed,
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
                seed: 1,
            })
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (String,)> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json()?,)))
    }

    /// Plans are equal if they say the same, whatever call made them and whatever file has them.
    fn __eq__(&self, other: &Self) -> bool {
        self.inner == other.inner
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.inner.name, self.inner.method.name()).hash(&mut hasher);
        hasher.finish()
    }

    /// The seed of what was planned, which its run has.
    #[getter]
    fn _seed(&self) -> u64 {
        self.seed
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
            Err(Objection::Violated(violation)) => Err(fault(&self.inner.name, violation.to_string(), "", "")),
            Err(objection) => Err(fault(
                &self.inner.name,
                format!("it cannot be verified: {objection}"),
                "",
                "",
            )),
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
