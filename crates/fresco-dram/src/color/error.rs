// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a machine has no colors to speak of.

use fresco_input::InputError;
use std::fmt;

/// Why no color space can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColorError {
    /// The page size is no power of two below 2^64.
    PageBits {
        /// log2 of the page size, as given.
        page_bits: u32,
    },
    /// A region starts, ends or is offset within a page, so that a page would belong to two maps.
    Unaligned {
        /// `base`, `size` or `offset`.
        what: &'static str,
        /// Its value in bytes.
        value: u64,
        /// log2 of the page size.
        page_bits: u32,
    },
    /// The address offset has so low a bit set, and the LLC hash reads so high ones, that which colors meet cannot be
    /// decided in reasonable time.
    FineOffset {
        /// The offset in bytes.
        offset: u64,
    },
    /// There are more (bank color, LLC color) pairs than can be tabulated.
    TooManyColors {
        /// Bank colors.
        bank: u64,
        /// LLC colors.
        llc: u64,
        /// Pairs that there may be.
        most: u64,
    },
}

/// Pairs of bank and LLC color that a color space may have: the table of pairs takes one bit each.
pub(super) const MAX_PAIRS: u64 = 1 << 24;
/// The same where granules are dealt over channels: finding them takes a table of counts for each of the carries.
pub(super) const MAX_DEALT_PAIRS: u64 = 1 << 20;

impl ColorError {
    /// The error as bad input of a file.
    pub fn into_input(self, file: impl Into<String>, field: impl Into<String>) -> InputError {
        let (allowed, help) = match self {
            Self::PageBits { .. } => (
                "a power of two below 2^64 bytes",
                "give the page size of the operating system",
            ),
            Self::Unaligned { .. } => (
                "base, size and offset in multiples of the page",
                "use a smaller page, or round the region to pages",
            ),
            Self::FineOffset { .. } => (
                "an offset in multiples of a large power of two, or an LLC indexed by low bits",
                "round the offset to what the hardware subtracts, or leave the LLC hash out",
            ),
            Self::TooManyColors { .. } => (
                "at most 2^24 pairs of colors, 2^20 where channels are no power of two",
                "use larger pages or fewer functions",
            ),
        };
        InputError::new(file, self.to_string())
            .in_field(field)
            .allowed(allowed)
            .help(help)
    }
}

impl fmt::Display for ColorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PageBits { page_bits } => write!(f, "a page of 2^{page_bits} bytes does not fit an address"),
            Self::Unaligned { what, value, page_bits } => write!(
                f,
                "the {what} {value:#x} of a region is no multiple of the page size of 2^{page_bits} bytes: a page \
                 would lie in two address maps"
            ),
            Self::FineOffset { offset } => write!(
                f,
                "the offset {offset:#x} has too low a bit set to combine its bank functions with an LLC hash of high \
                 address bits"
            ),
            Self::TooManyColors { bank, llc, most } => {
                write!(f, "{bank} bank colors and {llc} LLC colors make more than {most} pairs")
            }
        }
    }
}

impl std::error::Error for ColorError {}
