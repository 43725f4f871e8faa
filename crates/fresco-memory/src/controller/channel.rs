// SPDX-License-Identifier: MIT OR Apache-2.0
//! One channel: queues, banks, and the choice of the next command.
//!
//! Every bank with admitted requests has exactly one candidate command (column access, ACT or PRE for the request that
//! the scheduling policy puts first in that bank), with the earliest cycle that the bank allows. The channel's next
//! command is the candidate with the smallest (cycle, class, age). Nothing happens between two such cycles but
//! arrivals and due refreshes, so time can jump; candidates are kept from one command to the next and recomputed only
//! for the banks that something happened to.

use super::bank::Bank;
use super::candidates::{Candidate, Candidates};
use super::pool::{Entry, List, NIL, Pool};
use super::ready::{ACT, PRE, RD, Ready, WR};
use super::refresh::{self, Refresh, RefreshEngine};
use super::sink::Sink;
use super::stats::{ChannelStats, Level};
use crate::Command;
use crate::request::{Access, Completion, Request, RowOutcome};
use fresco_dram::{CommandKind, Cycle, NEVER, Organisation, Timing};
use fresco_machine::{ControllerConfig, PagePolicy, Queues, Scheduler};
use std::collections::VecDeque;

/// Classes of commands that are ready in the same cycle, most urgent first.
const CLASS_REFRESH: u64 = 0;
const CLASS_COLUMN: u64 = 1 << 60;
const CLASS_ROW: u64 = 2 << 60;
const CLASS_IDLE: u64 = 3 << 60;

/// Which queue is being served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Reads,
    /// Writes, because no read waits; ends with the next read.
    SpareWrites,
    /// Writes, because the buffer reached its high watermark; ends at the low one.
    DrainWrites,
}

/// A refresh that is due and not yet issued.
#[derive(Clone, Copy, Debug)]
struct Pending {
    refresh: Refresh,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Nothing,
    Bank(u32),
    /// The refresh of this index in `pending`, or the precharge it still needs.
    Refresh(usize, RefreshStep),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RefreshStep {
    PrechargeAll,
    Precharge(u32),
    Refresh,
}

/// The next command, and when.
#[derive(Clone, Copy, Debug)]
struct Choice {
    at: Cycle,
    key: u64,
    what: What,
}

pub(super) struct Channel {
    /// Channel number within the machine, as in a command trace.
    number: u32,
    org: Organisation,
    banks_per_group_log2: u32,
    banks_per_rank_log2: u32,
    timing: Timing,
    scheduler: Scheduler,
    page: PagePolicy,
    queues: Queues,
    drain_high: u32,
    drain_low: u32,

    banks: Vec<Bank>,
    pool: Pool,
    ready: Ready,
    engine: Box<dyn RefreshEngine>,
    next_due: Cycle,
    pending: Vec<Pending>,
    mode: Mode,
    reads: Level,
    writes: Level,
    /// Requests that wait for a place in the global queue, or writes that wait for one in the write buffer.
    backlog: VecDeque<u32>,
    /// Entries in order of age, for FCFS; reads and writes.
    order: [VecDeque<u32>; 2],
    next_seq: u64,
    /// The command bus is free from here on; also later than every cycle already run.
    bus_free: Cycle,

    candidates: Candidates,
    choice: Choice,
    choice_valid: bool,

