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
    /// The ranges of physical addresses with memory of one node each, ascending, and the node.
    fn ranges(&self) -> Vec<(Range<u64>, u32)>;
    /// The place of an address; `None` where the registers name none.
    fn place(&self, address: u64) -> Option<Location>;
}

/// The map that a dump of registers describes.
///
/// # Errors
/// The dump shows no controller of a known family, lacks registers, or describes a memory that is none of those that the
/// decoder knows.
pub fn map_of(dump: &Dump) -> Result<AddressMap, InputError> {
    if !family10h::Family10h::is_there(dump) {
        return Err(
            InputError::new(dump.file().to_owned(), "found no memory controller of a known family")
                .allowed("AMD family 10h: functions 00:18.1 and 00:18.2 with the identities 1022:1201 and 1022:1202")
                .cure("find the map by timing, or write a machine file from the vendor's documents"),
        );
    }
    derive(&family10h::Family10h::read(dump)?, dump.file())
}
