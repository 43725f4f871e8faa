// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there can be no pager.

use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities};
use std::fmt;
use std::path::Path;

/// Why there can be no pager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagerRefusal {
    /// `userfaultfd` is not to be had, or cannot move pages.
    Userfault(Errno),
    /// Frame numbers cannot be seen.
    Hidden,
    /// Nor can be seen anything else of processes.
    NoProc,
    /// A limit of the process leaves too few bytes of addresses.
    Addresses {
        /// So many are left,
        left: u64,
        /// so many are needed.
        needed: u64,
    },
    /// A limit of the process leaves too few bytes of data.
    Data {
        /// So many are left,
        left: u64,
        /// so many are needed.
        needed: u64,
    },
    /// There can be no further thread.
    Thread(Errno),
}

impl fmt::Display for PagerRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Userfault(error) if is_by_filter(*error) => write!(
                f,
                "a filter of system calls (seccomp) that this process runs under refuses userfaultfd ({error})"
            ),
            Self::Userfault(Errno::PERM | Errno::ACCESS) => {
                f.write_str("userfaultfd is not permitted (it needs CAP_SYS_PTRACE; containers forbid it)")
            }
            Self::Userfault(Errno::NOSYS) => f.write_str("the kernel has no userfaultfd"),
            Self::Userfault(Errno::INVAL) => {
                f.write_str("the kernel cannot move pages: UFFDIO_MOVE is supported from Linux 6.8 on")
            }
            Self::Userfault(error) => write!(f, "userfaultfd: {error}"),
            Self::Addresses { left, needed } => write!(
                f,
                "the limit of address space (RLIMIT_AS, ulimit -v) leaves {} MiB, and {} MiB are needed",
                left >> 20,
                needed >> 20
            ),
            Self::Data { left, needed } => write!(
                f,
                "the limit of data (RLIMIT_DATA, ulimit -d) leaves {} MiB, and {} MiB are needed",
                left >> 20,
                needed >> 20
            ),
            Self::Thread(error) => write!(f, "the pager cannot be started: {error}"),
            Self::NoProc => {
                f.write_str("/proc/self/pagemap is not there: mount the process file system (mount -t proc proc /proc)")
            }
            Self::Hidden => f.write_str("/proc/self/pagemap shows no frame numbers (that needs CAP_SYS_ADMIN)"),
        }
    }
}

/// Returns true if a filter of system calls (seccomp) gave this answer in the kernel's place.
fn is_by_filter(error: Errno) -> bool {
    let denied = match error {
        // A kernel that has the call has this file.
        Errno::NOSYS => Path::new("/proc/sys/vm/unprivileged_userfaultfd").exists(),
        Errno::PERM | Errno::ACCESS => {
            capabilities(None).is_ok_and(|own| own.effective.contains(CapabilitySet::SYS_PTRACE))
        }
        _ => false,
    };
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let mode = status.lines().find_map(|line| line.strip_prefix("Seccomp:"));
    denied && mode.is_some_and(|mode| mode.trim() == "2")
}
