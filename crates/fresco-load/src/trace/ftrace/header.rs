// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace says about itself.

/// Bytes of the longest text in a header.
pub(super) const MAX_TEXT: usize = 255;

/// What the gaps of a trace count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Instructions of the thread: a trace of programs.
    #[default]
    Instructions,
    /// Cycles of the memory controller: a trace of requests with arrival times.
    Cycles,
}

/// The header of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The program traced; at most 255 bytes.
    pub program: String,
    /// The tool that wrote the trace, and its version; at most 255 bytes.
    pub tool: String,
    /// Seed of the program or generator.
    pub seed: u64,
    /// What the gaps count.
    pub unit: Unit,
    /// Number of records, if it was known when writing began.
    pub expected: Option<u64>,
}
