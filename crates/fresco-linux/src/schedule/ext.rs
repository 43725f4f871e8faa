// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel tells of sched_ext.

use crate::settings::text;
use std::path::{Path, PathBuf};

/// Names another folder than the kernel's, for tests.
const ENVIRONMENT: &str = "FRESCO_SCHED_EXT";
const USUAL: &str = "/sys/kernel/sched_ext";
/// Name of the scheduler of tables, as `kernel/schedulers` has it.
pub(super) const TABLE: &str = "fresco_table";

/// The kernel's folder.
#[derive(Clone, Debug)]
pub struct Ext {
    root: PathBuf,
}

impl Ext {
    /// That of this machine, which need not be there.
    pub fn find() -> Self {
        Self {
            root: std::env::var_os(ENVIRONMENT).map_or_else(|| PathBuf::from(USUAL), PathBuf::from),
        }
    }

    /// Why no scheduler can be loaded: place and what was found, what is allowed.
    pub fn missing(&self) -> Option<String> {
        let place = self.root.display();
        if !self.root.is_dir() {
            return Some(format!(
                "{place}: this kernel has no sched_ext; allowed: Linux 6.12 or newer with CONFIG_SCHED_CLASS_EXT=y, as Debian 14 has it"
            ));
        }
        let types = self.root.parent().unwrap_or(Path::new("/")).join("btf/vmlinux");
        if !types.is_file() {
            return Some(format!(
                "{}: this kernel does not describe its types; allowed: a kernel with CONFIG_DEBUG_INFO_BTF=y",
                types.display()
            ));
        }
        self.loaded()
            .map(|name| format!("{place}: another scheduler is loaded, {name}; allowed: one at a time"))
    }

    /// Name of the scheduler that is loaded.
    pub fn loaded(&self) -> Option<String> {
        match text(&self.root.join("state")).as_str() {
            "" | "disabled" => None,
            state => Some(match text(&self.root.join("root/ops")) {
                name if name.is_empty() => format!("one that is {state}"),
                name => name,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_missing_is_told_with_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let ext = Ext {
            root: folder.path().join("sched_ext"),
        };
        let missing = || ext.missing().unwrap_or_default();
        assert!(missing().contains("sched_ext: this kernel has no sched_ext"));
        fs::create_dir_all(ext.root.join("root")).expect("writable");
        fs::write(ext.root.join("state"), "disabled\n").expect("writable");
        assert!(missing().contains("btf/vmlinux: this kernel does not describe its types"));
        fs::create_dir(folder.path().join("btf")).expect("writable");
        fs::write(folder.path().join("btf/vmlinux"), "types").expect("writable");
        assert_eq!(ext.missing(), None);
        fs::write(ext.root.join("state"), "enabled\n").expect("writable");
        assert_eq!(ext.loaded().as_deref(), Some("one that is enabled"));
        fs::write(ext.root.join("root/ops"), "rusty\n").expect("writable");
        assert!(missing().contains("another scheduler is loaded, rusty"));
    }
}
