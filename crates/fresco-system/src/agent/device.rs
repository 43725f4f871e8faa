// SPDX-License-Identifier: MIT OR Apache-2.0
//! A device at work.

use super::pace::Pace;
use super::traffic::Traffic;
use crate::experiment::{AgentOutcome, Met};
use crate::results::ReadRecorder;
use fresco_dram::{NEVER, PhysAddr, Ps};
use fresco_memory::{Access, Done, RequestId};
use fresco_scenario::Agent;

/// A device: what it has under way, what is due, what it has moved.
#[derive(Debug)]
pub(crate) struct Device {
    name: String,
    traffic: Traffic,
    pace: Pace,
    burst: u32,
    in_flight: u32,
    /// Bursts begun.
    begun: u64,
    /// When the present burst was due, and how many of its lines have not been sent.
    due: Ps,
    left: u32,
    /// When the last line was sent.
    last: Ps,
    /// Lines under way, with their directions.
    under_way: Vec<(RequestId, Access)>,
    counts: Counts,
}

/// Since counters began.
#[derive(Debug, Default)]
struct Counts {
    recorder: ReadRecorder,
    written: u64,
    deferred: u64,
    latest: Ps,
    met: Met,
}

impl Device {
    /// With its buffer: pages, and their bytes.
    pub fn new(agent: &Agent, pages: (Vec<PhysAddr>, u64), line_bytes: u64, seed: u64) -> Self {
        Self {
            name: agent.name.clone(),
            traffic: Traffic::new(agent, pages, line_bytes, seed),
            pace: Pace {
                begin: NEVER,
                burst_bytes: u64::from(agent.burst) * line_bytes,
                rate: agent.rate,
                phases: agent.phases,
            },
            burst: agent.burst,
            in_flight: agent.in_flight,
            begun: 0,
            due: 0,
            left: 0,
            last: 0,
            under_way: Vec::new(),
            counts: Counts::default(),
        }
    }

    /// It begins at `at`.
    pub fn begin(&mut self, at: Ps) {
        self.pace.begin = at;
    }

    /// When it sends its next line; [`NEVER`] if it waits for one under way.
    pub fn next_time(&self) -> Ps {
        match (self.under_way.len() < self.in_flight as usize, self.left) {
            (false, _) => NEVER,
            (true, 0) => self.pace.due(self.begun, self.last).max(self.last),
            (true, _) => self.last,
        }
    }

    /// The line that it sends at `now`, which is its [time](Self::next_time) or later; [`sent`](Self::sent) follows.
    pub fn send(&mut self, now: Ps) -> (PhysAddr, Access) {
        if self.left == 0 {
            self.due = self.pace.due(self.begun, self.last);
            self.begun += 1;
            self.left = self.burst;
        }
        self.left -= 1;
        self.last = now;
        if self.pace.rate.is_some() && now > self.due {
            self.counts.deferred += 1;
            self.counts.latest = self.counts.latest.max(now - self.due);
        }
        self.traffic.next()
    }

    /// The line that was sent is known to the memory by this name.
    pub fn sent(&mut self, id: RequestId, access: Access) {
        self.under_way.push((id, access));
    }

    /// A line has arrived, or has been taken by a controller.
    pub fn arrived(&mut self, done: &Done) {
        let at = self.under_way.iter().position(|(id, _)| *id == done.id);
        let (_, access) = self
            .under_way
            .swap_remove(at.expect("a line that is done was under way"));
        self.last = self.last.max(done.at);
        let counts = &mut self.counts;
        match (access, &done.sample) {
            (Access::Read, Some(sample)) => {
                counts.recorder.record(done.at, sample);
                if sample.refresh > 0 {
                    counts.met.reads += 1;
                    counts.met.read_wait_ps += sample.refresh;
                    counts.met.longest_read_wait_ps = counts.met.longest_read_wait_ps.max(sample.refresh);
                }
            }
            _ => counts.written += 1,
        }
    }

    /// Counters begin anew.
    pub fn count_anew(&mut self) {
        self.counts = Counts::default();
    }

    /// What was counted; its memory has these bank colors.
    pub fn outcome(self, banks: String) -> AgentOutcome {
        AgentOutcome {
            name: self.name,
            banks,
            written: self.counts.written,
            deferred: self.counts.deferred,
            latest_ps: self.counts.latest,
            met_refresh: self.counts.met,
            recorder: self.counts.recorder,
        }
    }
}
