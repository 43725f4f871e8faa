// SPDX-License-Identifier: MIT OR Apache-2.0
//! One channel: queues, banks, and the choice of the next command.
//!
//! Every bank with admitted requests has exactly one candidate command (column access, ACT or PRE for the request that
//! the scheduling policy puts first in that bank), with the earliest cycle that the bank allows. The channel's next
//! command is the candidate with the smallest (cycle, class, age). Nothing happens between two such cycles but
//! arrivals and due refreshes, so time can jump; candidates are kept from one command to the next and recomputed only
//! for the banks that something happened to.
//!
//! A request goes through [`admission`], [`candidate`], [`choice`] and [`issue`]; [`refreshing`] stands beside them.

mod account;
mod admission;
mod candidate;
mod choice;
mod issue;
mod refreshing;

use super::bank::Bank;
use super::candidates::{Candidates, LONGEST_SHARED};
use super::pool::Pool;
use super::ready::Ready;
use super::refresh::{self, Lateness, Refresh, RefreshEngine};
use super::sink::Sink;
use super::standby::Standby;
use super::stats::{ChannelStats, Level};
use crate::Command;
use crate::request::Access;
use choice::Choice;
use fresco_dram::{CommandKind, Cycle, Organisation, Timing};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, Scheduler};
use std::collections::VecDeque;

pub(super) struct Channel {
    /// Channel number within the machine, as in a command trace.
    number: u32,
    org: Organisation,
    banks_per_group_log2: u32,
    banks_per_rank_log2: u32,
    timing: Timing,
    /// Cycles of the data bus that a burst takes.
    burst: Cycle,
    /// From a read command to the end of its data …
    read_data: Cycle,
    /// … and from a write command.
    write_data: Cycle,
    /// Column commands that a line takes.
    line_bursts: u8,
    scheduler: Scheduler,
    page: PagePolicy,
    queues: Queues,
    write_capacity: u32,
    drain_high: u32,
    drain_low: u32,
    drain_once: bool,
    /// Writes are not kept for a better moment: as the caller says, and while a refresh waits for them.
    eager_writes: bool,
    refresh_waits: bool,

    banks: Vec<Bank>,
    pool: Pool,
    ready: Ready,
    engine: Box<dyn RefreshEngine>,
    engine_watches_load: bool,
    engine_watches_rows: bool,
    /// The next cycle in which the engine has something due.
    next_due: Cycle,
    /// Refreshes that are due and not yet issued.
    pending: Vec<Refresh>,
    /// The direction of the requests that are served, and for which banks open rows.
    mode: Access,
    /// The direction of column commands: that of the mode, once the requests that were begun before have been served.
    bus: Access,
    /// Rows that were opened in the direction of the bus for requests that have not been served, while the bus is about to turn.
    unfinished: u32,
    /// So many requests are served in this mode although others of the other direction wait …
    patience: u32,
    /// … of those that came no later than this one.
    patient_for: u64,
    /// The rank of the last column command, and how many more there are until the bus may go to another.
    served: (u32, u32),
    /// So many column commands of a rank may go before older ones of another.
    rank_cap: u32,
    reads: Level,
    writes: Level,
    /// Reads that wait for a place in the global queue, and writes that wait for one in the write buffer.
    backlog: [VecDeque<u32>; 2],
    /// Entries in order of age, for FCFS; reads and writes.
    order: [VecDeque<u32>; 2],
    next_seq: u64,
    /// The command bus is free from here on; also later than every cycle already run.
    bus_free: Cycle,
    /// The same of the bus for rows, where columns have one of their own; `bus_free` says nothing of either then.
    row_bus_free: Cycle,

    candidates: Candidates,
    choice: Choice,
    choice_valid: bool,

    stats: ChannelStats,
    /// Cycle of the last write command.
    last_write: Option<Cycle>,
    standby: Standby,
    /// Bursts on the data bus, from the start on; no reset of the counts touches it.
    bursts: u64,
}

