// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control groups, version 2: what the module counts lines of. A program gets one below that of whoever starts it, so
//! that limits of that one hold for it as before; no controller is needed.

use super::MemguardRefusal;
use super::log::Log;
use crate::proc::has_ended;
use crate::settings::{append, folders, remove_folder, text};
use std::fs;
use std::path::{Path, PathBuf};

/// A group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cgroup {
    folder: PathBuf,
    /// As `/proc/PID/cgroup` has it.
    path: String,
}

impl Cgroup {
    /// That of a process; `proc` tells where they are mounted.
    pub fn of(proc: &Path, process: &str) -> Option<Self> {
        Self::at(proc, &own_path(proc, process)?).filter(Self::exists)
    }

    /// The path of that of a process, as the kernel tells it.
    pub fn path_of(proc: &Path, process: u32) -> Option<String> {
        own_path(proc, &process.to_string())
    }

    /// The one with this path, which need not exist; `None` if it lies outside what is mounted here.
    pub fn at(proc: &Path, path: &str) -> Option<Self> {
        let mounts = fs::read_to_string(proc.join("self/mountinfo")).ok()?;
        let (root, point) = mounts.lines().find_map(mount)?;
        let below = path.strip_prefix(root.trim_end_matches('/'))?;
        (below.is_empty() || below.starts_with('/')).then(|| Self {
            folder: point.join(below.trim_start_matches('/')),
            path: path.to_owned(),
        })
    }

    /// The first one of all, whose folder this is.
    pub fn at_root(folder: &Path) -> Option<Self> {
        folder.is_dir().then(|| Self {
            folder: folder.to_owned(),
            path: "/".to_owned(),
        })
    }

    /// One below it, which need not exist.
    pub fn below(&self, name: &str) -> Self {
        Self {
            folder: self.folder.join(name),
            path: format!("{}/{name}", self.path.trim_end_matches('/')),
        }
    }

    /// Its path, from the first one on.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes it.
    pub(super) fn make(&self) -> Result<(), MemguardRefusal> {
        let what = || format!("making the cgroup {}", self.path);
        fs::create_dir(&self.folder).map_err(|error| MemguardRefusal::denied(what(), &error, &Log::now()))
    }

    /// Puts a process into it; what that starts is in it, too.
    pub(super) fn enter(&self, process: u32) -> Result<(), MemguardRefusal> {
        append(&self.folder.join("cgroup.procs"), &format!("{process}\n"))
            .map_err(|error| MemguardRefusal::denied(format!("entering the cgroup {}", self.path), &error, &Log::now()))
    }

    /// Returns true if a process lives in it or below it.
    pub fn is_populated(&self) -> bool {
        let events = text(&self.folder.join("cgroup.events"));
        match events.lines().find_map(|line| line.strip_prefix("populated ")) {
            Some(populated) => populated == "1",
            // A folder that is not the kernel's.
            None => {
                let processes = text(&self.folder.join("cgroup.procs"));
                let mut all = processes.lines();
                all.any(|process| !has_ended(&Path::new(crate::proc::PROC).join(process)))
            }
        }
    }

    /// Returns true if its folder is there.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Removes it and those below it, which have no process any more.
    pub fn remove(&self) {
        remove_all(&self.folder);
    }
}

fn own_path(proc: &Path, process: &str) -> Option<String> {
    let groups = fs::read_to_string(proc.join(process).join("cgroup")).ok()?;
    groups
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .map(str::to_owned)
}

fn remove_all(folder: &Path) {
    folders(folder).iter().for_each(|below| remove_all(below));
    remove_folder(folder);
}

/// The root within the file system and the mount point of a line of `mountinfo`, if cgroups of version 2 are mounted there.
fn mount(line: &str) -> Option<(&str, PathBuf)> {
    let (places, kind) = line.split_once(" - ")?;
    let mut places = places.split(' ').skip(3);
    let (root, point) = (places.next()?, places.next()?);
    (kind.split(' ').next() == Some("cgroup2")).then(|| (root, PathBuf::from(point)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_groups_are_is_told_by_the_mounts() {
        let lines = [
            (
                "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw",
                Some(("/", "/sys/fs/cgroup")),
            ),
            ("35 24 0:30 /a/b /mnt rw - cgroup2 none rw", Some(("/a/b", "/mnt"))),
            ("36 24 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory", None),
            ("nonsense", None),
        ];
        for (line, expected) in lines {
            assert_eq!(
                mount(line),
                expected.map(|(root, point)| (root, PathBuf::from(point))),
                "{line}"
            );
        }
    }

    #[test]
    fn the_folder_of_a_path_lies_below_the_mount() {
        let proc = std::env::temp_dir().join(format!("fresco-cgroup-{}", std::process::id()));
        let point = proc.join("mounted");
        fs::create_dir_all(point.join("user/session")).expect("writable");
        fs::create_dir_all(proc.join("self")).expect("writable");
        let write = |file: &str, text: String| fs::write(proc.join(file), text).expect("writable");
        write(
            "self/mountinfo",
            format!("1 2 0:3 / {} rw - cgroup2 none rw\n", point.display()),
        );
        write("self/cgroup", "7:memory:/old\n0::/user/session\n".to_owned());
        let own = Cgroup::of(&proc, "self").expect("it is there");
        assert_eq!(
            (own.folder.clone(), own.path()),
            (point.join("user/session"), "/user/session")
        );
        assert_eq!(own.below("fresco-7").path(), "/user/session/fresco-7");
        assert_eq!(Cgroup::at_root(&point).expect("it is there").below("x").path(), "/x");
        write("self/cgroup", "0::/nowhere\n".to_owned());
        assert_eq!(Cgroup::of(&proc, "self"), None);
        // A part of the tree is mounted, and the process is in it.
        write(
            "self/mountinfo",
            format!("1 2 0:3 /user {} rw - cgroup2 none rw\n", point.join("user").display()),
        );
        write("self/cgroup", "0::/user/session\n".to_owned());
        assert_eq!(Cgroup::of(&proc, "self"), Some(own));
        // What is not mounted here cannot be looked at, which is not to say that nobody lives in it.
        assert_eq!(Cgroup::at(&proc, "/users/session"), None);
        assert!(Cgroup::at(&proc, "/user/gone").is_some_and(|gone| !gone.exists() && !gone.is_populated()));
        let _ = fs::remove_dir_all(&proc);
    }
}
