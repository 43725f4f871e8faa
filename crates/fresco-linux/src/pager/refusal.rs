// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there can be no pager.

use rustix::io::Errno;
use rustix::thread::{CapabilitySet, capabilities};
use std::fmt;
use std::path::Path;

/// Why there can be no pager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `userfaultfd` is not to be had, or cannot move pages.
    Userfault(Errno),
    /// Frame numbers cannot be seen.
    Hidden,
}

impl fmt::Display for Refusal {
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
            Self::Hidden => f.write_str("/proc/self/pagemap shows no frame numbers (that needs CAP_SYS_ADMIN)"),
        }
    }
}

/// Is it a filter of system calls that has given this answer in the kernel's place?
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
