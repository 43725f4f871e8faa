// SPDX-License-Identifier: MIT OR Apache-2.0
//! A class of its own for a program.

use super::tree::tasks;
use super::{Abilities, Limits, ResctrlRefusal, Tree};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, flock, open};
use rustix::io::Errno;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the names of our classes begin with.
const PREFIX: &str = "fresco-";

/// The lock that users of the file system agree on: nobody else makes or removes classes meanwhile.
#[derive(Debug)]
pub struct Lock {
    directory: OwnedFd,
}

impl Lock {
    /// Waits for it.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn take(tree: &Tree) -> Result<Self, ResctrlRefusal> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let taken = open(tree.root(), flags, Mode::empty()).and_then(|directory| {
            while let Err(error) = flock(&directory, FlockOperation::LockExclusive) {
                if error != Errno::INTR {
                    return Err(error);
                }
            }
            Ok(Self { directory })
        });
        taken.map_err(|error| ResctrlRefusal::Denied("locking", error.to_string()))
    }
}

impl Drop for Lock {
    /// Explicitly: a process that was forked meanwhile has the descriptor, too.
    fn drop(&mut self) {
        let _ = flock(&self.directory, FlockOperation::Unlock);
    }
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
        remove(&self.path);
    }
}

/// Removes our classes that nobody lives in: their keepers were killed.
pub fn tidy(_lock: &Lock, tree: &Tree) {
    let ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(PREFIX)
    };
    for path in tree.classes().into_iter().filter(ours).filter(|path| is_empty(path)) {
        remove(&path);
    }
}

fn is_empty(class: &Path) -> bool {
    // A tree that is not the kernel's lists threads that have ended.
    !tasks(class).into_iter().any(lives)
}

/// Returns true if there is such a thread, and not only its exit status.
fn lives(thread: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{thread}/stat")).unwrap_or_default();
    let state = text
        .rsplit_once(')')
        .and_then(|(_, rest)| rest.trim_start().chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

fn remove(class: &Path) {
    if let Err(error) = fs::remove_dir(class)
        && error.kind() == io::ErrorKind::DirectoryNotEmpty
    {
        // A tree that is not the kernel's: there a class is a directory with files.
        let _ = fs::remove_dir_all(class);
    }
}

/// Writes a line as the file system takes it; other trees keep all lines.
fn append(path: &Path, line: &str) -> io::Result<()> {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().append(true).create(true).open(path)?;
    file.write_all(line.as_bytes())
}
