// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a result follows from, as a digest: results are found by it, and by nothing else.
//!
//! The *spelling* of a point is a digest of the model, the scenario's text, the tables that are kept and what the point sets. Which machine
//! and traces are read is known once the scenario is; their contents are the *inputs*. Both together are the address. A kept result names
//! its inputs, so that whether it still holds is decided by looking at these files once for all points, without reading any scenario.

use fresco_input::InputError;
use fresco_load::trace::digest_of_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The first 128 bits of SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 16]);

/// A digest of what decides a point's results, but the contents of files.
pub type Spelling = Digest;

impl Digest {
    /// Of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::short(Sha256::new().chain_update(bytes))
    }

    /// Of texts, one after the other; where one ends counts.
    pub fn of<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::short(Self::add(Sha256::new(), texts))
    }

    /// Of this one and texts.
    pub fn and<T: AsRef<str>>(&self, texts: impl IntoIterator<Item = T>) -> Self {
        Self::short(Self::add(Sha256::new().chain_update(self.0), texts))
    }

    fn add<T: AsRef<str>>(mut hash: Sha256, texts: impl IntoIterator<Item = T>) -> Sha256 {
        for text in texts {
            hash.update((text.as_ref().len() as u64).to_le_bytes());
            hash.update(text.as_ref());
        }
        hash
    }

    fn short(hash: Sha256) -> Self {
        let mut first = [0; 16];
        first.copy_from_slice(&hash.finalize()[..16]);
        Self(first)
    }

    /// From its 32 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        let number = u128::from_str_radix(text, 16).ok()?;
        (text.len() == 32).then(|| Self(number.to_be_bytes()))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no digest"))
    }
}

/// A file that decides a result, or a built-in machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Input {
    /// `machine` or `trace`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it lies, as seen from the directory of the scenario; none of a built-in machine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub path: Option<String>,
    /// XXH64 of a file's bytes; of a built-in machine FNV-1a of its text.
    pub digest: String,
}

/// A file that a point reads, before anybody has looked at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    /// `machine` or `trace`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Where it lies; none of a built-in machine.
    pub path: Option<PathBuf>,
}

/// Looks at each file once. Safe to share between threads.
#[derive(Debug)]
pub struct Inputs {
    directory: PathBuf,
    known: Mutex<BTreeMap<(Option<String>, String), Known>>,
    /// The scenario's file, which was read before.
    scenario: Option<Seen>,
}

/// A file, and its state before it was read.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    path: PathBuf,
    state: FileState,
}

/// Length, time and number of a file.
type FileState = (u64, i64, i64, u64);

impl Seen {
    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// None of what is no file, such as a pipe, or not there.
    pub(crate) fn look(path: PathBuf) -> Option<Self> {
        let state = state(&path).filter(|_| path.is_file())?;
        Some(Self { path, state })
    }
}

/// Digest of a file, and its length, time and number when it was read; `None` if it cannot be.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    digest: Option<String>,
    state: Option<FileState>,
}

impl Inputs {
    pub(crate) fn new(directory: &Path, scenario: Option<Seen>) -> Self {
        Self {
            scenario,
            directory: directory.to_owned(),
            known: Mutex::default(),
        }
    }

    /// The inputs that are read, in a fixed order.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(crate) fn of(&self, read: Vec<Read>) -> Result<Vec<Input>, InputError> {
        let mut inputs = Vec::new();
        for Read { kind, name, path } in read {
            let path = path.map(|path| match path.strip_prefix(&self.directory) {
                Ok(relative) => relative.to_string_lossy().into_owned(),
                Err(_) => path.to_string_lossy().into_owned(),
            });
            let Some(digest) = self.digest(path.as_deref(), &name) else {
                let error = InputError::new(path.unwrap_or(name), "cannot be read any more");
                return Err(error.help("check the path and the file"));
            };
            inputs.push(Input {
                kind: kind.to_owned(),
                name,
                path,
                digest,
            });
        }
        inputs.sort();
        inputs.dedup();
        Ok(inputs)
    }

    /// Returns true if all of them are what they were.
    pub fn hold(&self, inputs: &[Input]) -> bool {
        let holds = |input: &Input| self.digest(input.path.as_deref(), &input.name).as_ref() == Some(&input.digest);
        inputs.iter().all(holds)
    }

    fn digest(&self, path: Option<&str>, name: &str) -> Option<String> {
        let key = (path.map(str::to_owned), name.to_owned());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let look = || match path {
            // The state first: if the file changes in between, it is seen to have changed since.
            Some(path) => {
                let path = self.directory.join(path);
                let state = state(&path);
                Known {
                    digest: digest_of_file(&path).ok(),
                    state,
                }
            }
            None => Known {
                digest: fresco_machine::builtin_text(name)
                    .ok()
                    .map(|text| fresco_machine::digest(text, &[])),
                state: None,
            },
        };
        known.entry(key).or_insert_with(look).digest.clone()
    }

    /// A file that has changed since it was looked at; what was run meanwhile belongs to neither of its states.
    pub fn changed(&self) -> Option<PathBuf> {
        let scenario = self.scenario.iter().find(|seen| state(&seen.path) != Some(seen.state));
        if let Some(seen) = scenario {
            return Some(seen.path.clone());
        }
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = |((path, _), known): (&(Option<String>, String), &Known)| {
            let path = self.directory.join(path.as_ref()?);
            (state(&path) != known.state).then_some(path)
        };
        known.iter().find_map(changed)
    }
}

fn state(path: &Path) -> Option<FileState> {
    let meta = path.metadata().ok()?;
    Some((meta.len(), meta.mtime(), meta.mtime_nsec(), meta.ino()))
}

/// The address of a result.
pub fn address(spelling: &Spelling, inputs: &[Input]) -> Digest {
    spelling.and(
        inputs
            .iter()
            .flat_map(|input| [&input.kind, &input.name, &input.digest]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_sha_256_and_texts_keep_their_ends() {
        // FIPS 180-4, "abc".
        assert_eq!(Digest::of_bytes(b"abc").to_string(), "ba7816bf8f01cfea414140de5dae2223");
        assert_ne!(Digest::of(["ab", "c"]), Digest::of(["a", "bc"]));
        let digest = Digest::of(["x"]);
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("12"), None);
    }

    #[test]
    fn a_file_that_changes_is_noticed() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("t");
        std::fs::write(&path, "one").expect("written");
        let inputs = Inputs::new(directory.path(), None);
        let input = |digest: &str| Input {
            kind: "trace".to_owned(),
            name: "t".to_owned(),
            path: Some("t".to_owned()),
            digest: digest.to_owned(),
        };
        let before = digest_of_file(&path).expect("read");
        assert!(inputs.hold(&[input(&before)]) && !inputs.hold(&[input("0")]));
        assert_eq!(inputs.changed(), None);
        std::fs::write(&path, "another").expect("written");
        assert_eq!(inputs.changed(), Some(path));
        assert!(!Inputs::new(directory.path(), None).hold(&[input(&before)]));
        let machine = Input {
            kind: "machine".to_owned(),
            name: "p4080".to_owned(),
            path: None,
            digest: fresco_machine::digest(fresco_machine::builtin_text("p4080").expect("built in"), &[]),
        };
        assert!(inputs.hold(&[machine]));
    }
}
