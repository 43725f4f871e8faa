// SPDX-License-Identifier: MIT OR Apache-2.0
//! Machines.

use crate::data::Reduced;
use crate::errors::raised;
use crate::map::AddressMap;
use fresco_input::{Document, InputError, file_name, read_file};
use fresco_machine as machine;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// A name as it is; of what has a path that, so that it is no name.
pub fn given(name_or_path: &Bound<'_, PyAny>) -> PyResult<String> {
    if name_or_path.is_instance_of::<PyString>() {
        return name_or_path.extract();
    }
    let path: PathBuf = name_or_path.extract()?;
    Ok(Path::new(".").join(path).display().to_string())
}

/// Keys and values in TOML.
fn changed(py: Python<'_>, changes: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(String, String)>> {
    let Some(changes) = changes else { return Ok(Vec::new()) };
    let all = py
        .import("fresco_dram._values")?
        .call_method1("assignments", (changes, PyDict::new(py)))?;
    let all: Vec<String> = all.extract()?;
    all.iter()
        .map(|one| normal(one))
        .collect::<Result<_, _>>()
        .map_err(raised)
}

/// A key and its value, which is TOML in one line afterwards, however it was spelled.
fn normal(assignment: &str) -> Result<(String, String), InputError> {
    let mut document = Document::parse("changes", "")?;
    document.set(assignment)?;
    let (key, value) = assignment.split_once('=').unwrap_or((assignment, ""));
    let key = key.trim();
    Ok((
        key.to_owned(),
        document.toml_at(key).unwrap_or_else(|| value.to_owned()),
    ))
}

/// Names of the built-in machines.
#[pyfunction]
pub fn machines() -> Vec<&'static str> {
    machine::builtin_names().collect()
}

/// A machine: cores, caches, memory, address map.
///
/// By the name of a built-in one (see machines()), the path of a file, or `text`, its file's content; the first is then what errors call it.
/// `changes` are keys of the file with other values: a dict of keys with dots, or of tables.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Machine {
    pub inner: machine::Machine,
    /// As it was given.
    given: String,
    changes: Vec<(String, String)>,
    /// Of a file or a text its content: what a copy elsewhere is made from.
    text: Option<String>,
}

impl PartialEq for Machine {
    fn eq(&self, other: &Self) -> bool {
        (&self.inner.name, &self.inner.text_digest) == (&other.inner.name, &other.inner.text_digest)
    }
}

impl Machine {
    pub fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.inner.text_digest.hash(&mut hasher);
        hasher.finish()
    }
}

#[pymethods]
impl Machine {
    #[new]
    #[pyo3(signature = (name_or_path, changes=None, *, text=None))]
    fn new(
        py: Python<'_>,
        name_or_path: &Bound<'_, PyAny>,
        changes: Option<&Bound<'_, PyAny>>,
        text: Option<String>,
    ) -> PyResult<Self> {
        let given = given(name_or_path)?;
        let changes = changed(py, changes)?;
        py.detach(|| {
            let text = match text {
                None if machine::is_path(&given) => Some(read_file(&given)?),
                text => text,
            };
            let inner = match &text {
                Some(text) => machine::Machine::parse(&file_name(&given), text, &changes)?,
                None => machine::load_with(&given, &changes)?,
            };
            Ok(Self {
                inner,
                given,
                changes,
                text,
            })
        })
        .map_err(raised)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> Reduced<'py, (Bound<'py, PyAny>, Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let (py, own) = (slf.py(), slf.get());
        let keywords = PyDict::new(py);
        keywords.set_item("text", &own.text)?;
        let changes: Vec<String> = own
            .changes
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let arguments = (&own.given, changes).into_pyobject(py)?;
        let make = py.import("fresco_dram._values")?.getattr("call")?;
        Ok((make, (slf.get_type().into_any(), arguments, keywords)))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self == other
    }

    fn __hash__(&self) -> u64 {
        self.hash()
    }

    /// As scenarios have it: the name of a built-in one, else the machine itself, written out.
    fn _written_out(&self) -> String {
        match (&self.text, self.changes.as_slice()) {
            (None, []) => self.given.clone(),
            (text, changes) => machine::written_out(text.as_ref().unwrap_or(&self.given), changes),
        }
    }

    /// It is one that is built in, without changes.
    fn _is_built_in(&self) -> bool {
        self.text.is_none() && self.changes.is_empty()
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
    fn map(slf: &Bound<'_, Self>) -> PyResult<AddressMap> {
        AddressMap::of(slf)
    }

    /// Digest of the file's text and of what was changed in it.
    #[getter]
    fn digest(&self) -> &str {
        &self.inner.text_digest
    }

    fn __repr__(&self) -> String {
        let changes: Vec<String> = self
            .changes
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        match changes.as_slice() {
            [] => format!("fresco_dram.Machine({:?})", self.given),
            changes => format!("fresco_dram.Machine({:?}, {changes:?})", self.given),
        }
    }
}
