// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values that a scenario sets elsewhere in itself: from its sweep, its variants, the command line.

use super::place::{error_at, moved};
use fresco_input::{Document, InputError, Item, Table};

/// `key = value`, and where that was written.
#[derive(Clone, Debug)]
pub(crate) struct Assignment {
    /// Dotted key; a task is named, not numbered: `task.foreground.banks`. A variant or agent is named or numbered.
    pub key: String,
    /// TOML.
    pub value: String,
    /// File and line of the value, for errors.
    place: InputError,
    /// What set it: `variant "samebank"`, `the sweep`; empty for the command line.
    setter: String,
}

/// Tables of which there are several, each with a name.
const NAMED: [&str; 3] = ["task", "variant", "agent"];

impl Assignment {
    /// Sets `key` to the value of `item`.
    pub fn new(key: &str, item: &Item<'_>, setter: &str) -> Self {
        Self {
            key: key.to_owned(),
            value: item.to_toml(),
            place: item.error(""),
            setter: setter.to_owned(),
        }
    }

    /// From the command line, as written after `--set`.
    ///
    /// # Errors
    /// There is no `=` in it.
    pub fn of_command_line(text: &str) -> Result<Self, InputError> {
        let place = InputError::new(format!("--set {text}"), "");
        let Some((key, value)) = text.split_once('=') else {
            let error = InputError::new(place.file.clone(), "found no \"=\"");
            let allowed = "key=value, the key with dots as in task.foreground.core";
            return Err(error
                .allowed(allowed)
                .help("write the key, an equals sign and the value, without blanks between"));
        };
        Ok(Self {
            key: key.trim().to_owned(),
            value: value.trim().to_owned(),
            place,
            setter: String::new(),
        })
    }

    /// All values below `table`, under keys that begin with `prefix`.
    pub fn all_in(table: &Table<'_>, prefix: &str, setter: &str) -> Result<Vec<Self>, InputError> {
        let mut found = Vec::new();
        for (key, item) in table.leaves(prefix)? {
            found.push(Self::new(&key, &item, setter));
        }
        Ok(found)
    }

    /// Applies it to the document it came from.
    pub fn apply(&self, document: &mut Document) -> Result<(), InputError> {
        let key = self.numbered(document)?;
        document
            .set_value(&key, &self.value)
            .map_err(|error| self.relocate(error))
    }

    /// An error that came of this value, at the line where it was written instead of under the name of an override.
    /// Errors of other origin stay as they are.
    pub fn relocate(&self, error: InputError) -> InputError {
        let Some(label) = error.file.strip_prefix("--set ") else {
            return error;
        };
        let (label, whole) = match label.strip_suffix('…') {
            Some(cut) => (cut, false),
            None => (label, true),
        };
        // The reader names an override `key=value`, the key with the number of the task; cut off if it is long.
        let Some((key, value)) = label.split_once('=') else {
            return error;
        };
        let last = |key: &str| key.rsplit('.').next().map(str::to_owned);
        let same_value = if whole {
            self.value == value
        } else {
            self.value.starts_with(value)
        };
        if !same_value || last(key) != last(&self.key) {
            return error;
        }
        let found = match self.setter.as_str() {
            "" => error.found.clone(),
            setter => format!("{} (set by {setter})", error.found),
        };
        moved(&error, &self.place, found)
    }

    /// An error about a key that is missing where this value is set, at the line of this one.
    pub fn needs(&self, missing: &InputError) -> InputError {
        let found = format!("{} beside {} = {}", missing.found, self.key, self.value);
        let help = format!("add {}, or correct {}", missing.field, self.key);
        moved(missing, &self.place, found).help(help)
    }

