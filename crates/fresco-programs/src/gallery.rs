// SPDX-License-Identifier: MIT OR Apache-2.0
//! A directory with recordings: `NAME.ftrace`, and beside it `NAME.json`, which says of what recipe, by which versions, and what was
//! measured.

use crate::{Recipe, recipes};
use fresco_input::{InputError, read_file, write_atomically};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is known of a recording. Schema `fresco-program/1`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Entry {
    /// `fresco-program/1`.
    pub schema: String,
    /// Name of the recipe.
    pub name: String,
    /// What it stands for.
    pub stands_for: String,
    /// Digest of the recipe, as it was.
    pub recipe: String,
    /// Versions of its packages; empty where there is no `dpkg`.
    pub packages: BTreeMap<String, String>,
    /// The command, in words.
    pub command: Vec<String>,
    /// Instructions that were recorded, loads, stores.
    pub instructions: u64,
    /// Loads among them.
    pub loads: u64,
    /// Stores among them.
    pub stores: u64,
    /// Threads.
    pub threads: u64,
    /// Thread with the most instructions, which is the one that is replayed.
    pub thread: u16,
    /// Bytes of the trace.
    pub bytes: u64,
    /// Pages of 4 KiB that it touched.
    pub pages: u64,
    /// Of the loads that were looked at, percent that need a load among the accesses before, through registers and words stored.
    pub dependent_percent: Option<f64>,
    /// Digest of the trace's bytes.
    pub trace: String,
    /// Less of it was recorded than the recipe says.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quick: bool,
    /// What a replay measured, unless it failed.
    pub measured: Option<Measured>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Entry {
    /// Returns true if the part that was recorded hardly loads anything: it sets data up, and the program computes nothing with them yet.
    pub fn sets_up(&self) -> bool {
        self.stores > 10 * self.loads
    }
}

/// What a replay alone on a machine measured.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Measured {
    /// The machine.
    pub machine: String,
    /// Digest of its file.
    pub digest: String,
    /// Instructions of the phase that was measured.
    pub instructions: u64,
    /// Misses of the last-level cache in 1000 of them.
    pub misses: f64,
    /// Instructions in a core cycle.
    pub ipc: f64,
}

/// The directory.
#[derive(Clone, Debug)]
pub struct Gallery {
    directory: PathBuf,
    entries: Vec<(Recipe, Entry)>,
    damaged: Vec<(String, String)>,
}

impl Gallery {
    /// The recordings in this directory of recipes that are still the same; none if there is no directory.
    ///
    /// # Errors
    /// The recipes are wrong: a fault of Fresco.
    pub fn read(directory: &Path) -> Result<Self, InputError> {
        let (mut entries, mut damaged) = (Vec::new(), Vec::new());
        for recipe in recipes()? {
            if !trace(directory, &recipe.name).is_file() || !about(directory, &recipe.name).is_file() {
                continue;
            }
            let entry = match entry(directory, &recipe.name) {
                Ok(entry) => entry,
                Err(reason) => {
                    damaged.push((recipe.name, reason));
                    continue;
                }
            };
            let digest = match entry.quick {
                true => recipe.clone().quick().digest()?,
                false => recipe.digest()?,
            };
            if entry.recipe == digest {
                entries.push((recipe, entry));
            }
        }
        Ok(Self {
            directory: directory.to_owned(),
            entries,
            damaged,
        })
    }

    /// Names of recordings that are there and cannot be used, with the reason: they count as not recorded.
    pub fn damaged(&self) -> &[(String, String)] {
        &self.damaged
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What is recorded, in the order of the recipes.
    pub fn entries(&self) -> impl Iterator<Item = &(Recipe, Entry)> {
        self.entries.iter()
    }

    /// The recording of a recipe.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        let found = self.entries.iter().find(|(recipe, _)| recipe.name == name);
        found.map(|(_, entry)| entry)
    }

    /// The recording that stands for this program of the papers: one made to, else one that does also. Quick ones stand for nothing.
    pub fn stand_in(&self, of: &str) -> Option<&Entry> {
        let whole = || self.entries.iter().filter(|(_, entry)| !entry.quick);
        let of_it = whole().find(|(recipe, _)| recipe.stands_for == of);
        let also = || whole().find(|(recipe, _)| recipe.also.iter().any(|one| one == of));
        of_it.or_else(also).map(|(_, entry)| entry)
    }

