// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs that tasks of a plan name: known, and with parameters that they take.

use fresco_input::{Document, InputError};
use fresco_load::{ProgramKind, Setting};
use fresco_plan::TaskSet;
use fresco_plan::plan::Work;

/// Checks that every task's program can be built and fits the task's memory.
///
/// # Errors
/// No such program, a parameter that it does not take, a program that needs more than the task's memory; each at its line.
pub fn check(set: &TaskSet) -> Result<(), InputError> {
    for task in &set.tasks {
        if let Work::Program { name, parameters } = &task.work {
            let kind = kind(name).map_err(|error| task.place.of_program(&error))?;
            let built = Document::parse("parameters", parameters)
                .and_then(|document| kind.build(&document.root(), &Setting::default()));
            let program = built.map_err(|error| task.place.of_parameter(&error))?;
            let bytes: u64 = program.footprint().iter().map(|area| area.bytes).sum();
            if bytes > task.memory {
                let found = format!("found {} of memory", fresco_input::format_size(task.memory));
                let error = InputError::new("", found)
                    .allowed(format!("at least {bytes} bytes: what {name} touches"))
                    .cure("raise memory, or give the program smaller data");
                return Err(task.place.of_memory(&error));
            }
        }
    }
    Ok(())
}

/// The program of this name.
///
/// # Errors
/// There is none; the known ones are listed.
fn kind(name: &str) -> Result<&'static ProgramKind, InputError> {
    let programs = fresco_load::programs();
    programs.iter().find(|kind| kind.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = programs.iter().map(|kind| kind.name).collect();
        let cure = match fresco_input::closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => "choose one of these".to_owned(),
        };
        InputError::new("", format!("found the program {name:?}"))
            .allowed(names.join(", "))
            .cure(cure)
    })
}
