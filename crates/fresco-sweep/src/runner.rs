// SPDX-License-Identifier: MIT OR Apache-2.0
//! Running what is missing of a sweep, or of one of its shards, on some threads.
//!
//! One thread hands points out, and stores what comes back in frames; the others run them. Points are claimed by groups of neighbours, as many as
//! the threads are at, and about a second of work ahead of them: of groups that another runner has at present, this one waits for the results and
//! takes over what is left.

use crate::address::{Inputs, Spelling};
use crate::outcome::Outcome;
use crate::shard::{Shard, group_size, groups, members};
use crate::store::{Claim, Index, State, Store, Writer, claim};
use crate::{Point, Sweep};
use fresco_input::InputError;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::time::{Duration, Instant};

/// How far a runner is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Points of its part.
    pub total: u32,
    /// Points that were there already, or that others have run meanwhile.
    pub found: u32,
    /// Points that it has run.
    pub run: u32,
    /// Of all these, points that failed.
    pub failed: u32,
    /// Points in groups that another runner has claimed, while there is nothing else to do; else 0.
    pub waits_for: u32,
}

impl Progress {
    /// Points about which all is known.
    pub fn settled(&self) -> u32 {
        self.found + self.run
    }
}

/// How missing points are run.
pub struct Runner<'r> {
    /// The sweep.
    pub sweep: &'r Sweep,
    /// Where results are and go.
    pub store: &'r Store,
    /// Which part of it.
    pub shard: Shard,
    /// Points at the same time; 0: one per processor.
    pub threads: usize,
    /// Points that failed are run again.
    pub retry_failed: bool,
    /// Called now and then.
    pub progress: &'r (dyn Fn(Progress) + Sync),
    /// Once it says so no more points are begun.
    pub stop: &'r (dyn Fn() -> bool + Sync),
    /// Once it says so those that have begun are given up.
    pub is_given_up: &'r (dyn Fn() -> bool + Sync),
}

/// Results are stored when they are so many, or so many bytes, or when the first of them has waited so long.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 8 << 20;
const BATCH_WAITS: Duration = Duration::from_secs(1);
/// Points that wait for a thread at most.
const QUEUED: usize = 64;
/// Work that waits for the threads, as long as points took so far: enough for the time that a disk takes to write. What waits is claimed, and a
/// runner that has nothing to do cannot have it.
const AHEAD: Duration = Duration::from_secs(1);
/// Weight of a point in the mean time that points take.
const WEIGHT: f64 = 1.0 / 8.0;
/// From one look at what others have claimed to the next.
const LOOKS: Duration = Duration::from_millis(300);
/// From one call of `progress` to the next.
const TELLS: Duration = Duration::from_millis(100);
/// Stack of a thread that runs points, as much as the main thread has.
const STACK: usize = 8 << 20;

/// Number of a point, what came of it, and how long it took.
type Made = (u32, Option<Outcome>, Duration);

impl Runner<'_> {
    /// Runs what is missing, until all is there or it is stopped. What has been stored stays, whatever happens.
    ///
    /// # Errors
    /// Results cannot be read or stored; a file that the sweep reads has changed meanwhile.
    pub fn run(&self) -> Result<Progress, InputError> {
        let inputs = self.sweep.inputs();
        let threads = match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let (work, queue) = sync_channel::<Point>(QUEUED + 4 * threads);
        let queue = Mutex::new(queue);
        let (done, results) = channel::<Made>();
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let run = || {
                for _ in 0..threads {
                    let (queue, done, inputs, is_over) = (&queue, done.clone(), &inputs, &is_over);
                    let thread = std::thread::Builder::new().stack_size(STACK);
                    let started = thread.spawn_scoped(scope, move || self.work(queue, &done, inputs, is_over));
                    started.map_err(|error| {
                        let found = format!("cannot start {threads} threads: {error}");
                        InputError::new("the number of threads", found).help("use fewer threads")
                    })?;
                }
                Dispatcher::new(self, threads, &inputs, work).run(&results)
            };
            let ran = run();
            // After a fault what is under way is of no use.
            is_over.store(true, Ordering::Relaxed);
            ran
        })
    }

    /// What a thread does: points, until there are no more.
    fn work(&self, queue: &Mutex<Receiver<Point>>, done: &Sender<Made>, inputs: &Inputs, is_over: &AtomicBool) {
        let is_over = || is_over.load(Ordering::Relaxed);
        loop {
            let next = queue.lock().map(|queue| queue.recv());
            let Ok(Ok(point)) = next else { return };
            let begun = Instant::now();
            let outcome = match (self.stop)() || is_over() {
                true => None,
                false => self.sweep.run(&point, inputs, &|| (self.is_given_up)() || is_over()),
            };
            if done.send((point.number, outcome, begun.elapsed())).is_err() {
                return;
            }
        }
    }
}

