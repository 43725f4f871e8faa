// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the module's settings are, and what they say.

use super::log::Log;
use super::{Budget, Cgroup, MemguardRefusal};
use crate::keeper::Lock;
use crate::proc::{PROC, has_ended};
use crate::settings::{folders, set, text};
use rustix::fs::{Access, access};
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable that names another folder than the module's; for tests.
pub const ENVIRONMENT: &str = "FRESCO_MEMGUARD";
/// The environment variable that names a folder in place of the first cgroup, in which the caller is then; for tests.
pub const CGROUPS: &str = "FRESCO_CGROUP";

/// Where configfs has it.
const USUAL: &str = "/sys/kernel/config/memguard";
/// Is there while the module is loaded.
const LOADED: &str = "/sys/module/memguard";

/// The namespace of cgroups that the kernel begins with: `PROC_CGROUP_INIT_INO` of its `include/linux/proc_ns.h`.
const FIRST_NAMESPACE: &str = "cgroup:[4026531835]";

/// The settings of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
    /// Stands for the first cgroup; `None` for the kernel's.
    cgroups: Option<PathBuf>,
}

impl Tree {
    /// Those of this machine, or of [`ENVIRONMENT`].
    ///
    /// # Errors
    /// [`MemguardRefusal::NotLoaded`], [`MemguardRefusal::NotMounted`], [`MemguardRefusal::NotThere`].
    pub fn find() -> Result<Self, MemguardRefusal> {
        let cgroups = std::env::var_os(CGROUPS).map(PathBuf::from);
        match std::env::var_os(ENVIRONMENT) {
            Some(root) => Self::at(Path::new(&root), cgroups.as_deref()).ok_or(MemguardRefusal::NotThere(root.into())),
            None => Self::at(Path::new(USUAL), cgroups.as_deref()).ok_or(match Path::new(LOADED).exists() {
                true => MemguardRefusal::NotMounted,
                false => MemguardRefusal::NotLoaded,
            }),
        }
    }