    stats: ChannelStats,
}

impl Channel {
    pub(super) fn new(number: u32, config: &ControllerConfig, org: &Organisation, timing: &Timing) -> Self {
        let engine = refresh::engine(config.refresh, org, timing);
        let ready = Ready::new(org, timing);
        let banks = org.banks_per_channel() as usize;
        Self {
            number,
            org: *org,
            banks_per_group_log2: org.banks.ilog2(),
            banks_per_rank_log2: org.banks_per_rank().ilog2(),
            timing: timing.clone(),
            scheduler: config.scheduler,
            page: config.page,
            queues: config.queues,
            drain_high: config.drain_high,
            drain_low: config.drain_low,
            banks: (0..banks).map(|_| Bank::new()).collect(),
            pool: Pool::default(),
            ready,
            next_due: engine.next_due(),
            engine,
            pending: Vec::new(),
            mode: Mode::Reads,
            reads: Level::default(),
            writes: Level::default(),
            backlog: VecDeque::new(),
            order: [VecDeque::new(), VecDeque::new()],
            next_seq: 0,
            bus_free: 0,
            candidates: Candidates::new(org),
            choice: Choice {
                at: NEVER,
                key: u64::MAX,
                what: What::Nothing,
            },
            choice_valid: true,
            stats: ChannelStats::default(),
        }
    }

    pub(super) fn set_engine(&mut self, engine: Box<dyn RefreshEngine>) {
        debug_assert!(self.pending.is_empty(), "a refresh scheme is set before the run");
        self.next_due = engine.next_due();
        self.engine = engine;
    }

    /// Bank index within the channel.
    pub(super) fn bank_of(&self, request: &Request) -> u32 {
        request.location.bank_in_channel(&self.org)
    }

    // ---- arrivals -------------------------------------------------------------------------------------------------

    /// A request arrives at the channel in cycle `now`; it is admitted or waits for a place.
    pub(super) fn arrive(&mut self, now: Cycle, request: Request, sink: &mut impl Sink) {
        let bank = self.bank_of(&request);
        let i = self.pool.insert(request, bank, now);
        match (self.queues, request.access) {
            (Queues::PerBank { .. }, Access::Read) => {
                let waiting = !self.banks[bank as usize].backlog.is_empty();
                if waiting || !self.has_room(bank, Access::Read) {
                    self.banks[bank as usize].backlog.push_back(i);
                } else {
                    self.admit(now, i, sink);
                }
            }
            _ => {
                if self.backlog.is_empty() && self.has_room(bank, request.access) {
                    self.admit(now, i, sink);
                } else {
                    self.backlog.push_back(i);
                }
            }
        }
    }

    /// A request comes out of the controller's front queue, which has asked [`Self::has_room`] before.
    pub(super) fn arrive_from_front(&mut self, now: Cycle, arrived: Cycle, request: Request, sink: &mut impl Sink) {
        let bank = self.bank_of(&request);
        debug_assert!(self.has_room(bank, request.access));
        let i = self.pool.insert(request, bank, arrived);
        self.admit(now, i, sink);
    }

    /// Is there a place in the queue that a request to this bank goes into?
    pub(super) fn has_room(&self, bank: u32, access: Access) -> bool {
        match (access, self.queues) {
            (Access::Read, Queues::Global { reads, .. }) => self.reads.len() < reads,
            (Access::Read, Queues::PerBank { reads_per_bank, .. } | Queues::FrontQueue { reads_per_bank, .. }) => {
                self.banks[bank as usize].reads.len() < reads_per_bank
            }
            (
                Access::Write,
                Queues::Global { writes, .. } | Queues::PerBank { writes, .. } | Queues::FrontQueue { writes, .. },
            ) => self.writes.len() < writes,
        }
    }

