// SPDX-License-Identifier: MIT OR Apache-2.0
//! What interference in DRAM can be: the longest that a read takes in a controller, whatever all others do.
//!
//! A bound is made from the timing of the devices, the policies of the controller, and how many requests may be under way
//! at once ([`Crowd`]). Nothing of it is measured, and nothing of it knows the simulation. `docs/bound.md` has the proof.
//!
//! ```
//! use fresco_bound::{Crowd, Dram, read};
//! let machine = fresco_machine::builtin("gem5-2core").expect("built in");
//! // Two cores with one read each under way, in banks of their own, that write nothing.
//! let crowd = Crowd {
//!     reads: 2, of_rank: 2, of_group: 1, of_bank: 1, of_other_ranks: 0, ranks: 1, waiting_writes: 0, front: 0,
//! };
//! let bound = read(&Dram::of(&machine), &crowd).expect("bounded");
//! assert_eq!(bound.drain, 0);
//! assert!(bound.total() - bound.refresh < 200);
//! ```

mod budgets;
mod certificate;
mod columns;
mod crowd;
mod distances;
mod drain;
mod queue;
mod read;
mod refresh;
mod sources;
mod together;
mod traffic;
mod unbounded;
mod unknown;
mod work;

pub use budgets::lines_under_way;
pub use certificate::{Certificate, CertifiedTask, certified_memory, certified_read};
pub use crowd::{Crowd, Dram, displaced_lines};
pub use read::{ReadBound, read};
pub use sources::{Sender, Sources, TaskReads};
pub use together::{Held, Together};
pub use unbounded::Unbounded;
pub use unknown::Unknown;
pub use work::{Alone, WorkBound};
