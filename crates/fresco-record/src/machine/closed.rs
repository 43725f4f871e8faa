// SPDX-License-Identifier: MIT OR Apache-2.0
//! A closed loop: a virtual machine and a model of it run in turn, and what the model takes is the time of the machine.
//!
//! What each processor does is a [`Program`] of the model. When the model needs more of one, the machine runs on: to it, it is then as
//! late as it is to the model. See `fresco_ring::turn`.

use super::feed::Feed;
use super::streams::{Sink, Streams};
use super::{Machine, MachineEnded, start};
use crate::Failure;
use crate::record::{PATIENCE, end, shared_memory};
use fresco_input::InputError;
use fresco_load::trace::ftrace::{Addresses, Record, What};
use fresco_load::{Area, Batch, Event, Marker, Program};
use fresco_ring::Host;
use std::collections::VecDeque;
use std::io;
use std::process::Child;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Instructions after which a processor whose program is over is looked at again.
const IDLE: u32 = 1 << 16;

/// Records that the model has not taken, of a machine with so many bytes of memory.
struct Queue(VecDeque<Event>, u64);

impl Sink for Queue {
    #[inline]
    fn take(&mut self, record: &Record) -> io::Result<()> {
        if let What::Access { addr, .. } = record.what
            && addr >= self.1
        {
            let found = format!("it accesses {addr:#x}, and its memory ends at {:#x}", self.1);
            return Err(io::Error::other(found));
        }
        self.0.push_back(record.event());
        Ok(())
    }
}

/// What the machine and the model share.
struct Exchange {
    host: Host,
    child: Child,
    numbers: Vec<u32>,
    streams: Streams<Queue>,
    /// Time of the model in picoseconds.
    clock: Arc<AtomicU64>,
    feed: Option<Feed>,
    stop: Box<dyn Fn() -> bool + Send>,
    /// The machine is switched off, or nobody wants more of it.
    is_over: bool,
}

impl Exchange {
    /// Takes what was written; false if the machine has ended or is to end.
    fn await_turn(&mut self) -> Result<MachineEnded, InputError> {
        loop {
            if self.host.has_turn() {
                let Self { host, streams, .. } = self;
                host.take_rest(|_, taken| streams.take(taken));
                if let Some(error) = self.streams.take_failure() {
                    return Err(InputError::new("the virtual machine", error.to_string()).internal());
                }
                return Ok(MachineEnded::Enough);
            }
            let asked = (self.stop)();
            if asked || !matches!(self.child.try_wait(), Ok(None)) {
                self.is_over = true;
                return Ok(if asked {
                    MachineEnded::Asked
                } else {
                    MachineEnded::Early
                });
            }
        }
    }

    /// More of a processor.
    fn ask(&mut self, processor: usize) -> Result<(), InputError> {
        if let Some(feed) = &mut self.feed {
            feed.tell()
                .map_err(|error| InputError::new("the virtual machine", error.to_string()).internal())?;
        }
        self.host
            .hand_over(self.numbers[processor], self.clock.load(Relaxed) / 1000);
        self.await_turn()?;
        if self.streams.sink(processor).0.is_empty() {
            // Time goes by without an access.
            let (gap, _) = self.streams.rest(processor);
            let gap = gap.min(u32::MAX.into()) as u32;
            let marker = Marker::Join;
            if gap > 0 {
                self.streams.sink(processor).0.push_back(Event::Mark { marker, gap });
            }
        }
        Ok(())
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.host.close();
        // What cannot be ended is ended already.
        let _ = end(&mut self.child, Duration::ZERO);
    }
}

/// A virtual machine in a closed loop.
pub struct ClosedMachine(Arc<Mutex<Exchange>>);

