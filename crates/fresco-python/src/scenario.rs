// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios: of a file, a built-in name, or a text made in Python.

use crate::errors::raised;
use fresco_input::{Document, InputError, file_name, quoted};
use fresco_scenario as library;
use fresco_scenario::{Source, builtin_source, builtin_titles, is_path};
use pyo3::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// Names and titles of the built-in scenarios.
#[pyfunction]
pub fn scenarios() -> Vec<(&'static str, String)> {
    builtin_titles()
        .map(|(name, title)| (name, title.to_string()))
        .collect()
}

/// What is run: machine, tasks, policies. By the name of a built-in one (see scenarios()) or the path of a file; `overrides`
/// are "key=value", as --set takes them. It is checked as a whole when it is made.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Scenario {
    pub source: Source,
    /// What results call it: the name of a built-in one, or a file's.
    pub called: String,
    pub overrides: Vec<String>,
    pub inner: library::Scenario,
}

impl Scenario {
    fn of(py: Python<'_>, (source, called): (Source, String), overrides: Vec<String>) -> PyResult<Self> {
        let inner = py
            .detach(|| library::Scenario::of(&source, &overrides))
            .map_err(raised)?;
        Ok(Self {
            source,
            called,
            overrides,
            inner,
        })
    }
}

/// The source of a scenario or of a plan's tasks, by name or path, and what results call it.
pub fn source(name_or_path: &str) -> PyResult<(Source, String)> {
    let source = match is_path(name_or_path) {
        true => Source::read(name_or_path),
        false => builtin_source(name_or_path),
    };
    let source = placed(source.map_err(raised)?)?;
    Ok((source, file_name(name_or_path)))
}

/// The same of a text, with the name that errors give it.
pub fn source_of_text(text: String, name: &str, directory: &str) -> PyResult<(Source, String)> {
    let called = file_name(name);
    let source = Source::of_text(&called, text, Path::new(directory)).map_err(raised)?;
    Ok((placed(source)?, called))
}

/// With the directory of its relative paths as it is, wherever the process goes from here.
fn placed(mut source: Source) -> PyResult<Source> {
    source.directory = std::env::current_dir()?.join(&source.directory);
    Ok(source)
}

/// What sim() does with this: "plan" for the file of a plan, "planned" for tasks that ask for one, else "scenario".
#[pyfunction]
#[pyo3(signature = (name_or_path, overrides, text=None))]
pub fn kind(name_or_path: &str, overrides: Vec<String>, text: Option<String>) -> PyResult<&'static str> {
    let (source, _) = match text {
        Some(text) => source_of_text(text, name_or_path, "")?,
        None => source(name_or_path)?,
    };
    if source.is_plan() {
        return Ok("plan");
    }
    let is_of_plan = |key: &String| key.split(['.', '=']).next().is_some_and(|table| table.trim() == "plan");
    let asks = Document::parse(&source.file, &source.text).is_ok_and(|document| document.root().has("plan"));
    Ok(match asks || overrides.iter().any(is_of_plan) {
        true => "planned",
        false => "scenario",
    })
}

impl Scenario {
    /// Keys with absolute paths in place of the relative ones of its text.
    fn absolute(&self) -> Result<Vec<String>, InputError> {
        let text = self.source.with(&self.overrides)?;
        let document = Document::parse(&self.source.file, &text)?;
        let root = document.root();
        let absolute = |key: &str, path: &str| {
            let path = self.source.directory.join(path);
            format!("{key}={}", quoted(&path.to_string_lossy()))
        };
        let mut keys = Vec::new();
        if let Some(machine) = root.opt_text("machine")?
            && fresco_machine::is_path(machine)
            && Path::new(machine).is_relative()
        {
            keys.push(absolute("machine", machine));
        }
        let traces = root.opt_text("trace_dir")?;
        if Path::new(traces.unwrap_or("")).is_relative() && (traces.is_some() || !self.inner.traces().is_empty()) {
            keys.push(absolute("trace_dir", traces.unwrap_or("")));
        }
        Ok(keys)
    }

    /// Its text, the same for what is the same however it was written.
    fn normal(&self) -> Result<String, InputError> {
        let all: Vec<String> = self.overrides.iter().cloned().chain(self.absolute()?).collect();
        self.source.with(&all)
    }
}

#[pymethods]
impl Scenario {
    #[new]
    #[pyo3(signature = (name_or_path, overrides=Vec::new()))]
    fn new(py: Python<'_>, name_or_path: &str, overrides: Vec<String>) -> PyResult<Self> {
        Self::of(py, source(name_or_path)?, overrides)
    }

    /// A scenario of a text in TOML. `name` is what errors call it; relative paths in it are relative to `directory`, which is
    /// the working directory if omitted.
    #[staticmethod]
    #[pyo3(signature = (text, name="scenario.toml", directory="", overrides=Vec::new()))]
    fn from_toml(py: Python<'_>, text: String, name: &str, directory: &str, overrides: Vec<String>) -> PyResult<Self> {
        Self::of(py, source_of_text(text, name, directory)?, overrides)
    }

    /// The same with further keys set, each "key=value".
    fn with_overrides(&self, py: Python<'_>, overrides: Vec<String>) -> PyResult<Self> {
        let all = self.overrides.iter().cloned().chain(overrides).collect();
        Self::of(py, (self.source.clone(), self.called.clone()), all)
    }

    /// Its text in TOML, with what was set. Relative paths of its machine and traces are absolute in it.
    fn to_toml(&self) -> PyResult<String> {
        let absolute = self.absolute().map_err(raised)?;
        match self.overrides.is_empty() && absolute.is_empty() {
            true => Ok(self.source.text.clone()),
            false => self.normal().map_err(raised),
        }
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        let normal = |one: &Self| one.normal().map_err(raised);
        Ok(normal(self)? == normal(other)?)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.name.hash(&mut hasher);
        hasher.finish()
    }

    /// What from_toml() makes the same of.
    fn _parts(&self) -> (&str, &str, String, Vec<String>) {
        let directory = self.source.directory.display().to_string();
        (&self.source.text, &self.called, directory, self.overrides.clone())
    }

    /// What was set, each "key=value".
    #[getter]
    fn overrides(&self) -> Vec<String> {
        self.overrides.clone()
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

    /// The axes of its sweep: name and values, as written.
    #[getter]
    fn axes(&self) -> Vec<(String, Vec<String>)> {
        let axes = self.inner.axes.iter();
        axes.map(|axis| (axis.name.clone(), axis.values.clone())).collect()
    }

    /// Number of points of its sweep.
    #[getter]
    fn points(&self) -> usize {
        self.inner.points.len()
    }

    /// Number of runs: of each point one for each repetition.
    #[getter]
    fn runs(&self) -> usize {
        self.inner.runs().len()
    }

    /// Seed of the first repetition.
    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Names of the machines.
    #[getter]
    fn machines(&self) -> Vec<String> {
        self.inner.machines().into_iter().map(|used| used.name).collect()
    }

    fn __repr__(&self) -> String {
        let (name, runs) = (&self.inner.name, self.inner.runs().len());
        format!(
            "<fresco_dram.Scenario {name}: {} points, {runs} runs>",
            self.inner.points.len()
        )
    }
}
