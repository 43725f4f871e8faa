// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors as exceptions, with the text that the program prints.

use fresco_input::InputError;
use fresco_report::ReportError;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    fresco_dram,
    FrescoError,
    PyValueError,
    "What was given is wrong, or cannot be done.\n\nstr() is what `fresco` prints: the place, what was found, what is allowed, the way out. The parts are attributes: \
     file, line (int or None), field, found, allowed, help."
);
create_exception!(
    fresco_dram,
    NoPlanError,
    FrescoError,
    "There is no plan for these tasks, for the reason that str() gives."
);

/// An error of the library as an exception.
pub fn raised(error: InputError) -> PyErr {
    let exception = FrescoError::new_err(error.to_string());
    Python::attach(|py| {
        let value = exception.value(py);
        let set = || -> PyResult<()> {
            value.setattr("file", &error.file)?;
            value.setattr("line", error.line)?;
            value.setattr("field", &error.field)?;
            value.setattr("found", &error.found)?;
            value.setattr("allowed", &error.allowed)?;
            value.setattr("help", &error.help)
        };
        set().err().unwrap_or_else(|| exception.clone_ref(py))
    })
}

/// An error that has no place.
pub fn wrong(text: impl Into<String>) -> PyErr {
    FrescoError::new_err(text.into())
}

/// An error of what makes tables and figures.
pub fn unshown(error: ReportError) -> PyErr {
    wrong(error.to_string())
}
