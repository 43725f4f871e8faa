// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory modules by the firmware's table: structures of type 17 (SMBIOS reference specification, DSP0134, 7.18).

use super::numbered;
use serde::Serialize;
use std::path::Path;

/// The type of these structures.
const MEMORY_DEVICE: u8 = 17;
/// Bytes of a structure that are read at most.
const MOST_BYTES: usize = 4096;

/// A place for a memory module, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MemoryDevice {
    /// Where it is, as the board names it.
    pub locator: String,
    /// The bank that it belongs to, as the board names it.
    pub bank: String,
    /// Size in MiB; 0 if there is none, `None` if the firmware does not know.
    pub mebibytes: Option<u64>,
    /// Type by number: 24 is DDR3, 26 DDR4, 34 DDR5.
    pub kind: u8,
    /// Megatransfers per second; 0 if unknown.
    pub speed: u16,
    /// Ranks; 0 if unknown.
    pub ranks: u8,
    /// Part number.
    pub part: String,
}

impl MemoryDevice {
    /// Reads a structure with its strings. `None` if it is none of type 17, or ends too early.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let length = usize::from(*bytes.get(1)?);
        if bytes.first() != Some(&MEMORY_DEVICE) || length < 0x15 || bytes.len() < length {
            return None;
        }
        let (fixed, strings) = bytes.split_at(length);
        let byte = |offset: usize| fixed.get(offset).copied();
        let word = |offset: usize| Some(u16::from_le_bytes([byte(offset)?, byte(offset + 1)?]));
        // Strings are counted from 1, and end with a zero each.
        let string = |offset: usize| -> String {
            let Some(index) = byte(offset).and_then(|number| usize::from(number).checked_sub(1)) else {
                return String::new();
            };
            let text = strings
                .split(|byte| *byte == 0)
                .take_while(|text| !text.is_empty())
                .nth(index);
            let text = String::from_utf8_lossy(text.unwrap_or_default());
            text.chars()
                .filter(|c| !c.is_control())
                .collect::<String>()
                .trim()
                .to_owned()
        };
        let mebibytes = match word(0x0c)? {
            0xffff => None,
            0x7fff => {
                let (low, high) = (word(0x1c)?, word(0x1e)?);
                Some(u64::from(high & 0x7fff) << 16 | u64::from(low))
            }
            // In KiB, if the top bit is set.
            size if size >> 15 == 1 => Some(u64::from(size & 0x7fff) >> 10),
            size => Some(u64::from(size)),
        };
        Some(Self {
            locator: string(0x10),
            bank: string(0x11),
            mebibytes,
            kind: byte(0x12)?,
            speed: word(0x15).unwrap_or(0),
            ranks: byte(0x1b).unwrap_or(0) & 15,
            part: string(0x1a),
        })
    }
}

impl std::fmt::Display for MemoryDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            locator,
            bank,
            kind,
            speed,
            ranks,
            part,
            ..
        } = self;
        match self.mebibytes {
            Some(0) => write!(f, "{locator} {bank}: empty"),
            None => write!(f, "{locator} {bank}: size unknown, type {kind}, part {part:?}"),
            Some(size) => write!(
                f,
                "{locator} {bank}: {size} MiB, type {kind}, {speed} MT/s, {ranks} ranks, part {part:?}"
            ),
        }
    }
}

/// The places for memory modules by `sys/firmware/dmi/entries` under `root`, in the firmware's order. `None` if the
/// table cannot be read (it takes root), or has none.
pub fn memory_devices(root: &Path) -> Option<Vec<MemoryDevice>> {
    let entries = numbered(&root.join("sys/firmware/dmi/entries"), "17-");
    let read = |path: &Path| {
        let mut bytes = std::fs::read(path.join("raw")).ok()?;
        bytes.truncate(MOST_BYTES);
        MemoryDevice::parse(&bytes)
    };
    let devices: Option<Vec<MemoryDevice>> = entries.iter().map(|(_, path)| read(path)).collect();
    devices.filter(|devices| !devices.is_empty())
}
