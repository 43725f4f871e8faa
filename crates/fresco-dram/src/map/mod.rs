// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address maps: from physical addresses to places in the DRAM and back, as parity functions over GF(2), of the address or of
//! what dealing it over an odd number of channels leaves.

mod address_map;
mod bank_map;
mod error;
mod field;
mod group;
mod modulo;
mod region;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
pub mod text;

pub use address_map::AddressMap;
pub use bank_map::BankMap;
pub use error::{MapError, xor_text};
pub use field::{Field, FunctionName, Functions};
pub use modulo::ModuloInterleave;
pub use region::Region;
