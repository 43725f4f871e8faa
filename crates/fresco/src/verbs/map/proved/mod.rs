// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `fresco map detect` last proved for this machine: kept with what the machine was then, used where no other map is
//! named, and refused when the machine has changed (MAP-14).

mod keep;

pub use keep::{found_by_timing, read_from_registers};

use crate::failure::tell;
use fresco_dram::map::BankMap;
use fresco_input::{InputError, read_file, write_atomically};
use fresco_linux::probe::ProvedMap;
use fresco_linux::probe::firmware::Identity;
use std::path::{Path, PathBuf};

/// Name of the file.
const NAME: &str = "map.json";
/// Where root keeps it, and where everybody looks last.
const FOR_ALL: &str = "/var/lib/fresco";

/// The map of this machine, and where it was kept.
#[derive(Debug)]
pub struct Current {
    /// Its file.
    pub path: PathBuf,
    /// The text of the file.
    pub text: String,
    /// The functions.
    pub map: BankMap,
}

/// Directories that may hold it, the own one first: `fresco` under `XDG_STATE_HOME` and nothing else, if that is set;
/// else that of all users, for others than root after `~/.local/state/fresco`.
fn directories() -> Vec<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(state) = set("XDG_STATE_HOME") {
        return vec![state.join("fresco")];
    }
    let own = set("HOME").map(|home| home.join(".local/state/fresco"));
    let own = own.filter(|_| !fresco_linux::probe::is_root());
    own.into_iter().chain([PathBuf::from(FOR_ALL)]).collect()
}

/// The map that was last proved for this machine; `None` if none was.
///
/// # Errors
/// The file is none of ours, or the machine has changed since: firmware, board, memory or kernel.
pub fn current() -> Result<Option<Current>, InputError> {
    let paths = directories().into_iter().map(|directory| directory.join(NAME));
    let Some(path) = paths.into_iter().find(|path| path.exists()) else {
        return Ok(None);
    };
    let text = read_file(&path)?;
    let name = path.display().to_string();
    let proved = ProvedMap::parse(&text, &name)?;
    let comparison = proved.machine.compare(&Identity::read(Path::new("/")));
    if !comparison.changed.is_empty() {
        return Err(InputError::new(
            name,
            format!(
                "found the map of a machine that has changed: {}",
                comparison.changed.join("; ")
            ),
        )
        .allowed("a map that was proved on this machine as it is")
        .help("prove it again (`sudo fresco map detect`), or name a map"));
    }
    if !comparison.unchecked.is_empty() {
        let sources = comparison.unchecked.join(", ");
        tell(&format!(
            "fresco: {name}: cannot see whether these have changed: {sources}"
        ));
    }
    let map = proved.map(&name)?;
    Ok(Some(Current { path, text, map }))
}

/// Keeps a map of this machine in place of an older one, and says where.
///
/// # Errors
/// The file cannot be written.
pub fn keep(proved: &ProvedMap) -> Result<PathBuf, InputError> {
    let directory = directories().swap_remove(0);
    let path = directory.join(NAME);
    std::fs::create_dir_all(&directory).map_err(|error| {
        InputError::new(
            directory.display().to_string(),
            format!("cannot make the directory: {error}"),
        )
        .allowed("a directory that exists or can be made")
        .help("set XDG_STATE_HOME to one")
    })?;
    write_atomically(&path, proved.to_text().as_bytes())?;
    Ok(path)
}
