// SPDX-License-Identifier: MIT OR Apache-2.0
//! Controllers beside the cores, on a thread of their own.
//!
//! What a core asks for now reaches a controller no earlier than `outbound` later, and the answer takes the frontend's part back. So
//! both can go on at once: the controllers through the cycles before anything can arrive that is asked for from now on, the cores to the
//! first time at which an answer could come that is not known yet. Then each gets what the other has made, and both go on again.
//! Results are those of one thread: requests come in the same order to the same cycles, and answers are sorted by their own times.

use super::MemorySystem;
use super::sample::Done;
use crate::controller::{Controller, Sink};
use crate::request::{Completion, Request};
use fresco_dram::{Cycle, NEVER, Ps};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};

/// Looks at a channel before the thread goes to sleep: some tens of microseconds, as long as the other side takes for a busy turn.
const LOOKS: u32 = 20_000;

/// A request on its way.
pub(super) struct Sent {
    pub node: u32,
    pub arrival: Cycle,
    pub request: Request,
}

/// What goes to the other thread, and comes back.
#[derive(Default)]
struct Turn {
    controllers: Vec<Controller>,
    /// Made while the controllers were away, in order.
    requests: Vec<Sent>,
    /// Cycles to be run, from cycle 0 on.
    cycles: Cycle,
    /// When something happens after them.
    next: Cycle,
    /// What came of it, with the nodes.
    completions: Vec<(u32, Completion)>,
}

/// The other thread, and how far each side is.
pub(super) struct Beside {
    to: SyncSender<Turn>,
    from: Receiver<Turn>,
    /// Cycles that have been run, as far as their answers are here.
    answered: Cycle,
    /// Cycles that are being run; `None` if the controllers are here.
    running: Option<Cycle>,
    /// While they are away: no answer that is not here comes before this time. Else: not before this time do they go.
    until: Ps,
    /// Requests since they went.
    requests: Vec<Sent>,
    /// Empty, to be used again.
    completions: Vec<(u32, Completion)>,
}

impl Beside {
    fn new() -> Option<Self> {
        let (to, jobs) = sync_channel::<Turn>(1);
        let (results, from) = sync_channel(1);
        let work = move || {
            while let Some(mut turn) = receive(&jobs) {
                turn.run();
                if results.send(turn).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new()
            .name("controllers".to_owned())
            .spawn(work)
            .ok()?;
        Some(Self {
            to,
            from,
            answered: 0,
            running: None,
            until: 0,
            requests: Vec::new(),
            completions: Vec::new(),
        })
    }

    /// Returns true if the controllers are on their own thread.
    #[inline]
    pub(super) fn is_away(&self) -> bool {
        self.running.is_some()
    }

    /// Keeps a request for controllers that are away.
    pub(super) fn keep(&mut self, sent: Sent) {
        self.requests.push(sent);
    }
}

/// `None` if the other side is gone.
fn receive<T>(from: &Receiver<T>) -> Option<T> {
    for _ in 0..LOOKS {
        match from.try_recv() {
            Ok(received) => return Some(received),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
            Err(TryRecvError::Disconnected) => return None,
        }
    }
    from.recv().ok()
}

impl Turn {
    fn run(&mut self) {
        for Sent { node, arrival, request } in self.requests.drain(..) {
            self.controllers[node as usize].submit(arrival, request);
        }
        for (node, controller) in (0u32..).zip(&mut self.controllers) {
            if controller.next_event() < self.cycles {
                let completions = &mut self.completions;
                controller.run_until(self.cycles - 1, &mut Collect { node, completions });
            }
        }
        self.next = next_of(&self.controllers);
    }
}

/// The next cycle in which any of them has something to do.
pub(super) fn next_of(controllers: &[Controller]) -> Cycle {
    controllers.iter().map(Controller::next_event).min().unwrap_or(NEVER)
}

/// Collects the completions of a node.
struct Collect<'a> {
    node: u32,
    completions: &'a mut Vec<(u32, Completion)>,
}

impl Sink for Collect<'_> {
    const NEVER_STOPS: bool = true;

