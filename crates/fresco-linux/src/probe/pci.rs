// SPDX-License-Identifier: MIT OR Apache-2.0
//! PCI configuration space of bus 0, as the kernel shows it.

use std::fs;
use std::path::Path;

/// Bytes of a configuration space, at most.
const MOST_BYTES: usize = 4096;

/// Device, function and bytes of each function of bus 0, from `sys/bus/pci/devices` or `proc/bus/pci` under `root`. A
/// reader without privilege gets the first 64 bytes of each only. Empty where there is no PCI.
pub fn pci_functions(root: &Path) -> Vec<((u8, u8), Vec<u8>)> {
    let sys = list(&root.join("sys/bus/pci/devices"), |name, path| {
        Some((place(name.strip_prefix("0000:00:")?)?, path.join("config")))
    });
    if !sys.is_empty() {
        return sys;
    }
    list(&root.join("proc/bus/pci/00"), |name, path| {
        Some((place(name)?, path.to_owned()))
    })
}

type Place = (u8, u8);

fn list(
    directory: &Path,
    file_of: impl Fn(&str, &Path) -> Option<(Place, std::path::PathBuf)>,
) -> Vec<(Place, Vec<u8>)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut functions: Vec<(Place, Vec<u8>)> = entries
        .filter_map(|entry| {
            let (place, file) = file_of(entry.file_name().to_str()?, &entry.path())?;
            let mut bytes = fs::read(file).ok()?;
            bytes.truncate(MOST_BYTES);
            Some((place, bytes))
        })
        .collect();
    functions.sort();
    functions
}

/// `18.2`: device and function.
fn place(text: &str) -> Option<Place> {
    let (device, function) = text.split_once('.')?;
    let device = u8::from_str_radix(device, 16).ok().filter(|device| *device < 32)?;
    let function = function.parse().ok().filter(|function| *function < 8)?;
    Some((device, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_trees_give_bus_zero() {
        let root = std::env::temp_dir().join(format!("fresco-pci-{}", std::process::id()));
        let write = |path: &str, bytes: &[u8]| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("a directory for tests");
            fs::write(path, bytes).expect("writable");
        };
        write("proc/bus/pci/00/18.1", &[7]);
        write("proc/bus/pci/devices", b"0018\t10221201\n");
        assert_eq!(pci_functions(&root), [((0x18, 1), vec![7])]);
        write("sys/bus/pci/devices/0000:00:18.2/config", &[1, 2]);
        write("sys/bus/pci/devices/0000:00:18.1/config", &[3; 5000]);
        write("sys/bus/pci/devices/0000:01:00.0/config", &[9]);
        write("sys/bus/pci/devices/0001:00:00.0/config", &[9]);
        assert_eq!(
            pci_functions(&root),
            [((0x18, 1), vec![3; 4096]), ((0x18, 2), vec![1, 2])]
        );
        fs::remove_dir_all(&root).expect("is there");
        assert_eq!(pci_functions(&root), []);
    }
}