/// What is next.
enum Next {
    Point(Point),
    /// Others have what is left.
    Wait,
    End,
}

struct Dispatcher<'d, 'r> {
    runner: &'d Runner<'r>,
    threads: usize,
    /// Mean time of a point in seconds, of late; `None` before the first.
    pace: Option<f64>,
    inputs: &'d Inputs,
    work: SyncSender<Point>,
    index: Index,
    writer: Writer,
    progress: Progress,
    /// Groups that were not looked at.
    groups: VecDeque<u32>,
    /// Groups that others had.
    busy: VecDeque<u32>,
    looked: Instant,
    told: Instant,
    /// Points of a claimed group that were not handed out.
    ready: VecDeque<Point>,
    /// Groups that are claimed, and how many of their points are not stored.
    claims: BTreeMap<u32, (Claim, u32)>,
    /// Failures that are known of points handed out, so that the same is not stored again.
    known: BTreeMap<u32, State>,
    batch: Vec<(u32, Spelling, Outcome)>,
    batch_bytes: usize,
    since: Instant,
    under_way: usize,
}

impl<'d, 'r> Dispatcher<'d, 'r> {
    fn new(runner: &'d Runner<'r>, threads: usize, inputs: &'d Inputs, work: SyncSender<Point>) -> Self {
        let points = runner.sweep.points();
        Self {
            runner,
            threads,
            pace: None,
            inputs,
            work,
            index: Index::default(),
            writer: Writer::new(&runner.store.segments()),
            progress: Progress {
                total: runner.shard.points(points).count() as u32,
                ..Progress::default()
            },
            groups: groups(points, runner.shard).collect(),
            busy: VecDeque::new(),
            looked: Instant::now(),
            told: Instant::now(),
            ready: VecDeque::new(),
            claims: BTreeMap::new(),
            known: BTreeMap::new(),
            batch: Vec::new(),
            batch_bytes: 0,
            since: Instant::now(),
            under_way: 0,
        }
    }

