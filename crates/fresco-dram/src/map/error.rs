// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a map is refused.

use super::{Field, FunctionName};
use crate::gf2::bits_of;
use fresco_input::InputError;
use std::fmt;

/// A parity function as people write it: `13^17`.
pub fn xor_text(mask: u64) -> String {
    if mask == 0 {
        return "0".into();
    }
    bits_of(mask).map(|bit| bit.to_string()).collect::<Vec<_>>().join("^")
}

/// Why regions and functions do not make an address map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MapError {
    /// A count of the organisation is zero or no power of two, so no set of parity functions can number it.
    NotPowerOfTwo {
        /// Which count (`channel`, `bus_bytes` …).
        what: String,
        /// Its value.
        count: u32,
    },
    /// Channels that are no power of two are not dealt as they must be, or others are.
    Interleave {
        /// Index of the region.
        region: usize,
        /// What is wrong.
        reason: String,
    },
    /// There are more address bits than 64.
    TooLarge {
        /// Address bits that the organisation asks for.
        bits: u32,
    },
    /// There are more than 2^20 banks.
    TooManyBanks {
        /// Bits that select a bank of the machine.
        bits: u32,
    },
    /// There is no region.
    NoRegions,
    /// A region is empty or reaches beyond the 64-bit address space.
    BadRange {
        /// Index of the region.
        region: usize,
    },
    /// Base, size or offset of a region is no multiple of the bus width, so that a transfer would straddle regions.
    SplitTransfer {
        /// Index of the region.
        region: usize,
        /// Width of the bus in bytes.
        bus_bytes: u32,
    },
    /// The offset of a region is above its base, so that an address of the region has no normalised address.
    OffsetAboveBase {
        /// Index of the region.
        region: usize,
    },
    /// Two regions claim the same addresses.
    Overlap {
        /// Index of the lower region.
        first: usize,
        /// Index of the higher region.
        second: usize,
    },
    /// A region has a node although others select it by functions, the node does not exist, or both ways are used.
    NodeSelection {
        /// Index of the region.
        region: usize,
        /// What is wrong.
        reason: String,
    },
    /// Two regions that share a node (or that select the node by functions) have different functions.
    DifferentFunctions {
        /// Index of the first region.
        first: usize,
        /// Index of the region that differs.
        second: usize,
    },
    /// A field has more or fewer functions than its count needs.
    FunctionCount {
        /// Index of the region.
        region: usize,
        /// The field.
        field: Field,
        /// Functions given.
        found: usize,
        /// Functions needed: log2 of the count.
        needed: u32,
    },
    /// A function holds a bit that addresses a byte within one transfer of the bus.
    BelowBus {
        /// Index of the region.
        region: usize,
        /// The function.
        name: FunctionName,
        /// Its mask.
        mask: u64,
        /// Bits that address a byte on the bus: those below this one.
        bus_bits: u32,
    },
    /// The normalised addresses (physical − offset) of a node's regions have a hole, a double cover or a wrong start.
    NotOneBlock {
        /// The node, where it is fixed by range.
        node: Option<u32>,
        /// What is wrong.
        reason: String,
    },
    /// The regions hold more or fewer bytes than the organisation.
    SizeMismatch {
        /// The node, where it is fixed by range.
        node: Option<u32>,
        /// Bytes of the regions.
        found: u64,
        /// Bytes of the organisation.
        needed: u64,
    },
    /// The functions do not number the bytes one to one.
    Singular {
        /// Index of the region.
        region: usize,
        /// Each dependent function, with the functions whose sum it is (none: it is constant).
        dependent: Vec<(FunctionName, Vec<FunctionName>)>,
        /// Address bits that no function reads.
        unused: Vec<u32>,
    },
    /// Bank functions of a partial map are zero, or sums of others.
    DependentSelectors {
        /// Index of the dependent function.
        function: usize,
        /// Indices of the functions whose sum it is; empty if the function is zero.
        sum_of: Vec<usize>,
    },
    /// A partial map cannot be completed to the organisation.
    CannotComplete {
        /// What is wrong.
        reason: String,
    },
}

impl MapError {
    /// The error as bad input of a file.
    pub fn into_input(self, file: impl Into<String>, field: impl Into<String>) -> InputError {
        InputError::new(file, self.to_string())
            .in_field(field)
            .allowed(self.allowed())
            .help(self.help())
    }