    fn admit(&mut self, now: Cycle, i: u32, sink: &mut impl Sink) {
        self.next_seq += 1;
        let entry = self.pool.get_mut(i);
        entry.seq = self.next_seq;
        entry.wait.queue = now - entry.arrived;
        // The scheduler sees a request from the cycle after its admission on: one cycle of pipeline.
        entry.wait.service = 1;
        entry.accounted = now + 1;
        let bank = entry.bank;
        let line = entry.request.line;
        let access = entry.request.access;
        let buffered = self.writes.len() > 0
            && self.banks[bank as usize]
                .writes
                .find(&self.pool, |e| e.request.line == line)
                != NIL;
        match access {
            Access::Read if buffered => {
                self.stats.forwarded += 1;
                self.complete(i, now + 1, RowOutcome::Forwarded, sink);
                self.pool.release(i);
                return;
            }
            Access::Write => {
                let entry = self.pool.get_mut(i);
                entry.wait.service = 0;
                self.complete(i, now, RowOutcome::Buffered, sink);
                if buffered {
                    self.stats.merged += 1;
                    self.pool.release(i);
                    return;
                }
                self.banks[bank as usize].writes.push(&mut self.pool, i);
                self.writes.add(now);
            }
            Access::Read => {
                self.banks[bank as usize].reads.push(&mut self.pool, i);
                self.reads.add(now);
            }
        }
        if self.scheduler == Scheduler::Fcfs {
            self.order[access as usize].push_back(i);
        }
        self.bus_free = self.bus_free.max(now + 1);
        if !self.update_mode() {
            self.bank_joined(bank, i);
        }
    }

    /// The youngest request of a bank changes what the bank does next only if it is alone or hits the open row; one of
    /// the direction that is not being served may still keep the row open.
    fn bank_joined(&mut self, b: u32, i: u32) {
        if let Some(candidate) = self.candidates.get(b as usize)
            && candidate.entry != NIL
            && (usize::from(candidate.kind) != PRE
                || self.banks[b as usize].row != Some(self.pool.get(i).request.location.row))
        {
            debug_assert_eq!(self.candidate(b), Some(candidate));
            return;
        }
        self.bank_changed(b);
    }

    /// Moves waiting requests into places that a column command has freed.
    fn pull(&mut self, now: Cycle, bank: u32, sink: &mut impl Sink) {
        while let Some(&i) = self.banks[bank as usize].backlog.front() {
            if !self.has_room(bank, Access::Read) {
                break;
            }
            self.banks[bank as usize].backlog.pop_front();
            self.admit(now, i, sink);
        }
        while let Some(&i) = self.backlog.front() {
            let entry = self.pool.get(i);
            if !self.has_room(entry.bank, entry.request.access) {
                break;
            }
            self.backlog.pop_front();
            self.admit(now, i, sink);
        }
    }

    // ---- modes ----------------------------------------------------------------------------------------------------

    /// Switches between reads and writes; true if it did, and then all candidates are new.
    fn update_mode(&mut self) -> bool {
        let (reads, writes) = (self.reads.len(), self.writes.len());
        let next = match self.mode {
            Mode::DrainWrites if writes > self.drain_low => Mode::DrainWrites,
            _ if writes >= self.drain_high => Mode::DrainWrites,
            _ if reads == 0 && writes > 0 => Mode::SpareWrites,
            _ => Mode::Reads,
        };
        let serves = |mode| mode != Mode::Reads;
        let switched = serves(self.mode) != serves(next);
        self.mode = next;
        if switched {
            self.all_changed();
        }
        switched
    }

    /// The column command of the direction being served.
    #[inline]
    fn column(&self) -> usize {
        RD + usize::from(self.mode != Mode::Reads)
    }

    fn direction(&self) -> Access {
        match self.mode {
            Mode::Reads => Access::Read,
            Mode::SpareWrites | Mode::DrainWrites => Access::Write,
        }
    }

    // ---- candidates -----------------------------------------------------------------------------------------------

