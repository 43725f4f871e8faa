// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a user may do about a capability that is missing: root in a container often lacks some.

use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

/// Reading what belongs to processes with more privileges.
pub const PTRACE: (CapabilitySet, &str) = (CapabilitySet::SYS_PTRACE, "CAP_SYS_PTRACE");
/// Seeing frame numbers.
pub const ADMIN: (CapabilitySet, &str) = (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN");

/// What to do where something was denied that takes the capability.
pub fn help(capability: (CapabilitySet, &str)) -> String {
    words(capability, geteuid().is_root(), own(), CapabilitySet::empty())
}

/// What to do where a file of a process was denied: it takes all that the process may, or to be allowed to trace it.
/// `status` is the text of its `/proc/PID/status`.
pub fn cure_of_process(status: &str) -> String {
    let line = status.lines().find_map(|line| line.strip_prefix("CapPrm:"));
    let theirs = line.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok());
    let theirs = CapabilitySet::from_bits_retain(theirs.unwrap_or(0));
    words(PTRACE, geteuid().is_root(), own(), theirs)
}

/// Returns true if the calling thread has the capability.
pub fn has((capability, _): (CapabilitySet, &str)) -> bool {
    own().contains(capability)
}

fn own() -> CapabilitySet {
    capabilities(None).map_or(CapabilitySet::empty(), |own| own.effective)
}

fn words(
    (capability, name): (CapabilitySet, &str),
    is_root: bool,
    own: CapabilitySet,
    theirs: CapabilitySet,
) -> String {
    let more: Vec<String> = theirs
        .difference(own)
        .iter_names()
        .map(|(name, _)| format!("CAP_{name}"))
        .collect();
    match (is_root, own.contains(capability)) {
        (false, false) => "run as root, outside of containers or in a privileged one".to_owned(),
        (true, _) if !more.is_empty() => format!(
            "this root lacks {}, which the process has: run outside of the container, or in one that has it",
            more.join(", ")
        ),
        (_, true) => format!("run outside of the container: its {name} does not reach so far"),
        (true, false) => format!("this root lacks {name}: run outside of the container, or in one that has it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_not_told_to_become_root() {
        let (some, none) = (CapabilitySet::SYS_PTRACE, CapabilitySet::empty());
        assert!(words(PTRACE, false, none, some).starts_with("run as root"));
        assert!(words(PTRACE, true, none, none).contains("lacks CAP_SYS_PTRACE"));
        assert!(words(ADMIN, true, some, none).contains("lacks CAP_SYS_ADMIN"));
        assert!(!words(PTRACE, true, some, none).contains("root"));
        let theirs = some | CapabilitySet::SYS_RESOURCE;
        assert!(words(PTRACE, true, some, theirs).contains("lacks CAP_SYS_RESOURCE, which"));
    }
}
