// SPDX-License-Identifier: MIT OR Apache-2.0
//! Choosing colors by what they contain, and the refusal where pages cannot choose it.

use super::domain::Domain;
use super::{ColorBit, ColorSpace, LostFunction};
use crate::gf2::{Elimination, low_mask, parity};
use crate::map::{Field, ModuloInterleave, xor_text};
use fresco_input::InputError;
use std::fmt;

/// A demand on addresses: the parity of the masked bits, of those that the functions of the map read ([`crate::Functions`]), is `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The parity function.
    pub mask: u64,
    /// Its value.
    pub value: bool,
}

/// Why no set of colors is what was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectError {
    /// It is decided inside the page, where no placement of pages reaches (CON-4).
    InsidePage {
        /// What was asked for.
        asked: String,
        /// log2 of the page size in bytes.
        page_bits: u32,
        /// The functions of what was asked for that read bits inside the page.
        lost: Vec<LostFunction>,
        /// What pages can choose instead.
        survivors: Vec<ColorBit>,
    },
    /// Granules smaller than a page are dealt over channels, so that a page lies in more than one of them.
    Dealt {
        /// What was asked for.
        asked: String,
        /// log2 of the page size in bytes.
        page_bits: u32,
        /// How granules are dealt.
        interleave: ModuloInterleave,
        /// What pages can choose instead.
        survivors: Vec<ColorBit>,
    },
    /// The function lies outside the page, but no sum of bank functions equals it: it does not select banks.
    NotABankFunction {
        /// The function.
        mask: u64,
        /// What pages can choose.
        survivors: Vec<ColorBit>,
    },
    /// Rows and columns select no bank.
    NotASelector {
        /// The field.
        field: Field,
    },
    /// There is no such node, channel, rank, bank group or bank.
    NoSuch {
        /// The field.
        field: Field,
        /// The value asked for.
        value: u32,
        /// How many there are.
        count: u32,
    },
}

impl SelectError {
    /// The error as bad input of a file or an option.
    pub fn into_input(self, source: impl Into<String>) -> InputError {
        let (allowed, help) = match &self {
            Self::InsidePage { survivors, .. } | Self::Dealt { survivors, .. } => (
                choices(survivors),
                "choose one of these, a smaller page, or another interleave in the firmware",
            ),
            Self::NotABankFunction { survivors, .. } => (choices(survivors), "choose among the functions of the map"),
            Self::NotASelector { .. } => (
                "node, channel, rank, bank group or bank".to_owned(),
                "choose by one of these",
            ),
            Self::NoSuch { field, count, .. } => (format!("{field} 0 to {}", count - 1), "choose one that exists"),
        };
        InputError::new(source, self.to_string()).allowed(allowed).help(help)
    }
}

fn choices(bits: &[ColorBit]) -> String {
    if bits.is_empty() {
        return "nothing: pages of this size have one color".to_owned();
    }
    bits.iter().map(ColorBit::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for SelectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InsidePage {
                asked, page_bits, lost, ..
            } => {
                write!(f, "pages of 2^{page_bits} bytes cannot choose {asked}")?;
                for (i, lost) in lost.iter().enumerate() {
                    write!(f, "{} {lost}", if i == 0 { ":" } else { ";" })?;
                }
                Ok(())
            }
            Self::Dealt {
                asked,
                page_bits,
                interleave,
                ..
            } => write!(
                f,
                "pages of 2^{page_bits} bytes cannot choose {asked}: granules of 2^{} bytes are dealt over {} ways of the \
                 channels, so that one page lies on several",
                interleave.granule_bits(),
                interleave.ways()
            ),
            Self::NotABankFunction { mask, .. } => write!(f, "{} selects no bank", xor_text(*mask)),
            Self::NotASelector { field } => write!(f, "a {field} selects no bank"),
            Self::NoSuch { field, value, count } => write!(f, "{field} {value} of {count}"),
        }
    }
}

impl std::error::Error for SelectError {}

