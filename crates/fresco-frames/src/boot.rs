// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state of memory when the first task starts.

use crate::pool::{BLOCK_FRAMES, Pool};
use crate::{FrameError, MAX_ORDER, Work};
use rand::Rng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};

/// How free memory lies at the start. Which frames exactly depends on the seed of [`crate::Frames::new`]. Row domains that are set apart
/// ([`crate::Memory::set_apart`]) are free as a whole, their blocks of the highest order in random order unless the memory is pristine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// Everything free, lists in address order. No machine is like this; it makes worked examples possible.
    Pristine,
    /// Shortly after boot: blocks of the highest order in random order (as Linux leaves them with
    /// `page_alloc.shuffle=1`, 5.2 and later), then boot-time allocations of random order for 4 % of each zone, a random
    /// half of which are given back. Small blocks are few and lie close together. A memory of more than 64 GiB in pages of
    /// 4 KiB has no more of them: of the rest 2 % are held in whole blocks, as page descriptors are.
    #[default]
    Fresh,
    /// After long use: free memory in fragments.
    Aged(Aging),
}

/// A model of fragmentation.
///
/// Each block of the highest order is cut into leaves from the top down: a block of order `k` that has come this far
/// remains whole with probability `shares[k] / (shares[0] + … + shares[k])` and is halved otherwise, so that in
/// expectation the memory in leaves of order `k` is in proportion to `shares[k]`. Each leaf is held for good with probability
/// `occupied_permille / 1000`. The others are freed in random order; free buddies merge, which shifts the fragments up
/// a little where little memory is occupied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aging {
    /// Memory that stays occupied (page cache, daemons), in thousandths; below 1000.
    pub occupied_permille: u32,
    /// Weight of each order; at least one is positive.
    pub shares: [u32; MAX_ORDER as usize + 1],
}

impl Default for Aging {
    /// Half of the memory occupied, every order with the same share. An assumption: it lies between a server just started
    /// and one whose `/proc/buddyinfo` shows nothing above order 3.
    fn default() -> Self {
        Self {
            occupied_permille: 500,
            shares: [1; MAX_ORDER as usize + 1],
        }
    }
}

/// Memory that boot-time allocations take before half of them are given back, in thousandths. An assumption; Linux on the
/// machines of the papers holds about 2 % for itself (page descriptors 1.6 %, hash tables, slabs).
const BOOT_PERMILLE: u64 = 40;

/// Frames of a machine of which boot-time allocations take their part in small blocks: 64 GiB in pages of 4 KiB. What Linux holds in
/// proportion to memory beyond (page descriptors, hash tables) comes from memblock in one piece. The number is an assumption.
const SCATTERED_FRAMES: u64 = 16 << 20;

/// Brings a pristine pool into the starting state.
pub(crate) fn prepare(pool: &mut Pool, boot: Boot, seed: u64) -> Result<(), FrameError> {
    for zone in 0..pool.memory.zones() {
        // A stream for each zone: what happens in one does not depend on the others.
        let mut rng = Pcg64::new(u128::from(seed), u128::from(zone));
        match boot {
            Boot::Pristine => {}
            // Memory that is set apart for some tasks nobody else has used.
            _ if zone >= pool.memory.zones_of_part() => shuffle(pool, zone, &mut rng),
            Boot::Fresh => fresh(pool, zone, &mut rng),
            Boot::Aged(aging) => age(pool, zone, aging, &mut rng)?,
        }
    }
    Ok(())
}

/// Puts the blocks of the highest order of a zone in random order.
fn shuffle(pool: &mut Pool, zone: u32, rng: &mut Pcg64) {
    let mut blocks = Vec::new();
    while let Some(block) = pool.take_exact(zone, MAX_ORDER, &mut Work::default()) {
        blocks.push(block);
    }
    blocks.shuffle(rng);
    blocks
        .into_iter()
        .for_each(|block| pool.give_alone(zone, block, MAX_ORDER, false));
}

fn fresh(pool: &mut Pool, zone: u32, rng: &mut Pcg64) {
    let mut unused = Work::default();
    shuffle(pool, zone, rng);
    let in_zone = pool.memory.zone_frames(zone);
    let in_machine: u64 = (0..pool.memory.zones()).map(|zone| pool.memory.zone_frames(zone)).sum();
    let scattered = match in_machine {
        0..=SCATTERED_FRAMES => in_zone,
        more => (u128::from(in_zone) * u128::from(SCATTERED_FRAMES) / u128::from(more)) as u64,
    };
    let whole = (in_zone - scattered) * BOOT_PERMILLE / 2000 / u64::from(BLOCK_FRAMES);
    let taken = (0..whole).map_while(|_| pool.take_exact(zone, MAX_ORDER, &mut unused));
    let descriptors: Vec<_> = taken.map(|block| (block, MAX_ORDER)).collect();

    let target = scattered * BOOT_PERMILLE / 1000;
    let (mut taken, mut frames) = (Vec::new(), 0);
    while frames < target {
        // Orders 0, 1, 2 … with probability 1/2, 1/4, 1/8 …
        let order = rng.random::<u32>().trailing_ones().min(MAX_ORDER);
        let Some(block) = pool.take_block(zone, order, &mut unused) else {
            break;
        };
        taken.push((block, order));
        frames += 1 << order;
    }
    taken.shuffle(rng);
    let kept = taken.split_off(taken.len() / 2);
    settle(pool, taken, [kept, descriptors].concat());
}

fn age(pool: &mut Pool, zone: u32, aging: Aging, rng: &mut Pcg64) -> Result<(), FrameError> {
    let total: u64 = aging.shares.iter().copied().map(u64::from).sum();
    if aging.occupied_permille >= 1000 || total == 0 {
        let what = "an aged machine has an occupied_permille below 1000 and at least one positive share".to_owned();
        return Err(FrameError::Boot { what });
    }
    let mut unused = Work::default();
    let mut whole = Vec::new();
    for order in 0..=MAX_ORDER {
        while let Some(block) = pool.take_exact(zone, order, &mut unused) {
            whole.push((block, order));
        }
    }
    let (mut free, mut held) = (Vec::new(), Vec::new());
    while let Some((block, order)) = whole.pop() {
        if is_leaf(&aging, order, rng) {
            let occupied = rng.random_range(0..1000) < aging.occupied_permille;
            if occupied { &mut held } else { &mut free }.push((block, order));
        } else {
            let half = order - 1;
            whole.extend([(block + (1 << half), half), (block, half)]);
        }
    }
    for &(block, order) in free.iter().chain(&held) {
        if order < MAX_ORDER {
            pool.open_block(block);
        }
    }
    free.shuffle(rng);
    settle(pool, free, held);
    Ok(())
}

fn is_leaf(aging: &Aging, order: u32, rng: &mut Pcg64) -> bool {
    let reached: u64 = aging.shares[..=order as usize].iter().copied().map(u64::from).sum();
    // Below the smallest order that has a share nothing is cut further.
    reached == 0 || order == 0 || rng.random_range(0..reached) < u64::from(aging.shares[order as usize])
}

/// The kernel keeps some of the blocks and gives the others back, in the order given.
fn settle(pool: &mut Pool, free: Vec<(u32, u32)>, held: Vec<(u32, u32)>) {
    for (block, order) in held {
        pool.own(crate::frames::KERNEL_SLOT, block, order);
    }
    for (block, order) in free {
        pool.give_block(block, order, &mut Work::default());
    }
}