    /// The trace of an entry.
    pub fn trace_of(&self, entry: &Entry) -> PathBuf {
        trace(&self.directory, &entry.name)
    }

    /// Keeps what is known of a recording.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn keep(directory: &Path, entry: &Entry) -> Result<(), InputError> {
        let mut text = serde_json::to_string_pretty(entry).unwrap_or_default();
        text.push('\n');
        write_atomically(about(directory, &entry.name), text.as_bytes())
    }
}

/// Where the trace of a program of this name is.
pub fn trace(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.ftrace"))
}

/// What is known of a recording, if it is known and the trace is as long as it was; else why not.
fn entry(directory: &Path, name: &str) -> Result<Entry, String> {
    let (trace, about) = (trace(directory, name), about(directory, name));
    let text = read_file(&about).map_err(|error| error.to_string())?;
    let entry: Entry = serde_json::from_str(&text).map_err(|error| {
        format!(
            "{} is not what `fresco programs record` wrote: {error}",
            about.display()
        )
    })?;
    match std::fs::metadata(&trace) {
        Ok(found) if found.len() == entry.bytes && entry.name == name => Ok(entry),
        Ok(found) => Err(format!(
            "{} has {} bytes, and the recording of {} had {}",
            trace.display(),
            found.len(),
            entry.name,
            entry.bytes
        )),
        Err(error) => Err(format!("{}: {error}", trace.display())),
    }
}

fn about(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str) -> Entry {
        let recipe = crate::named(&[name.to_owned()]).expect("there").remove(0);
        Entry {
            schema: "fresco-program/1".to_owned(),
            name: name.to_owned(),
            stands_for: recipe.stands_for.clone(),
            recipe: recipe.digest().expect("a digest"),
            packages: BTreeMap::new(),
            command: Vec::new(),
            instructions: 1,
            loads: 1,
            stores: 0,
            threads: 1,
            thread: 0,
            bytes: 1,
            pages: 1,
            dependent_percent: None,
            trace: String::new(),
            quick: false,
            measured: None,
        }
    }

    #[test]
    fn what_is_of_another_recipe_is_not_recorded() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path();
        assert_eq!(
            Gallery::read(&place.join("nowhere")).expect("empty").entries().count(),
            0
        );
        for name in ["lbm", "gromacs"] {
            std::fs::write(trace(place, name), "t").expect("writable");
            Gallery::keep(place, &entry(name)).expect("writable");
        }
        let gallery = Gallery::read(place).expect("sound");
        assert_eq!(gallery.stand_in("470.lbm").expect("recorded").name, "lbm");
        assert_eq!(gallery.stand_in("435.gromacs").expect("recorded").name, "gromacs");
        assert_eq!(gallery.stand_in("444.namd").expect("of its kind").name, "gromacs");
        assert!(gallery.stand_in("429.mcf").is_none());
        let old = Entry {
            recipe: "another".to_owned(),
            ..entry("lbm")
        };
        Gallery::keep(place, &old).expect("writable");
        assert!(Gallery::read(place).expect("sound").entry("lbm").is_none());
    }

    #[test]
    fn what_only_stores_sets_data_up() {
        let counted = |loads, stores| Entry {
            loads,
            stores,
            ..entry("waves")
        };
        // What was recorded of `waves` and of `calculix`, which stores more than others.
        assert!(counted(22_467, 4_038_717).sets_up());
        assert!(!counted(7_856_520, 8_493_453).sets_up());
    }

    #[test]
    fn what_is_damaged_is_not_recorded_and_costs_no_other() {
        let directory = tempfile::tempdir().expect("a directory");
        let place = directory.path();
        for name in ["lbm", "gromacs", "bzip2"] {
            std::fs::write(trace(place, name), "t").expect("writable");
            Gallery::keep(place, &entry(name)).expect("writable");
        }
        std::fs::write(about(place, "lbm"), "{").expect("writable");
        std::fs::write(trace(place, "gromacs"), "of another program").expect("writable");
        let gallery = Gallery::read(place).expect("sound");
        assert!(
            gallery.entry("bzip2").is_some() && gallery.entry("lbm").is_none() && gallery.entry("gromacs").is_none()
        );
        let [(gromacs, longer), (lbm, broken)] = gallery.damaged() else {
            panic!("{:?}", gallery.damaged());
        };
        assert!(lbm == "lbm" && broken.contains("lbm.json is not what"), "{broken}");
        assert!(gromacs == "gromacs" && longer.contains("has 18 bytes"), "{longer}");
    }
}
