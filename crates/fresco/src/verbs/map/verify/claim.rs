// SPDX-License-Identifier: MIT OR Apache-2.0
//! A map that someone gives, as a claim about a memory.

use crate::verbs::map::source::{Map, Source};
use fresco_detect::LINE_BITS;
use fresco_detect::verify::Banks;
use fresco_dram::map::{BankMap, Field, xor_text};
use fresco_dram::{AddressMap, Organisation, PhysAddr};
use fresco_input::InputError;

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

    /// Refuses a function that is the same for all lines of a memory whose addresses end before `end`, or no other than
    /// those before it: no pairs can be chosen to judge it by.
    pub fn check(&self, file: &str, end: u64) -> Result<(), InputError> {
        let Self::Functions(map) = self else { return Ok(()) };
        let bits = 64 - end.saturating_sub(1).leading_zeros();
        let here = 1u64.checked_shl(bits).map_or(u64::MAX, |past| past - 1) & !((1 << LINE_BITS) - 1);
        let mut basis: Vec<u64> = Vec::new();
        for (number, &mask) in map.functions().iter().enumerate() {
            // What is left of it after those before: each of these has a highest bit that no later one has.
            let left = basis.iter().fold(mask & here, |left, &one| left.min(left ^ one));
            let which = format!("found function {number} ({})", xor_text(mask));
            let found = match (mask & here, left) {
                (0, _) => format!("{which}, none of whose bits this memory has"),
                (_, 0) => format!("{which}, which is the XOR of those before it on the bits that this memory has"),
                _ => {
                    basis.push(left);
                    basis.sort_unstable_by(|a, b| b.cmp(a));
                    continue;
                }
            };
            return Err(InputError::new(file, found)
                .allowed(format!(
                    "functions of bits {LINE_BITS} to {}: lower ones lie within a line, higher ones beyond the memory",
                    bits.saturating_sub(1)
                ))
                .help("leave the function out, or name the memory that the map is of"));
        }
        Ok(())
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
                    let by_way = match field {
                        Field::Channel => ways_bits(org),
                        _ => 0,
                    };
                    let ways = std::iter::repeat_n("channel by way".to_owned(), by_way);
                    named.chain(ranges).take(width).chain(ways).collect::<Vec<_>>()
                });
                bits.collect()
            }
        }
    }
}

/// Bits of a bank number for the odd part of the channels.
fn ways_bits(org: &Organisation) -> usize {
    (u32::BITS - (org.odd_ways() - 1).leading_zeros()) as usize
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
            Self::Whole(_) => self.functions().len(),
        }
    }

    fn kind(&self, difference: u64) -> Option<usize> {
        difference
            .is_power_of_two()
            .then(|| difference.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_no_line_of_the_memory_tells_apart_are_named() {
        let check = |functions: &[u64], end| {
            let map = BankMap::new(functions.to_vec(), 0).expect("functions");
            Claim::Functions(&map)
                .check("m", end)
                .map_err(|error| error.to_string())
        };
        let (one, gib4) = (|bit: u32| 1u64 << bit, 1 << 32);
        assert_eq!(check(&[one(6), one(31), one(14) | one(18)], gib4), Ok(()));
        // The rest of the function can be judged.
        assert_eq!(check(&[one(14) | one(40), one(2) | one(15)], gib4), Ok(()));
        assert_eq!(check(&[one(40)], 1 << 41), Ok(()));
        assert_eq!(check(&[one(63)], u64::MAX), Ok(()));
        for (functions, found) in [
            (&[one(40), one(41)][..], "function 0 (40), none"),
            (&[one(14), one(32)], "function 1 (32), none"),
            (&[one(14), one(2)], "function 1 (2), none"),
            (
                &[one(14), one(15), one(14) | one(15) | one(40)],
                "function 2 (14^15^40), which is the XOR",
            ),
        ] {
            let told = check(functions, gib4).expect_err(found);
            assert!(told.contains(found) && told.contains("bits 6 to 31"), "{told}");
        }
    }
}