    /// The one command this bank would issue next, from its state alone.
    fn candidate(&self, b: u32) -> Option<Candidate> {
        let bank = &self.banks[b as usize];
        let access = self.direction();
        let of_bank = |kind| self.ready.of_bank(b as usize, kind);
        if bank.refresh_from != NEVER {
            return self.candidate_before_refresh(bank, access, of_bank);
        }
        let list: &List = match access {
            Access::Read => &bank.reads,
            Access::Write => &bank.writes,
        };
        let Some(open) = bank.row else {
            let oldest = list.oldest();
            (oldest != NIL).then_some(())?;
            let key = CLASS_ROW | self.pool.get(oldest).seq;
            return Some(Candidate {
                ready: of_bank(ACT),
                key,
                entry: oldest,
                kind: ACT as u8,
            });
        };
        if list.is_empty() {
            return self.idle_precharge(b, open);
        }
        let oldest = list.oldest();
        let first = self.pool.get(oldest);
        let hit = match self.scheduler {
            Scheduler::Fcfs if first.request.location.row == open => oldest,
            Scheduler::Fcfs => NIL,
            Scheduler::FrFcfs { .. } => list.find(&self.pool, |e| e.request.location.row == open),
        };
        let allowed = match self.scheduler {
            Scheduler::Fcfs => hit == NIL || self.order[access as usize].front() == Some(&hit),
            Scheduler::FrFcfs { hit_cap } => hit == oldest || bank.overtakes < hit_cap,
        };
        if hit != NIL && allowed {
            let kind = if access == Access::Read { RD } else { WR };
            let key = CLASS_COLUMN | self.pool.get(hit).seq;
            return Some(Candidate {
                ready: of_bank(kind),
                key,
                entry: hit,
                kind: kind as u8,
            });
        }
        if hit != NIL && self.scheduler == Scheduler::Fcfs {
            return None;
        }
        Some(Candidate {
            ready: of_bank(PRE),
            key: CLASS_ROW | first.seq,
            entry: oldest,
            kind: PRE as u8,
        })
    }

    /// The page policy closes a row that no request of the direction being served is for.
    fn idle_precharge(&self, b: u32, open: u32) -> Option<Candidate> {
        let bank = &self.banks[b as usize];
        let wanted = |list: &List| list.find(&self.pool, |e| e.request.location.row == open) != NIL;
        let idle = match self.page {
            PagePolicy::Open => return None,
            PagePolicy::Closed => 0,
            PagePolicy::Adaptive { idle } => idle,
        };
        if wanted(&bank.reads) || wanted(&bank.writes) {
            return None;
        }
        let ready = self.ready.of_bank(b as usize, PRE).max(bank.last_access + idle);
        Some(Candidate {
            ready,
            key: CLASS_IDLE | u64::from(b),
            entry: NIL,
            kind: PRE as u8,
        })
    }

    /// A due refresh keeps requests away from its banks, but a request whose first command has been issued is finished:
    /// at most one row cycle per bank, far below what the standards let a refresh be postponed.
    fn candidate_before_refresh(
        &self,
        bank: &Bank,
        access: Access,
        of_bank: impl Fn(usize) -> Cycle,
    ) -> Option<Candidate> {
        let entry = bank.begun;
        if entry == NIL || self.pool.get(entry).request.access != access {
            return None;
        }
        let Entry { request, seq, .. } = self.pool.get(entry);
        let column = if access == Access::Read { RD } else { WR };
        match bank.row {
            None => Some(Candidate {
                ready: of_bank(ACT),
                key: CLASS_ROW | seq,
                entry,
                kind: ACT as u8,
            }),
            Some(row) if row == request.location.row => {
                let first = self.scheduler != Scheduler::Fcfs || self.order[access as usize].front() == Some(&entry);
                first.then(|| Candidate {
                    ready: of_bank(column),
                    key: CLASS_COLUMN | seq,
                    entry,
                    kind: column as u8,
                })
            }
            Some(_) => None,
        }
    }

    /// Something happened to this bank's requests or row.
    fn bank_changed(&mut self, b: u32) {
        let index = b as usize;
        let now = self.candidate(b);
        if self.candidates.get(index) == now {
            return;
        }
        self.candidates.set(index, now);
        if !self.choice_valid {
            return;
        }
        if self.choice.what == What::Bank(b) || !self.pending.is_empty() {
            // A due refresh waits for the candidates of its banks.
            self.choice_valid = false;
        } else if let Some(candidate) = now {
            let others = self.candidates.others(index, usize::from(candidate.kind));
            let at = candidate.ready.max(others).max(self.bus_free);
            if (at, candidate.key) < (self.choice.at, self.choice.key) {
                self.choice = Choice {
                    at,
                    key: candidate.key,
                    what: What::Bank(b),
                };
            }
        }
    }

