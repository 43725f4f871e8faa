// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a memory is, and how long its cycles are.

use crate::handle::{Handle, enter};
use crate::layout::give;
use crate::status::{FRESCO_OK, Failure};
use crate::types::fresco_info;
use fresco_machine::{MemoryConfig, Queues};
use fresco_memory::embedded::Memory;
use std::ffi::c_int;

/// Reads and writes that all queues hold. A front queue holds both, and both wait for places behind it.
fn places(config: &MemoryConfig) -> (u32, u32) {
    let org = &config.organisation;
    let channels = org.nodes * org.channels;
    let reads = match config.controller.queues {
        Queues::Global { reads, .. } => reads * channels,
        Queues::PerBank { reads_per_bank, .. } => reads_per_bank * org.banks_total(),
        Queues::FrontQueue { front, .. } => front * org.nodes,
    };
    let (Queues::Global { writes, .. } | Queues::PerBank { writes, .. } | Queues::FrontQueue { writes, .. }) =
        config.controller.queues;
    (reads, writes * channels)
}

fn info(memory: &Memory, config: &MemoryConfig) -> fresco_info {
    let org = &config.organisation;
    let (read_places, write_places) = places(config);
    fresco_info {
        size: size_of::<fresco_info>(),
        capacity: memory.map().capacity(),
        line_bytes: memory.line_bytes(),
        cycle_ps: memory.clock().period_ps(),
        regions: memory.map().regions().len() as u32,
        nodes: org.nodes,
        channels: org.nodes * org.channels,
        ranks: org.ranks,
        bank_groups: org.bank_groups,
        banks: org.banks,
        bus_bits: 8 * org.bus_bytes,
        line_transfers: (memory.line_bytes() / u64::from(org.bus_bytes)) as u32,
        read_places,
        write_places,
    }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `to` is null or points to a structure with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_info(handle: *mut Handle, to: *mut fresco_info) -> c_int {
    let work = |handle: &mut Handle| {
        let info = info(&handle.memory, &handle.config);
        // SAFETY: as the caller promises.
        unsafe { give(to, "fresco_info", &info)? };
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `base` and `bytes` are null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_region(
    handle: *mut Handle,
    index: u32,
    base: *mut u64,
    bytes: *mut u64,
) -> c_int {
    let work = |handle: &mut Handle| {
        let regions = handle.memory.map().regions();
        let Some(region) = regions.get(index as usize) else {
            return Err(Failure::argument(format!(
                "found region {index}, allowed: below {}",
                regions.len()
            )));
        };
        if base.is_null() || bytes.is_null() {
            return Err(Failure::argument("found a null pointer for a region's base or size"));
        }
        // SAFETY: as the caller promises.
        unsafe { base.write(region.base) };
        // SAFETY: as the caller promises.
        unsafe { bytes.write(region.end() - region.base) };
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_cycle_to_ps(handle: *const Handle, cycle: u64) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.map_or(0, |handle| handle.memory.clock().to_ps(cycle))
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_ps_to_cycle(handle: *const Handle, ps: u64) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.map_or(0, |handle| handle.memory.clock().cycle_at_or_after(ps))
}
