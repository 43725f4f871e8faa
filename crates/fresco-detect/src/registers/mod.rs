// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps from the registers of memory controllers, without timing (MAP-2, MAP-6).
//!
//! A family of controllers is a [`Family`]: it knows its registers by their identity and finds the place of an address.
//! The map is then derived from the places of addresses that differ in one bit, and proved to be what the family says.

mod derive;
mod dump;
pub mod family10h;

pub use derive::derive;
pub use dump::{Dump, Function};

use fresco_dram::{AddressMap, Location, Organisation};
use fresco_input::InputError;
use std::ops::Range;

/// Memory controllers whose registers are understood.
pub trait Family {
    /// The shape of the memory.
    fn organisation(&self) -> Organisation;
    /// Returns true if the range of an address decides its node, false if functions of the address do.
    fn nodes_by_range(&self) -> bool {
        true
    }
    /// The ranges of physical addresses with memory of one node each, ascending, and the node. Where functions decide the
    /// node, all ranges count as node 0.
    fn ranges(&self) -> Vec<(Range<u64>, u32)>;
    /// The place of an address; `None` where the registers name none.
    fn place(&self, address: u64) -> Option<Location>;
}

/// A family of controllers: how it is known, and how its registers are read.
pub struct Known {
    /// Its name.
    pub name: &'static str,
    /// By what a dump shows it.
    pub shown_by: &'static str,
    /// Returns true if a dump shows it.
    pub is_there: fn(&Dump) -> bool,
    /// Reads and checks the registers.
    pub read: fn(&Dump) -> Result<Box<dyn Family>, InputError>,
}

/// The families that are decoded.
pub const FAMILIES: [Known; 1] = [family10h::KNOWN];

/// The family that a dump shows; `None` if it is none that is decoded.
pub fn family_of(dump: &Dump) -> Option<&'static Known> {
    const ALL: &[Known] = &FAMILIES;
    ALL.iter().find(|known| (known.is_there)(dump))
}

/// The map that a dump of registers describes.
///
/// # Errors
/// The dump shows no controller of a known family, lacks registers, or describes a memory that is none of those that the
/// decoder knows.
pub fn map_of(dump: &Dump) -> Result<AddressMap, InputError> {
    let Some(known) = family_of(dump) else {
        let all = FAMILIES.map(|known| format!("{}: {}", known.name, known.shown_by));
        return Err(
            InputError::new(dump.file().to_owned(), "found no memory controller of a known family")
                .allowed(all.join("; "))
                .help("find the map by timing, or write a machine file from the vendor's documents"),
        );
    };
    derive((known.read)(dump)?.as_ref(), dump.file())
}

/// Entry point for fuzzing: a dump is decoded to a map that is one to one, or refused.
pub fn fuzz_dump(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(map) = Dump::parse(text, "dump").and_then(|dump| map_of(&dump)) {
        let region = &map.regions()[0];
        assert!(map.decode(fresco_dram::PhysAddr(region.base)).is_some());
    }
}
