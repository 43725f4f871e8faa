// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs that tasks of a plan name: known, and with parameters that they take.

use fresco_input::InputError;
use fresco_load::Setting;
use fresco_plan::TaskSet;
use fresco_plan::plan::Work;

/// Checks that every task's program can be built and fits the task's memory.
///
/// # Errors
/// No such program, a parameter that it does not take, a program that needs more than the task's memory; each at its line.
pub fn check(set: &TaskSet) -> Result<(), InputError> {
    for task in &set.tasks {
        if let Work::Program { name, parameters } = &task.work {
            known(name).map_err(|error| task.place.of_program(&error))?;
            let built = fresco_load::build(name, parameters, &Setting::default());
            let program = built.map_err(|error| task.place.of_parameter(&error))?;
            let bytes: u64 = program.footprint().iter().map(|area| area.bytes).sum();
            if bytes > task.memory {
                let found = format!("found {} of memory", fresco_input::format_size(task.memory));
                let error = InputError::new("", found)
                    .allowed(format!("at least {bytes} bytes: what {name} touches"))
                    .help("raise memory, or give the program smaller data");
                return Err(task.place.of_memory(&error));
            }
        }
    }
    Ok(())
}

/// Is there a program of this name?
///
/// # Errors
/// There is none; the known ones are listed.
fn known(name: &str) -> Result<(), InputError> {
    let names: Vec<&str> = fresco_load::programs().iter().map(|kind| kind.name).collect();
    if names.contains(&name) {
        return Ok(());
    }
    let help = match fresco_input::closest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => "choose one of these".to_owned(),
    };
    Err(InputError::new("", format!("found the program {name:?}"))
        .allowed(names.join(", "))
        .help(help))
}
