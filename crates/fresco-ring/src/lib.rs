// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory that a recorder shares with the emulator that runs a program, or a whole machine.
//!
//! It is cut into segments. Each thread of the program fills a segment of its own, word by word, and takes another one when
//! it is full; the recorder reads full segments, in the order of each thread, and frees them. A thread that finds no free
//! segment waits: that is the back pressure. How far a thread has come is in the shared memory too, after each word: if the
//! program dies, by whatever signal, the recorder finds all it had written.
//!
//! One more stream, [`layout::DEFINITIONS`], carries what is said once (the instructions of a block, the map of memory). The
//! recorder reads it as far as it goes whenever a thread mentions something that it does not know yet.

pub mod event;
mod guest;
mod host;
pub mod layout;
pub mod physical;
#[cfg(test)]
mod tests;
pub mod turn;
mod until;

pub use guest::Guest;
pub use host::{Host, Taken};
pub use turn::Wanted;
pub use until::{Part, Until};
