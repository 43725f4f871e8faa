// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrays of numpy that functions take: of uint64 as they are, others converted where nothing is lost.

use crate::errors::wrong;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

/// Whole numbers that are not negative, of whatever width, as an array of uint64; `name` is what errors call it.
pub fn numbers<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, u64>> {
    if let Ok(array) = given.extract() {
        return Ok(array);
    }
    let array = as_array(given)?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    let is_whole = match kind.as_str() {
        "u" => true,
        "i" => is_empty || !array.call_method0("min")?.lt(0)?,
        _ => is_empty,
    };
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    if is_whole && dimensions == 1 {
        return array.call_method1("astype", ("uint64",))?.extract();
    }
    let least = match kind.as_str() {
        "i" => format!(", the least of which is {}", array.call_method0("min")?),
        _ => String::new(),
    };
    Err(wrong(format!(
        "{name}: found {}{least}\n  allowed: an array of one dimension, of whole numbers from 0 to 2^64 - 1\n  help: {}",
        described(&array)?,
        "convert it, for example by numpy.asarray(x, numpy.uint64)"
    )))
}

/// An array of bool; `name` is what errors call it.
pub fn flags<'py>(name: &str, given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArray1<'py, bool>> {
    if let Ok(array) = given.extract() {
        return Ok(array);
    }
    let array = as_array(given)?;
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_empty = array.getattr("size")?.extract::<usize>()? == 0;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    if (kind == "b" || is_empty) && dimensions == 1 {
        return array.call_method1("astype", ("bool",))?.extract();
    }
    Err(wrong(format!(
        "{name}: found {}\n  allowed: an array of one dimension, of bool\n  help: compare, for example x != 0",
        described(&array)?
    )))
}

fn as_array<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    given.py().import("numpy")?.call_method1("asarray", (given,))
}

fn described(array: &Bound<'_, PyAny>) -> PyResult<String> {
    let (kind, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
    Ok(format!("an array of {kind} and shape {shape}"))
}
