// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM+: which channel each task has (BPM-9, BPM-10, BPM-12).
//!
//! The bandwidth of a task is its part of its channel's, by misses of the last-level cache since the last scan.

use super::Engine;
use fresco_dram::Ps;
use fresco_frames::dynamic::{self, Demand, Mode};
use fresco_frames::shares::{Divide, Share, channels, equal};
use fresco_frames::{ColorSet, TaskId};

impl Engine<'_> {
    /// The colours of all members if their channels change.
    pub(super) fn divide_channels(&mut self, now: Ps) -> Option<Vec<ColorSet>> {
        let demands = self.demands(now)?;
        let recoloring = self.recoloring.as_mut()?;
        let of_channel = recoloring.rules.channels.clone()?;
        let mut after = demands.clone();
        for migration in dynamic::rebalance(&demands, of_channel.len()) {
            after[migration.thread].channel = migration.to;
        }
        let mode = dynamic::mode(&after, of_channel.len());
        let now_in: Vec<usize> = after.iter().map(|demand| demand.channel).collect();
        if mode == recoloring.mode && (mode == Mode::Bpm || now_in == recoloring.channel) {
            return None;
        }
        let count = recoloring.members.len();
        let shares = match mode {
            Mode::Bpm => equal(&self.setup.space, count, Divide::Banks, &recoloring.taken).ok()?,
            Mode::BpmPlus => {
                let mut shares = vec![Share::default(); count];
                for (channel, colors) in of_channel.iter().enumerate() {
                    let here: Vec<usize> = (0..count).filter(|&member| now_in[member] == channel).collect();
                    let one = std::slice::from_ref(colors);
                    let of_one = channels(&self.setup.space, here.len(), one, true, &recoloring.taken).ok()?;
                    here.into_iter()
                        .zip(of_one)
                        .for_each(|(member, share)| shares[member] = share);
                }
                shares
            }
        };
        (recoloring.mode, recoloring.channel) = (mode, now_in);
        Some(
            shares
                .into_iter()
                .map(|share| share.banks.unwrap_or_default())
                .collect(),
        )
    }

    /// What each member asked of memory since the last scan; `None` if no time has passed.
    fn demands(&mut self, now: Ps) -> Option<Vec<Demand>> {
        let recoloring = self.recoloring.as_mut()?;
        let time = now - std::mem::replace(&mut recoloring.last, now);
        let line = self.setup.line_bytes();
        let mut misses = Vec::new();
        let mut bytes = Vec::new();
        for (member, copy) in recoloring.members.iter().enumerate() {
            let lines = self.memory.lines(self.setup.copies[*copy].core);
            let (fetched, moved) = (lines.read, lines.read + lines.written);
            let then = std::mem::replace(&mut recoloring.seen[member], (fetched, moved));
            // The counters begin anew with the measured phase.
            misses.push(fetched.checked_sub(then.0).unwrap_or(fetched));
            bytes.push(moved.checked_sub(then.1).unwrap_or(moved) * line);
        }
        let count = recoloring.rules.channels.as_ref().map_or(1, Vec::len);
        let mut demands: Vec<Demand> = vec![];
        for (member, copy) in recoloring.members.iter().enumerate() {
            let footprint = self.frames.stats(TaskId(*copy as u32)).map_or(0, |stats| stats.held);
            let channel = recoloring.channel[member];
            demands.push(Demand {
                channel,
                bandwidth: 0,
                footprint,
            });
        }
        for channel in 0..count {
            let here: Vec<usize> = (0..demands.len())
                .filter(|&member| demands[member].channel == channel)
                .collect();
            let all: u64 = here.iter().map(|&member| bytes[member]).sum();
            let per_second = (u128::from(all) * 1_000_000_000_000).checked_div(u128::from(time))?;
            let of_here: Vec<u64> = here.iter().map(|&member| misses[member]).collect();
            let estimated = dynamic::estimate(u64::try_from(per_second).unwrap_or(u64::MAX), &of_here);
            here.into_iter()
                .zip(estimated)
                .for_each(|(member, bandwidth)| demands[member].bandwidth = bandwidth);
        }
        Some(demands)
    }
}
