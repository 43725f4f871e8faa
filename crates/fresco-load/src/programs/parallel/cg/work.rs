// SPDX-License-Identifier: MIT OR Apache-2.0
//! What threads do within a section.

use super::{Cg, Phase, Registers};
use crate::recorder::{LOOP, Recorder, Source};

/// Elements of a row that one step multiplies.
const CHUNK: usize = 16;

impl Cg {
    /// What the master does with a sum of all parts: ρ at first; then α; then β and the new ρ.
    pub(super) fn conclude(&mut self, sum: f64, last: Source, recorder: &mut Recorder<'_>) {
        let (rho, source) = match self.phase {
            Phase::First => (1.0, Source::NONE),
            _ => self.scalars.get(0, Source::NONE, recorder),
        };
        recorder.work(1); // division
        let quotient = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a / b };
        let scalar = match self.phase {
            Phase::Alpha(_) => quotient(rho, sum),
            _ => quotient(sum, rho),
        };
        self.scalars.set(1, scalar, last.and(source), recorder);
        if !matches!(self.phase, Phase::Alpha(_)) {
            self.scalars.set(0, sum, last, recorder);
        }
    }

    /// A piece of the product of a row. True at its last piece.
    pub(super) fn multiply(&mut self, thread: usize, row: usize, recorder: &mut Recorder<'_>) -> bool {
        let Registers {
            place, row: sum, last, ..
        } = self.registers[thread];
        let Some(mut sum) = sum else {
            let (diagonal, _) = self.matrix.diagonal.get(row, Source::NONE, recorder);
            let (p, last) = self.p.get(row, Source::NONE, recorder);
            self.matrix.graph.starts.get(row + 1, Source::NONE, recorder);
            recorder.work(1);
            let place = self.matrix.graph.places(row).start;
            let registers = &mut self.registers[thread];
            (registers.row, registers.place, registers.last) = (Some(diagonal * p), place, last);
            return false;
        };
        let end = self.matrix.graph.places(row).end;
        let (mut place, first, mut last) = (place, place, last);
        while place < end.min(first + CHUNK) {
            let (value, _) = self.matrix.values.get(place, Source::NONE, recorder);
            let (column, source) = self.matrix.graph.neighbors.get(place, Source::NONE, recorder);
            let (p, source) = self.p.get(column as usize, source, recorder);
            recorder.work(2 + LOOP);
            (sum, last, place) = (sum + value * p, source, place + 1);
        }
        let registers = &mut self.registers[thread];
        if place < end {
            (registers.row, registers.place, registers.last) = (Some(sum), place, last);
            return false;
        }
        registers.row = None;
        self.q.set(row, sum, last, recorder);
        recorder.work(2 + LOOP);
        self.registers[thread].sum += sum * self.p.data[row];
        true
    }

    /// α or β, loaded once by each thread.
    pub(super) fn scalar(&mut self, thread: usize, recorder: &mut Recorder<'_>) -> f64 {
        if !std::mem::replace(&mut self.registers[thread].has_scalar, true) {
            self.scalars.get(1, Source::NONE, recorder);
        }
        self.scalars.data[1]
    }
}
