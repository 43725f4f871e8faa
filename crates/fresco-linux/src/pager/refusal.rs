// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why there can be no pager.

use rustix::io::Errno;
use std::fmt;

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
