// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why the module cannot hold a bandwidth.

use super::tree::ENVIRONMENT;
use fresco_input::format_bandwidth;
use std::fmt;
use std::path::PathBuf;

/// Why something cannot be held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemguardRefusal {
    /// The module is not loaded.
    NotLoaded,
    /// It is, but configfs, in which its settings are, is not mounted.
    NotMounted,
    /// [`ENVIRONMENT`] names this path, where none is.
    NotThere(PathBuf),
    /// This file of it does not say what it should: what it says.
    Strange(PathBuf, String),
    /// There is no folder of cgroups, version 2, for this process.
    NoCgroups,
    /// This process has a namespace of cgroups, whose paths are not the module's.
    Namespace,
    /// The caller may not change its settings.
    NotPermitted,
    /// Less than a line of each period for each of so many: the least, in bytes per second, and the period.
    TooLittle {
        /// The least bandwidth.
        least: u64,
        /// The period, in microseconds.
        period_us: u64,
        /// Processors that share it.
        parts: u64,
    },
    /// The module knows no such processor.
    NoProcessor(u32),
    /// This processor has a budget already, in lines.
    Reserved(u32, u64),
    /// It is not active, and these have budgets, which would begin to hold.
    Waiting(Vec<String>),
    /// It said no: doing what, the error, and the line of the kernel's log that says why.
    Denied(String, String, Option<String>),
}

impl fmt::Display for MemguardRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLoaded => f.write_str(
                "the kernel module memguard is not loaded: make -C kernel/memguard && insmod kernel/memguard/memguard.ko (kernel/memguard/README.md)",
            ),
            Self::NotMounted => f.write_str(
                "the kernel module memguard is loaded, but configfs is not mounted: mount -t configfs none /sys/kernel/config",
            ),
            Self::NotThere(path) => write!(
                f,
                "{ENVIRONMENT} names {}, where memguard is not (no file active)",
                path.display()
            ),
            Self::Strange(path, text) => write!(f, "{} says {text:?}, which is no number", path.display()),
            Self::NoCgroups => f.write_str(
                "memguard counts lines of cgroups, version 2, and there is no folder of this process's: mount -t cgroup2 none /sys/fs/cgroup, or boot with cgroups of that version",
            ),
            Self::Namespace => f.write_str(
                "memguard knows cgroups by their paths outside of this process's namespace of cgroups: run it outside of the container",
            ),
            Self::NotPermitted => f.write_str("memguard's settings are root's: run it as root"),
            Self::TooLittle { least, period_us, parts } => {
                let each = match parts {
                    1 => String::new(),
                    parts => format!(" on each of {parts} processors"),
                };
                write!(
                    f,
                    "memguard counts lines of 64 bytes in periods of {period_us} us: the least is {}, a line of each{each}; a longer period_us allows less",
                    format_bandwidth(*least)
                )
            }
            Self::NoProcessor(cpu) => write!(f, "memguard knows no processor {cpu} (cpus/{cpu})"),
            Self::Reserved(cpu, lines) => write!(
                f,
                "processor {cpu} has a budget of memguard already, of {lines} lines: name others, or write none to cpus/{cpu}/budget"
            ),
            Self::Waiting(names) => write!(
                f,
                "memguard is not active, and has budgets that would begin to hold: {}; write 1 to active if they should, or none to each budget",
                names.join(", ")
            ),
            Self::Denied(what, error, None) => write!(f, "memguard: {what}: {error}; the kernel's log (dmesg) may say why"),
            Self::Denied(what, error, Some(line)) => write!(f, "memguard: {what}: {error}; the kernel says: {line}"),
        }
    }
}
