// SPDX-License-Identifier: MIT OR Apache-2.0
//! What control groups move, as folders of the module count it.

use super::tree::all_below;
use super::{LINE_BYTES, Stat, Tree};
use crate::settings::text;
use fresco_input::InputError;
use std::path::PathBuf;

/// Lines that the tasks of a control group move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    folder: PathBuf,
}

impl Counts {
    /// Of the control group `name`, as `/proc/PID/cgroup` has it.
    ///
    /// # Errors
    /// The module is not active, or has no folder for it: the commands that mend that.
    pub fn of(tree: &Tree, name: &str) -> Result<Self, InputError> {
        let wrong = |found: String, help: String| {
            InputError::new(tree.root().display().to_string(), found)
                .allowed("memguard, active, with a folder for each control group")
                .help(help)
        };
        if !tree.is_active() {
            let help = format!("echo 1 > {}", tree.root().join("active").display());
            return Err(wrong("found that it counts nothing".to_owned(), help));
        }
        let mut folders = all_below(&tree.groups()).into_iter();
        match folders.find(|folder| text(&folder.join("cgroup")) == name) {
            Some(folder) => Ok(Self { folder }),
            None => {
                let folder = tree.groups().join(name.trim_matches('/').replace('/', "-"));
                let folder = folder.display();
                let help =
                    format!("mkdir {folder} && echo {name} > {folder}/cgroup: without a budget it is only counted");
                Err(wrong(format!("found no folder for {name}"), help))
            }
        }
    }

    /// Bytes so far.
    ///
    /// # Errors
    /// The folder has gone: the module was unloaded, or somebody removed it.
    pub fn bytes(&self) -> Result<u64, InputError> {
        let stat = Stat::of(&self.folder);
        if stat.is_empty() {
            return Err(
                InputError::new(self.folder.join("stat").display().to_string(), "found no count")
                    .allowed("what memguard counts")
                    .help("see that the module is loaded, and the folder there"),
            );
        }
        Ok(stat.count("used").saturating_mul(LINE_BYTES))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_group_is_counted_by_its_folder_and_what_is_missing_is_told() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        fs::write(root.join("active"), "0\n").unwrap();
        let told = |words: &str| {
            let tree = Tree::at(root, None).unwrap();
            let error = Counts::of(&tree, "/rt/a").unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        told("echo 1 > ");
        fs::write(root.join("active"), "1\n").unwrap();
        fs::create_dir_all(root.join("groups/one")).unwrap();
        fs::write(root.join("groups/one/cgroup"), "/rt/b\n").unwrap();
        told("groups/rt-a && echo /rt/a > ");
        fs::write(root.join("groups/one/cgroup"), "/rt/a\n").unwrap();
        let counts = Counts::of(&Tree::at(root, None).unwrap(), "/rt/a").unwrap();
        assert!(counts.bytes().unwrap_err().to_string().contains("found no count"));
        fs::write(root.join("groups/one/stat"), "periods 5\nused 1000\nexhausted 1\n").unwrap();
        assert_eq!(counts.bytes().unwrap(), 64_000);
    }
}
