// SPDX-License-Identifier: MIT OR Apache-2.0
//! Errors at a place that was remembered: an error of which only file, line and field count.

use crate::InputError;

impl InputError {
    /// An error at the file, line and field of `place`.
    pub fn at_place(place: &Self, found: impl Into<String>) -> Self {
        let error = Self::new(place.file.clone(), found).in_field(place.field.clone());
        match place.line {
            Some(line) => error.at_line(line),
            None => error,
        }
    }

    /// The same error in the file and line of `place`, and in its field if it has none of its own.
    #[must_use]
    pub fn moved_to(&self, place: &Self) -> Self {
        let field = if self.field.is_empty() {
            &place.field
        } else {
            &self.field
        };
        Self::at_place(place, self.found.clone())
            .in_field(field.clone())
            .allowed(self.allowed.clone())
            .help(self.help.clone())
            .of_kind(self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn an_error_moves_to_where_its_value_was_written() {
        let place = InputError::new("t.toml", "").at_line(7).in_field("task.0.program");
        let error = InputError::new("task a", "found x")
            .at_line(1)
            .allowed("y")
            .help("write y")
            .does_not_fit();
        let moved = error.moved_to(&place);
        assert_eq!(moved.kind, Kind::DoesNotFit);
        assert_eq!(
            moved.to_string(),
            "t.toml:7: task.0.program: found x\n  allowed: y\n  help: write y"
        );
        assert_eq!(error.in_field("bytes").moved_to(&place).field, "bytes");
        let unlined = InputError::new("--set a=1", "");
        assert_eq!(moved.moved_to(&unlined).line, None);
    }
}
