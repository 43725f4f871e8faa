// SPDX-License-Identifier: MIT OR Apache-2.0
//! Caches indexed by physical address: private levels of a core, and the shared last level.
//!
//! All are write-back and write-allocate. Only tags are kept, never data. Private caches are coherent where a machine asks for it (`copies.rs`); else
//! what one core stores changes nothing in the caches of others, which is right for programs that share no lines that they write.

mod copies;
mod dueling;
mod group;
mod index;
mod leaving;
mod lru;
mod order;
mod prefetch;
mod private;
mod qlru;
mod set_associative;
mod srrip;
mod stats;
mod table_reads;
mod tree_plru;

#[cfg(test)]
mod tests;

pub use copies::{CoherenceCounts, Left, LineState};
pub use leaving::{Leaving, LeavingLines};
pub use prefetch::{PrefetchCounts, Prefetched, Wanted};
pub use private::{PrivateCaches, PrivateOutcome, Watched};
pub use set_associative::{Cache, Victim};
pub use stats::SourceStats;
pub use table_reads::TableRead;
