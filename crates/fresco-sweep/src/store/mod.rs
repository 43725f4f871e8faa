// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of points on disk: segments that grow, each written by one runner.
//!
//! A directory of a sweep holds `.fresco-sweep` (which sweep), `sweep.toml` (its file), `lock`, `segments/` (results, see [`frame`]),
//! `claims/` (who runs what), `shards/` and the merged tables. Results are found by address, so that a directory may serve a sweep that has
//! changed since: what is the same is not run again.

mod claim;
mod frame;
mod index;
mod writer;

pub use claim::{Claim, claim};
pub use index::{Index, State};
pub use writer::Writer;

use crate::Sweep;
use fresco_input::{InputError, write_atomically};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file that says which sweep a directory is of.
const MARKER: &str = ".fresco-sweep";
const SCHEMA: &str = "fresco-sweep-directory/1";

/// A directory of results, held for as long as something is run in it.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    lock: File,
}

/// Another runner that begins at the same time needs so long at most to make the directory that of the sweep.
const MARKED_WITHIN: Duration = Duration::from_secs(5);

#[derive(Serialize, Deserialize)]
struct Marker {
    schema: String,
    /// Digest of the sweep, and of the model.
    sweep: String,
}

impl Store {
    /// Opens the directory of a sweep, which is made if it is not there. Several runners may have it open, if they run the same sweep.
    ///
    /// # Errors
    /// It cannot be made or written; it is another one's, or something else; `resume` is asked for and there is nothing to resume; another sweep
    /// is run there at present.
    pub fn open(directory: &Path, sweep: &Sweep, resume: bool) -> Result<Self, InputError> {
        let known = marker(directory)?;
        if known.is_none() {
            if resume {
                let error =
                    InputError::new(directory.display().to_string(), "found no sweep to resume").in_field("--resume");
                return Err(error
                    .allowed("the directory of a sweep that was begun")
                    .help("check the path, or begin without --resume"));
            }
            refuse_others(directory)?;
        }
        let io = |error: io::Error| cannot_write(directory, &error);
        for part in ["segments", "claims", "shards"] {
            fs::create_dir_all(directory.join(part)).map_err(io)?;
        }
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(directory.join("lock"))
            .map_err(io)?;
        let store = Self {
            directory: directory.to_owned(),
            lock,
        };
        store.take(sweep)?;
        Ok(store)
    }

    /// Makes the directory that of this sweep.
    fn take(&self, sweep: &Sweep) -> Result<(), InputError> {
        let digest = sweep.digest().to_string();
        let is_there = || -> Result<bool, InputError> {
            let marker = marker(&self.directory)?;
            Ok(marker.is_some_and(|marker| marker.sweep == digest))
        };
        // Runners of one sweep share the lock. Where there are no locks, nobody is kept away.
        let lock = |operation| flock(&self.lock, operation);
        let begun = Instant::now();
        loop {
            if is_there()? && lock(FlockOperation::NonBlockingLockShared).is_ok() {
                if is_there()? {
                    return Ok(());
                }
                let _ = lock(FlockOperation::Unlock);
            }
            match lock(FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) if begun.elapsed() < MARKED_WITHIN => std::thread::sleep(MARKED_WITHIN / 100),
                Err(Errno::WOULDBLOCK) => {
                    let found = "found another sweep, or another version of this one, that is run there at present";
                    let error = InputError::new(self.directory.display().to_string(), found).in_field("--out");
                    return Err(error
                        .allowed("runners of one sweep, of one version of Fresco")
                        .help("wait until it is over, or name another directory"));
                }
                _ => break,
            }
        }
        let marker = Marker {
            schema: SCHEMA.to_owned(),
            sweep: digest,
        };
        let text = serde_json::to_string(&marker).unwrap_or_default() + "\n";
        let copy = sweep.copy_in(&self.directory)?;
        write_atomically(self.directory.join("sweep.toml"), copy.as_bytes())?;
        write_atomically(self.directory.join(MARKER), text.as_bytes())?;
        let _ = lock(FlockOperation::NonBlockingLockShared);
        Ok(())
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where segments are.
    pub fn segments(&self) -> PathBuf {
        segments(&self.directory)
    }

    /// Where claims are.
    pub fn claims(&self) -> PathBuf {
        self.directory.join("claims")
    }
}

/// Where the segments of a sweep's directory are.
pub fn segments(directory: &Path) -> PathBuf {
    directory.join("segments")
}

/// That there is a sweep in a directory.
///
/// # Errors
/// There is none, or it is another version's.
pub fn begun(directory: &Path) -> Result<(), InputError> {
    match marker(directory)? {
        Some(_) => Ok(()),
        None => {
            let error = InputError::new(directory.display().to_string(), "found no sweep").in_field("--out");
            Err(error
                .allowed("the directory of a sweep that was begun")
                .help("check the path, or run the sweep first"))
        }
    }
}

/// Looks at the results in a directory, and changes nothing.
///
/// # Errors
/// There is no sweep, or it cannot be read.
pub fn look(directory: &Path) -> Result<Index, InputError> {
    begun(directory)?;
    let mut index = Index::default();
    index.refresh(&segments(directory))?;
    Ok(index)
}

fn marker(directory: &Path) -> Result<Option<Marker>, InputError> {
    let path = directory.join(MARKER);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let error = InputError::new(path.display().to_string(), format!("cannot read it: {error}"));
            return Err(error.help("check the permissions of the file and its directory"));
        }
    };
    let marker: Option<Marker> = serde_json::from_str(&text).ok();
    match marker.filter(|marker| marker.schema == SCHEMA) {
        Some(marker) => Ok(Some(marker)),
        None => Err(
            InputError::new(path.display().to_string(), "found the mark of another version")
                .allowed(SCHEMA)
                .help("name another directory"),
        ),
    }
}

/// A directory with somebody's files is no place for a sweep.
fn refuse_others(directory: &Path) -> Result<(), InputError> {
    let name = directory.display().to_string();
    if directory.exists() && !directory.is_dir() {
        let error = InputError::new(name, "found a file").in_field("--out");
        return Err(error
            .allowed("a directory, which is made if it does not exist")
            .help("name another directory"));
    }
    // What a sweep that ended before its mark was written has made is its own.
    let ours = ["segments", "claims", "shards", "lock", "sweep.toml"];
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let other = entries.map(|entry| entry.file_name()).find(|name| {
        let name = name.to_string_lossy();
        !ours.contains(&&*name) && !name.starts_with(".fresco-")
    });
    match other {
        None => Ok(()),
        Some(other) => Err(
            InputError::new(name, format!("found {other:?}, which no sweep has put there"))
                .in_field("--out")
                .allowed("an empty directory, one that does not exist, or that of a sweep")
                .help("name another directory"),
        ),
    }
}

/// That something cannot be written there.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> InputError {
    let help = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "make room and run it again: what is stored stays, and is not run again"
        }
        io::ErrorKind::PermissionDenied => "check the permissions of the directory",
        _ => "check the path and the disk; what is stored stays, and is not run again",
    };
    InputError::new(path.display().to_string(), format!("cannot write it: {error}")).help(help)
}