    /// Those at `root`; `cgroups` stands for the first cgroup, `None` for the kernel's.
    pub fn at(root: &Path, cgroups: Option<&Path>) -> Option<Self> {
        root.join("active").is_file().then(|| Self {
            root: root.to_owned(),
            cgroups: cgroups.map(Path::to_owned),
        })
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of its groups.
    pub(super) fn groups(&self) -> PathBuf {
        self.root.join("groups")
    }

    /// The folder of a processor.
    pub(super) fn processor(&self, cpu: u32) -> PathBuf {
        self.root.join("cpus").join(cpu.to_string())
    }

    /// Keeps others from making and removing groups.
    ///
    /// # Errors
    /// The folder cannot be opened: the module has gone.
    pub fn lock(&self) -> Result<Lock, MemguardRefusal> {
        Lock::take(&self.groups())
            .map_err(|error| MemguardRefusal::denied("locking its groups".to_owned(), &error.into(), &Log::now()))
    }

    /// Returns true if budgets hold.
    pub fn is_active(&self) -> bool {
        text(&self.root.join("active")) == "1"
    }

    /// What is counted.
    pub fn source(&self) -> String {
        text(&self.root.join("source"))
    }

    /// The length of a period, in microseconds.
    ///
    /// # Errors
    /// [`MemguardRefusal::Strange`].
    pub fn period_us(&self) -> Result<u64, MemguardRefusal> {
        let file = self.root.join("period_us");
        let found = text(&file);
        let period = found.parse().ok().filter(|&period| period > 0);
        period.ok_or(MemguardRefusal::Strange(file, found))
    }

    /// Returns an error if the caller may not make groups.
    pub(super) fn check_permission(&self) -> Result<(), MemguardRefusal> {
        access(self.groups(), Access::WRITE_OK).map_err(|_| MemguardRefusal::NotPermitted)
    }

    /// Writes a setting; `what` says why, for who is refused.
    pub(super) fn set(&self, file: &Path, value: &str, what: impl Fn() -> String) -> Result<(), MemguardRefusal> {
        let log = Log::now();
        set(file, value).map_err(|error| MemguardRefusal::denied(what(), &error, &log))
    }

    /// The cgroup of the calling process.
    pub(super) fn own_cgroup(&self) -> Result<Cgroup, MemguardRefusal> {
        let own = match &self.cgroups {
            Some(first) => Cgroup::at_root(first),
            None if is_namespace() => return Err(MemguardRefusal::Namespace),
            None => Cgroup::of(Path::new(PROC), "self"),
        };
        own.ok_or(MemguardRefusal::NoCgroups)
    }

    /// The cgroup with this path, which need not be there; `None` if it cannot be looked at.
    pub(super) fn cgroup_at(&self, path: &str) -> Option<Cgroup> {
        match &self.cgroups {
            Some(first) => Some(Cgroup::at_root(first)?.below(path.trim_start_matches('/'))),
            None => Cgroup::at(Path::new(PROC), path),
        }
    }

    /// Returns true if a process of the cgroup that a group is of lives, or may live.
    pub(super) fn is_alive(&self, group: &Path) -> bool {
        let path = text(&group.join("cgroup"));
        !path.is_empty() && self.cgroup_at(&path).is_none_or(|cgroup| cgroup.is_populated())
    }

    /// The least of the budgets that hold for a process, its own group's and those above; `None` if there is none.
    pub fn budget_of_process(&self, pid: u32) -> Option<Budget> {
        let path = self.path_of_process(pid)?;
        let period_us = self.period_us().ok().filter(|_| self.is_active())?;
        let is_above = |group: &PathBuf| {
            let of = text(&group.join("cgroup"));
            let below = path.strip_prefix(of.trim_end_matches('/'));
            !of.is_empty() && below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        let groups = all_below(&self.groups()).into_iter().filter(is_above);
        let lines = groups.filter_map(|group| budget(&group)).min()?;
        Some(Budget { lines, period_us })
    }

    fn path_of_process(&self, pid: u32) -> Option<String> {
        let Some(first) = &self.cgroups else {
            let groups = std::fs::read_to_string(format!("{PROC}/{pid}/cgroup")).ok()?;
            return groups
                .lines()
                .find_map(|line| line.strip_prefix("0::"))
                .map(str::to_owned);
        };
        let holds = |folder: &PathBuf| {
            let processes = text(&folder.join("cgroup.procs"));
            processes.lines().any(|process| process == pid.to_string())
        };
        let folder = all_below(first)
            .into_iter()
            .find(holds)
            .filter(|_| !has_ended(&Path::new(PROC).join(pid.to_string())))?;
        Some(format!("/{}", folder.strip_prefix(first).ok()?.display()))
    }
}

/// Returns true if this process has a namespace of cgroups: the module's paths are not its own.
fn is_namespace() -> bool {
    let own = std::fs::read_link(Path::new(PROC).join("self/ns/cgroup"));
    own.is_ok_and(|own| own != Path::new(FIRST_NAMESPACE))
}

/// The budget that a folder sets, of a group or a processor, in lines.
pub(super) fn budget(folder: &Path) -> Option<u64> {
    text(&folder.join("budget")).parse().ok()
}

/// All folders below one.
pub(crate) fn all_below(folder: &Path) -> Vec<PathBuf> {
    let own = folders(folder).into_iter();
    own.flat_map(|folder| {
        let below = all_below(&folder);
        std::iter::once(folder).chain(below)
    })
    .collect()
}

impl MemguardRefusal {
    pub(super) fn denied(what: String, error: &io::Error, log: &Log) -> Self {
        match error.kind() {
            io::ErrorKind::PermissionDenied => Self::NotPermitted,
            _ => Self::Denied(what, error.to_string(), log.last()),
        }
    }
}
