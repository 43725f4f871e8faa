// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound plans of every method, spoilt by hand in one place each: the checker refuses every one, and names the place.

mod bandwidth;
mod edit;
mod executives;
mod partition;
mod proofs;
mod refresh;
mod server_copies;
mod shares;
mod sound;
mod tables;
mod tasks;