    /// The key as the document knows it: tasks and variants by number. `task.foreground.banks` becomes `task.0.banks`.
    fn numbered(&self, document: &Document) -> Result<String, InputError> {
        let Some((kind, below)) = self.key.split_once('.').filter(|(kind, _)| NAMED.contains(kind)) else {
            return Ok(self.key.clone());
        };
        let names = names(document, kind)?;
        let named = |name: &Option<&str>| below.strip_prefix((*name)?)?.strip_prefix('.');
        // The longest name that fits, as names may hold dots: "a.b" is not "a" with a key b.
        let rest = names
            .iter()
            .enumerate()
            .filter_map(|(number, name)| Some((number, named(name)?)));
        if let Some((number, rest)) = rest.min_by_key(|(_, rest)| rest.len()) {
            return Ok(format!("{kind}.{number}.{rest}"));
        }
        let Some((first, _)) = below.split_once('.') else {
            let error = error_at(&self.place, format!("found a value for a whole {kind}")).in_field(self.key.clone());
            return Err(error
                .allowed(format!("{kind}.NAME.KEY=VALUE: a key of the {kind}"))
                .help(format!(
                    "name the key, as in {kind}.{below}.{}=1",
                    match kind {
                        "task" => "core",
                        "agent" => "bytes",
                        _ => "set.check",
                    }
                )));
        };
        match first.parse::<usize>().is_ok_and(|number| number < names.len()) {
            true => Ok(self.key.clone()),
            false => Err(self.unknown(kind, first, &names)),
        }
    }

    /// A `kind` of table that the scenario has none of this name of.
    fn unknown(&self, kind: &str, name: &str, names: &[Option<&str>]) -> InputError {
        let names: Vec<&str> = names.iter().copied().flatten().collect();
        let help = match fresco_input::closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None if names.is_empty() => format!("add a table [[{kind}]] to the scenario"),
            None if kind == "agent" => format!("name an {kind} of the scenario"),
            None => format!("name a {kind} of the scenario"),
        };
        let allowed = match names.is_empty() {
            true => format!("no {kind}: the scenario has none"),
            false => names.join(", "),
        };
        let error = error_at(&self.place, format!("found the {kind} {name:?}")).in_field(self.key.clone());
        error.allowed(allowed).help(help)
    }
}

/// Parses a text, applies the command line's `overrides` and has `read` read it; what is wrong is told at the place where
/// its value was written, tasks and variants by name.
pub(crate) fn read_with<T>(
    file: &str,
    text: &str,
    overrides: &[String],
    read: impl FnOnce(&Document, &[Assignment]) -> Result<T, InputError>,
) -> Result<T, InputError> {
    let mut document = Document::parse(file, text)?;
    let overrides: Vec<_> = overrides
        .iter()
        .map(|text| Assignment::of_command_line(text))
        .collect::<Result<_, _>>()?;
    overrides
        .iter()
        .try_for_each(|assignment| assignment.apply(&mut document))?;
    read(&document, &overrides).map_err(|error| {
        let relocated = overrides
            .iter()
            .fold(error, |error, assignment| assignment.relocate(error));
        with_names(relocated, &document)
    })
}

/// The name of each `[[task]]` or `[[variant]]`; `None` where there is none yet.
fn names<'d>(document: &'d Document, kind: &str) -> Result<Vec<Option<&'d str>>, InputError> {
    let tables = document.root().array_of_tables(kind)?;
    Ok(tables
        .iter()
        .map(|table| table.opt_text("name").ok().flatten())
        .collect())
}

/// An error with its task or variant by name, as `--set` takes it, where the reader knows the number: `task.0.core`
/// becomes `task.victim.core`.
fn with_names(error: InputError, document: &Document) -> InputError {
    let named = || {
        let (kind, below) = error.field.split_once('.')?;
        if !NAMED.contains(&kind) {
            return None;
        }
        let number = &below[..below.find('.').unwrap_or(below.len())];
        let name = (*names(document, kind).ok()?.get(number.parse::<usize>().ok()?)?)?;
        if name.is_empty() || name.contains(char::is_control) {
            return None;
        }
        Some(format!("{kind}.{name}{}", &below[number.len()..]))
    };
    match named() {
        Some(field) => error.in_field(field),
        None => error,
    }
}
