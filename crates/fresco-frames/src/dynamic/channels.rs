// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic channel partitioning: which channel each thread has, and whether channels are worth partitioning (BPM-9 to 12).

/// Above this unbalance factor, 0.2 in thousandths, partitioned channels lose more than they gain (BPM-12).
pub const UNBALANCE_PERMILLE: u64 = 200;

/// Demand on each channel in bytes/s above which channels are worth partitioning: 2 GB/s on the two of the source.
const WORTH_PARTITIONING: u64 = 1_000_000_000;

/// What a thread asks of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Its channel.
    pub channel: usize,
    /// Bytes per second, as [`estimate`] has it.
    pub bandwidth: u64,
    /// Pages that would have to be moved.
    pub footprint: u64,
}

/// A thread that goes to another channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The thread, by its place.
    pub thread: usize,
    /// Its new channel.
    pub to: usize,
}

/// What banks and channels are divided into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Banks over all channels.
    Bpm,
    /// Channels first, then their banks.
    BpmPlus,
}

/// The bandwidth of each thread of a channel: the channel's divided by their misses of the last-level cache, because threads
/// cannot be told apart in the channel itself (BPM-9).
pub fn estimate(of_channel: u64, misses: &[u64]) -> Vec<u64> {
    let all: u128 = misses.iter().map(|&misses| u128::from(misses)).sum();
    let part = |&misses: &u64| {
        (u128::from(of_channel) * u128::from(misses))
            .checked_div(all)
            .unwrap_or(0) as u64
    };
    misses.iter().map(part).collect()
}

/// |a − b| / min(a, b) of the busiest and the idlest channel, in thousandths, rounded up; `u64::MAX` where one is idle and another
/// is not. The source has two channels only.
pub fn unbalance_permille(uses: &[u64]) -> u64 {
    let (least, most) = (
        uses.iter().min().copied().unwrap_or(0),
        uses.iter().max().copied().unwrap_or(0),
    );
    if least == most {
        return 0;
    }
    let factor = (u128::from(most - least) * 1000).checked_add(u128::from(least).saturating_sub(1));
    let factor = factor.and_then(|factor| factor.checked_div(u128::from(least)));
    factor.map_or(u64::MAX, |factor| u64::try_from(factor).unwrap_or(u64::MAX))
}

/// The use of each of `channels` channels.
fn uses(demands: &[Demand], channels: usize) -> Vec<u64> {
    let of_channel = |channel| {
        demands
            .iter()
            .filter(move |demand| demand.channel == channel)
            .map(|d| d.bandwidth)
    };
    (0..channels).map(|channel| of_channel(channel).sum()).collect()
}

/// Moves threads from the busiest to the idlest channel until the unbalance factor is at most 0.2 or no move makes it
/// smaller. Of the threads whose move makes it smaller the one with the fewest pages goes (BPM-10): moving is dear.
pub fn rebalance(demands: &[Demand], channels: usize) -> Vec<Migration> {
    let mut now = demands.to_vec();
    let mut migrations: Vec<Migration> = Vec::new();
    // Each move makes the difference smaller; a thread need not move twice.
    for _ in 0..demands.len() {
        let uses = uses(&now, channels);
        if unbalance_permille(&uses) <= UNBALANCE_PERMILLE {
            break;
        }
        let busiest = (0..channels).max_by_key(|&channel| (uses[channel], std::cmp::Reverse(channel)));
        let idlest = (0..channels).min_by_key(|&channel| (uses[channel], channel));
        let (Some(busiest), Some(idlest)) = (busiest, idlest) else {
            break;
        };
        let difference = uses[busiest] - uses[idlest];
        let helps = |demand: &Demand| demand.channel == busiest && (1..difference).contains(&demand.bandwidth);
        let candidates = (0..now.len()).filter(|&thread| helps(&now[thread]));
        let Some(thread) = candidates.min_by_key(|&thread| (now[thread].footprint, thread)) else {
            break;
        };
        now[thread].channel = idlest;
        migrations.retain(|migration| migration.thread != thread);
        if demands[thread].channel != idlest {
            migrations.push(Migration { thread, to: idlest });
        }
    }
    migrations
}

/// Channels are partitioned only where demand is above 1 GB/s for each, and can be balanced to 0.2 (BPM-12). `demands` as they
/// would be after [`rebalance`].
pub fn mode(demands: &[Demand], channels: usize) -> Mode {
    let uses = uses(demands, channels);
    let total: u64 = uses.iter().sum();
    let is_busy = total > WORTH_PARTITIONING * channels as u64;
    match is_busy && unbalance_permille(&uses) <= UNBALANCE_PERMILLE {
        true => Mode::BpmPlus,
        false => Mode::Bpm,
    }
}

/// The channel of each thread after [`rebalance`], and whether channels are worth partitioning then.
pub fn divide(demands: &[Demand], channels: usize) -> (Vec<usize>, Mode) {
    let mut after = demands.to_vec();
    for migration in rebalance(demands, channels) {
        after[migration.thread].channel = migration.to;
    }
    let mode = mode(&after, channels);
    (after.iter().map(|demand| demand.channel).collect(), mode)
}
