// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters of programs as data: one table serves the reader, the documentation and the error messages.

use fresco_input::{InputError, Table, format_size};
use std::collections::BTreeMap;

/// A parameter that a scenario may set.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Key in the scenario.
    pub name: &'static str,
    /// What may stand there, and what holds where nothing does.
    pub kind: Kind,
    /// What it means, in one sentence.
    pub doc: &'static str,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A size in bytes, `"16 MiB"`.
    Size {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
        /// The size must be a multiple of this.
        multiple: u64,
        /// Where nothing is said.
        default: u64,
    },
    /// A whole number.
    Count {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
        /// Where nothing is said.
        default: u64,
    },
    /// `true` or `false`.
    Flag {
        /// Where nothing is said.
        default: bool,
    },
    /// One of these texts; the first where nothing is said.
    Choice(&'static [&'static str]),
    /// Name of a file; must be given.
    File,
}

impl Parameter {
    /// Returns true if it names a file that the program reads.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, Kind::File)
    }
}

impl Kind {
    /// The values allowed, as a person reads them.
    pub fn range(&self) -> String {
        match *self {
            Self::Size {
                min, max, multiple: 1, ..
            } => format!("{} to {}", format_size(min), format_size(max)),
            Self::Size { min, max, multiple, .. } => {
                format!(
                    "{} to {}, a multiple of {}",
                    format_size(min),
                    format_size(max),
                    format_size(multiple)
                )
            }
            Self::Count { min, max, .. } => format!("{min} to {max}"),
            Self::Flag { .. } => "true or false".to_owned(),
            Self::Choice(names) => names.join(", "),
            Self::File => "a file".to_owned(),
        }
    }

    /// The value that holds where nothing is said; `None` where one must be given.
    pub fn default(&self) -> Option<String> {
        match *self {
            Self::Size { default, .. } => Some(format_size(default)),
            Self::Count { default, .. } => Some(default.to_string()),
            Self::Flag { default } => Some(default.to_string()),
            Self::Choice(names) => Some(names[0].to_owned()),
            Self::File => None,
        }
    }

    fn read(&self, name: &str, table: &Table<'_>) -> Result<Value, InputError> {
        Ok(match *self {
            Self::Size {
                min,
                max,
                multiple,
                default,
            } => match table.opt_size(name, min..=max)?.unwrap_or(default) {
                size if size % multiple == 0 => Value::Number(size),
                size => {
                    let error = table
                        .error_at(name, format!("found {}", format_size(size)))
                        .allowed(self.range());
                    return Err(error.help(format!("write {}", format_size((size / multiple * multiple).max(min)))));
                }
            },
            Self::Count { min, max, default } => Value::Number(table.opt_integer(name, min..=max)?.unwrap_or(default)),
            Self::Flag { default } => Value::Number(table.opt_boolean(name)?.unwrap_or(default).into()),
            Self::Choice(names) => {
                let choices: Vec<(&str, u64)> = names.iter().copied().zip(0..).collect();
                Value::Number(table.opt_choice(name, &choices)?.unwrap_or(0))
            }
            Self::File => Value::Text(table.text(name)?.to_owned()),
        })
    }
}

/// A value read: a number (a size, a count, 0 or 1, the index of a choice) or a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    Number(u64),
    Text(String),
}

/// The values of a program's parameters, all of them present and within their ranges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values {
    by_name: BTreeMap<&'static str, Value>,
    /// Where they stand, for errors; of those that are given, each.
    place: InputError,
    places: BTreeMap<&'static str, InputError>,
}

impl Values {
    /// Reads `parameters` from `table`. Keys that are none of them are the caller's business.
    pub fn read(parameters: impl Iterator<Item = &'static Parameter>, table: &Table<'_>) -> Result<Self, InputError> {
        let mut values = Self {
            by_name: BTreeMap::new(),
            place: table.error(""),
            places: BTreeMap::new(),
        };
        for parameter in parameters {
            let value = parameter.kind.read(parameter.name, table)?;
            values.by_name.insert(parameter.name, value);
            values.places.insert(parameter.name, table.error_at(parameter.name, ""));
        }
        Ok(values)
    }

    /// The number, flag (0 or 1) or index of the choice. `name` is one of the program's own parameters.
    pub fn number(&self, name: &str) -> u64 {
        match self.by_name.get(name) {
            Some(Value::Number(number)) => *number,
            other => unreachable!("parameter {name} is {other:?}, not a number"),
        }
    }

    /// The text. `name` is one of the program's own parameters.
    pub fn text(&self, name: &str) -> &str {
        match self.by_name.get(name) {
            Some(Value::Text(text)) => text,
            other => unreachable!("parameter {name} is {other:?}, not a text"),
        }
    }

    /// Sets a number, if the program has a parameter of this name.
    pub fn set_number(&mut self, name: &str, number: u64) {
        if let Some(value) = self.by_name.get_mut(name) {
            *value = Value::Number(number);
        }
    }

    /// An error about the parameter `name`, at its place.
    pub fn error(&self, name: &str, found: impl Into<String>) -> InputError {
        InputError::at_place(self.places.get(name).unwrap_or(&self.place), found)
    }

    /// An error about all of them.
    pub fn error_of_all(&self, found: impl Into<String>) -> InputError {
        InputError::at_place(&self.place, found)
    }
}