    fn all_changed(&mut self) {
        for b in 0..self.banks.len() as u32 {
            self.bank_changed(b);
        }
    }

    /// Recomputes everything that is otherwise kept from one command to the next.
    pub(super) fn forget(&mut self) {
        self.all_changed();
        self.choice_valid = false;
    }

    /// Finds the next command, if nothing else happens before.
    fn choose(&mut self) {
        self.choice = match self.candidates.first(self.column(), self.bus_free) {
            Some((at, key, b)) => Choice {
                at,
                key,
                what: What::Bank(b),
            },
            None => Choice {
                at: NEVER,
                key: u64::MAX,
                what: What::Nothing,
            },
        };
        self.choice_valid = true;
        if !self.pending.is_empty() {
            self.consider_refreshes();
        }
    }

    #[cold]
    fn consider_refreshes(&mut self) {
        for i in 0..self.pending.len() {
            let (at, step) = self.refresh_step(i);
            let key = CLASS_REFRESH | i as u64;
            if (at, key) < (self.choice.at, self.choice.key) {
                self.choice = Choice {
                    at,
                    key,
                    what: What::Refresh(i, step),
                };
            }
        }
    }

    /// The next cycle at which the channel does something by itself.
    pub(super) fn next_event(&mut self) -> Cycle {
        if !self.choice_valid {
            self.choose();
        }
        self.choice.at.min(self.next_due)
    }

    // ---- refresh --------------------------------------------------------------------------------------------------

    fn banks_of(&self, refresh: &Refresh) -> impl Iterator<Item = u32> + use<> {
        let first = refresh.rank * self.org.banks_per_rank();
        let mut bits = refresh.banks;
        std::iter::from_fn(move || {
            (bits != 0).then(|| {
                let b = first + bits.trailing_zeros();
                bits &= bits - 1;
                b
            })
        })
    }

    fn take_due(&mut self, now: Cycle) {
        while let Some(refresh) = self.engine.take_due(now) {
            debug_assert!(refresh.kind.is_refresh() && refresh.rank < self.org.ranks && refresh.banks != 0);
            for b in self.banks_of(&refresh) {
                let from = &mut self.banks[b as usize].refresh_from;
                *from = (*from).min(now);
                if self.candidates.get(b as usize).is_some() {
                    self.bank_changed(b);
                }
            }
            self.pending.push(Pending { refresh });
            self.choice_valid = false;
        }
        self.next_due = self.engine.next_due();
        debug_assert!(self.next_due > now);
    }

    /// What a due refresh needs next, and when that is possible.
    fn refresh_step(&self, i: usize) -> (Cycle, RefreshStep) {
        let refresh = &self.pending[i].refresh;
        let rank = refresh.rank as usize;
        let open = |b: &u32| self.banks[*b as usize].row.is_some();
        // Requests that have begun go first.
        if self
            .banks_of(refresh)
            .any(|b| self.candidates.get(b as usize).is_some())
        {
            return (NEVER, RefreshStep::Refresh);
        }
        let closable = |b: u32| {
            self.ready
                .of_bank(b as usize, PRE)
                .max(self.candidates.others(b as usize, PRE))
        };
        let (at, step) = if refresh.kind == CommandKind::RefAb {
            match self.banks_of(refresh).filter(open).map(closable).max() {
                Some(at) => (at, RefreshStep::PrechargeAll),
                None => (self.refreshable(refresh), RefreshStep::Refresh),
            }
        } else {
            match self.banks_of(refresh).filter(open).map(|b| (closable(b), b)).min() {
                Some((at, b)) => (at, RefreshStep::Precharge(b)),
                None => (
                    self.refreshable(refresh).max(self.ready.of_refresh(rank)),
                    RefreshStep::Refresh,
                ),
            }
        };
        (at.max(self.bus_free), step)
    }

