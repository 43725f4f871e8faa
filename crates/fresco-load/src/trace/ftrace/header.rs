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

/// What the addresses of accesses are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Addresses {
    /// Those of a program: where they lie in memory, page tables say.
    #[default]
    Virtual,
    /// Those of the memory itself, as of a processor that was recorded with its operating system.
    Physical,
}

impl Addresses {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Virtual => "virtual",
            Self::Physical => "physical",
        }
    }
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
    /// What the addresses are, of a trace in instructions; in cycles they are those of the memory whatever this says.
    pub addresses: Addresses,
    /// Number of records, if it was known when writing began.
    pub expected: Option<u64>,
}
