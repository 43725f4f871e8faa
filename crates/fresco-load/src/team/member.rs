// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a team as programs.

use super::fill::Filling;
use super::parameters::Init;
use super::share::{Walk, bounds, head};
use super::{Fill, Section, Settings, TeamKernel};
use crate::passes::Passes;
use crate::recorder::{ExecutionState, Recorder};
use crate::{Area, Batch, Marker, Program};
use fresco_input::InputError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The threads of a team that computes `kernel`, the master first.
pub(crate) fn team<K: TeamKernel>(kernel: K, settings: Settings, threads: u32) -> Vec<Box<dyn Program>> {
    let threads = threads as usize;
    let mut fills = kernel.fills();
    if settings.init == Init::Serial {
        fills = fills.into_iter().map(Fill::by_master).collect();
    }
    let areas = kernel.areas();
    let team = Arc::new(Mutex::new(Team {
        kernel,
        fills,
        init: settings.init,
        serial: settings.serial,
        passes: settings.passes,
        phase: Phase::Before,
        marks: vec![],
        opened: 0,
        arrived: threads,
        walks: vec![Walk::default(); threads],
        over: false,
    }));
    let member = |thread| Member::<K> {
        team: Arc::clone(&team),
        areas: areas.clone(),
        thread,
        entered: 0,
        inside: false,
        filling: Filling::default(),
        execution: ExecutionState::default(),
    };
    (0..threads)
        .map(|thread| Box::new(member(thread)) as Box<dyn Program>)
        .collect()
}

/// What the team is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing yet.
    Before,
    /// The initialisation.
    Init,
    /// The iterations of a parallel loop that the master makes alone; so many iterations in all.
    Head(usize),
    /// A serial section.
    Serial,
    /// A parallel section.
    Parallel,
}

/// What the threads share.
struct Team<K> {
    kernel: K,
    fills: Vec<Fill>,
    init: Init,
    serial: u64,
    passes: Passes,
    phase: Phase,
    /// Marks at the beginning of this section, the same for all threads.
    marks: Vec<Marker>,
    /// Sections so far, this one included.
    opened: u64,
    /// Threads at the end of this section.
    arrived: usize,
    /// The iterations that each thread has still to make.
    walks: Vec<Walk>,
    over: bool,
}

impl<K: TeamKernel> Team<K> {
    /// Begins the next section: all threads are through this one.
    fn open(&mut self) {
        (self.opened, self.arrived) = (self.opened + 1, 0);
        self.marks.clear();
        match self.phase {
            Phase::Before if self.init != Init::None => self.phase = Phase::Init,
            Phase::Before | Phase::Init => {
                self.marks.extend(self.passes.started());
                self.next_section();
            }
            Phase::Head(iterations) => self.deal_tails(iterations),
            Phase::Serial | Phase::Parallel => self.next_section(),
        }
    }

    fn next_section(&mut self) {
        let section = self.kernel.advance().or_else(|| {
            self.marks.extend(self.passes.finished());
            self.over = self.passes.over();
            if self.over {
                return None;
            }
            self.marks.extend(self.passes.started());
            self.kernel.advance()
        });
        match section {
            None => self.over = true,
            Some(Section::Serial(iterations)) => {
                self.phase = Phase::Serial;
                self.walks[0] = Walk::over(0..iterations);
            }
            Some(Section::Parallel(iterations)) if self.serial > 0 => {
                self.phase = Phase::Head(iterations);
                self.walks[0] = Walk::new(shares(iterations, self.walks.len()).map(|share| head(&share, self.serial)));
            }
            Some(Section::Parallel(iterations)) => self.deal_tails(iterations),
        }
    }

    /// What the master has left of a parallel loop, each thread's share to the thread.
    fn deal_tails(&mut self, iterations: usize) {
        self.phase = Phase::Parallel;
        let shares = shares(iterations, self.walks.len());
        for (walk, share) in self.walks.iter_mut().zip(shares) {
            *walk = Walk::over(head(&share, self.serial).end..share.end);
        }
    }

    /// The mark at the end of this section.
    fn mark(&self) -> Marker {
        match (self.phase, self.init) {
            (Phase::Init, Init::Serial) | (Phase::Head(_) | Phase::Serial, _) => Marker::Fork,
            _ => Marker::Join,
        }
    }

    /// Does the thread's next piece. False, with nothing done, when there is none.
    fn step(&mut self, thread: usize, filling: &mut Filling, recorder: &mut Recorder<'_>) -> bool {
        if self.phase == Phase::Init {
            return filling.step(&self.fills, thread, recorder);
        }
        let Some(iteration) = self.walks[thread].iteration() else {
            return false;
        };
        if self.kernel.step(thread, iteration, recorder) {
            self.walks[thread].made();
        }
        true
    }

    /// The thread is at the end of the section.
    fn arrive(&mut self, thread: usize, recorder: &mut Recorder<'_>) {
        match self.phase {
            Phase::Parallel => self.kernel.close(thread, recorder),
            Phase::Serial if thread == 0 => self.kernel.close(thread, recorder),
            _ => {}
        }
        recorder.mark(self.mark());
        self.arrived += 1;
    }
}

fn shares(iterations: usize, threads: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    let bounds = bounds(iterations, threads);
    (0..threads).map(move |thread| bounds[thread]..bounds[thread + 1])
}

/// A thread.
struct Member<K> {
    team: Arc<Mutex<Team<K>>>,
    areas: Vec<Area>,
    thread: usize,
    /// Sections that it has entered.
    entered: u64,
    /// It has not come to the end of the section that it entered last.
    inside: bool,
    filling: Filling,
    execution: ExecutionState,
}

impl<K> Member<K> {
    /// A thread that panicked has left no piece half done that matters more than its panic.
    fn team(team: &Mutex<Team<K>>) -> MutexGuard<'_, Team<K>> {
        team.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: TeamKernel> Program for Member<K> {
    fn name(&self) -> &str {
        K::NAME
    }

    fn footprint(&self) -> Vec<Area> {
        self.areas.clone()
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        let mut team = Self::team(&self.team);
        let mut recorder = self.execution.record(out);
        if !self.inside {
            if self.entered == team.opened && !team.over {
                if team.arrived < team.walks.len() {
                    let found = format!("thread {} went on before all threads had come to the mark", self.thread);
                    return Err(InputError::new(K::NAME, found).internal());
                }
                team.open();
            }
            if self.entered == team.opened {
                return Ok(false);
            }
            self.entered = team.opened;
            team.marks.iter().for_each(|&marker| recorder.mark(marker));
            if team.over {
                return Ok(true);
            }
            self.inside = true;
        }
        while !recorder.is_full() {
            if !team.step(self.thread, &mut self.filling, &mut recorder) {
                team.arrive(self.thread, &mut recorder);
                self.inside = false;
                break;
            }
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        Self::team(&self.team).kernel.verify()
    }
}
