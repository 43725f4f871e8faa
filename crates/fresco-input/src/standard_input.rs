// SPDX-License-Identifier: MIT OR Apache-2.0
//! `-` where a file is named: standard input, which can be read once.

use crate::InputError;
use fresco_streams::{Stream, was_open};
use std::io::{self, Read, Stdin};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What errors and results call it.
const NAME: &str = "standard input";

/// What has become of it.
enum State {
    Unread,
    /// The text that it held, or why it could not be read.
    Text(Result<Vec<u8>, InputError>),
    /// Somebody else reads it.
    Taken,
}

static STATE: Mutex<State> = Mutex::new(State::Unread);

/// Returns true if the path is `-`, which names standard input.
pub fn is_standard_input(path: impl AsRef<Path>) -> bool {
    path.as_ref().as_os_str() == "-"
}

/// What errors and results call a file: its path, or `standard input` for `-`.
pub fn file_name(path: impl AsRef<Path>) -> String {
    match is_standard_input(&path) {
        true => NAME.to_owned(),
        false => path.as_ref().display().to_string(),
    }
}

/// Standard input, for who reads it bit by bit.
///
/// # Errors
/// It is closed, or has been read.
pub fn take_standard_input() -> Result<Stdin, InputError> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    match *state {
        State::Unread => {
            open()?;
            *state = State::Taken;
            Ok(io::stdin())
        }
        State::Text(_) | State::Taken => Err(twice()),
    }
}

/// The first `most` bytes of standard input. Who asks again gets the same bytes: files are read again for their digests.
pub(crate) fn read(most: u64) -> Result<Vec<u8>, InputError> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if let State::Unread = *state {
        *state = State::Text(open().and_then(|()| {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().take(most).read_to_end(&mut bytes);
            read.map(|_| bytes).map_err(|fault| unreadable(&fault))
        }));
    }
    match &*state {
        State::Text(text) => text.clone(),
        State::Unread | State::Taken => Err(twice()),
    }
}

fn open() -> Result<(), InputError> {
    match was_open(Stream::Input) {
        true => Ok(()),
        false => Err(InputError::new(NAME, "found it closed")
            .allowed("a file or a pipe")
            .help("write COMMAND | fresco … -, or fresco … - < FILE")),
    }
}

fn unreadable(fault: &io::Error) -> InputError {
    InputError::new(NAME, format!("cannot read it: {fault}")).help("check what is at the other end of the pipe")
}

fn twice() -> InputError {
    InputError::new(NAME, "found it named for two things")
        .allowed("- once")
        .help("write one of the two into a file, and name that")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_dash_alone_is_standard_input() {
        assert!(is_standard_input("-"));
        for path in ["", "./-", "--", "-.toml", "/dev/stdin"] {
            assert!(!is_standard_input(path), "{path}");
            assert_eq!(file_name(path), path);
        }
        assert_eq!(file_name("-"), "standard input");
    }
}