    fn completed(&mut self, completion: &Completion) {
        self.completions.push((self.node, *completion));
    }

    fn wants_commands(&self) -> bool {
        false
    }
}

impl MemorySystem {
    /// From now on controllers run on a thread of their own. Results stay the same to the bit; it takes less time where both sides have
    /// much to do and a second processor is free. No effect, and false, where something looks into the controllers as they go: a command
    /// sink, a plan of refreshes, limits on the way to them.
    pub fn run_beside(&mut self) -> bool {
        if self.is_limited || self.log.is_some() || self.watch.is_some() {
            return false;
        }
        self.beside = Beside::new();
        self.is_limited = self.beside.is_some();
        self.is_limited
    }

    /// As [`next_event`](Self::next_event), with reads under way.
    pub(super) fn next_beside(&self, beside: &Beside) -> Ps {
        let bound = match beside.running {
            Some(_) => beside.until,
            None if self.next.cycle < self.cycles_at(beside.until) => beside.until,
            None => self.next.answers,
        };
        let released = self.write_backs.next_release().unwrap_or(NEVER);
        self.pending.next_return().unwrap_or(NEVER).min(released).min(bound)
    }

    /// As [`run_until`](Self::run_until).
    pub(super) fn run_to_beside(&mut self, until: Ps, done: &mut Vec<Done>) {
        self.now = until;
        if self.beside.as_ref().is_some_and(|beside| until >= beside.until) {
            self.take_turns();
        }
        self.deliver(until, done);
    }

    /// The controllers come back, and go again for the cycles that nothing new can reach, if there is anything to do in them.
    fn take_turns(&mut self) {
        self.call_back();
        let cycles = self.cycles_at(self.now);
        let Some(beside) = &mut self.beside else { return };
        let known = self.clock.to_ps(beside.answered + 1) + self.frontend_back;
        let arrivals = beside.requests.iter().map(|sent| sent.arrival);
        let has_work = arrivals.fold(self.next.cycle, Cycle::min) < cycles;
        if has_work && known > self.now {
            let turn = Turn {
                controllers: std::mem::take(&mut self.controllers),
                requests: std::mem::take(&mut beside.requests),
                cycles,
                next: NEVER,
                completions: std::mem::take(&mut beside.completions),
            };
            (beside.running, beside.until) = (Some(cycles), known);
            beside.to.send(turn).expect("the other thread waits");
            return;
        }
        self.hand_over();
        self.run_controllers(cycles, |controller| controller.next_event() < cycles);
    }

    /// Controllers have been run here, and answers are known for so many cycles: they go at half of the time for which these suffice, so
    /// that turns of both sides are equally long.
    pub(super) fn ran_here(&mut self, cycles: Cycle) {
        let known = self.clock.to_ps(cycles + 1) + self.frontend_back;
        if let Some(beside) = &mut self.beside {
            beside.answered = cycles;
            beside.until = self.now.midpoint(known.max(self.now));
        }
    }

    /// Controllers that are away come to stay.
    pub(super) fn come_home(&mut self) {
        self.call_back();
        self.hand_over();
    }

    /// Waits for controllers that are away, and takes their answers.
    fn call_back(&mut self) {
        let Some(beside) = &mut self.beside else { return };
        let Some(cycles) = beside.running.take() else { return };
        beside.answered = cycles;
        let mut turn = receive(&beside.from).expect("the other thread ends after this one");
        self.controllers = turn.controllers;
        self.next = self.at_cycle(turn.next);
        let (_, mut port) = self.with_port();
        for (node, completion) in turn.completions.drain(..) {
            port.node = node;
            port.completed(&completion);
        }
        if let Some(beside) = &mut self.beside {
            beside.completions = turn.completions;
        }
    }

    /// Controllers that are here get what was asked for while they were away.
    fn hand_over(&mut self) {
        let kept = self.beside.as_mut().map(|beside| std::mem::take(&mut beside.requests));
        for Sent { node, arrival, request } in kept.into_iter().flatten() {
            self.controllers[node as usize].submit(arrival, request);
        }
        self.find_next();
    }
}
