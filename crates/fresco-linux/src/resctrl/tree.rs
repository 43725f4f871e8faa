// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the file system is, and why there may be none.

use super::Schemata;
use rustix::io::Errno;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable that names another tree than the kernel's; for tests.
pub const ENVIRONMENT: &str = "FRESCO_RESCTRL";

/// Where the kernel's is mounted.
const USUAL: &str = "/sys/fs/resctrl";

/// Why something cannot be limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResctrlRefusal {
    /// This kernel, or this processor, has no resctrl.
    Unknown,
    /// It has, but it is not mounted.
    NotMounted,
    /// [`ENVIRONMENT`] names this path, where none is.
    NotThere(PathBuf),
    /// It limits no memory bandwidth.
    NoBandwidth,
    /// It limits bandwidth in per cent of what nobody knows.
    PerCent,
    /// It has no ways of the last-level cache to choose.
    NoWays,
    /// These ways are no mask that it takes; what it takes.
    Ways(String),
    /// Less bandwidth than it can limit to: its least, in bytes per second.
    TooLittle(u64),
    /// All classes are in use; how many there are, if that is known.
    NoClassLeft(Option<u64>),
    /// It said no: doing what, and the reason.
    Denied(&'static str, String),
}

impl fmt::Display for ResctrlRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str(
                "this kernel has no resctrl (Intel RDT, AMD QoS or Arm MPAM), which limits bandwidth and cache ways; virtual machines mostly lack it",
            ),
            Self::NotMounted => f.write_str(
                "resctrl is not mounted: mount -t resctrl -o mba_MBps resctrl /sys/fs/resctrl (without mba_MBps where the kernel refuses it)",
            ),
            Self::NotThere(path) => write!(
                f,
                "{ENVIRONMENT} names {}, where there is no resctrl (no file schemata)",
                path.display()
            ),
            Self::NoBandwidth => f.write_str("this processor has resctrl, but no limits of memory bandwidth (MBA)"),
            Self::PerCent => f.write_str(
                "resctrl limits bandwidth in per cent here, which is no number of bytes: mount it with mba_MBps",
            ),
            Self::NoWays => f.write_str("this processor has resctrl, but no ways of the last-level cache to choose (CAT)"),
            Self::Ways(allowed) => write!(f, "resctrl does not take these ways: {allowed}"),
            Self::TooLittle(least) => write!(
                f,
                "resctrl cannot limit to so little: the least for these processors is {}",
                fresco_input::format_bandwidth(*least)
            ),
            Self::NoClassLeft(Some(all)) => write!(f, "all {all} classes of resctrl are in use"),
            Self::NoClassLeft(None) => f.write_str("all classes of resctrl are in use"),
            Self::Denied(what, reason) => write!(f, "resctrl: {what}: {reason}"),
        }
    }
}

/// The file system, mounted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// That of this machine, or of [`ENVIRONMENT`].
    ///
    /// # Errors
    /// [`ResctrlRefusal::Unknown`], [`ResctrlRefusal::NotMounted`], [`ResctrlRefusal::NotThere`].
    pub fn find() -> Result<Self, ResctrlRefusal> {
        match std::env::var_os(ENVIRONMENT) {
            Some(root) => {
                Self::at(Path::new(&root), Path::new("/proc")).map_err(|_| ResctrlRefusal::NotThere(root.into()))
            }
            None => Self::at(Path::new(USUAL), Path::new("/proc")),
        }
    }

    /// The one at `root`; `proc` tells whether the kernel knows the file system at all.
    ///
    /// # Errors
    /// As [`Tree::find`].
    pub fn at(root: &Path, proc: &Path) -> Result<Self, ResctrlRefusal> {
        if root.join("schemata").is_file() {
            return Ok(Self { root: root.to_owned() });
        }
        let known = fs::read_to_string(proc.join("filesystems")).unwrap_or_default();
        match known
            .lines()
            .any(|line| line.split_whitespace().next_back() == Some("resctrl"))
        {
            true => Err(ResctrlRefusal::NotMounted),
            false => Err(ResctrlRefusal::Unknown),
        }
    }

    /// Its directory, which is that of the class of everybody who has no other.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The directories of its classes but the first.
    pub fn classes(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut classes: Vec<PathBuf> = paths.filter(|path| path.join("tasks").is_file()).collect();
        classes.sort();
        classes
    }

    /// The class that the process `pid` is in, the first included.
    pub fn class_of(&self, pid: u32) -> Option<PathBuf> {
        let holds = |class: &PathBuf| tasks(class).contains(&pid);
        self.classes().into_iter().find(holds).or_else(|| {
            let root = self.root.clone();
            holds(&root).then_some(root)
        })
    }

    /// What a class has.
    pub fn schemata(&self, class: &Path) -> Schemata {
        Schemata::parse(&fs::read_to_string(class.join("schemata")).unwrap_or_default())
    }

    /// A number in a file of `info`.
    pub(super) fn info(&self, file: &str) -> Option<u64> {
        fs::read_to_string(self.root.join("info").join(file))
            .ok()?
            .trim()
            .parse()
            .ok()
    }

    /// A mask in a file of `info`.
    pub(super) fn info_mask(&self, file: &str) -> Option<u64> {
        let text = fs::read_to_string(self.root.join("info").join(file)).ok()?;
        u64::from_str_radix(text.trim(), 16).ok()
    }

    /// Why something failed: resctrl's own words, or the error.
    pub(super) fn denied(&self, what: &'static str, error: &io::Error) -> ResctrlRefusal {
        let words = fs::read_to_string(self.root.join("info/last_cmd_status")).unwrap_or_default();
        match words.trim() {
            "" | "ok" => ResctrlRefusal::Denied(what, error.to_string()),
            words => ResctrlRefusal::Denied(what, format!("{words} ({error})")),
        }
    }

    /// Makes the directory of a class.
    pub(super) fn make(&self, name: &str) -> Result<PathBuf, ResctrlRefusal> {
        let path = self.root.join(name);
        match fs::create_dir(&path) {
            Ok(()) => Ok(path),
            Err(error) if error.raw_os_error() == Some(Errno::NOSPC.raw_os_error()) => {
                let counts = ["L3/num_closids", "L3CODE/num_closids", "MB/num_closids"];
                Err(ResctrlRefusal::NoClassLeft(
                    counts.iter().filter_map(|file| self.info(file)).min(),
                ))
            }
            Err(error) => Err(self.denied("making a class", &error)),
        }
    }
}

/// The threads in a class.
pub(super) fn tasks(class: &Path) -> Vec<u32> {
    let text = fs::read_to_string(class.join("tasks")).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}
