// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one error type of everything a user can write: file, line, field, what was found, what is allowed, the help.

use std::fmt::{self, Write};
use std::ops::Deref;

/// Bad input, told so that it can be mended without reading the source.
///
/// One pointer wide, so that the `Result`s of readers stay small; its parts are those of [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError(Box<Fault>);

/// Whose fault an error is, and what follows from it: decisions are made by this and never by the words of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// What the user wrote is wrong.
    #[default]
    Input,
    /// What the user wrote is understood, and nothing can do it: tasks that need more than their cores or their memory have.
    Infeasible,
    /// What the user wrote is right, but the memory that was asked for does not have room for the data.
    DoesNotFit,
    /// What the user wrote may be right, but it is larger than Fresco looks at.
    TooLarge,
    /// A fault of Fresco itself.
    Internal,
}

impl Kind {
    /// The exit status of a program that ends for it: 2, 3, 4, and 70 for a fault of its own (EX_SOFTWARE of sysexits.h).
    pub fn status(self) -> u8 {
        match self {
            Self::Input | Self::Infeasible => 2,
            Self::DoesNotFit => 3,
            Self::TooLarge => 4,
            Self::Internal => 70,
        }
    }
}

/// The parts of an [`InputError`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whose fault it is.
    pub kind: Kind,
    /// File (or `--set key=value`, `standard input`, `built-in machine x`) in which the fault stands.
    pub file: String,
    /// Line, counted from 1; `None` where the fault has no line (a file that is missing).
    pub line: Option<u32>,
    /// Dotted path of the field (`memory.map.bank`), or empty.
    pub field: String,
    /// What stands there.
    pub found: String,
    /// What may stand there.
    pub allowed: String,
    /// What to do about it.
    pub help: String,
}

impl Deref for InputError {
    type Target = Fault;

    fn deref(&self) -> &Fault {
        &self.0
    }
}

impl InputError {
    /// A fault in `file`; the other parts are set by the builder methods.
    pub fn new(file: impl Into<String>, found: impl Into<String>) -> Self {
        Self(Box::new(Fault {
            kind: Kind::Input,
            file: file.into(),
            line: None,
            field: String::new(),
            found: found.into(),
            allowed: String::new(),
            help: String::new(),
        }))
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.0.line = Some(line);
        self
    }

    /// The file that led to it: `outer: file`, unless they are the same.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        if self.0.file != outer {
            self.0.file = format!("{outer}: {}", self.0.file);
        }
        self
    }

    /// The dotted path of the field.
    #[must_use]
    pub fn in_field(mut self, field: impl Into<String>) -> Self {
        self.0.field = field.into();
        self
    }

    /// What is allowed in this place.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.0.allowed = allowed.into();
        self
    }

    /// Nothing can do it.
    #[must_use]
    pub fn infeasible(self) -> Self {
        self.of_kind(Kind::Infeasible)
    }

    /// It is larger than is looked at.
    #[must_use]
    pub fn too_large(self) -> Self {
        self.of_kind(Kind::TooLarge)
    }

    /// There is no room for the data.
    #[must_use]
    pub fn does_not_fit(self) -> Self {
        self.of_kind(Kind::DoesNotFit)
    }

    /// Whose fault it is.
    #[must_use]
    pub fn of_kind(mut self, kind: Kind) -> Self {
        self.0.kind = kind;
        self
    }

    /// A fault of Fresco itself, which the user is asked to report.
    #[must_use]
    pub fn internal(self) -> Self {
        self.of_kind(Kind::Internal)
            .help("a fault of Fresco and not of what you wrote: please report it, with the command and its files")
    }

    /// What the user should do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = help.into();
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", InALine(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.field.is_empty() {
            write!(f, ": {}", InALine(&self.field))?;
        }
        write!(f, ": {}", InALine(&self.found))?;
        if !self.allowed.is_empty() {
            write!(f, "\n  allowed: {}", InALine(&self.allowed))?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", InALine(&self.help))?;
        }
        Ok(())
    }
}

/// A text in one line of a terminal. Names of files may hold line ends, and characters that a terminal obeys.
struct InALine<'t>(&'t str);

impl fmt::Display for InALine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c.is_control() {
            true => write!(f, "{}", c.escape_default()),
            false => f.write_char(c),
        })
    }
}

impl std::error::Error for InputError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_lines_that_it_is_meant_to_have() {
        let error = InputError::new("a\nb\u{1b}[2J", "found \u{9b}x")
            .allowed("y\r")
            .help("caf\u{e9}");
        assert_eq!(
            error.to_string(),
            "a\\nb\\u{1b}[2J: found \\u{9b}x\n  allowed: y\\r\n  help: caf\u{e9}"
        );
    }
}
