// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a user may do about a capability that is missing: root in a container often lacks some.

use rustix::process::geteuid;
use rustix::thread::{CapabilitySet, capabilities};

/// Reading what belongs to processes with more privileges.
pub const PTRACE: (CapabilitySet, &str) = (CapabilitySet::SYS_PTRACE, "CAP_SYS_PTRACE");
/// Seeing frame numbers.
pub const ADMIN: (CapabilitySet, &str) = (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN");

/// What to do where something was denied that takes the capability.
pub fn cure(capability: (CapabilitySet, &str)) -> String {
    let effective = capabilities(None).map_or(CapabilitySet::empty(), |own| own.effective);
    words(capability, geteuid().is_root(), effective)
}

fn words((capability, name): (CapabilitySet, &str), is_root: bool, effective: CapabilitySet) -> String {
    match (is_root, effective.contains(capability)) {
        (_, true) => format!("run outside of the container: its {name} does not reach so far"),
        (true, false) => format!("this root lacks {name}: run outside of the container, or in one that has it"),
        (false, false) => "run as root, outside of containers or in a privileged one".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_not_told_to_become_root() {
        let (some, none) = (CapabilitySet::SYS_PTRACE, CapabilitySet::empty());
        assert!(words(PTRACE, false, none).starts_with("run as root"));
        assert!(words(PTRACE, true, none).contains("lacks CAP_SYS_PTRACE"));
        assert!(words(ADMIN, true, some).contains("lacks CAP_SYS_ADMIN"));
        assert!(!words(PTRACE, true, some).contains("root"));
    }
}
