// SPDX-License-Identifier: MIT OR Apache-2.0
#![allow(clippy::single_range_in_vec_init)]
use super::*;
use std::fs;
use std::path::{Path, PathBuf};

/// A tree of its own, gone at the end.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("fresco-firmware-{name}-{}", std::process::id()));
        fs::create_dir_all(&root).expect("a directory for tests");
        Self(root)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().expect("has one")).expect("a directory for tests");
        fs::write(path, bytes).expect("writable");
        self
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A module of 8 GiB DDR4-2400 with two ranks: 40 bytes, then its strings.
fn module(locator: &str) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    bytes[0] = 17;
    bytes[1] = 40;
    bytes[0x0c..0x0e].copy_from_slice(&8192u16.to_le_bytes());
    bytes[0x10] = 1;
    bytes[0x11] = 2;
    bytes[0x12] = 26;
    bytes[0x15..0x17].copy_from_slice(&2400u16.to_le_bytes());
    bytes[0x1a] = 3;
    bytes[0x1b] = 2;
    bytes.extend(format!("{locator}\0BANK 0\0M378A1G43 \0\0").bytes());
    bytes
}

#[test]
fn a_structure_of_type_17_is_read_by_hand() {
    let device = MemoryDevice::parse(&module("DIMM A1")).expect("a module");
    assert_eq!(
        device.to_string(),
        "DIMM A1 BANK 0: 8192 MiB, type 26, 2400 MT/s, 2 ranks, part \"M378A1G43\""
    );
    let mut other = module("A");
    other[0x0c..0x0e].copy_from_slice(&[0, 0]);
    assert_eq!(
        MemoryDevice::parse(&other).map(|d| d.to_string()).as_deref(),
        Some("A BANK 0: empty")
    );
    // 512 KiB blocks of 1 KiB; unknown; and 64 GiB in the field for large ones.
    other[0x0c..0x0e].copy_from_slice(&(0x8000u16 | 2048).to_le_bytes());
    assert_eq!(MemoryDevice::parse(&other).and_then(|d| d.mebibytes), Some(2));
    other[0x0c..0x0e].copy_from_slice(&[0xff, 0xff]);
    assert_eq!(MemoryDevice::parse(&other).map(|d| d.mebibytes), Some(None));
    other[0x0c..0x0e].copy_from_slice(&[0xff, 0x7f]);
    other[0x1c..0x20].copy_from_slice(&65_536u32.to_le_bytes());
    assert_eq!(MemoryDevice::parse(&other).and_then(|d| d.mebibytes), Some(65_536));
    for end in 0..module("A").len().min(40) {
        assert_eq!(MemoryDevice::parse(&module("A")[..end]), None, "{end} bytes");
    }
}

#[test]
fn ranges_of_a_device_tree_have_cells() {
    let reg = [0, 0, 0, 1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0];
    assert_eq!(parse_memory_reg(&reg, 2, 2), Some(vec![0x1_8000_0000..0x1_c000_0000]));
    // Two pairs of one cell each, the second one of nothing.
    assert_eq!(
        parse_memory_reg(&[0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0, 0], 1, 1),
        Some(vec![0x100..0x300])
    );
    assert_eq!(parse_memory_reg(&reg[1..], 2, 2), None);
    assert_eq!(parse_memory_reg(&[0xff; 16], 2, 2), None);
    assert_eq!(parse_memory_reg(&reg, 3, 1), None);
}

/// A machine with all sources.
fn machine(name: &str) -> Tree {
    let tree = Tree::new(name);
    tree.write("sys/class/dmi/id/bios_vendor", "V\n")
        .write("sys/class/dmi/id/bios_version", "1.2\n")
        .write("sys/class/dmi/id/board_name", "B\n")
        .write("sys/firmware/dmi/entries/17-0/raw", module("A1"))
        .write("sys/firmware/dmi/entries/17-1/raw", module("B1"))
        .write("sys/devices/system/edac/mc/mc0/mc_name", "F10h\n")
        .write(
            "sys/devices/system/edac/mc/mc0/dimm0/dimm_location",
            "csrow 0 channel 1 \n",
        )
        .write(
            "sys/devices/system/edac/mc/mc0/dimm0/dimm_mem_type",
            "Registered-DDR3\n",
        )
        .write("sys/devices/system/edac/mc/mc0/dimm0/size", "4096\n")
        .write("proc/device-tree/#address-cells", [0, 0, 0, 1])
        .write("proc/device-tree/#size-cells", [0, 0, 0, 1])
        .write("proc/device-tree/model", "Board\0")
        .write("proc/device-tree/memory@0/reg", [0, 0, 0, 0, 0x40, 0, 0, 0])
        .write("proc/iomem", "00001000-bfffffff : System RAM\n")
        .write("proc/sys/kernel/osrelease", "6.8.0\n")
        .write("proc/cpuinfo", "model name : P\n");
    tree
}

#[test]
fn a_tree_gives_modules_and_memory() {
    let tree = machine("reading");
    assert_eq!(
        edac_dimms(&tree.0).expect("a controller")[0].to_string(),
        "mc0 F10h csrow 0 channel 1 \"\": Registered-DDR3, 4096 MiB"
    );
    assert_eq!(memory_devices(&tree.0).map(|devices| devices.len()), Some(2));
    let found = DeviceTree::read(&tree.0).expect("a device tree");
    assert_eq!((found.model.as_str(), found.memory), ("Board", vec![0..0x4000_0000]));
    let none = Path::new("/nowhere");
    assert_eq!(
        (edac_dimms(none), memory_devices(none), DeviceTree::read(none)),
        (None, None, None)
    );
}

#[test]
fn what_changed_is_named() {
    let tree = machine("identity");
    let before = Identity::read(&tree.0);
    assert_eq!(before.compare(&Identity::read(&tree.0)), Comparison::default());
    assert!(
        before
            .lines()
            .any(|line| line == ("ranges of memory", "0x1000 to 0xbfffffff"))
    );
    tree.write("sys/class/dmi/id/bios_version", "1.3\n")
        .write("proc/sys/kernel/osrelease", "6.9.0\n");
    fs::remove_dir_all(tree.0.join("sys/firmware/dmi/entries/17-1")).expect("is there");
    fs::remove_dir_all(tree.0.join("sys/devices/system/edac")).expect("is there");
    let comparison = before.compare(&Identity::read(&tree.0));
    assert_eq!(
        comparison.changed,
        [
            "firmware: was V 1.2",
            "firmware: is V 1.3",
            "kernel: was 6.8.0",
            "kernel: is 6.9.0",
            "memory modules: was B1 BANK 0: 8192 MiB, type 26, 2400 MT/s, 2 ranks, part \"M378A1G43\"",
        ]
    );
    assert_eq!(comparison.unchecked, ["memory modules by EDAC"]);
    let text = serde_json::to_string(&before).expect("text and lists");
    assert_eq!(serde_json::from_str::<Identity>(&text).expect("as written"), before);
}

#[test]
fn this_machine_is_the_one_that_it_is() {
    let now = Identity::read(Path::new("/"));
    assert_eq!(now.compare(&Identity::read(Path::new("/"))), Comparison::default());
    assert!(
        now.lines().any(|(source, _)| source == "kernel"),
        "Linux tells its release"
    );
}
