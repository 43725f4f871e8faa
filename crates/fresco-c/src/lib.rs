// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory core as a C library: `include/fresco.h` says what each function does, takes and returns.
//!
//! All of `unsafe` is in this crate, and it is about pointers of the caller alone: a handle is made by `create.rs`, comes back as it was given
//! out, and is used by one thread at a time; structures begin with their size; strings end with a zero. What can be wrong about the rest
//! is an error, not a panic, and a panic is caught before it leaves (`handle.rs`). There is no global state but tables (`tables.rs`).
//!
//! A callback may call functions of its handle, as none runs while the memory is borrowed: all but the one that frees it, and those that move time,
//! which refuse.
#![allow(non_camel_case_types)] // names of C

mod bulk;
mod check;
mod create;
mod handle;
mod info;
mod layout;
mod run;
mod stats;
mod status;
mod tables;
mod types;

pub use bulk::{fresco_memory_drain, fresco_memory_replay, fresco_memory_send_all};
pub use check::fresco_memory_check;
pub use create::{fresco_memory_free, fresco_memory_new, fresco_memory_parse, fresco_version};
pub use handle::{Handle, fresco_memory_error};
pub use info::{fresco_memory_cycle_to_ps, fresco_memory_info, fresco_memory_ps_to_cycle, fresco_memory_region};
pub use run::{
    fresco_memory_advance, fresco_memory_can_take, fresco_memory_next_done, fresco_memory_next_event,
    fresco_memory_now, fresco_memory_on_done, fresco_memory_outstanding, fresco_memory_send, fresco_memory_tick,
};
pub use stats::{fresco_memory_reset_stats, fresco_memory_stats};
pub use status::{
    FRESCO_ERROR_ADDRESS, FRESCO_ERROR_ARGUMENT, FRESCO_ERROR_CYCLE, FRESCO_ERROR_INTERNAL, FRESCO_ERROR_MACHINE,
    FRESCO_ERROR_STATE, FRESCO_FULL, FRESCO_NONE, FRESCO_OK,
};
pub use types::{
    FRESCO_ALL_CHANNELS, FRESCO_CHECK, FRESCO_LAST_CYCLE, FRESCO_LONGEST_GAP, FRESCO_NEVER, fresco_done,
    fresco_done_fn, fresco_info, fresco_options, fresco_request, fresco_stats, fresco_verdict,
};