    /// From here on all banks of the refresh are precharged and idle (tRP, tRC and the tRFC before).
    fn refreshable(&self, refresh: &Refresh) -> Cycle {
        self.banks_of(refresh)
            .map(|b| self.ready.of_bank(b as usize, ACT))
            .max()
            .unwrap_or(0)
    }

    fn issue_refresh(&mut self, now: Cycle, i: usize, step: RefreshStep, sink: &mut impl Sink) {
        let refresh = self.pending[i].refresh;
        let rank = refresh.rank;
        self.bus_free = now + self.timing.pre_slots;
        self.choice_valid = false;
        match step {
            RefreshStep::PrechargeAll => {
                self.ready.all_precharged(now, rank as usize, &mut self.candidates);
                for b in self.banks_of(&refresh) {
                    self.banks[b as usize].close();
                }
                self.record(now, CommandKind::PreAll, rank * self.org.banks_per_rank(), 0, 0, sink);
            }
            RefreshStep::Precharge(b) => {
                self.ready.precharged(now, b as usize, &mut self.candidates);
                self.banks[b as usize].close();
                self.record(now, CommandKind::Pre, b, 0, 0, sink);
            }
            RefreshStep::Refresh => {
                self.pending.remove(i);
                self.ready
                    .refreshed(now, rank as usize, refresh.banks, refresh.cycles, &mut self.candidates);
                let first = self.banks_of(&refresh).next().unwrap_or(0);
                for b in self.banks_of(&refresh) {
                    let still = self
                        .pending
                        .iter()
                        .any(|p| self.banks_of(&p.refresh).any(|other| other == b));
                    let bank = &mut self.banks[b as usize];
                    bank.refreshed = (bank.refresh_from, now + refresh.cycles);
                    bank.refresh_from = if still { now } else { NEVER };
                    if !(bank.reads.is_empty() && bank.writes.is_empty()) {
                        self.bank_changed(b);
                    }
                }
                self.record(now, refresh.kind, first, 0, 0, sink);
                self.engine.issued(&refresh, now);
                self.next_due = self.engine.next_due();
            }
        }
    }

    // ---- issue ----------------------------------------------------------------------------------------------------

    /// All that the channel does by itself in the cycles up to and including `until` and the sink's horizon; returns
    /// the cycle of the next event.
    pub(super) fn run(&mut self, until: Cycle, sink: &mut impl Sink) -> Cycle {
        loop {
            let now = self.next_event();
            if now > until.min(sink.horizon()) {
                return now;
            }
            self.step(now, sink);
        }
    }

    /// What happens in cycle `now` by itself: due refreshes, and at most one command.
    pub(super) fn step(&mut self, now: Cycle, sink: &mut impl Sink) {
        if self.next_due <= now {
            self.take_due(now);
            self.bus_free = self.bus_free.max(now);
            self.choose();
        }
        debug_assert!(self.choice_valid);
        if self.choice.at > now {
            return;
        }
        debug_assert_eq!(self.choice.at, now, "a command was passed over");
        match self.choice.what {
            What::Nothing => {}
            What::Bank(b) => self.issue(now, b, sink),
            What::Refresh(i, step) => self.issue_refresh(now, i, step, sink),
        }
    }

