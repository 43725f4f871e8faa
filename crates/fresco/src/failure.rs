// SPDX-License-Identifier: MIT OR Apache-2.0
//! How a verb ends.

use crate::output;
use fresco_input::{InputError, Kind};
use fresco_machine::Machine;
use fresco_streams::{Signal, was_ignored};
use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// What every verb returns: the exit status, or why there is none.
pub type Outcome = Result<ExitCode, Failure>;

/// What was asked for was found wanting: a claim differs, a trace breaks a rule.
pub const WANTING: u8 = 1;

/// What a shell makes of a program that SIGPIPE has ended: 128 and the number of the signal.
const READER_GONE: u8 = 141;

/// Why a verb could not do its work.
#[derive(Debug)]
pub enum Failure {
    /// The user's input is wrong, does not fit, or met a fault of the program: the status is that of [`Kind`].
    Input(InputError),
    /// The output cannot be written; status 2. A reader that has gone away (`fresco … | head`) ends the program without a
    /// word, as SIGPIPE does, unless that was ignored.
    Output(io::Error),
    /// What was asked for does not exist, and why; status 1.
    Wanting(String),
    /// A result cannot be shown, which is a fault of the program; status 70.
    Report(fresco_report::ReportError),
}

impl Failure {
    /// Tells the user, and gives the exit status.
    pub fn report(&self) -> ExitCode {
        match self {
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe && !was_ignored(Signal::Pipe) => {
                return ExitCode::from(READER_GONE);
            }
            failure => tell(&format!("fresco: {failure}")),
        }
        ExitCode::from(match self {
            Self::Input(error) => error.kind.status(),
            Self::Output(_) => 2,
            Self::Wanting(_) => WANTING,
            Self::Report(_) => Kind::Internal.status(),
        })
    }
}

/// A line on standard error. That nobody can read it changes nothing about the outcome.
pub fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// What is hardly meant of a machine.
pub fn tell_warning(machine: &Machine) {
    if let Some(warning) = machine.warning() {
        tell(&format!("fresco: {warning}"));
    }
}

/// What the parser of the command line has to say: help and version are results, everything else is wrong input.
pub fn of_command_line(error: &clap::Error) -> ExitCode {
    if let Some(input) = error.source().and_then(|source| source.downcast_ref::<InputError>()) {
        return Failure::Input(input.clone()).report();
    }
    if error.use_stderr() {
        // That nobody can read it changes nothing about the outcome.
        let _ = error.print();
        return ExitCode::from(2);
    }
    let print = || Ok(error.print().and_then(|()| io::stdout().flush())?);
    match output::check_open().and_then(|()| print()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => write!(f, "{error}"),
            Self::Output(error) => write!(f, "standard output: cannot write it: {error}"),
            Self::Wanting(reason) => f.write_str(reason),
            Self::Report(error) => write!(f, "cannot show the result: {error}"),
        }
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<fresco_report::ReportError> for Failure {
    fn from(error: fresco_report::ReportError) -> Self {
        Self::Report(error)
    }
}
