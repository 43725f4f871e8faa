// SPDX-License-Identifier: MIT OR Apache-2.0
//! Starting a program with colored memory: the calling process becomes it, so status, signals and process number are
//! the program's own, and there is nothing to be undone after it.

mod bind;
mod elf;
mod library;
mod program;
mod tend;

pub use bind::{bind_cpus, bind_nodes, online_cpus, online_nodes};
pub use library::{NAME as LIBRARY_NAME, check_library, find_library, preload_value, without_library};
pub use program::{Program, ProgramError};
pub use tend::{adopt_orphans, end_started, go_on_guarded, tend};

use crate::backend::Backend;
use crate::colors::{ENVIRONMENT, Request};
use crate::pager::PagerRefusal;
use crate::proc::PageMap;
use crate::schedule::Entry;
use crate::sys::{Signals, Userfault, end_with_parent, zero_frame};
use crate::totals;
use rustix::io::Errno;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Finds out whether this kernel and this process have what placing frames takes.
///
/// # Errors
/// What is missing.
pub fn probe() -> Result<(), PagerRefusal> {
    PageMap::of_self().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => PagerRefusal::NoProc,
        _ => PagerRefusal::Hidden,
    })?;
    zero_frame().ok_or(PagerRefusal::Hidden)?;
    Userfault::open().map(drop).map_err(PagerRefusal::Userfault)
}

/// How a program gets its colors.
pub trait Means: fmt::Debug {
    /// The back end that this is of.
    fn backend(&self) -> Backend;

    /// Has the program of a command get its colors. `request` is the text of what was asked.
    fn apply(&self, command: &mut Command, request: &str);
}

/// Becomes the program. Returns only if that fails.
pub fn become_program(program: &Program, arguments: &[OsString], request: &Request, means: &dyn Means) -> Errno {
    match command(program, arguments, request, means) {
        Ok(mut command) => {
            let counted = request.stats && means.backend().provider().searches();
            let _open = counted.then(|| totals::keep(&mut command));
            Errno::from_io_error(&command.exec()).unwrap_or(Errno::IO)
        }
        Err(error) => error,
    }
}

/// Becomes the program as it is, without colors. Returns only if that fails.
pub fn become_plain(program: &Program, arguments: &[OsString]) -> Errno {
    let mut command = Command::new(&program.path);
    command.arg0(&program.name).args(arguments);
    Errno::from_io_error(&command.exec()).unwrap_or(Errno::IO)
}

/// Starts the program as a child, which is told to end (SIGTERM) when the calling thread ends, however that happens.
/// The signals that the caller holds back are the child's to handle. The last that it does before it begins is its `entry`.
///
/// # Errors
/// It cannot be executed, no process can be made, or the entry is refused.
pub fn start_program(
    program: &Program,
    arguments: &[OsString],
    request: &Request,
    means: &dyn Means,
    held: &Signals,
    entry: Option<&Entry>,
) -> Result<Child, Errno> {
    let mut command = command(program, arguments, request, means)?;
    end_with_parent(&mut command);
    held.release_in(&mut command);
    if let Some(entry) = entry {
        entry.apply(&mut command);
    }
    command
        .spawn()
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn command(program: &Program, arguments: &[OsString], request: &Request, means: &dyn Means) -> Result<Command, Errno> {
    let mut request = request.clone();
    request.backend = means.backend();
    let text = request.to_text().map_err(|_| Errno::INVAL)?;
    let mut command = Command::new(&program.path);
    command.arg0(&program.name).args(arguments).env(ENVIRONMENT, &text);
    means.apply(&mut command, &text);
    Ok(command)
}
