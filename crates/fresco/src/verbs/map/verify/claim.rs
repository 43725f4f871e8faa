// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map that someone gives, as a claim about a memory.

use crate::verbs::map::source::{Map, Source};
use fresco_detect::verify::Banks;
use fresco_dram::map::{BankMap, Field, xor_text};
use fresco_dram::{AddressMap, PhysAddr};

/// Bank functions, or a whole map; banks are numbered so that two that differ least differ in one bit.
pub enum Claim<'m> {
    /// Bank functions alone.
    Functions(&'m BankMap),
    /// A machine's map.
    Whole(&'m AddressMap),
}

impl<'m> Claim<'m> {
    /// The claim of a source.
    pub fn of(source: &'m Source) -> Self {
        match &source.map {
            Map::Machine(machine) => Self::Whole(&machine.memory.map),
            Map::Banks(map, _) => Self::Functions(map),
        }
    }

    /// What tells banks apart, by bit of their number.
    pub fn functions(&self) -> Vec<String> {
        match self {
            Self::Functions(map) => map.functions().iter().map(|mask| xor_text(*mask)).collect(),
            Self::Whole(map) => {
                let org = map.organisation();
                // The number has the node in its highest bits, as `bank_in_machine` has it.
                let fields = [Field::Bank, Field::BankGroup, Field::Rank, Field::Channel, Field::Node];
                let functions = &map.regions()[0].functions;
                let bits = fields.into_iter().flat_map(|field| {
                    let width = field.width(org) as usize;
                    let of = functions.get(field).iter().map(|mask| xor_text(*mask));
                    let named = of.map(move |text| format!("{field} {text}"));
                    // Nodes that ranges decide have no function.
                    let ranges = std::iter::repeat_with(move || format!("{field} by range"));
                    named.chain(ranges).take(width).collect::<Vec<_>>()
                });
                bits.collect()
            }
        }
    }
}

impl Banks for Claim<'_> {
    fn bank(&self, address: u64) -> Option<u64> {
        match self {
            Self::Functions(map) => map.bank(address),
            Self::Whole(map) => {
                let place = map.decode(PhysAddr(address))?;
                Some(u64::from(place.bank_in_machine(map.organisation())))
            }
        }
    }

    fn kinds(&self) -> usize {
        match self {
            Self::Functions(map) => map.functions().len(),
            Self::Whole(map) => map.organisation().banks_total().trailing_zeros() as usize,
        }
    }

    fn kind(&self, difference: u64) -> Option<usize> {
        difference
            .is_power_of_two()
            .then(|| difference.trailing_zeros() as usize)
    }
}