    fn issue(&mut self, now: Cycle, b: u32, sink: &mut impl Sink) {
        let Some(candidate) = self.candidates.get(b as usize) else {
            return;
        };
        self.choice_valid = false;
        if candidate.entry != NIL {
            self.account(now, b, &candidate);
        }
        match usize::from(candidate.kind) {
            ACT => {
                self.bus_free = now + self.timing.act_slots;
                let row = self.pool.get(candidate.entry).request.location.row;
                self.ready.activated(now, b as usize, &mut self.candidates);
                let bank = &mut self.banks[b as usize];
                bank.row = Some(row);
                bank.begun = candidate.entry;
                bank.overtakes = 0;
                bank.last_access = now;
                self.record(now, CommandKind::Act, b, row, 0, sink);
                self.row_command_issued(b, &candidate);
            }
            PRE => {
                self.bus_free = now + self.timing.pre_slots;
                self.ready.precharged(now, b as usize, &mut self.candidates);
                let bank = &mut self.banks[b as usize];
                bank.row = None;
                bank.begun = candidate.entry;
                self.record(now, CommandKind::Pre, b, 0, 0, sink);
                self.row_command_issued(b, &candidate);
            }
            _ => self.issue_column(now, b, &candidate, sink),
        }
    }

    /// The bank goes on with the same request: what [`Self::candidate`] would find, known without a search.
    fn row_command_issued(&mut self, b: u32, issued: &Candidate) {
        let fcfs = self.scheduler == Scheduler::Fcfs;
        if fcfs || issued.entry == NIL || self.banks[b as usize].refresh_from != NEVER {
            return self.bank_changed(b);
        }
        let seq = self.pool.get(issued.entry).seq;
        let (kind, class) = match usize::from(issued.kind) {
            PRE => (ACT, CLASS_ROW),
            _ => (self.column(), CLASS_COLUMN),
        };
        let ready = self.ready.of_bank(b as usize, kind);
        let next = Some(Candidate {
            ready,
            key: class | seq,
            entry: issued.entry,
            kind: kind as u8,
        });
        debug_assert_eq!(next, self.candidate(b));
        self.candidates.set(b as usize, next);
    }

    fn issue_column(&mut self, now: Cycle, b: u32, candidate: &Candidate, sink: &mut impl Sink) {
        let is_read = usize::from(candidate.kind) == RD;
        let i = candidate.entry;
        self.bus_free = now + self.timing.column_slots;
        let data = if is_read { self.timing.cl } else { self.timing.cwl } + self.timing.burst();
        let (row, column, seq) = {
            let Entry { request, seq, .. } = self.pool.get(i);
            (request.location.row, request.location.column, *seq)
        };
        let bank = &mut self.banks[b as usize];
        let list = if is_read { &mut bank.reads } else { &mut bank.writes };
        if self.pool.get(list.oldest()).seq < seq {
            bank.overtakes += 1;
        }
        list.remove(&mut self.pool, i);
        if bank.begun == i {
            bank.begun = NIL;
        }
        bank.last_access = now;
        let wanted = |list: &List| list.find(&self.pool, |e| e.request.location.row == row) != NIL;
        let close = self.page == PagePolicy::Closed
            && !wanted(&bank.reads)
            && !wanted(&bank.writes)
            && self.ready.may_auto_precharge(now, b as usize, is_read);
        self.stats.data_cycles += self.timing.burst();
        match self.pool.get(i).outcome {
            Some(RowOutcome::Miss) => self.stats.row_misses += 1,
            Some(RowOutcome::Conflict) => self.stats.row_conflicts += 1,
            _ => self.stats.row_hits += 1,
        }
        if is_read {
            self.ready.read(now, b as usize, &mut self.candidates);
            self.reads.take(now);
            self.stats.reads += 1;
            let outcome = self.pool.get(i).outcome.unwrap_or(RowOutcome::Hit);
            self.complete(i, now + data, outcome, sink);
        } else {
            self.ready.write(now, b as usize, &mut self.candidates);
            self.writes.take(now);
            self.stats.writes += 1;
        }
        if close {
            self.ready.auto_precharged(b as usize);
            self.banks[b as usize].close();
        }
        let kind = match (is_read, close) {
            (true, false) => CommandKind::Rd,
            (true, true) => CommandKind::RdA,
            (false, false) => CommandKind::Wr,
            (false, true) => CommandKind::WrA,
        };
        self.record(now, kind, b, row, column, sink);
        self.pool.release(i);
        if self.scheduler == Scheduler::Fcfs {
            let order = &mut self.order[usize::from(!is_read)];
            debug_assert_eq!(order.front(), Some(&i), "FCFS serves in order");
            order.pop_front();
            if let Some(&head) = order.front() {
                self.bank_changed(self.pool.get(head).bank);
            }
        }
        if !self.update_mode() {
            self.bank_changed(b);
        }
        self.pull(now, b, sink);
    }

