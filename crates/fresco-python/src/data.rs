// SPDX-License-Identifier: MIT OR Apache-2.0
//! Data of the library as dicts and lists, as its JSON has them.

use crate::errors::wrong;
use pyo3::prelude::*;
use serde::Serialize;

/// The same dicts, lists, numbers and texts as a reader of the JSON gets.
pub fn as_python<'py>(py: Python<'py>, data: &(impl Serialize + ?Sized)) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(data).map_err(|error| wrong(error.to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// What `__reduce__` returns: what makes the object again, and its arguments.
pub type Reduced<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;
