// SPDX-License-Identifier: MIT OR Apache-2.0
//! Dynamic BPM+: which channel each task has (BPM-9, BPM-10, BPM-12).
//!
//! The bandwidth of a task is its part of its channel's, by misses of the last-level cache since the last scan.

use super::Engine;
use fresco_dram::Ps;
use fresco_frames::ColorSet;
use fresco_frames::dynamic::{self, Demand, Mode};
use fresco_frames::shares::{Divide, Share, channels, equal};
use fresco_memory::Lines;

impl Engine<'_> {
    /// The colors of all members if their channels change.
    pub(super) fn divide_channels(&mut self, now: Ps) -> Option<Vec<ColorSet>> {
        let demands = self.demands(now)?;
        let recoloring = self.recoloring.as_mut()?;
        let of_channel = recoloring.rules.channels.clone()?;
        let (now_in, mode) = dynamic::divide(&demands, of_channel.len());
        if mode == recoloring.mode && (mode == Mode::Bpm || now_in == recoloring.channel) {
            return None;
        }
        let count = recoloring.rules.members.len();
        let shares = match mode {
            Mode::Bpm => equal(&self.space, count, Divide::Banks, &recoloring.taken).ok()?,
            Mode::BpmPlus => {
                let mut shares = vec![Share::default(); count];
                for (channel, colors) in of_channel.iter().enumerate() {
                    let here: Vec<usize> = (0..count).filter(|&member| now_in[member] == channel).collect();
                    let one = std::slice::from_ref(colors);
                    let of_one = channels(&self.space, here.len(), one, true, &recoloring.taken).ok()?;
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
        let members = recoloring.rules.members.clone();
        let now: Vec<Lines> = members.iter().map(|member| self.counted(*member).lines).collect();
        let recoloring = self.recoloring.as_mut()?;
        let then = std::mem::replace(&mut recoloring.seen, now.clone());
        let (mut misses, mut bytes) = (Vec::new(), Vec::new());
        for (now, then) in std::iter::zip(now, then) {
            misses.push(now.read - then.read);
            bytes.push((now.read - then.read + now.written - then.written) * self.line_bytes);
        }
        let recoloring = self.recoloring.as_ref()?;
        let count = recoloring.rules.channels.as_ref().map_or(1, Vec::len);
        let mut demands: Vec<Demand> = vec![];
        for (member, task) in members.iter().enumerate() {
            let footprint = self.frames.stats(self.memory_of(*task)).map_or(0, |stats| stats.held);
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
