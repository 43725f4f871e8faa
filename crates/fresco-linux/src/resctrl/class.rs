// SPDX-License-Identifier: MIT OR Apache-2.0
//! A class of its own for a program.

use super::tree::tasks;
use super::{Abilities, Limits, ResctrlRefusal, Tree};
use crate::keeper::Lock;
use crate::proc::has_ended;
use crate::settings::{append, remove_folder};
use std::path::{Path, PathBuf};

/// What the names of our classes begin with.
const PREFIX: &str = "fresco-";

/// The lock that users of the file system agree on: nobody else makes or removes classes meanwhile.
///
/// # Errors
/// The directory cannot be opened.
pub fn lock(tree: &Tree) -> Result<Lock, ResctrlRefusal> {
    Lock::take(tree.root()).map_err(|error| ResctrlRefusal::Denied("locking", error.to_string()))
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    tree: Tree,
    path: PathBuf,
}

impl Class {
    /// Makes a class with these limits for programs on `cpus`. The lock is to be held until a process has entered it: an
    /// empty class is a left-over to others.
    ///
    /// # Errors
    /// What cannot be limited; nothing has changed then.
    pub fn make(_lock: &Lock, tree: &Tree, limits: &Limits, name: &str, cpus: &[u32]) -> Result<Self, ResctrlRefusal> {
        let abilities = Abilities::of(tree, Path::new("/proc"));
        let lines = abilities.lines(limits, cpus, Path::new("/sys/devices/system/cpu"))?;
        let class = Self {
            tree: tree.clone(),
            path: tree.make(&format!("{PREFIX}{name}"))?,
        };
        // One resource at a time, as the file system takes them.
        for line in lines.split_inclusive('\n') {
            if let Err(error) = append(&class.path.join("schemata"), line) {
                let refusal = tree.denied("setting the limits", &error);
                class.remove();
                return Err(refusal);
            }
        }
        Ok(class)
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a thread into it; what that starts is in it, too.
    ///
    /// # Errors
    /// There is no such thread, or no privilege.
    pub fn enter(&self, thread: u32) -> Result<(), ResctrlRefusal> {
        append(&self.path.join("tasks"), &format!("{thread}\n"))
            .map_err(|error| self.tree.denied("entering the class", &error))
    }

    /// Puts a thread back into the first class.
    ///
    /// # Errors
    /// As [`Class::enter`].
    pub fn leave(&self, thread: u32) -> Result<(), ResctrlRefusal> {
        append(&self.tree.root().join("tasks"), &format!("{thread}\n"))
            .map_err(|error| self.tree.denied("leaving the class", &error))
    }

    /// Returns true if no living thread is in it.
    pub fn is_empty(&self) -> bool {
        is_empty(&self.path)
    }

    /// Removes it; who is in it is in the first class then.
    pub fn remove(&self) {
        remove_folder(&self.path);
    }
}

/// Removes our classes that nobody lives in: their keepers were killed.
pub fn tidy(_lock: &Lock, tree: &Tree) {
    let ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PREFIX)
    };
    for path in tree.classes().into_iter().filter(ours).filter(|path| is_empty(path)) {
        remove_folder(&path);
    }
}

fn is_empty(class: &Path) -> bool {
    // A tree that is not the kernel's lists threads that have ended.
    tasks(class)
        .into_iter()
        .all(|thread| has_ended(Path::new(&format!("/proc/{thread}"))))
}