    /// Attributes the time since the request was last looked at, and the command's own time.
    #[inline]
    fn account(&mut self, now: Cycle, b: u32, candidate: &Candidate) {
        let (own, outcome) = match usize::from(candidate.kind) {
            ACT => (self.timing.rcd, RowOutcome::Miss),
            PRE => (self.timing.rp, RowOutcome::Conflict),
            RD => (self.timing.cl + self.timing.burst(), RowOutcome::Hit),
            _ => (self.timing.cwl + self.timing.burst(), RowOutcome::Hit),
        };
        let entry = self.pool.get_mut(candidate.entry);
        entry.outcome.get_or_insert(outcome);
        let from = entry.accounted;
        if now > from {
            // The wait is cut in order: the refresh, then the bank, then what it shares, then other choices.
            let others = self.candidates.others(b as usize, usize::from(candidate.kind));
            let (from_refresh, to_refresh) = self.banks[b as usize].refreshed;
            let refreshed = to_refresh.min(now).saturating_sub(from_refresh.max(from));
            let after_refresh = from + refreshed;
            let after_bank = candidate.ready.clamp(after_refresh, now);
            let after_others = others.clamp(after_bank, now);
            entry.wait.refresh += refreshed;
            entry.wait.bank += after_bank - after_refresh;
            entry.wait.bus += after_others - after_bank;
            entry.wait.queue += now - after_others;
        }
        entry.wait.service += own;
        entry.accounted = now + own;
    }

    fn complete(&mut self, i: u32, done: Cycle, outcome: RowOutcome, sink: &mut impl Sink) {
        let e = self.pool.get(i);
        debug_assert!(
            {
                let w = &e.wait;
                w.queue + w.bank + w.bus + w.refresh + w.service == done - e.arrived
            },
            "the parts of a latency add up: {e:?} done {done}"
        );
        sink.completed(&Completion {
            id: e.request.id,
            source: e.request.source,
            access: e.request.access,
            arrived: e.arrived,
            done,
            outcome,
            wait: e.wait,
        });
    }

    #[inline]
    fn record(&mut self, cycle: Cycle, kind: CommandKind, b: u32, row: u32, column: u32, sink: &mut impl Sink) {
        self.stats.commands[kind as usize] += 1;
        // Shifts, not divisions: a division by a number that might be zero would stay even where nobody watches.
        let (group, rank) = (b >> self.banks_per_group_log2, b >> self.banks_per_rank_log2);
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

    // ---- statistics -----------------------------------------------------------------------------------------------

    pub(super) fn stats(&mut self, now: Cycle) -> ChannelStats {
        let (read_integral, read_max) = self.reads.read(now);
        let (write_integral, write_max) = self.writes.read(now);
        ChannelStats {
            read_queue_integral: read_integral,
            read_queue_max: read_max,
            write_queue_integral: write_integral,
            write_queue_max: write_max,
            ..self.stats.clone()
        }
    }

    pub(super) fn reset_stats(&mut self, now: Cycle) {
        self.stats = ChannelStats::default();
        self.reads.reset(now);
        self.writes.reset(now);
    }

    /// Requests inside that are not yet done.
    pub(super) fn outstanding(&self) -> u32 {
        self.reads.len()
            + self.writes.len()
            + self.backlog.len() as u32
            + self.banks.iter().map(|b| b.backlog.len() as u32).sum::<u32>()
    }
}
