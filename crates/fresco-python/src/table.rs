// SPDX-License-Identifier: MIT OR Apache-2.0
//! A table of results, handed over as Arrow without copying.

use crate::errors::{unshown, wrong};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use fresco_report::dataset::{DataTable, to_record_batch};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// A long table, a row for each observation: columns as docs/file-formats.md describes them. Units stand in names of columns
/// ("start_ns") and in the metadata of their Arrow fields.
///
/// Whatever takes Arrow's PyCapsule interface takes it without copying: pyarrow.table(t), polars.DataFrame(t), duckdb.
#[pyclass(frozen, module = "fresco_dram")]
pub struct Table {
    rows: RecordBatch,
    #[pyo3(get)]
    /// Name of the table: "observations", "jobs", "spans", "latencies" or "periods".
    name: &'static str,
}

impl Table {
    /// The rows of a table of the library.
    pub fn of(table: &DataTable) -> PyResult<Self> {
        Ok(Self {
            rows: to_record_batch(table).map_err(unshown)?,
            name: table.name,
        })
    }
}

#[pymethods]
impl Table {
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let schema = self.rows.schema();
        schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows.num_rows()
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.rows.num_rows(), self.rows.num_columns());
        format!("<fresco_dram.Table {}: {rows} rows, {columns} columns>", self.name)
    }

    /// The rows as a stream of Arrow (PyCapsule interface).
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer that asks for other types converts by itself: the interface allows to ignore the request.
        drop(requested_schema);
        let batches = RecordBatchIterator::new([Ok(self.rows.clone())], self.rows.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The table as a pyarrow.Table, without copying. Needs pyarrow.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        needed(slf.py(), "pyarrow")?.call_method1("table", (slf,))
    }

    /// The table as a pandas.DataFrame. Needs pandas and pyarrow. Numbers are not copied where pandas can take them.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        needed(slf.py(), "pandas")?;
        Self::to_arrow(slf)?.call_method0("to_pandas")
    }

    /// The table as a polars.DataFrame, without copying. Needs polars.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        needed(slf.py(), "polars")?.call_method1("DataFrame", (slf,))
    }
}

/// A package that is not ours to bring.
fn needed<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    py.import(name).map_err(|error| {
        let told = wrong(format!(
            "this needs the package {name}, which cannot be imported: pip install {name}"
        ));
        told.set_cause(py, Some(error));
        told
    })
}
