// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results: tables, figures, pages, and what was run.

use crate::data::{Reduced, as_python};
use crate::errors::{fault, unshown, wrong};
use crate::table::Table;
use fresco_plan::Plan;
use fresco_report::{Provenance, ReportError};
use fresco_show::sweep::Sweep;
use fresco_show::table::Tasks;
use fresco_show::{json, page, text};
use fresco_system::results::ScenarioResult;
use fresco_tidy::Tables;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// A figure of a result. Notebooks show it.
#[pyclass(frozen, get_all, module = "fresco_dram")]
pub struct Figure {
    /// Short name, for a file.
    name: String,
    /// The line under it.
    caption: String,
    /// The figure as SVG, 720 pixels wide.
    svg: String,
}

#[pymethods]
impl Figure {
    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        format!("<fresco_dram.Figure {}>", self.name)
    }
}

/// What came of a scenario or plan. str() is what `fresco sim` prints; notebooks show its report.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Result {
    result: ScenarioResult,
    plan: Option<Plan>,
    provenance: Provenance,
    tables: PyOnceLock<Tables>,
}

impl Result {
    /// The result of a scenario, or of a plan.
    pub fn new(result: ScenarioResult, plan: Option<Plan>, provenance: Provenance) -> Self {
        Self {
            result,
            plan,
            provenance,
            tables: PyOnceLock::new(),
        }
    }

    fn table(&self, py: Python<'_>, number: usize) -> PyResult<Table> {
        let make = || fresco_tidy::scenarios(std::slice::from_ref(&self.result)).map_err(unshown);
        Table::of(self.tables.get_or_try_init(py, make)?.all()[number])
    }

    fn shown(&self) -> std::result::Result<(String, Vec<Figure>), ReportError> {
        let plans: Vec<&Plan> = self.plan.iter().collect();
        let (page, figures) = page::of(std::slice::from_ref(&self.result), &plans, &self.provenance)?;
        let figures = figures.into_iter().map(|figure| Figure {
            name: figure.name,
            caption: figure.caption,
            svg: figure.svg.as_str().to_owned(),
        });
        Ok((page.to_html(), figures.collect()))
    }
}

#[pymethods]
impl Result {
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> Reduced<'py, (String,)> {
        let own = slf.get();
        let parts = serde_json::to_string(&(&own.result, &own.plan, &own.provenance));
        let parts = parts.map_err(|error| wrong(error.to_string()))?;
        Ok((slf.get_type().getattr("_of")?, (parts,)))
    }

    /// The result that pickle stored.
    #[staticmethod]
    fn _of(py: Python<'_>, parts: &str) -> PyResult<Self> {
        let parts = py.detach(|| serde_json::from_str(parts));
        let (result, plan, provenance) = parts.map_err(|error| {
            fault(
                "the pickled result",
                format!("cannot be read: {error}"),
                "a result of this version of Fresco",
                "simulate it again",
            )
        })?;
        Ok(Self::new(result, plan, provenance))
    }

    /// Name of the scenario or plan.
    #[getter]
    fn scenario(&self) -> &str {
        &self.result.scenario
    }

    /// A row for each value of a metric; its unit stands in the column "unit".
    #[getter]
    fn observations(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, 0)
    }

    /// A row for each job of periodic tasks; times in ns.
    #[getter]
    fn jobs(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, 1)
    }

    /// A row for each span of time in the part of a run that is recorded; times in ns.
    ///
    /// Raises FrescoError if nothing was recorded: of a scenario without the key `timeline`, that is so without sim(…, timelines=True).
    #[getter]
    fn spans(&self, py: Python<'_>) -> PyResult<Table> {
        let runs = || self.result.points.iter().flat_map(|point| &point.runs);
        match runs().any(|run| run.timeline.is_some()) {
            true => self.table(py, 2),
            false => Err(fault(
                "spans",
                "found no run of which who ran when was recorded",
                "",
                "simulate with timelines=True, or set the key timeline",
            )),
        }
    }

    /// A row for each bucket of a distribution of latencies; "up_to_ns" is its upper end.
    #[getter]
    fn latencies(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, 3)
    }

    /// A row for each period of a core's budget of bandwidth; times in ns.
    #[getter]
    fn periods(&self, py: Python<'_>) -> PyResult<Table> {
        self.table(py, 4)
    }

    /// What `fresco sim --json` prints, as text: "schema", "provenance", and "data", whose list "scenarios" has one entry, `data` here.
    fn to_json(&self) -> PyResult<String> {
        let bytes = json::of(std::slice::from_ref(&self.result), &self.provenance).map_err(unshown)?;
        String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))
    }

    /// The result as dicts and lists: the entry of this scenario in `data.scenarios` of what `fresco sim --json` prints, to_json().
    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.result)
    }

    /// What was run: version, command, seed, digests of machine, scenario and other inputs.
    #[getter]
    fn provenance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, &self.provenance)
    }

    /// Returns true if all that a plan promises held in each run; a scenario promises nothing.
    #[getter]
    fn promises_kept(&self) -> bool {
        let mut runs = self.result.points.iter().flat_map(|point| &point.runs);
        runs.all(|run| run.promises.iter().all(|promise| promise.kept))
    }

    /// The figures of its report.
    #[getter]
    fn figures(&self) -> PyResult<Vec<Figure>> {
        Ok(self.shown().map_err(unshown)?.1)
    }

    /// Its report, a page of HTML that needs no other file.
    fn to_html(&self) -> PyResult<String> {
        Ok(self.shown().map_err(unshown)?.0)
    }

    /// What `fresco sim` prints, in lines of at most `width` characters where words allow; with rows for tasks in the background
    /// if `all`.
    #[pyo3(signature = (width=100, all=false))]
    fn to_text(&self, width: usize, all: bool) -> PyResult<String> {
        let tasks = if all { Tasks::All } else { Tasks::Measured };
        text::of(&[Sweep::new(&self.result)], tasks, width, &self.provenance).map_err(unshown)
    }

    fn __str__(&self) -> PyResult<String> {
        self.to_text(100, false)
    }

    /// The report in a frame, whose style does not touch the notebook's.
    fn _repr_html_(&self) -> PyResult<String> {
        let page = self.to_html()?.replace('&', "&amp;").replace('"', "&quot;");
        Ok(format!(
            "<iframe srcdoc=\"{page}\" style=\"width: 100%; height: 40em; border: 1px solid #ccc\"></iframe>"
        ))
    }

    fn __repr__(&self) -> String {
        let points = self.result.points.len();
        format!("<fresco_dram.Result of {}: {points} points>", self.result.scenario)
    }
}
