// SPDX-License-Identifier: MIT OR Apache-2.0
//! The checksum of the kernel's patches that `scripts/kernel-state` prints: of names and contents of the files that
//! make the measured kernel, as POSIX `cksum` does it.

use std::fs;
use std::io;
use std::path::Path;

/// What a kernel is built from, but for its source. [`unbuilt`] files are left out.
const PARTS: [&str; 4] = ["config/color.config", "config/x86_64.config", "patches", "tree"];

/// Returns true if no image depends on the file: it is a test or documentation.
fn unbuilt(name: &str) -> bool {
    name.starts_with("tree/tools/")
        || name.starts_with("tree/Documentation/")
        || name.ends_with("-selftests.patch")
        || name.ends_with("-documentation.patch")
}

/// The checksum of the patches in `folder`.
///
/// # Errors
/// A file is missing or cannot be read.
pub fn of(folder: &Path) -> io::Result<String> {
    let mut names = Vec::new();
    for part in PARTS {
        println!("cargo:rerun-if-changed={}", folder.join(part).display());
        collect(folder, part, &mut names)?;
    }
    names.retain(|name| !unbuilt(name));
    names.sort();
    let mut bytes = Vec::new();
    for name in names {
        bytes.extend(format!("{name}\n").into_bytes());
        bytes.extend(fs::read(folder.join(name))?);
    }
    Ok(format!("{}-{}", cksum(&bytes), bytes.len()))
}

/// Adds the names of all files at and below `name`.
fn collect(folder: &Path, name: &str, names: &mut Vec<String>) -> io::Result<()> {
    if !folder.join(name).is_dir() {
        names.push(name.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(folder.join(name))? {
        collect(
            folder,
            &format!("{name}/{}", entry?.file_name().to_string_lossy()),
            names,
        )?;
    }
    Ok(())
}

/// CRC of the bytes and of their number, lowest byte first.
fn cksum(bytes: &[u8]) -> u32 {
    let length = bytes.len().to_le_bytes();
    let used = length.len() - bytes.len().leading_zeros() as usize / 8;
    let all = bytes.iter().chain(&length[..used]);
    !all.fold(0, |crc: u32, byte| {
        (0..8).fold(crc ^ (u32::from(*byte) << 24), |crc, _| {
            let carry = crc >> 31;
            (crc << 1) ^ (carry * 0x04c1_1db7)
        })
    })
}
