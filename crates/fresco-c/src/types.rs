// SPDX-License-Identifier: MIT OR Apache-2.0
//! Structures and constants of `fresco.h`, which says what they mean. Those that begin with `size` may get more fields at their ends.

use std::ffi::{c_char, c_void};

/// No cycle.
pub const FRESCO_NEVER: u64 = u64::MAX;
/// The last cycle that a host may name.
pub const FRESCO_LAST_CYCLE: u64 = fresco_memory::embedded::Memory::LAST;
/// Most cycles from one request of many to the next.
pub const FRESCO_LONGEST_GAP: u64 = fresco_dram::LONGEST_GAP;
/// In place of a channel's number: the sum over all.
pub const FRESCO_ALL_CHANNELS: u32 = u32::MAX;
/// A flag of [`fresco_options`]: the checker sees every command.
pub const FRESCO_CHECK: u32 = 1;

/// How a memory is set up.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fresco_options {
    /// Bytes of this structure.
    pub size: usize,
    /// Requests not yet done at most; 0: what the queues hold.
    pub outstanding: u32,
    /// [`FRESCO_CHECK`].
    pub flags: u32,
    /// Strings `key=value` that replace keys of the machine's file.
    pub settings: *const *const c_char,
    /// How many.
    pub settings_count: usize,
}

/// What a memory is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct fresco_info {
    /// Bytes of this structure.
    pub size: usize,
    /// Bytes of memory.
    pub capacity: u64,
    /// Bytes that a request moves.
    pub line_bytes: u64,
    /// Picoseconds of a cycle.
    pub cycle_ps: f64,
    /// Contiguous regions of physical addresses.
    pub regions: u32,
    /// NUMA nodes.
    pub nodes: u32,
    /// Channels of all nodes.
    pub channels: u32,
    /// Ranks of a channel.
    pub ranks: u32,
    /// Bank groups of a rank.
    pub bank_groups: u32,
    /// Banks of a bank group.
    pub banks: u32,
    /// Width of a channel's data bus.
    pub bus_bits: u32,
    /// Data transfers that move a line.
    pub line_transfers: u32,
    /// Reads that the queues of all channels hold.
    pub read_places: u32,
    /// Writes that the buffers of all channels hold.
    pub write_places: u32,
}

/// A request that is done.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct fresco_done {
    /// Bytes of this structure.
    pub size: usize,
    /// The caller's name for it.
    pub tag: u64,
    /// As it was sent.
    pub address: u64,
    /// The cycle in which it arrived.
    pub arrived: u64,
    /// The cycle in which it is done.
    pub at: u64,
    /// Cycles in queues.
    pub wait_queue: u64,
    /// Cycles in which its bank was busy with other rows.
    pub wait_bank: u64,
    /// Cycles in which rank, bank group or data bus were busy.
    pub wait_bus: u64,
    /// Cycles in which its bank was refreshed.
    pub wait_refresh: u64,
    /// Cycles of its own commands and data.
    pub service: u64,
    /// 0: read, 1: write.
    pub is_write: u32,
    /// `FRESCO_HIT` and so on.
    pub outcome: u32,
}

/// One request of many.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fresco_request {
    /// The earliest cycle in which it arrives.
    pub cycle: u64,
    /// Physical byte address.
    pub address: u64,
    /// 0: read; anything else: write.
    pub is_write: u64,
}

/// What a channel counted.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // each is a field of fresco_memory::controller::ChannelStats, or a kind of command
pub struct fresco_stats {
    /// Bytes of this structure.
    pub size: usize,
    pub reads: u64,
    pub writes: u64,
    pub forwarded: u64,
    pub merged: u64,
    pub row_hits: u64,
    pub row_misses: u64,
    pub row_conflicts: u64,
    pub data_cycles: u64,
    pub read_queue_integral: u64,
    pub read_queue_max: u64,
    pub write_queue_integral: u64,
    pub write_queue_max: u64,
    pub rank_active_cycles: u64,
    pub act: u64,
    pub pre: u64,
    pub prea: u64,
    pub rd: u64,
    pub rda: u64,
    pub wr: u64,
    pub wra: u64,
    pub ref_ab: u64,
    pub ref_ab4: u64,
    pub ref_pb: u64,
    pub ref_sb: u64,
    pub rfm_ab: u64,
    pub rfm_sb: u64,
}

/// What the checker found.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct fresco_verdict {
    /// Bytes of this structure.
    pub size: usize,
    /// The cycle up to which commands were judged.
    pub end: u64,
    /// Commands judged.
    pub commands: u64,
    /// Commands too early, or to a bank in the wrong state.
    pub violations: u64,
    /// Rows not refreshed in time.
    pub late_rows: u64,
    /// Banks with too few refreshes.
    pub short_banks: u64,
    /// 1: none of these.
    pub clean: u64,
    /// Pauses of refresh beyond what the standard lets a controller postpone.
    pub long_pauses: u64,
    /// 1: refresh was judged.
    pub refresh_judged: u64,
}

/// What is called for each request that is done.
pub type fresco_done_fn = Option<unsafe extern "C" fn(user: *mut c_void, done: *const fresco_done)>;
