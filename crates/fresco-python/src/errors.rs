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
    "What was given is wrong, or cannot be done.\n\nstr() is what `fresco` prints: the place, what was found, what is allowed, the way out. The parts are attributes, texts that are \
     empty where there is no such part:\n\n\
     file: the file, or the name of what was given as text, such as \"mine.toml\", \"built-in machine x\", \"key=value\" for a key that was set.\n\
     line: its line, counted from 1, or None.\n\
     field: the key in it, such as \"task.chase.core\", or the argument of the function, such as \"limit\".\n\
     found: what stands there.\n\
     allowed: what may stand there.\n\
     help: what to do about it."
);
create_exception!(
    fresco_dram,
    NoPlanError,
    FrescoError,
    "There is no plan for these tasks, for the reason that str() gives."
);

/// An error of the library as an exception.
pub fn raised(error: InputError) -> PyErr {
    let error = as_in_python(error);
    with_parts(FrescoError::new_err(error.to_string()), &error)
}

/// What options of the program are called here; keys are set without one.
const OPTIONS: &[(&str, &str)] = &[
    ("--set ", ""),
    ("--mode-change", "mode_change_ns"),
    ("--from-switch-on", "from_switch_on"),
    ("--horizon", "horizon_ns"),
];

/// An error that speaks of keys and arguments in place of options.
fn as_in_python(error: InputError) -> InputError {
    let has_option = |(option, _): &(&str, &str)| error.file.contains(option) || error.help.contains(option);
    if !OPTIONS.iter().any(has_option) {
        return error;
    }
    let named = |text: &str| {
        OPTIONS
            .iter()
            .fold(text.to_owned(), |text, (option, name)| text.replace(option, name))
    };
    let told = InputError::new(named(&error.file), error.found.clone())
        .in_field(error.field.clone())
        .allowed(error.allowed.clone())
        .help(named(&error.help))
        .of_kind(error.kind);
    match error.line {
        Some(line) => told.at_line(line),
        None => told,
    }
}

/// An error without a file, with its parts: in which argument or key, if in one, what was found, what is allowed, the help. Parts may be empty.
pub fn fault(
    field: impl Into<String>,
    found: impl Into<String>,
    allowed: impl Into<String>,
    help: impl Into<String>,
) -> PyErr {
    let parts = InputError::new("", found).in_field(field).allowed(allowed).help(help);
    let mut text = match parts.field.as_str() {
        "" => parts.found.clone(),
        field => format!("{field}: {}", parts.found),
    };
    for (name, part) in [("allowed", &parts.allowed), ("help", &parts.help)] {
        if !part.is_empty() {
            text.push_str(&format!("\n  {name}: {part}"));
        }
    }
    with_parts(FrescoError::new_err(text), &parts)
}

/// There is no plan for the tasks of `name`.
pub fn unplanned(name: &str, reason: &str) -> PyErr {
    let parts = InputError::new(name, format!("there is no plan: {reason}"));
    with_parts(NoPlanError::new_err(format!("{name}: {}", parts.found)), &parts)
}

/// An error that is found in Python, as `fault` makes it.
#[pyfunction(name = "fault")]
#[pyo3(signature = (field, found, allowed="", help=""))]
pub fn fault_of(py: Python<'_>, field: &str, found: &str, allowed: &str, help: &str) -> Py<PyAny> {
    fault(field, found, allowed, help).into_value(py).into_any()
}

fn with_parts(exception: PyErr, parts: &InputError) -> PyErr {
    Python::attach(|py| {
        let value = exception.value(py);
        let set = || -> PyResult<()> {
            value.setattr("file", &parts.file)?;
            value.setattr("line", parts.line)?;
            value.setattr("field", &parts.field)?;
            value.setattr("found", &parts.found)?;
            value.setattr("allowed", &parts.allowed)?;
            value.setattr("help", &parts.help)
        };
        set().err().unwrap_or_else(|| exception.clone_ref(py))
    })
}

/// An error that is no more than what was found.
pub fn wrong(found: impl Into<String>) -> PyErr {
    fault("", found, "", "")
}

/// An error of what makes tables and figures.
pub fn unshown(error: ReportError) -> PyErr {
    wrong(error.to_string())
}
