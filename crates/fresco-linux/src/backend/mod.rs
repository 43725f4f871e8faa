// SPDX-License-Identifier: MIT OR Apache-2.0
//! What gives programs frames of their colors: a library on any kernel, or a kernel with page coloring (`kernel/`).

mod map;
mod ready;
mod translate;
mod tree;

pub use map::{KernelMap, MapRange};
pub use ready::{KernelColors, Refusal, memory_of, ready, release, suggest};
pub use translate::{Mixed, translate};
pub use tree::{ENVIRONMENT, Tree};

use serde::{Deserialize, Serialize};

/// What gives a program its frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Backend {
    /// A library put before the program, on this kernel as it is.
    #[default]
    Stock,
    /// The kernel's page coloring, by `prctl`.
    Kernel,
}

impl Backend {
    /// As options and reports call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Kernel => "kernel",
        }
    }

    /// Returns true for [`Backend::Stock`].
    pub fn is_stock(&self) -> bool {
        *self == Self::Stock
    }

    /// The parts of an address space that it covers.
    pub fn covered(self) -> &'static str {
        match self {
            Self::Stock => {
                "heap (malloc and its family) and private anonymous mappings, of children too once they allocate"
            }
            Self::Kernel => {
                "heap, stacks, data, bss, anonymous and shared memory, copies on write, files that it reads first; \
                 of all that it starts, also static and set-user-ID programs"
            }
        }
    }

    /// Those that it does not.
    pub fn not_covered(self) -> &'static str {
        match self {
            Self::Stock => {
                "program text, data, libraries, stacks, files, shared memory; pages copied after a fork, for some seconds"
            }
            Self::Kernel => {
                "text, libraries and files that are in the page cache already, memory shared with processes without \
                 colors, hugetlb pages, what the kernel keeps for itself (page tables, buffers)"
            }
        }
    }
}
