// SPDX-License-Identifier: MIT OR Apache-2.0
//! Facts of the partition.

use serde::Serialize;

/// Which memory whose is.
#[derive(Debug, Serialize)]
pub struct PartitionFacts {
    /// Who chooses frames.
    pub policy: String,
    /// A task gets no frame of other colors.
    pub strict: bool,
    /// Parts of the memory.
    pub parts: Vec<PartFacts>,
    /// Each two of them.
    pub pairs: Vec<PairFacts>,
    /// Pages that were looked at one by one, by code that knows no colors.
    pub pages: PageCheck,
    /// Rows of row domains that were looked at; `None` if nobody names domains.
    pub rows: Option<RowCheck>,
}

/// A part, and whose it is.
#[derive(Debug, Serialize)]
pub struct PartFacts {
    /// Its number, from 1.
    pub part: usize,
    /// Tasks and devices with memory in it.
    pub owners: Vec<String>,
    /// Bank colors, as `0-3,8`; `all` if it has no own.
    pub bank_colors: String,
    /// Banks of the machine in these colors.
    pub banks: String,
    /// Colors of the last-level cache.
    pub llc_colors: String,
    /// Ways of the last-level cache.
    pub ways: String,
    /// Row domains.
    pub rows: String,
    /// Its pages among those that were looked at.
    pub pages: u64,
    /// Sets of the last-level cache that these touch.
    pub sets: u64,
}

/// What two parts have in common.
#[derive(Debug, Serialize)]
pub struct PairFacts {
    /// Their numbers.
    pub parts: [usize; 2],
    /// Their banks.
    pub banks: Apart,
    /// Their part of the last-level cache.
    pub cache: Apart,
}

/// Whether two are apart, and why.
#[derive(Debug, Serialize)]
pub struct Apart {
    /// By the functions of the map.
    pub apart: bool,
    /// Why, or what is shared.
    pub why: String,
    /// It follows from colors, so that pages can contradict it.
    pub by_colors: bool,
    /// What pages of both touch of those that were looked at: banks, or sets of the cache.
    pub seen_shared: u64,
}

/// Pages that were looked at.
#[derive(Debug, Serialize)]
pub struct PageCheck {
    /// Pages of the memory.
    pub of_pages: u64,
    /// Pages that were looked at.
    pub pages: u64,
    /// All of them.
    pub exhaustive: bool,
    /// Addresses whose bank or set was worked out.
    pub addresses: u64,
    /// Nothing was seen that contradicts the functions.
    pub agrees: bool,
}

/// Rows that were looked at.
#[derive(Debug, Serialize)]
pub struct RowCheck {
    /// Rows that must be between two owners.
    pub blast: u32,
    /// Rows of the owners.
    pub rows: u64,
    /// What was found.
    pub found: String,
    /// Rows of different owners are further apart.
    pub apart: bool,
}
