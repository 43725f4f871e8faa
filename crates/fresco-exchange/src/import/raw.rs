// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tasks as they stand in a file, each value with its place.

use crate::amount::{Unit, parse};
use fresco_input::InputError;
use fresco_rt::Time;

/// What is read.
pub struct Source<'t> {
    /// The name that errors give.
    pub file: &'t str,
    /// The text.
    pub text: &'t str,
}

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// At a byte of the text.
    Byte(usize),
    /// In a line, counted from 1.
    Line(u64),
    /// In a field, where lines are not known.
    Field(String),
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given<T> {
    /// The value.
    pub value: T,
    /// As it stands there.
    pub shown: String,
    /// What the format calls it.
    pub field: String,
    /// Where it stands.
    pub place: Place,
}

/// A task; times are in ns.
#[derive(Clone, Debug)]
pub struct Raw {
    /// Where the task stands.
    pub place: Place,
    /// What the format calls its name, and the name; `None` if it has none.
    pub name: Option<Given<String>>,
    pub period: Option<Given<Time>>,
    pub wcet: Option<Given<Time>>,
    pub deadline: Option<Given<Time>>,
    pub phase: Option<Given<Time>>,
    pub jitter: Option<Given<Time>>,
    pub arrival_jitter: Option<Given<Time>>,
    pub min_distance: Option<Given<Time>>,
    pub critical_section: Option<Given<Time>>,
    pub cache_reload: Option<Given<Time>>,
    pub core: Option<Given<u32>>,
    pub memory: Option<Given<u64>>,
    /// What the format calls period and execution time, for errors where one is missing.
    pub required: [&'static str; 2],
}

impl Raw {
    /// One of which nothing is known yet.
    pub fn at(place: Place, required: [&'static str; 2]) -> Self {
        Self {
            place,
            name: None,
            period: None,
            wcet: None,
            deadline: None,
            phase: None,
            jitter: None,
            arrival_jitter: None,
            min_distance: None,
            critical_section: None,
            cache_reload: None,
            core: None,
            memory: None,
            required,
        }
    }

    /// Its name, for errors.
    pub fn shown(&self) -> String {
        match &self.name {
            Some(name) => format!("task {:?}", clipped(&name.value)),
            None => "a task".to_owned(),
        }
    }
}

impl Source<'_> {
    /// An error at a place; the column stands before what was found.
    pub fn error(&self, place: &Place, field: &str, found: impl Into<String>) -> InputError {
        let found = found.into();
        match place {
            Place::Byte(byte) => {
                let before = &self.text.as_bytes()[..(*byte).min(self.text.len())];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                let column = 1 + String::from_utf8_lossy(&before[begin..]).chars().count();
                InputError::new(self.file, format!("column {column}: {found}"))
                    .at_line(u32::try_from(line).unwrap_or(u32::MAX))
                    .in_field(field)
            }
            Place::Line(line) => InputError::new(self.file, found)
                .at_line(u32::try_from(*line).unwrap_or(u32::MAX))
                .in_field(field),
            Place::Field(path) => InputError::new(self.file, found).in_field(path),
        }
    }

    /// A time in `unit`.
    ///
    /// # Errors
    /// No number, a negative one, or one that is no whole number of ns.
    pub fn time(&self, text: &str, unit: Unit, field: &str, place: Place) -> Result<Given<Time>, InputError> {
        match parse(text, unit) {
            Ok(value) => Ok(Given {
                value,
                shown: format!("{} {}", clipped(text.trim()), unit.name()),
                field: field.to_owned(),
                place,
            }),
            Err(wrong) => Err(self
                .error(&place, field, wrong.words(text))
                .allowed(format!("a number of {}, 0 or more, in whole nanoseconds", unit.name()))
                .help("write a decimal number, as 20 or 12.5")),
        }
    }

    /// A count, such as the number of a core.
    ///
    /// # Errors
    /// No whole number from 0 on.
    pub fn count<T: std::str::FromStr>(&self, text: &str, field: &str, place: Place) -> Result<Given<T>, InputError> {
        match text.trim().parse() {
            Ok(value) => Ok(Given {
                value,
                shown: clipped(text.trim()),
                field: field.to_owned(),
                place,
            }),
            Err(_) => Err(self
                .error(&place, field, format!("found {:?}", clipped(text)))
                .allowed("a whole number, 0 or more")
                .help("write it in digits")),
        }
    }

    /// What a scenario has no place for.
    pub fn refused(&self, place: &Place, field: &str, found: &str, allowed: &str) -> InputError {
        self.error(place, field, format!("found {found}"))
            .allowed(allowed)
            .help("take it out of the file, if the set holds without it")
    }
}

/// The unit of the numbers of a file that names none.
///
/// # Errors
/// None was given.
pub fn unit_of(source: &Source<'_>, given: Option<Unit>) -> Result<Unit, InputError> {
    given.ok_or_else(|| {
        InputError::new(source.file, "found times without a unit")
            .allowed("ns, us, ms or s, for all times of the file")
            .help("say which, as in --unit us")
    })
}

/// A text short enough for a message.
pub fn clipped(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
