// SPDX-License-Identifier: MIT OR Apache-2.0
//! What channels counted.

use crate::handle::{Handle, enter};
use crate::layout::give;
use crate::status::{FRESCO_OK, Failure};
use crate::types::{FRESCO_ALL_CHANNELS, fresco_stats};
use fresco_dram::CommandKind as Kind;
use fresco_memory::controller::ChannelStats;
use std::ffi::c_int;

fn c_stats(counted: &[ChannelStats]) -> fresco_stats {
    let mut all = fresco_stats {
        size: size_of::<fresco_stats>(),
        ..fresco_stats::default()
    };
    for channel in counted {
        all.reads += channel.reads;
        all.writes += channel.writes;
        all.forwarded += channel.forwarded;
        all.merged += channel.merged;
        all.row_hits += channel.row_hits;
        all.row_misses += channel.row_misses;
        all.row_conflicts += channel.row_conflicts;
        all.data_cycles += channel.data_cycles;
        all.read_queue_integral += channel.read_queue_integral;
        all.read_queue_max = all.read_queue_max.max(channel.read_queue_max.into());
        all.write_queue_integral += channel.write_queue_integral;
        all.write_queue_max = all.write_queue_max.max(channel.write_queue_max.into());
        all.rank_active_cycles += channel.rank_active_cycles;
        for kind in Kind::ALL {
            *match kind {
                Kind::Act => &mut all.act,
                Kind::Pre => &mut all.pre,
                Kind::PreAll => &mut all.prea,
                Kind::Rd => &mut all.rd,
                Kind::RdA => &mut all.rda,
                Kind::Wr => &mut all.wr,
                Kind::WrA => &mut all.wra,
                Kind::RefAb => &mut all.ref_ab,
                Kind::RefAb4 => &mut all.ref_ab4,
                Kind::RefPb => &mut all.ref_pb,
                Kind::RefSb => &mut all.ref_sb,
                Kind::RfmAb => &mut all.rfm_ab,
                Kind::RfmSb => &mut all.rfm_sb,
            } += channel.command(kind);
        }
    }
    all
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `to` is null or points to a structure with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_stats(handle: *mut Handle, channel: u32, to: *mut fresco_stats) -> c_int {
    let work = |handle: &mut Handle| {
        let counted = handle.memory.stats();
        let counted = match channel {
            FRESCO_ALL_CHANNELS => &counted[..],
            channel => {
                let i = channel as usize;
                counted.get(i..=i).ok_or_else(|| {
                    Failure::argument(format!(
                        "found channel {channel}, allowed: below {}, or FRESCO_ALL_CHANNELS",
                        counted.len()
                    ))
                })?
            }
        };
        // SAFETY: as the caller promises.
        unsafe { give(to, "fresco_stats", &c_stats(counted))? };
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
pub unsafe extern "C" fn fresco_memory_reset_stats(handle: *mut Handle) -> c_int {
    let work = |handle: &mut Handle| {
        handle.memory.reset_stats();
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}
