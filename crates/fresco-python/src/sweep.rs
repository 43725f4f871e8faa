// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sweeps: many points of a scenario, each run once.

use crate::arguments::Whole;
use crate::data::as_python;
use crate::errors::{fault, raised};
use crate::run::{threads as check_threads, watched};
use fresco_input::InputError;
use fresco_sweep as library;
use fresco_sweep::{Index, Mark, Progress, Runner, Shard, Store, Summary, Tool, content, look, merge, summarize};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The list of points of a sweep's file; `overrides` are "key=value", as --set takes them.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Sweep {
    inner: library::Sweep,
}

/// Says which results the tables of a directory are of.
const MARK: &str = ".tables-of";
/// The table that each sweep has.
const POINTS: &str = "points";

fn tool() -> Tool {
    Tool {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        revision: option_env!("FRESCO_REVISION").map(str::to_owned),
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> InputError {
    let told = InputError::new(path.display().to_string(), format!("cannot write it: {error}"));
    told.help("check the permissions of its directory, and its room")
}

impl Sweep {
    /// Writes the tables of what is stored, and what tells later that they are those.
    fn write(&self, index: &Index, into: &Path) -> Result<Vec<PathBuf>, InputError> {
        let merged = merge(&self.inner, index, 0..self.inner.points(), (into, ""), &tool(), None)?;
        let names = merged.files.iter().filter_map(|file| file.file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        Mark::of(into, MARK).set(&content(&self.inner, index, &tool()).to_string(), names)?;
        Ok(merged.files)
    }
}

#[pymethods]
impl Sweep {
    /// Reads a file.
    #[staticmethod]
    #[pyo3(signature = (path, overrides=Vec::new()))]
    fn load(py: Python<'_>, path: PathBuf, overrides: Vec<String>) -> PyResult<Self> {
        let inner = py.detach(|| library::Sweep::load(&path, &overrides)).map_err(raised)?;
        Ok(Self { inner })
    }

    /// Reads a text; relative paths in it are relative to `directory`.
    #[staticmethod]
    #[pyo3(signature = (text, name="sweep.toml", directory="", overrides=Vec::new()))]
    fn from_toml(py: Python<'_>, text: &str, name: &str, directory: &str, overrides: Vec<String>) -> PyResult<Self> {
        let read = || library::Sweep::parse(name, text, Path::new(directory), &overrides);
        Ok(Self {
            inner: py.detach(read).map_err(raised)?,
        })
    }

    /// Name of the sweep.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.spec.name
    }

    /// Its axes: for each its key and the unit of its values, empty if they have none.
    #[getter]
    fn axes(&self) -> Vec<(String, String)> {
        let columns = self.inner.columns.iter();
        columns
            .map(|column| (column.key.clone(), column.unit.clone()))
            .collect()
    }

    fn __len__(&self) -> usize {
        self.inner.points() as usize
    }

    /// The values of a point as text, None where a listed point does not set the key; and what it sets, each "key=value".
    fn point<'py>(&self, py: Python<'py>, number: Whole) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
        let number = number.narrow("point", 0..=self.inner.points().saturating_sub(1))?;
        let point = self.inner.point(number);
        let values = PyDict::new(py);
        for (column, value) in std::iter::zip(&self.inner.columns, &point.values) {
            values.set_item(&column.key, value)?;
        }
        Ok((values, point.set()))
    }

    /// Runs what is missing of part `number` (from 0) of `of` parts, into `directory`, on `threads` threads, one per processor if 0.
    /// Returns the numbers of points of the part, of those that were there, of those that were run, and of those that failed.
    #[pyo3(
        signature = (directory, number=0, of=1, threads=Whole::Fits(0), retry_failed=false, progress=None),
        text_signature = "($self, directory, number=0, of=1, threads=0, retry_failed=False, progress=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn run_shard(
        &self,
        py: Python<'_>,
        directory: PathBuf,
        number: u32,
        of: u32,
        threads: Whole,
        retry_failed: bool,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<(u32, u32, u32, u32)> {
        if number >= of || of > library::MOST_GROUPS {
            let allowed = format!("parts from 0, of at most {}", library::MOST_GROUPS);
            return Err(fault("shard", format!("found part {number} of {of}"), allowed, ""));
        }
        let (threads, shard) = (check_threads(threads)?, Shard { number, of });
        let (done, total) = (AtomicUsize::new(0), shard.points(self.inner.points()).count());
        let ran = watched(py, progress.as_ref(), total, &done, |given_up| {
            let is_given_up = || given_up.load(Ordering::Relaxed);
            self.inner.check()?;
            let store = Store::open(&directory, &self.inner, false)?;
            let runner = Runner {
                sweep: &self.inner,
                store: &store,
                shard,
                threads,
                retry_failed,
                progress: &|now: Progress| done.store(now.settled() as usize, Ordering::Relaxed),
                stop: &is_given_up,
                is_given_up: &is_given_up,
            };
            runner.run()
        })?;
        let ran = ran.map_err(raised)?;
        match ran.settled() < ran.total {
            true => Err(PyKeyboardInterrupt::new_err(
                "stopped; what was stored stays, and the same call goes on",
            )),
            false => Ok((ran.total, ran.found, ran.run, ran.failed)),
        }
    }

    /// Writes the tables of all points into the directory, whoever's stood there; returns their files.
    fn merge(&self, py: Python<'_>, directory: PathBuf) -> PyResult<Vec<PathBuf>> {
        let written = py.detach(|| self.write(&look(&directory)?, &directory));
        written.map_err(raised)
    }

    /// The file of a table with the rows of this sweep's points that are stored in the directory. It is that of the directory if this sweep was
    /// run there last; else it is made, in a folder of its own beside, so that another sweep's tables stay.
    fn table(&self, py: Python<'_>, directory: PathBuf, name: &str) -> PyResult<PathBuf> {
        let all: Vec<&str> = self.inner.spec.tables.iter().copied().chain([POINTS]).collect();
        if !all.contains(&name) {
            let found = format!("found {name:?}");
            return Err(fault(
                "table",
                found,
                all.join(", "),
                "the key `tables` of a sweep says which it keeps",
            ));
        }
        let file = format!("{name}.parquet");
        py.detach(|| {
            let index = look(&directory)?;
            let content = content(&self.inner, &index, &tool()).to_string();
            let own = directory.join(format!("tables-{}", self.inner.digest()));
            for place in [&directory, &own] {
                if Mark::of(place, MARK).holds(&content) {
                    return Ok(place.join(&file));
                }
            }
            std::fs::create_dir_all(&own).map_err(|error| unwritten(&own, &error))?;
            self.write(&index, &own)?;
            Ok(own.join(&file))
        })
        .map_err(raised)
    }

    /// How many points there are in the directory, and which failed: a dict.
    fn status<'py>(&self, py: Python<'py>, directory: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        let looked = py.detach(|| look(&directory).map(|index| summarize(&self.inner, &index, Shard::WHOLE)));
        let summary: Summary = looked.map_err(raised)?;
        as_python(py, &summary)
    }
}
