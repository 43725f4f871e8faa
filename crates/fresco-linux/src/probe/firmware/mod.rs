// SPDX-License-Identifier: MIT OR Apache-2.0
//! What firmware and kernel tell about a machine's memory: tables of the firmware, error reporting, the device tree. A map
//! belongs to a machine as these describe it (MAP-14): another firmware, or other memory modules, may mean another map.

mod device_tree;
mod edac;
mod identity;
mod smbios;

pub use device_tree::{DeviceTree, parse_memory_reg};
pub use edac::{EdacDimm, edac_dimms};
pub use identity::{Comparison, Identity};
pub use smbios::{MemoryDevice, memory_devices};

/// The text of a file without the white space and zeros at its ends; `None` if it cannot be read or is empty.
fn text(path: &std::path::Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_owned())
}

/// Entries of a directory whose names begin so, with the number that follows, ascending by it.
fn numbered(directory: &std::path::Path, prefix: &str) -> Vec<(u32, std::path::PathBuf)> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name();
            let number = name.to_str()?.strip_prefix(prefix)?.parse().ok()?;
            Some((number, entry.path()))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests;
