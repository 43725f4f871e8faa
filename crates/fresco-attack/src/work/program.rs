// SPDX-License-Identifier: MIT OR Apache-2.0
//! A mover as a program.

use super::ground::{Area, Ground, begin_once};
use super::mover::Mover;
use super::stretch::Stretch;
use fresco_input::InputError;
use fresco_load::{Batch, Event, Marker, Op, Program};
use std::sync::Arc;

/// The accesses of a [`Mover`] to its ground, without end. Each time that it has gone through its stretches a pass is over.
pub struct Moves {
    area: Area,
    stretches: Vec<Laid>,
    /// The stretch that it is in.
    present: usize,
    /// Accesses of it so far.
    done: u32,
    /// Accesses of the burst so far.
    burst: u32,
    /// Instructions before the next event.
    gap: u32,
    /// Accesses since the last load, that one counted; 0 before the first.
    since_load: u32,
    begun: bool,
}

/// A stretch with its lines.
struct Laid {
    stretch: Stretch,
    lines: Vec<u32>,
    /// The next of the lines.
    next: usize,
    /// Hundredths of a store that are due.
    due: u32,
}

impl Moves {
    /// Of a mover that nothing is wrong with.
    pub fn new(mover: &Mover, ground: &Arc<Ground>) -> Self {
        let laid = |stretch: &Stretch| Laid {
            stretch: *stretch,
            lines: ground.lines_of(
                stretch.order,
                (stretch.bank, stretch.banks),
                stretch.first,
                stretch.lines,
            ),
            next: 0,
            due: 0,
        };
        Self {
            area: ground.area(),
            stretches: mover.stretches.iter().map(laid).collect(),
            present: 0,
            done: 0,
            burst: 0,
            gap: mover.wait,
            since_load: 0,
            begun: false,
        }
    }

    fn access(&mut self) -> Op {
        let laid = &mut self.stretches[self.present];
        let stretch = &laid.stretch;
        let line = laid.lines.get(laid.next).copied().unwrap_or(0);
        laid.next = if laid.next + 1 < laid.lines.len() {
            laid.next + 1
        } else {
            0
        };
        laid.due += stretch.stores;
        let write = laid.due >= 100;
        laid.due -= if write { 100 } else { 0 };
        let op = Op {
            addr: self.area.address(line),
            gap: std::mem::take(&mut self.gap).saturating_add(stretch.gap),
            dep: if stretch.chain { self.since_load } else { 0 },
            size: 8,
            write,
        };
        self.since_load = match write {
            false => 1,
            // A load so long ago has its value.
            true if self.since_load == 0 || self.since_load >= 64 => 0,
            true => self.since_load + 1,
        };
        self.done += 1;
        self.burst += 1;
        if self.burst >= stretch.burst {
            self.burst = 0;
            self.gap = stretch.pause;
        }
        op
    }
}

impl Program for Moves {
    fn name(&self) -> &'static str {
        "attack"
    }

    fn footprint(&self) -> Vec<fresco_load::Area> {
        self.area.footprint()
    }

    fn next(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        begin_once(&mut self.begun, out);
        while !out.is_full() {
            out.push(Event::Op(self.access()));
            if self.done < self.stretches[self.present].stretch.accesses {
                continue;
            }
            (self.done, self.burst) = (0, 0);
            self.present = (self.present + 1) % self.stretches.len();
            if self.present == 0 {
                out.push(Event::Mark {
                    marker: Marker::Pass,
                    gap: 0,
                });
            }
        }
        Ok(true)
    }

    fn verify(&self) -> Result<(), String> {
        Ok(())
    }
}
