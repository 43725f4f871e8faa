// SPDX-License-Identifier: MIT OR Apache-2.0
//! The files in which a kernel with page coloring shows its map, and whether it is switched on.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable that names another folder than the kernel's; for tests.
pub const ENVIRONMENT: &str = "FRESCO_PAGE_COLOR";

/// Where the kernel has them.
const USUAL: &str = "/sys/kernel/mm/page_color";

/// The folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    root: PathBuf,
}

impl Tree {
    /// That of this machine, or of [`ENVIRONMENT`]; `None` if the kernel has no page coloring.
    pub fn find() -> Option<Self> {
        let root = std::env::var_os(ENVIRONMENT).map_or_else(|| PathBuf::from(USUAL), PathBuf::from);
        Self::at(&root)
    }

    /// The one at `root`.
    pub fn at(root: &Path) -> Option<Self> {
        let root = root.to_owned();
        root.join("enabled").is_file().then_some(Self { root })
    }

    /// Returns true if coloring is switched on.
    pub fn is_on(&self) -> bool {
        fs::read_to_string(self.root.join("enabled")).is_ok_and(|text| text.trim() == "1")
    }

    /// The text of its map; empty if it has none.
    ///
    /// # Errors
    /// It is not ours to read.
    pub fn map(&self) -> io::Result<String> {
        Ok(fs::read_to_string(self.root.join("map"))?.trim().to_owned())
    }

    /// Where a file of it is.
    pub fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }
}
