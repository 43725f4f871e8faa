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
pub use tend::{adopt_orphans, go_on_guarded, tend};

use crate::backend::{Backend, KernelColors, release};
use crate::colors::{ENVIRONMENT, Request};
use crate::pager::Refusal;
use crate::proc::{PageMap, keep_open};
use crate::sys::{Signals, Userfault, before_exec, end_with_parent, zero_frame};
use rustix::io::Errno;
use rustix::thread::disable_transparent_huge_pages;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Checks that this kernel and this process have what placing frames takes.
///
/// # Errors
/// What is missing.
pub fn probe() -> Result<(), Refusal> {
    PageMap::of_self().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Refusal::NoProc,
        _ => Refusal::Hidden,
    })?;
    zero_frame().ok_or(Refusal::Hidden)?;
    Userfault::open().map(drop).map_err(Refusal::Userfault)
}

/// How a program gets its colors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Means {
    /// By the library: the value of `LD_PRELOAD`.
    Library(OsString),
    /// By the kernel.
    Kernel(KernelColors),
}

impl Means {
    /// The back end that this is.
    pub fn backend(&self) -> Backend {
        match self {
            Self::Library(_) => Backend::Stock,
            Self::Kernel(_) => Backend::Kernel,
        }
    }
}

/// Becomes the program. Returns only if that fails.
pub fn become_program(program: &Program, arguments: &[OsString], request: &Request, means: &Means) -> Errno {
    match command(program, arguments, request, means) {
        Ok(mut command) => Errno::from_io_error(&command.exec()).unwrap_or(Errno::IO),
        Err(error) => error,
    }
}

/// Starts the program as a child, which is told to end (SIGTERM) when the calling thread ends, however that happens.
/// The signals that the caller holds back are the child's to handle.
///
/// # Errors
/// It cannot be executed, or no process can be made.
pub fn start_program(
    program: &Program,
    arguments: &[OsString],
    request: &Request,
    means: &Means,
    held: &Signals,
) -> Result<Child, Errno> {
    let mut command = command(program, arguments, request, means)?;
    end_with_parent(&mut command);
    held.release_in(&mut command);
    command
        .spawn()
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
}

fn command(program: &Program, arguments: &[OsString], request: &Request, means: &Means) -> Result<Command, Errno> {
    let mut request = request.clone();
    request.backend = means.backend();
    let text = request.to_text().map_err(|_| Errno::INVAL)?;
    let mut command = Command::new(&program.path);
    command.arg0(&program.name).args(arguments).env(ENVIRONMENT, &text);
    match means {
        Means::Library(preload) => {
            // For this process and what it starts. A kernel without the switch has no huge pages either.
            let _ = disable_transparent_huge_pages(true);
            release();
            command.env("LD_PRELOAD", preload);
        }
        Means::Kernel(colors) => {
            // The library of another request would place frames as well.
            match std::env::var_os("LD_PRELOAD").and_then(|value| without_library(&value)) {
                Some(value) => command.env("LD_PRELOAD", value),
                None => command.env_remove("LD_PRELOAD"),
            };
            let colors = colors.clone();
            let text = text.into_bytes();
            before_exec(&mut command, move || {
                // Without it the environment is all there is.
                let _ = keep_open(&text);
                colors.take()
            });
        }
    }
    Ok(command)
}