    fn allowed(&self) -> &'static str {
        match self {
            Self::NotPowerOfTwo { .. } => "a power of two",
            Self::Interleave { .. } => {
                "a granule of at least a bus transfer where channels are no power of two, and none where they are"
            }
            Self::TooLarge { .. } => "at most 64 address bits",
            Self::TooManyBanks { .. } => "at most 2^20 banks",
            Self::NoRegions => "at least one region",
            Self::BadRange { .. } => "a region of at least one byte that ends below 2^64",
            Self::SplitTransfer { .. } => "base, size and offset in multiples of the bus width",
            Self::OffsetAboveBase { .. } => "an offset of at most the region's base",
            Self::Overlap { .. } => "regions that share no address",
            Self::NodeSelection { .. } => "the node of every region fixed by range, or of none",
            Self::DifferentFunctions { .. } => "the same functions in all regions of a node",
            Self::FunctionCount { .. } => "log2(count) functions per field",
            Self::BelowBus { .. } => "functions over bits at or above the bus width",
            Self::NotOneBlock { .. } => {
                "normalised addresses that fill one block, which begins at a multiple of its size"
            }
            Self::SizeMismatch { .. } => "regions as large as the organisation",
            Self::Singular { .. } => "as many independent functions as address bits",
            Self::DependentSelectors { .. } => "non-zero functions, none of them the XOR of others",
            Self::CannotComplete { .. } => "an organisation that the bank functions fit",
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::NotPowerOfTwo { .. } => {
                "parity functions number powers of two only; channels alone may be another number, of which the odd part \
                 is dealt by granules"
            }
            Self::Interleave { .. } => {
                "give the granule that is dealt to a channel at a time, and the nodes by ranges of addresses"
            }
            Self::TooLarge { .. } => "check rows, columns and counts",
            Self::TooManyBanks { .. } => "check the counts; leave out functions of rows and columns",
            Self::NoRegions => "give the address range of the memory",
            Self::BadRange { .. } | Self::SplitTransfer { .. } => "check base, size and offset",
            Self::OffsetAboveBase { .. } => "give the offset as the bytes to subtract from each physical address",
            Self::Overlap { .. } => "give each address to one region only",
            Self::NodeSelection { .. } => "set `node` in every region, or remove it and give node functions",
            Self::DifferentFunctions { .. } => "repeat the functions, or give the regions different nodes",
            Self::FunctionCount { .. } => "add or remove functions, or correct the count",
            Self::BelowBus { .. } => "leave the bits inside one bus transfer out of the functions",
            Self::NotOneBlock { .. } => "choose the offsets so that the remapped ranges join without gap",
            Self::SizeMismatch { .. } => "correct the sizes, or rows, columns and counts",
            Self::Singular { .. } => "replace each dependent function by one that reads an unused bit",
            Self::DependentSelectors { .. } => "remove the line: it tells no banks apart that the others do not",
            Self::CannotComplete { .. } => "correct the organisation",
        }
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of_node = |node: &Option<u32>| node.map_or(String::new(), |node| format!(" of node {node}"));
        match self {
            Self::NotPowerOfTwo { what, count } => write!(f, "{what} count {count} is not a power of two"),
            Self::Interleave { region, reason } => write!(f, "region {region}: {reason}"),
            Self::TooLarge { bits } => write!(f, "the organisation needs {bits} address bits"),
            Self::TooManyBanks { bits } => write!(f, "found 2^{bits} banks"),
            Self::NoRegions => write!(f, "the map has no region"),
            Self::BadRange { region } => write!(f, "region {region} is empty or ends beyond the address space"),
            Self::SplitTransfer { region, bus_bytes } => {
                write!(
                    f,
                    "base, size or offset of region {region} is no multiple of the bus width of {bus_bytes} bytes"
                )
            }
            Self::OffsetAboveBase { region } => write!(f, "the offset of region {region} is above its base"),
            Self::Overlap { first, second } => write!(f, "regions {first} and {second} overlap"),
            Self::NodeSelection { region, reason } => write!(f, "region {region}: {reason}"),
            Self::DifferentFunctions { first, second } => {
                write!(
                    f,
                    "regions {first} and {second} share a node but have different functions"
                )
            }
            Self::FunctionCount {
                region,
                field,
                found,
                needed,
            } => {
                write!(
                    f,
                    "region {region} has {found} {field} functions where the count needs {needed}"
                )
            }
            Self::BelowBus {
                region,
                name,
                mask,
                bus_bits,
            } => write!(
                f,
                "region {region}: {name} ({}) reads a bit below {bus_bits}, inside one bus transfer",
                xor_text(*mask)
            ),
            Self::NotOneBlock { node, reason } => write!(f, "the regions{} {reason}", of_node(node)),
            Self::SizeMismatch { node, found, needed } => {
                write!(
                    f,
                    "the regions{} hold {found} bytes, the organisation {needed}",
                    of_node(node)
                )
            }
            Self::Singular {
                region,
                dependent,
                unused,
            } => singular(f, *region, dependent, unused),
            Self::DependentSelectors { function, sum_of } if sum_of.is_empty() => {
                write!(f, "function {function} is zero")
            }
            Self::DependentSelectors { function, sum_of } => {
                let others: Vec<String> = sum_of.iter().map(usize::to_string).collect();
                write!(f, "function {function} is the XOR of functions {}", others.join(", "))
            }
            Self::CannotComplete { reason } => f.write_str(reason),
        }
    }
}

fn singular(
    f: &mut fmt::Formatter<'_>,
    region: usize,
    dependent: &[(FunctionName, Vec<FunctionName>)],
    unused: &[u32],
) -> fmt::Result {
    write!(f, "region {region}: the functions do not number the bytes one to one")?;
    for (name, others) in dependent {
        if others.is_empty() {
            write!(f, "; {name} is constant")?;
        } else {
            let others: Vec<String> = others.iter().map(FunctionName::to_string).collect();
            write!(f, "; {name} is the XOR of {}", others.join(", "))?;
        }
    }
    if !unused.is_empty() {
        let bits: Vec<String> = unused.iter().map(u32::to_string).collect();
        write!(f, "; no function reads address bit {}", bits.join(", "))?;
    }
    Ok(())
}

impl std::error::Error for MapError {}
