// SPDX-License-Identifier: MIT OR Apache-2.0
//! The segment of a runner: frames one after the other, each on the disk before the next begins.

use super::cannot_write;
use super::frame::encode;
use super::index::SEGMENT;
use crate::address::Spelling;
use crate::outcome::Outcome;
use fresco_input::InputError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A segment that nobody else writes to. It is made when there is something to write.
pub struct Writer {
    directory: PathBuf,
    open: Option<(PathBuf, File)>,
    /// Bytes of whole frames.
    length: u64,
}

impl Writer {
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            open: None,
            length: 0,
        }
    }

    /// Stores results: all of them or, if there is an error, none.
    ///
    /// # Errors
    /// The segment cannot be made or written, as on a full disk. What was stored before stays.
    pub fn store(&mut self, results: &[(Spelling, Outcome)]) -> Result<(), InputError> {
        if results.is_empty() {
            return Ok(());
        }
        self.append(results).map_err(|error| {
            let path = self.open.as_ref().map_or(&self.directory, |(path, _)| path);
            cannot_write(path, &error)
        })
    }

    fn append(&mut self, results: &[(Spelling, Outcome)]) -> io::Result<()> {
        let frame = encode(results)?;
        if self.open.is_none() {
            self.open = Some(create(&self.directory)?);
        }
        let Some((_, file)) = &mut self.open else { return Ok(()) };
        let written = file.write_all(&frame).and_then(|()| file.sync_data());
        if let Err(error) = written {
            // Half a frame would be passed over anyway; without it there is room for something whole.
            let _ = file.set_len(self.length);
            return Err(error);
        }
        self.length += frame.len() as u64;
        Ok(())
    }
}

/// A new segment, under the first number that is free. Names are given by the file system, so that runners on any machines agree.
fn create(directory: &Path) -> io::Result<(PathBuf, File)> {
    let number = |entry: fs::DirEntry| entry.path().file_stem()?.to_str()?.parse::<u64>().ok();
    let last = fs::read_dir(directory)?.flatten().filter_map(number).max();
    for number in last.map_or(0, |last| last + 1).. {
        let path = directory.join(format!("{number:06}.{SEGMENT}"));
        match OpenOptions::new().append(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                let file = made?;
                // Its name is on the disk, too.
                File::open(directory)?.sync_all()?;
                return Ok((path, file));
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}