impl Channel {
    pub(super) fn new(number: u32, config: &ControllerConfig, org: &Organisation, timing: &Timing) -> Self {
        let engine = refresh::engine(config.refresh, org, timing);
        let ready = Ready::new(org, timing);
        assert!(
            ready.longest_shared() <= LONGEST_SHARED,
            "distances as fresco_dram::standards lets them be"
        );
        let banks = org.banks_per_channel() as usize;
        Self {
            number,
            org: *org,
            banks_per_group_log2: org.banks.ilog2(),
            banks_per_rank_log2: org.banks_per_rank().ilog2(),
            timing: timing.clone(),
            burst: timing.burst(),
            read_data: timing.cl + timing.burst(),
            write_data: timing.cwl + timing.burst(),
            line_bursts: u8::try_from(timing.bursts_of_line(org)).expect("a line is a few bursts"),
            scheduler: config.scheduler,
            page: config.page,
            queues: config.queues,
            write_capacity: config.queues.writes(),
            drain_high: config.drain_high,
            drain_low: config.drain_low,
            drain_once: config.drain_once,
            eager_writes: false,
            refresh_waits: false,
            banks: (0..banks).map(|_| Bank::new()).collect(),
            pool: Pool::default(),
            ready,
            next_due: engine.next_due(),
            engine_watches_load: engine.watches_load(),
            engine_watches_rows: engine.watches_rows(),
            engine,
            pending: Vec::new(),
            mode: Access::Read,
            bus: Access::Read,
            unfinished: 0,
            patience: 0,
            patient_for: 0,
            served: (u32::MAX, 0),
            rank_cap: match config.scheduler {
                Scheduler::FrFcfs { hit_cap } if org.ranks > 1 => hit_cap.max(1),
                _ => u32::MAX,
            },
            reads: Level::default(),
            writes: Level::default(),
            backlog: [VecDeque::new(), VecDeque::new()],
            order: [VecDeque::new(), VecDeque::new()],
            next_seq: 0,
            bus_free: 0,
            row_bus_free: 0,
            candidates: Candidates::new(org),
            choice: Choice::NOTHING,
            choice_valid: true,
            stats: ChannelStats::default(),
            last_write: None,
            standby: Standby::new(org.ranks),
            bursts: 0,
        }
    }

    pub(super) fn set_engine(&mut self, engine: Box<dyn RefreshEngine>) {
        debug_assert!(self.pending.is_empty(), "a refresh scheme is set before the run");
        self.next_due = engine.next_due();
        let engine = refresh::Managed::around(engine, &self.org, &self.timing);
        self.engine_watches_load = engine.watches_load();
        self.engine_watches_rows = engine.watches_rows();
        self.engine = engine;
    }

    /// From cycle `now` on writes are written as soon as they come, or again when a watermark says so.
    pub(super) fn set_eager_writes(&mut self, now: Cycle, eager: bool) {
        self.eager_writes = eager;
        self.bus_free = self.bus_free.max(now);
        self.update_mode();
        self.choice_valid = false;
    }

    /// See [`RefreshEngine::lateness`].
    pub(super) fn refresh_lateness(&self) -> Lateness {
        self.engine.lateness()
    }

    /// All that the channel does by itself in the cycles up to and including `until` and the sink's horizon; returns
    /// the cycle of the next event.
    #[inline]
    pub(super) fn run(&mut self, until: Cycle, sink: &mut impl Sink) -> Cycle {
        loop {
            let now = self.next_event();
            if now > until.min(sink.horizon()) {
                return now;
            }
            self.step(now, sink);
        }
    }

    /// The next cycle at which the channel does something by itself.
    #[inline]
    pub(super) fn next_event(&mut self) -> Cycle {
        if !self.choice_valid {
            self.choose();
        }
        self.choice.at.min(self.next_due)
    }

    // Always: what it does for nobody is little, and is known where it is called.
    #[inline(always)]
    fn record(&mut self, cycle: Cycle, kind: CommandKind, b: u32, row: u32, column: u32, sink: &mut impl Sink) {
        self.stats.commands[kind as usize] += 1;
        // Shifts, not divisions: a division by a number that might be zero would stay even where nobody watches.
        let (group, rank) = (b >> self.banks_per_group_log2, b >> self.banks_per_rank_log2);
        match kind {
            CommandKind::Act => self.standby.opened(cycle, rank),
            CommandKind::Pre | CommandKind::RdA | CommandKind::WrA => self.standby.closed(cycle, rank),
            CommandKind::PreAll => self.standby.all_closed(cycle, rank),
            _ => {}
        }
        if self.engine_watches_rows {
            self.tell_rows(cycle, kind, b, row);
        }
        if sink.wants_commands() {
            sink.command(&Command {
                cycle,
                kind,
                channel: self.number,
                rank,
                bank_group: group & (self.org.bank_groups - 1),
                bank: b & (self.org.banks - 1),
                row,
                column,
            });
        }
    }

    pub(super) fn stats(&mut self, now: Cycle) -> ChannelStats {
        let (read_integral, read_max) = self.reads.read(now);
        let (write_integral, write_max) = self.writes.read(now);
        ChannelStats {
            read_queue_integral: read_integral,
            read_queue_max: read_max,
            write_queue_integral: write_integral,
            write_queue_max: write_max,
            rank_active_cycles: self.standby.read(now),
            ..self.stats.clone()
        }
    }

    pub(super) fn reset_stats(&mut self, now: Cycle) {
        self.stats = ChannelStats::default();
        self.reads.reset(now);
        self.writes.reset(now);
        self.standby.reset(now);
    }

    /// Cycle of the last write command.
    pub(super) fn last_write(&self) -> Option<Cycle> {
        self.last_write
    }

    /// How banks are numbered.
    pub(super) fn organisation(&self) -> &Organisation {
        &self.org
    }

    /// Requests inside that are not yet done.
    pub(super) fn outstanding(&self) -> u32 {
        self.reads.len()
            + self.writes.len()
            + self.backlog.iter().map(|waiting| waiting.len() as u32).sum::<u32>()
            + self.banks.iter().map(|b| b.backlog.len() as u32).sum::<u32>()
    }
}
