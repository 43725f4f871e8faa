// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the file says what a task executes: whoever builds the program finds what is wrong with it, and the reader knows the line.

use fresco_input::{InputError, Table};

/// The places of `program`, its `parameters` and `memory` in a file of tasks.
#[derive(Clone, Debug)]
pub struct WorkPlace {
    /// Of the program, or of the task where it names none.
    program: InputError,
    /// Of the memory, or of the task where it names none.
    memory: InputError,
    /// Of each parameter that is given.
    parameters: Vec<(String, InputError)>,
}

impl WorkPlace {
    /// The places in the table of a task.
    ///
    /// # Errors
    /// The parameters are no table.
    pub(super) fn read(table: &Table<'_>) -> Result<Self, InputError> {
        let mut parameters = Vec::new();
        if let Some(given) = table.opt_table("parameters")? {
            let of = |key: &str| (key.to_owned(), given.error_at(key, ""));
            parameters.extend(given.keys().map(of));
        }
        Ok(Self {
            program: table.error_at("program", ""),
            memory: table.error_at("memory", ""),
            parameters,
        })
    }

    /// An error about the program, at its line.
    #[must_use]
    pub fn of_program(&self, error: &InputError) -> InputError {
        error.clone().in_field("").moved_to(&self.program)
    }

    /// An error about the memory, at its line.
    #[must_use]
    pub fn of_memory(&self, error: &InputError) -> InputError {
        error.clone().in_field("").moved_to(&self.memory)
    }

    /// An error about the parameter that its field names, at the line of that; one that is missing, at that of the program.
    #[must_use]
    pub fn of_parameter(&self, error: &InputError) -> InputError {
        let name = error.field.split('.').next().unwrap_or("");
        match self.parameters.iter().find(|(key, _)| key == name) {
            Some((_, place)) => error.clone().in_field("").moved_to(place),
            None => error.moved_to(&self.program),
        }
    }
}
