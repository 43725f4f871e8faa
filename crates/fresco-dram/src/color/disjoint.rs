// SPDX-License-Identifier: MIT OR Apache-2.0
//! Proof that two colors share no bank.

use super::ColorSpace;
use crate::map::{FunctionName, xor_text};
use std::collections::BTreeSet;
use std::fmt;

/// Why two colors share no bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separation {
    /// A sum of bank-selecting functions is constant on the pages of each color, and differs: a bank has one value
    /// of every such sum, so no bank belongs to both.
    Parity {
        /// The sum, a mask over the bits that the functions of the map read ([`crate::Functions`]).
        function: u64,
        /// The functions of the map whose sum it is.
        sum_of: Vec<FunctionName>,
        /// Its value on the first and on the second color.
        values: [bool; 2],
    },
    /// Granules are dealt over ways of channels, and the pages of each color lie in one way, not the same.
    Ways {
        /// The way of the first and of the second color.
        ways: [u32; 2],
    },
    /// The colors belong to different nodes, which own disjoint ranges of addresses.
    Nodes {
        /// The node of the first and of the second color.
        nodes: [u32; 2],
    },
}

impl fmt::Display for Separation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parity {
                function,
                sum_of,
                values: [a, b],
            } => {
                let names: Vec<String> = sum_of.iter().map(FunctionName::to_string).collect();
                write!(
                    f,
                    "{} = {} is {} in one and {} in the other",
                    names.join(" ^ "),
                    xor_text(*function),
                    u8::from(*a),
                    u8::from(*b)
                )
            }
            Self::Ways { ways: [a, b] } => write!(f, "one lies in way {a} of the channels, the other in way {b}"),
            Self::Nodes { nodes: [a, b] } => write!(f, "one lies on node {a}, the other on node {b}"),
        }
    }
}

/// The banks that two colors, or two sets of colors, share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedBanks {
    /// Bank numbers ([`crate::Location::bank_in_machine`]), ascending.
    pub banks: Vec<u32>,
}

impl fmt::Display for SharedBanks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "both contain bank {}", super::format_list(&self.banks))
    }
}

impl std::error::Error for SharedBanks {}

impl ColorSpace {
    /// Proves that two bank colors share no bank.
    ///
    /// # Errors
    /// [`SharedBanks`] if they do, which is exactly if they are equal.
    pub fn disjoint(&self, a: u32, b: u32) -> Result<Separation, SharedBanks> {
        let (of_a, of_b) = (self.domain(a), self.domain(b));
        if of_a.first != of_b.first {
            let nodes = [of_a.node.unwrap_or(0), of_b.node.unwrap_or(0)];
            return Ok(Separation::Nodes { nodes });
        }
        if a == b {
            return Err(SharedBanks { banks: self.banks(a) });
        }
        if let (Some(way_a), Some(way_b)) = (of_a.way(a), of_a.way(b))
            && way_a != way_b
        {
            return Ok(Separation::Ways { ways: [way_a, way_b] });
        }
        let bit = ((a - of_a.first) ^ (b - of_a.first)).trailing_zeros();
        let separating = of_a.bits().swap_remove(bit as usize);
        let value = |color: u32| ((color - of_a.first) >> bit) & 1 == 1;
        Ok(Separation::Parity {
            function: separating.function,
            sum_of: separating.sum_of,
            values: [value(a), value(b)],
        })
    }

    /// Checks that two sets of bank colors share no bank.
    ///
    /// # Errors
    /// [`SharedBanks`] with all banks that they share.
    pub fn disjoint_sets(&self, a: &[u32], b: &[u32]) -> Result<(), SharedBanks> {
        let banks = |colors: &[u32]| {
            colors
                .iter()
                .flat_map(|&color| self.banks(color))
                .collect::<BTreeSet<u32>>()
        };
        let shared: Vec<u32> = banks(a).intersection(&banks(b)).copied().collect();
        if shared.is_empty() {
            Ok(())
        } else {
            Err(SharedBanks { banks: shared })
        }
    }
}
