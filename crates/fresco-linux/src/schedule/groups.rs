// SPDX-License-Identifier: MIT OR Apache-2.0
//! A cgroup for each task with slots, by which the table knows it, with all that it starts.

use crate::keeper;
use crate::memguard::{CGROUPS, Cgroup, all_below};
use crate::proc::{PROC, has_ended};
use crate::settings::text;
use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};

const PREFIX: &str = "fresco-slots-";

/// The cgroup of a task, by the number of the task.
pub type TaskGroup = (usize, Cgroup);

/// Cgroups of tasks. They go away with the process that they are named by.
#[derive(Debug)]
pub struct Groups {
    all: Vec<TaskGroup>,
}

impl Groups {
    /// Those that would be made for these tasks, named by the process `owner`: each below `parent` of the task, or below the caller's own
    /// cgroup where that is `None`.
    ///
    /// # Errors
    /// In words, why there can be none.
    pub fn new(tasks: &[usize], owner: u32, parent: impl Fn(usize) -> Option<Cgroup>) -> Result<Self, String> {
        let own = own().ok_or(
            "cgroups: none of version 2 are mounted, or this process is in none; allowed: the usual place, /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup",
        )?;
        let group = |&task: &usize| {
            let parent = parent(task).unwrap_or_else(|| own.clone());
            (task, parent.below(&format!("{PREFIX}{owner}-{task}")))
        };
        Ok(Self {
            all: tasks.iter().map(group).collect(),
        })
    }

    /// Makes them all, or none. From the end of the process `owner` on they are removed when nobody is in them any more; what
    /// killed keepers have left goes first.
    ///
    /// # Errors
    /// In words, what is refused.
    pub fn make(&self, owner: u32) -> Result<(), String> {
        tidy();
        let all: Vec<Cgroup> = self.all.iter().map(|(_, group)| group.clone()).collect();
        // Before they are made, so that there is no moment in which nobody would undo it.
        keeper::keep(owner, false, move || {
            all.iter()
                .filter(|group| !group.is_populated())
                .for_each(Cgroup::remove);
            all.iter().all(|group| !group.exists())
        })
        .map_err(|error| format!("cgroups: starting their keeper: {error}"))?;
        for (_, group) in &self.all {
            if let Err(error) = make(group) {
                self.remove();
                return Err(format!(
                    "cgroups: making {}: {error}; allowed: a cgroup that this user may divide; run it as root, outside of containers",
                    group.path()
                ));
            }
        }
        Ok(())
    }

    /// The cgroup of a task.
    pub fn of(&self, task: usize) -> Option<&Cgroup> {
        self.all
            .iter()
            .find(|(number, _)| *number == task)
            .map(|(_, group)| group)
    }

    /// The file by which a process enters it.
    pub fn entry(&self, task: usize) -> Option<CString> {
        let file = self.of(task)?.folder().join("cgroup.procs");
        CString::new(file.into_os_string().into_encoded_bytes()).ok()
    }

    /// Removes those that nobody is in.
    pub fn remove(&self) {
        self.all.iter().for_each(|(_, group)| group.remove());
    }
}

/// The caller's cgroup.
fn own() -> Option<Cgroup> {
    match std::env::var_os(CGROUPS) {
        Some(first) => Cgroup::at_root(Path::new(&first)),
        None => Cgroup::of(Path::new(PROC), "self"),
    }
}

/// The path of the cgroup that a process is in.
pub(super) fn path_of(pid: u32) -> Option<String> {
    let Some(first) = std::env::var_os(CGROUPS) else {
        return Cgroup::path_of(Path::new(PROC), pid);
    };
    let own = Cgroup::at_root(Path::new(&first))?;
    let holds = |folder: &PathBuf| {
        let number = pid.to_string();
        text(&folder.join("cgroup.procs")).lines().any(|line| line == number)
    };
    let folder = all_below(own.folder()).into_iter().find(holds)?;
    Some(format!("/{}", folder.strip_prefix(own.folder()).ok()?.display()))
}

/// The folder, and outside of the kernel's trees the file that is in each of those.
fn make(group: &Cgroup) -> io::Result<()> {
    std::fs::create_dir(group.folder())?;
    let processes = group.folder().join("cgroup.procs");
    match processes.exists() {
        true => Ok(()),
        false => std::fs::write(processes, ""),
    }
}

/// Removes what is left of processes that have ended, beside the caller.
fn tidy() {
    let Some(own) = own() else { return };
    let entries = std::fs::read_dir(own.folder()).into_iter().flatten().flatten();
    for name in entries.filter_map(|entry| entry.file_name().into_string().ok()) {
        let Some((owner, _)) = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-')) else {
            continue;
        };
        let group = own.below(&name);
        if owner.parse::<u32>().is_ok() && has_ended(&Path::new(PROC).join(owner)) && !group.is_populated() {
            group.remove();
        }
    }
}
