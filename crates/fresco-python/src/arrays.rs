// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrays of numpy that functions take: of uint64, others converted where nothing is lost. They are copied, since other threads may change or
//! resize an array while the interpreter's lock is free.

use crate::errors::fault;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

const NUMBERS: &str = "an array of one dimension, of whole numbers from 0 to 2^64 - 1";
const FLAGS: &str = "an array of one dimension, of bool";

/// Whole numbers that are not negative, of whatever width; `name` is what errors call them.
pub fn numbers(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let array = plain(name, given, NUMBERS)?;
    if let Ok(array) = array.extract() {
        return Ok(copied(&array));
    }
    let (kind, is_empty) = (kind(&array)?, array.getattr("size")?.extract::<usize>()? == 0);
    let least = match kind.as_str() {
        "i" if !is_empty => Some(array.call_method0("min")?).filter(|least| least.lt(0).unwrap_or(true)),
        _ => None,
    };
    if is_empty || kind == "u" || (kind == "i" && least.is_none()) {
        return Ok(copied(&array.call_method1("astype", ("uint64",))?.extract()?));
    }
    let described = described(&array)?;
    let (found, help) = match (kind.as_str(), least) {
        ("i", Some(least)) => (
            format!("{described}, the least of which is {least}"),
            "leave out or mend what is negative: a conversion would make large numbers of it",
        ),
        ("f", _) => of_floats(&array, described)?,
        ("b", _) => (described, "give numbers; x.astype(numpy.uint64) makes 0 and 1 of it"),
        ("O", _) => (
            described,
            "something in it is no whole number, negative or too large: numpy.array([int(one) for one in x], numpy.uint64) says which",
        ),
        _ => (
            described,
            "of texts, numpy.array([int(one, 0) for one in x], numpy.uint64) makes numbers",
        ),
    };
    Err(fault(name, found, NUMBERS, help))
}

/// What is wrong with floating-point numbers, and what helps.
fn of_floats(array: &Bound<'_, PyAny>, described: String) -> PyResult<(String, &'static str)> {
    let numpy = array.py().import("numpy")?;
    let all = |of: Bound<'_, PyAny>| of.call_method0("all")?.extract::<bool>();
    if !all(numpy.call_method1("isfinite", (array,))?)? {
        let found = format!("{described}, with numbers that are not finite (NaN or infinite)");
        return Ok((
            found,
            "leave these out or replace them: numpy.isfinite(x) tells which are finite",
        ));
    }
    let least = array.call_method0("min")?;
    if least.lt(0)? {
        let found = format!("{described}, the least of which is {least}");
        return Ok((
            found,
            "leave out or mend what is negative: a conversion would make large numbers of it",
        ));
    }
    if !all(numpy
        .call_method1("floor", (array,))?
        .call_method1("__eq__", (array,))?)?
    {
        return Ok((
            format!("{described}, with fractions"),
            "round as is right, for example numpy.rint(x).astype(numpy.uint64)",
        ));
    }
    let help = match array.call_method0("max")?.ge(1u64 << 53)? {
        true => "make it of whole numbers from the beginning: from 2^53 on floating point has lost the last digits",
        false => "its numbers are whole: x.astype(numpy.uint64) loses nothing",
    };
    Ok((described, help))
}

/// Flags; `name` is what errors call them.
pub fn flags(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    let array = plain(name, given, FLAGS)?;
    let (kind, is_empty) = (kind(&array)?, array.getattr("size")?.extract::<usize>()? == 0);
    if kind == "b" || is_empty {
        let array = array.call_method1("astype", ("bool",))?;
        // Whatever the bytes are: those of a view may be neither 0 nor 1.
        let bytes: PyReadonlyArray1<'_, u8> = array.call_method1("view", ("uint8",))?.extract()?;
        let flag = |&byte: &u8| byte != 0;
        return Ok(match bytes.as_slice() {
            Ok(slice) => slice.iter().map(flag).collect(),
            Err(_) => bytes.as_array().iter().map(flag).collect(),
        });
    }
    let help = match kind.as_str() {
        "i" | "u" => "compare, for example x != 0",
        "f" | "c" => "compare, for example x > 0; NaN is different from every number, 0 too",
        "O" => "something in it is no bool: compare each, for example numpy.array([one == 1 for one in x])",
        _ => "compare, for example x == \"W\"",
    };
    Err(fault(name, described(&array)?, FLAGS, help))
}

/// As an array of one dimension without a mask.
fn plain<'py>(name: &str, given: &Bound<'py, PyAny>, allowed: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let numpy = py.import("numpy")?;
    let is_usual = given.get_type().is(numpy.getattr("ndarray")?)
        || given.is_exact_instance_of::<PyList>()
        || given.is_exact_instance_of::<PyTuple>();
    if !is_usual
        && numpy
            .getattr("ma")?
            .call_method1("isMaskedArray", (given,))?
            .extract()?
    {
        let help = "x.compressed() leaves out what is masked, x.filled(value) puts a value there";
        return Err(fault(name, "found a masked array", allowed, help));
    }
    let array = numpy.call_method1("asarray", (given,)).map_err(|error| {
        fault(
            name,
            format!("found what is no array: {}", error.value(py)),
            allowed,
            "give rows of one length",
        )
    })?;
    match array.getattr("ndim")?.extract()? {
        1 => Ok(array),
        0 => Err(fault(name, described(&array)?, allowed, "of one value, give [x]")),
        _ => {
            let help = "choose what is meant: x[:, 0] is the first column, x.ravel() all rows one after the other";
            Err(fault(name, described(&array)?, allowed, help))
        }
    }
}

fn copied(array: &PyReadonlyArray1<'_, u64>) -> Vec<u64> {
    match array.as_slice() {
        Ok(slice) => slice.to_vec(),
        Err(_) => array.as_array().to_vec(),
    }
}

fn kind(array: &Bound<'_, PyAny>) -> PyResult<String> {
    array.getattr("dtype")?.getattr("kind")?.extract()
}

fn described(array: &Bound<'_, PyAny>) -> PyResult<String> {
    let (kind, shape) = (array.getattr("dtype")?, array.getattr("shape")?);
    Ok(format!("found an array of {kind} and shape {shape}"))
}