impl ClosedMachine {
    /// Boots the machine, up to where the processors with these numbers are to be modelled. `clock` is the model's time in picoseconds,
    /// which the model keeps; `feed` tells the machine what its processors
    /// move on it. Once `stop` says so the machine ends.
    ///
    /// # Errors
    /// The emulator cannot be started.
    pub fn start(
        machine: &Machine,
        numbers: Vec<u32>,
        clock: Arc<AtomicU64>,
        feed: Option<Feed>,
        stop: impl Fn() -> bool + Send + 'static,
    ) -> Result<Self, Failure> {
        let host = shared_memory()?;
        let child = start(machine, &host, feed.as_ref())?;
        let bytes = u64::from(machine.memory_mib) << 20;
        let queues = numbers.iter().map(|_| Queue(VecDeque::new(), bytes)).collect();
        Ok(Self(Arc::new(Mutex::new(Exchange {
            host,
            child,
            streams: Streams::new(numbers.clone(), queues).heeding_pauses(),
            numbers,
            clock,
            feed,
            stop: Box::new(stop),
            is_over: false,
        }))))
    }

    /// Waits until all programs have begun: [`MachineEnded::Enough`].
    ///
    /// # Errors
    /// The plugin is of another version.
    pub fn begin(&self) -> Result<MachineEnded, InputError> {
        lock(&self.0).await_turn()
    }

    /// What a processor does, by its place among the numbers.
    pub fn program(&self, processor: usize) -> Box<dyn Program> {
        Box::new(Executed {
            exchange: Arc::clone(&self.0),
            processor,
            stage: Stage::Before,
        })
    }

    /// Instructions of a processor so far, and whether its program is over.
    pub fn executed(&self, processor: usize) -> (u64, bool) {
        let mut exchange = lock(&self.0);
        (exchange.streams.rest(processor).1, exchange.streams.is_over(processor))
    }

    /// Lets the machine run on by itself as long as `still` says so, at most for `most`, and ends it.
    pub fn finish(self, most: Duration, mut still: impl FnMut() -> bool) {
        let mut exchange = lock(&self.0);
        exchange.host.let_go();
        let since = Instant::now();
        let is_running = |exchange: &mut Exchange| matches!(exchange.child.try_wait(), Ok(None));
        while still() && since.elapsed() < most && !(exchange.stop)() && is_running(&mut exchange) {
            std::thread::sleep(PATIENCE);
        }
        exchange.is_over = true;
    }
}

fn lock(exchange: &Mutex<Exchange>) -> MutexGuard<'_, Exchange> {
    exchange.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How far a program is.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Before,
    Running,
    /// Its end is marked.
    Ended,
    /// It has said that it is over; its processor is idle.
    Idle,
}

/// What a processor does: one pass, and nothing after that.
struct Executed {
    exchange: Arc<Mutex<Exchange>>,
    processor: usize,
    stage: Stage,
}

impl Program for Executed {
    fn name(&self) -> &str {
        "live"
    }

    fn footprint(&self) -> Vec<Area> {
        Vec::new()
    }

    fn grows(&self) -> bool {
        true
    }

    fn addresses(&self) -> Option<Addresses> {
        Some(Addresses::Physical)
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        let mark = |marker, gap| Event::Mark { marker, gap };
        match self.stage {
            Stage::Before => {
                out.push(mark(Marker::Begin, 0));
                self.stage = Stage::Running;
                return Ok(true);
            }
            Stage::Running => {}
            Stage::Ended => {
                self.stage = Stage::Idle;
                return Ok(false);
            }
            Stage::Idle => {
                out.push(mark(Marker::Join, IDLE));
                return Ok(true);
            }
        }
        let mut exchange = lock(&self.exchange);
        loop {
            let queue = &mut exchange.streams.sink(self.processor).0;
            if !queue.is_empty() {
                while let Some(event) = queue.pop_front() {
                    out.push(event);
                    if out.is_full() {
                        break;
                    }
                }
                return Ok(true);
            }
            let is_over = exchange.streams.is_over(self.processor);
            if exchange.is_over && !is_over {
                return Err(
                    InputError::new("the virtual machine", "found that it ended before its run was over")
                        .allowed("an emulator that runs until the model needs no more")
                        .help("its console has what it said last"),
                );
            }
            if is_over {
                let (gap, _) = exchange.streams.rest(self.processor);
                out.push(mark(Marker::Pass, gap.min(u32::MAX.into()) as u32));
                out.push(mark(Marker::End, 0));
                self.stage = Stage::Ended;
                return Ok(true);
            }
            exchange.ask(self.processor)?;
        }
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
