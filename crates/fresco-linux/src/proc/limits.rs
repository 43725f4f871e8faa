// SPDX-License-Identifier: MIT OR Apache-2.0
//! Limits of a process's memory and files (setrlimit, ulimit), and what they leave.

use rustix::process::{Resource, getrlimit};
use std::fs;
use std::path::Path;

/// Bytes that a process may still map; `None` without a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// Of addresses (RLIMIT_AS, `ulimit -v`).
    pub addresses: Option<u64>,
    /// Of memory that it may write (RLIMIT_DATA, `ulimit -d`).
    pub data: Option<u64>,
}

impl Headroom {
    /// What its limits leave the calling process, of which `/proc` or a tree like it tells.
    pub fn of_self(root: &Path) -> Self {
        let [addresses, data] = [Resource::As, Resource::Data].map(|limit| getrlimit(limit).current);
        if addresses.is_none() && data.is_none() {
            return Self { addresses, data };
        }
        // Where the program has left `/proc`, it uses nothing as far as is known.
        let status = fs::read_to_string(root.join("self/status")).unwrap_or_default();
        let left = |limit: Option<u64>, name| Some(limit?.saturating_sub(used(&status, name).unwrap_or(0)));
        Self {
            addresses: left(addresses, "VmSize:"),
            data: left(data, "VmData:"),
        }
    }

    /// The narrower of the two.
    pub fn least(&self) -> Option<u64> {
        self.addresses.into_iter().chain(self.data).min()
    }
}

/// Returns true if the calling process may make a file so many bytes long (RLIMIT_FSIZE, `ulimit -f`). Files without a name
/// are files, too; and whoever goes beyond is killed (SIGXFSZ).
pub fn allows_file(bytes: u64) -> bool {
    let limit = getrlimit(Resource::Fsize).current;
    limit.is_none_or(|limit| bytes <= limit)
}

/// Bytes that a line of `status` tells.
fn used(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_status_are_read() {
        let status = "Name:\tcat\nVmSize:\t    5540 kB\nVmData:\t     360 kB\n";
        assert_eq!(used(status, "VmSize:"), Some(5540 << 10));
        assert_eq!(used(status, "VmData:"), Some(360 << 10));
        assert_eq!(used(status, "VmStk:"), None);
        let here = fs::read_to_string("/proc/self/status").expect("Linux has it");
        assert!(used(&here, "VmSize:") > used(&here, "VmData:"));
    }

    #[test]
    fn the_narrower_limit_counts() {
        let headroom = |addresses, data| Headroom { addresses, data }.least();
        assert_eq!(headroom(None, None), None);
        assert_eq!(headroom(Some(5), None), Some(5));
        assert_eq!(headroom(Some(5), Some(3)), Some(3));
    }
}