impl ColorSpace {
    /// The bank colors whose pages satisfy all constraints, ascending.
    ///
    /// # Errors
    /// [`SelectError::InsidePage`] and [`SelectError::NotABankFunction`].
    pub fn select(&self, constraints: &[Constraint]) -> Result<Vec<u32>, SelectError> {
        let mut selected = Vec::new();
        for domain in self.domains() {
            let constraints = constraints
                .iter()
                .map(|c| self.on_colors(domain, c))
                .collect::<Result<Vec<_>, SelectError>>()?;
            let fits = |color: u64| constraints.iter().all(|c| (parity(color & c.mask) == 1) == c.value);
            selected.extend(
                (0..domain.colors())
                    .filter(|&color| fits(u64::from(color)))
                    .map(|color| domain.first + color),
            );
        }
        Ok(selected)
    }

    /// The bank colors all of whose banks have this node, channel, rank, bank group or bank, ascending.
    ///
    /// # Errors
    /// [`SelectError::InsidePage`] if a page spans several values, [`SelectError::NoSuch`] if the value does not
    /// exist, [`SelectError::NotASelector`] for rows and columns.
    pub fn select_field(&self, field: Field, value: u32) -> Result<Vec<u32>, SelectError> {
        let by_range = field == Field::Node && self.domains()[0].node.is_some();
        if by_range {
            let count = self.domains().len() as u32;
            let Some(domain) = self.domains().iter().find(|domain| domain.node == Some(value)) else {
                return Err(SelectError::NoSuch { field, value, count });
            };
            return Ok((domain.first..domain.first + domain.colors()).collect());
        }
        let domain = &self.domains()[0];
        if !Field::SELECTORS.contains(&field) {
            return Err(SelectError::NotASelector { field });
        }
        let width = domain.selectors.iter().filter(|(name, _)| name.field == field).count();
        let interleave = domain.interleave.filter(|_| field == Field::Channel);
        let count = interleave.map_or(1, |interleave| interleave.ways()) << width;
        if value >= count {
            return Err(SelectError::NoSuch { field, value, count });
        }
        let mut colors: Vec<u32> = Vec::new();
        for domain in self.domains() {
            let lost = domain.lost(Some(field), self.page_bits());
            if !lost.is_empty() {
                let (asked, page_bits) = (format!("{field} {value}"), self.page_bits());
                return Err(SelectError::InsidePage {
                    asked,
                    page_bits,
                    lost,
                    survivors: domain.bits(),
                });
            }
            if let Some(interleave) = interleave.filter(|_| domain.ways() == 1) {
                return Err(SelectError::Dealt {
                    asked: format!("{field} {value}"),
                    page_bits: self.page_bits(),
                    interleave,
                    survivors: domain.bits(),
                });
            }
            // Each function of the field is a color bit of its own: a usable selector is in the reduced kernel.
            let constraints: Vec<(usize, u32)> = domain
                .combinations
                .iter()
                .enumerate()
                .filter(|(_, combination)| combination.is_power_of_two())
                .map(|(bit, combination)| (bit, domain.selectors[combination.trailing_zeros() as usize].0))
                .filter(|(_, name)| name.field == field)
                .map(|(bit, name)| (bit, value >> name.bit & 1))
                .collect();
            debug_assert_eq!(constraints.len(), width);
            colors.extend(
                (0..domain.colors())
                    .filter(|color| interleave.is_none() || color >> domain.functions.len() == value >> width)
                    .filter(|color| constraints.iter().all(|&(bit, value)| color >> bit & 1 == value))
                    .map(|color| domain.first + color),
            );
        }
        Ok(colors)
    }

    /// A constraint on addresses as one on the bits of the color.
    fn on_colors(&self, domain: &Domain, constraint: &Constraint) -> Result<Constraint, SelectError> {
        let mask = constraint.mask;
        if mask & low_mask(self.page_bits()) != 0 {
            let (asked, page_bits) = (xor_text(mask), self.page_bits());
            let lost = domain
                .lost(None, page_bits)
                .into_iter()
                .filter(|lost| lost.function & mask != 0)
                .collect();
            return Err(SelectError::InsidePage {
                asked,
                page_bits,
                lost,
                survivors: domain.bits(),
            });
        }
        let mut elimination = Elimination::new();
        for &function in &domain.functions {
            elimination.insert(function);
        }
        match elimination.express(mask) {
            Some(mask) => Ok(Constraint {
                mask,
                value: constraint.value,
            }),
            None => Err(SelectError::NotABankFunction {
                mask,
                survivors: domain.bits(),
            }),
        }
    }
}
