// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conservation: no frame is lost or held twice, counts agree with lists, frames are where their color says.

use crate::pool::{Class, NONE, Pool};
use crate::{Frames, MAX_ORDER};
use std::fmt;

/// Where the frames of the machine are. The four counts add up to all frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Free, in the buddy system.
    pub buddy: u64,
    /// Free, in color lists.
    pub colored: u64,
    /// Free, in per-CPU lists.
    pub per_cpu: u64,
    /// Held by tasks and the kernel.
    pub held: u64,
}

/// A broken invariant: a fault of this crate, not of its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(String);

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame conservation: {}", self.0)
    }
}

impl std::error::Error for Violation {}

impl Frames {
    /// Checks everything, in time proportional to the machine's blocks: the blocks on lists cover every frame of every
    /// region once; links and lengths of all lists agree; free buddies are merged; color lists hold their color, zone
    /// lists their zone; counters agree with lists; every task holds what its statistics say.
    ///
    /// # Errors
    /// [`Violation`] names the first broken invariant.
    pub fn check(&self) -> Result<Census, Violation> {
        let pool = self.pool();
        covers_all_frames(pool)?;
        let blocks = lists_agree(pool)?;
        let heads = pool.lists.table.heads().count() as u64;
        ensure(blocks == heads, || {
            format!("{heads} blocks in the table, {blocks} on lists")
        })?;
        for (task, slot, held) in self.holdings() {
            let listed = u64::from(pool.lists.len(pool.layout.owned(slot, 0)));
            ensure(listed == held, || {
                format!("{task} holds {listed} frames and counts {held}")
            })?;
        }
        Ok(self.census())
    }

    /// Where the frames are, from counters.
    pub fn census(&self) -> Census {
        let frames = |class| self.pool().lists.frames(class);
        Census {
            buddy: frames(Class::Free),
            colored: frames(Class::Colored),
            per_cpu: frames(Class::PerCpu),
            held: frames(Class::Owned),
        }
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation(what())) }
}

/// The blocks, by address, fill the regions without gap or overlap.
fn covers_all_frames(pool: &Pool) -> Result<(), Violation> {
    let mut heads = pool.lists.table.heads();
    for region in pool.memory.regions() {
        let mut next = region.first.0;
        let end = next + region.frames;
        while next < end {
            let (head, list) = heads
                .next()
                .ok_or_else(|| Violation(format!("frame {next:#x} is lost")))?;
            ensure(u64::from(head) == next, || {
                format!("frame {next:#x} expected, block at {head:#x} found")
            })?;
            let (_, order) = pool.layout.class(list);
            ensure(head.trailing_zeros() >= u32::from(order), || {
                format!("block {head:#x} is not aligned")
            })?;
            next += 1 << order;
        }
        ensure(next == end, || {
            format!("the block before frame {next:#x} reaches beyond its region")
        })?;
    }
    match heads.next() {
        Some((head, _)) => Err(Violation(format!("block {head:#x} lies outside all regions"))),
        None => Ok(()),
    }
}

/// Walks every list; returns the number of blocks seen.
fn lists_agree(pool: &Pool) -> Result<u64, Violation> {
    let mut blocks = 0;
    let mut frames = [0u64; Class::COUNT];
    for list in 0..pool.layout.lists(pool.slots()) {
        let (class, order) = pool.layout.class(list);
        let (mut prev, mut len) = (NONE, 0);
        for frame in pool.lists.iter(list) {
            let entry = pool.lists.table.get(frame);
            ensure(entry.list == list, || {
                format!("frame {frame:#x} is linked into list {list}, not its own")
            })?;
            ensure(entry.prev == prev, || {
                format!("the back link of frame {frame:#x} is wrong")
            })?;
            in_its_place(pool, class, u32::from(order), list, frame)?;
            (prev, len) = (frame, len + 1);
            ensure(len <= pool.lists.len(list), || {
                format!("list {list} is longer than it says, or a ring")
            })?;
        }
        ensure(len == pool.lists.len(list), || {
            format!("list {list} is shorter than it says")
        })?;
        let last = pool.lists.last(list).unwrap_or(NONE);
        ensure(last == prev, || format!("the end of list {list} is wrong"))?;
        blocks += u64::from(len);
        frames[class as usize] += u64::from(len) << order;
    }
    for (zone, order) in (0..pool.memory.zones()).flat_map(|zone| (0..=MAX_ORDER).map(move |order| (zone, order))) {
        let shades = 0..pool.layout.shades();
        let listed: u32 = shades
            .map(|shade| pool.lists.len(pool.layout.free(zone, order, shade)))
            .sum();
        let counted = pool.free_blocks(zone, order);
        ensure(listed == counted, || {
            format!("zone {zone} has {listed} free blocks of order {order} and counts {counted}")
        })?;
    }
    for class in [Class::Free, Class::Colored, Class::Owned, Class::PerCpu] {
        let counted = pool.lists.frames(class);
        ensure(frames[class as usize] == counted, || {
            format!("{class:?}: {counted} counted, {frames:?} found")
        })?;
    }
    Ok(blocks)
}

fn in_its_place(pool: &Pool, class: Class, order: u32, list: u32, frame: u32) -> Result<(), Violation> {
    if let Some(zone) = pool.layout.zone(list) {
        ensure(pool.zone_of(frame) == zone, || {
            format!("frame {frame:#x} is on a list of zone {zone}")
        })?;
    }
    match class {
        Class::Free => {
            let buddy = frame ^ (1 << order);
            let zone = pool.zone_of(frame);
            ensure(pool.free_list(zone, frame, order) == list, || {
                format!("block {frame:#x} is on a list of other colors")
            })?;
            ensure(order == MAX_ORDER || !pool.is_free(zone, buddy, order), || {
                format!("buddies {frame:#x} and {buddy:#x} are not merged")
            })
        }
        Class::Colored => {
            let key = pool.layout.key(list);
            ensure(key.is_none_or(|key| pool.keys.of_frame(frame) == key), || {
                format!("frame {frame:#x} is on the list of key {key:?}")
            })
        }
        _ => Ok(()),
    }
}
