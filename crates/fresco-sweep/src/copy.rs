// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sweep as a file that repeats it.

use crate::Sweep;
use fresco_input::{Document, InputError, quoted};
use std::path::{Component, Path, PathBuf};

/// The name that a sweep has if a file `sweep.toml` gives none.
const OF_FILE: &str = "sweep";

impl Sweep {
    /// The text of a file `sweep.toml` in `directory` that has the same points and the same name: with what was set in it, and with the path of the
    /// scenario as it is seen from there. Comments stay if nothing has to be changed.
    ///
    /// # Errors
    /// None in practice: the same text was read before.
    pub(crate) fn copy_in(&self, directory: &Path) -> Result<String, InputError> {
        let mut document = Document::parse(&self.file, &self.text)?;
        let mut sets = self.overrides.clone();
        let scenario = self.scenario_file().and_then(|file| seen_from(directory, file));
        sets.extend(scenario.map(|path| format!("scenario={}", quoted(&path))));
        if self.spec.name != OF_FILE {
            sets.push(format!("name={}", quoted(&self.spec.name)));
        }
        if sets.is_empty() {
            return Ok(self.text.clone());
        }
        sets.iter().try_for_each(|set| document.set(set))?;
        Ok(document.to_toml())
    }
}

/// The path of a file as seen from a directory; from the root if they have nothing else in common. `None` if either is not there, or no text.
fn seen_from(directory: &Path, file: &Path) -> Option<String> {
    let (directory, file) = (directory.canonicalize().ok()?, file.canonicalize().ok()?);
    let common = std::iter::zip(directory.components(), file.components())
        .take_while(|(a, b)| a == b)
        .filter(|(part, _)| matches!(part, Component::Normal(_)))
        .count();
    if common == 0 {
        return file.to_str().map(str::to_owned);
    }
    let own = |path: &Path| {
        path.components()
            .skip(1 + common)
            .map(|part| part.as_os_str().to_owned())
            .collect::<Vec<_>>()
    };
    let up = own(&directory).len();
    let mut path: PathBuf = std::iter::once(if up == 0 { "." } else { ".." }).collect();
    path.extend((1..up).map(|_| ".."));
    path.extend(own(&file));
    path.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_seen_from_a_directory() {
        let at = tempfile::tempdir().expect("a directory");
        let here = at.path();
        std::fs::create_dir_all(here.join("a/b")).expect("made");
        std::fs::write(here.join("a/s.toml"), "").expect("written");
        let seen = |from: &str| seen_from(&here.join(from), &here.join("a/s.toml"));
        assert_eq!(seen("a").as_deref(), Some("./s.toml"));
        assert_eq!(seen("a/b").as_deref(), Some("../s.toml"));
        assert_eq!(seen("").as_deref(), Some("./a/s.toml"));
        assert_eq!(seen("none"), None);
        // Nothing in common but the root.
        let root = seen_from(Path::new("/proc"), &here.join("a/s.toml"));
        assert_eq!(
            root,
            here.canonicalize()
                .expect("there")
                .join("a/s.toml")
                .to_str()
                .map(str::to_owned)
        );
    }
}