    fn run(mut self, results: &Receiver<Made>) -> Result<Progress, InputError> {
        self.index.refresh(&self.runner.store.segments())?;
        loop {
            let most = self.most();
            let mut waits = false;
            while self.under_way < most && !(self.runner.stop)() {
                match self.next()? {
                    // There is room for as many as may be under way.
                    Next::Point(point) => match self.work.send(point) {
                        Ok(()) => self.under_way += 1,
                        Err(_) => break,
                    },
                    Next::End => break,
                    Next::Wait => {
                        waits = true;
                        break;
                    }
                }
            }
            self.progress.waits_for = match waits && self.under_way == 0 {
                true => self.held_by_others(),
                false => 0,
            };
            if self.told.elapsed() >= TELLS {
                self.told = Instant::now();
                (self.runner.progress)(self.progress);
            }
            if self.under_way == 0 && (!waits || (self.runner.stop)()) {
                break;
            }
            // The threads have work while this one waits for the disk.
            let is_due =
                self.batch.len() >= BATCH || self.batch_bytes >= BATCH_BYTES || self.since.elapsed() >= BATCH_WAITS;
            // Who waits for others may be waited for.
            if !self.batch.is_empty() && (is_due || self.under_way == 0) {
                self.store()?;
            }
            match results.recv_timeout(LOOKS) {
                Ok(made) => self.take(made),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.store()?;
        self.progress.waits_for = 0;
        (self.runner.progress)(self.progress);
        Ok(self.progress)
    }

    /// Points that may be under way: one a thread, and what they need for [`AHEAD`].
    fn most(&self) -> usize {
        let ahead = self
            .pace
            .map_or(0.0, |pace| self.threads as f64 * AHEAD.as_secs_f64() / pace);
        self.threads + (ahead as usize).min(QUEUED + 3 * self.threads)
    }

    /// Points in groups that others have.
    fn held_by_others(&self) -> u32 {
        let points = self.runner.sweep.points();
        self.busy
            .iter()
            .map(|group| members(*group, points).count() as u32)
            .sum()
    }

    fn next(&mut self) -> Result<Next, InputError> {
        loop {
            if let Some(point) = self.ready.pop_front() {
                return Ok(Next::Point(point));
            }
            if let Some(group) = self.groups.pop_front() {
                self.begin(group)?;
            } else if self.busy.is_empty() {
                return Ok(Next::End);
            } else if self.looked.elapsed() < LOOKS {
                return Ok(Next::Wait);
            } else {
                self.looked = Instant::now();
                self.index.refresh(&self.runner.store.segments())?;
                // One after the other: what has become free may be shared as well.
                self.groups.append(&mut self.busy);
            }
        }
    }

    /// Claims a group, unless nothing is missing of it.
    fn begin(&mut self, group: u32) -> Result<(), InputError> {
        let (mut missing, mut found) = self.missing(group)?;
        if !missing.is_empty() {
            let directory = self.runner.store.claims();
            let claimed = claim(&directory, group).map_err(|error| crate::store::cannot_write(&directory, &error))?;
            let Some(claim) = claimed else {
                self.busy.push_back(group);
                return Ok(());
            };
            if claim.is_known {
                // What others have stored since it was looked at.
                self.index.refresh(&self.runner.store.segments())?;
                (missing, found) = self.missing(group)?;
            }
            if !missing.is_empty() {
                self.claims.insert(group, (claim, missing.len() as u32));
            }
        }
        self.progress.found += found.0;
        self.progress.failed += found.1;
        self.ready.extend(missing);
        Ok(())
    }

    /// The points of a group that are to be run; of the others how many there are, and how many of these failed.
    fn missing(&mut self, group: u32) -> Result<(Vec<Point>, (u32, u32)), InputError> {
        let sweep = self.runner.sweep;
        let (mut missing, mut found) = (Vec::new(), (0, 0));
        for number in members(group, sweep.points()) {
            let point = sweep.point(number);
            let state = self.index.verified(sweep, &point, self.inputs)?;
            match &state {
                State::Done => found.0 += 1,
                State::Failed(failure) if !failure.unread && !self.runner.retry_failed => {
                    found.0 += 1;
                    found.1 += 1;
                }
                State::Failed(_) | State::Missing => {
                    if matches!(state, State::Failed(_)) {
                        self.known.insert(number, state);
                    }
                    missing.push(point);
                }
            }
        }
        Ok((missing, found))
    }

    fn take(&mut self, (number, outcome, took): Made) {
        self.under_way -= 1;
        let Some(outcome) = outcome else { return };
        let took = took.as_secs_f64();
        self.pace = Some(self.pace.map_or(took, |pace| pace + WEIGHT * (took - pace)));
        self.progress.run += 1;
        self.progress.failed += u32::from(outcome.result.is_err());
        if self.batch.is_empty() {
            self.since = Instant::now();
            self.batch_bytes = 0;
        }
        self.batch_bytes += outcome.result.as_ref().map_or(0, Vec::len);
        let spelling = self.runner.sweep.spelling(&self.runner.sweep.point(number));
        self.batch.push((number, spelling, outcome));
    }

    /// Stores what has come back, and lets go of the groups of which all is stored.
    fn store(&mut self) -> Result<(), InputError> {
        if self.batch.is_empty() {
            return Ok(());
        }
        if let Some(path) = self.inputs.changed() {
            let found = "found another file than before: it was changed while the sweep ran";
            let error = InputError::new(path.display().to_string(), found);
            return Err(error
                .allowed("files that stay what they are for as long as the sweep runs")
                .help("run it again: what was stored before stays, and points that read this file are run again"));
        }
        let (mut results, mut groups) = (Vec::new(), Vec::new());
        let size = group_size(self.runner.sweep.points());
        for (number, spelling, outcome) in self.batch.drain(..) {
            let is_new = match (self.known.remove(&number), &outcome.result) {
                (Some(State::Failed(before)), Err(failure)) => before != *failure,
                _ => true,
            };
            groups.push(number / size);
            if is_new {
                results.push((spelling, outcome));
            }
        }
        self.writer.store(&results)?;
        for group in groups {
            let left = self.claims.get_mut(&group).map(|(_, left)| {
                *left -= 1;
                *left
            });
            if left == Some(0) {
                self.claims.remove(&group);
            }
        }
        Ok(())
    }
}
