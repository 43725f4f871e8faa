// SPDX-License-Identifier: MIT OR Apache-2.0
//! Why a map has no row domains to speak of.

use fresco_input::{InputError, format_size};

/// Why a memory cannot be divided into row domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainError {
    /// Channels that are no power of two are dealt granule by granule, and rows are no parity functions of addresses.
    Dealt {
        /// Channels of a node.
        channels: u32,
    },
    /// A region starts, ends or is offset within a page.
    Unaligned {
        /// Address of its first byte.
        base: u64,
        /// Bytes of a page.
        page_bytes: u64,
    },
    /// A domain would be less than a row of each bank, or more than the memory.
    Size {
        /// As asked for, in bytes.
        found: u64,
        /// One row of each bank, in bytes.
        least: u64,
        /// The memory that is divided, in bytes.
        most: u64,
    },
    /// No page is left in some domain: guards and pages that reach across take all.
    NothingLeft {
        /// Rows of a domain.
        rows: u32,
        /// Rows of a bank that one page lies in.
        page_rows: u32,
        /// Rows between domains.
        blast: u32,
        /// Rows of a block within which devices may reorder them.
        block: u32,
    },
}

impl DomainError {
    /// Returns true if another size of the domains may help; else the map has none.
    pub fn is_of_size(&self) -> bool {
        matches!(self, Self::Size { .. } | Self::NothingLeft { .. })
    }

    /// The error as bad input: of the map, which is that of `source`, or of what asks for it. `key` spells the name of an option or key: `size`,
    /// `page`, `blast` or `blocks`.
    pub fn into_input(self, source: &str, key: impl Fn(&str) -> String) -> InputError {
        match self {
            Self::Dealt { channels } => InputError::new(source, format!("{channels} channels are no power of two: granules are dealt over them"))
                .allowed("maps whose rows are selected by parity functions of the address")
                .help("domains of such machines are not computed"),
            Self::Unaligned { base, page_bytes } => {
                InputError::new(source, format!("the region from {base:#x} on starts, ends or is offset within a page of {}", format_size(page_bytes)))
                    .allowed("regions of whole pages")
                    .help(format!("give a smaller {}", key("page")))
            }
            Self::Size { found, least, most } => InputError::new(key("size"), format!("found {}", format_size(found)))
                .allowed(format!("{} (one row of each bank) to {}", format_size(least), format_size(most)))
                .help("choose a size in between; it is rounded up to whole rows"),
            Self::NothingLeft {
                rows,
                page_rows,
                blast,
                block,
            } => InputError::new(
                key("size"),
                format!(
                    "found domains of {} of each bank that have no page left: a page lies in {}, and {} stay empty between domains",
                    count(rows),
                    match page_rows {
                        1 => count(1),
                        many => format!("{}, which may be far apart", count(many)),
                    },
                    blast.next_multiple_of(block),
                ),
            )
            .allowed("domains of which pages are left")
            .help(format!(
                "give a larger {}, a smaller {}, a smaller {} or {}",
                key("size"),
                key("page"),
                key("blast"),
                key("blocks")
            )),
        }
    }
}

/// So many rows.
fn count(rows: u32) -> String {
    match rows {
        1 => "1 row".to_owned(),
        many => format!("{many} rows"),
    }
}
