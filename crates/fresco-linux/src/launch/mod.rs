// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starting a program with coloured memory: the calling process becomes it, so status, signals and process number are
//! the program's own, and there is nothing to be undone after it.

mod bind;
mod library;
mod program;

pub use bind::{bind_cpus, bind_nodes, online_cpus, online_nodes};
pub use library::{NAME as LIBRARY_NAME, find_library, preload_value};
pub use program::{Program, ProgramError};

use crate::colors::{ENVIRONMENT, Request};
use crate::pager::Refusal;
use crate::proc::PageMap;
use crate::sys::{Userfault, end_with_parent, zero_frame};
use rustix::io::Errno;
use rustix::thread::disable_transparent_huge_pages;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Has this kernel, and has this process, what placing frames takes?
///
/// # Errors
/// What is missing.
pub fn probe() -> Result<(), Refusal> {
    PageMap::of_self().map_err(|_| Refusal::Hidden)?;
    zero_frame().ok_or(Refusal::Hidden)?;
    Userfault::open().map(drop).map_err(Refusal::Userfault)
}

/// Becomes the program. `preload` is the value of `LD_PRELOAD`. Returns only if that fails.
pub fn become_program(program: &Program, arguments: &[OsString], request: &Request, preload: &OsStr) -> Errno {
    match command(program, arguments, request, preload) {
        Ok(mut command) => Errno::from_io_error(&command.exec()).unwrap_or(Errno::IO),
        Err(error) => error,
    }
}

/// Starts the program as a child, which is told to end (SIGTERM) when the calling thread ends, however that happens.
///
/// # Errors
/// It cannot be executed, or no process can be made.
pub fn start_program(
    program: &Program,
    arguments: &[OsString],
    request: &Request,
    preload: &OsStr,
) -> Result<Child, Errno> {
    let mut command = command(program, arguments, request, preload)?;
    end_with_parent(&mut command);
    command
        .spawn()
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn command(program: &Program, arguments: &[OsString], request: &Request, preload: &OsStr) -> Result<Command, Errno> {
    let text = request.to_text().map_err(|_| Errno::INVAL)?;
    // For this process and what it starts. A kernel without the switch has no huge pages either.
    let _ = disable_transparent_huge_pages(true);
    let mut command = Command::new(&program.path);
    command
        .arg0(&program.name)
        .args(arguments)
        .env(ENVIRONMENT, text)
        .env("LD_PRELOAD", preload);
    Ok(command)
}
