// SPDX-License-Identifier: MIT OR Apache-2.0
//! Text formats: a line for each access.

use super::Losses;
use crate::trace::format::Format;
use crate::trace::ftrace::{Record, Unit, What};
use crate::trace::records::to_end_of_line;
use std::io::{self, Write};

/// Highest address that Ramulator 2 reads: it takes numbers with `std::stoll`.
const HIGHEST: u64 = i64::MAX as u64;
/// Longest gap that Ramulator 2 reads: it takes it with `std::stoi`.
const LONGEST_GAP: u64 = i32::MAX as u64;

/// Writes one of the text formats.
pub(super) struct LineWriter<W: Write> {
    out: W,
    format: Format,
    unit: Unit,
    instructions_per_cycle: u64,
    /// Instructions, or cycles, before the next record.
    time: u64,
    /// Instructions since the last access.
    gap: u64,
    /// Of a processor trace: gap and address of a load whose line a store may follow on.
    load: Option<(u64, u64)>,
}

impl<W: Write> LineWriter<W> {
    pub fn new(out: W, format: Format, unit: Unit, instructions_per_cycle: u64) -> Self {
        Self {
            out,
            format,
            unit,
            instructions_per_cycle: instructions_per_cycle.max(1),
            time: 0,
            gap: 0,
            load: None,
        }
    }

    pub fn push(&mut self, record: &Record, losses: &mut Losses) -> io::Result<()> {
        self.time = self.time.saturating_add(record.gap);
        if self.unit == Unit::Instructions {
            self.gap = self.gap.saturating_add(record.gap);
        } else if self.format != Format::DramSim3 {
            losses.add(u64::from(record.gap > 0), "arrival times");
        }
        let What::Access { addr, size, write, dep } = record.what else {
            losses.add(1, "marks");
            return Ok(());
        };
        let counted = self.unit == Unit::Instructions;
        let before = self.time;
        self.time += u64::from(counted);
        if matches!(self.format, Format::LoadStore | Format::RamulatorCpu) && addr > HIGHEST {
            losses.add(1, "accesses at addresses from 2^63 on");
            self.gap = self.gap.saturating_add(u64::from(counted));
            return Ok(());
        }
        losses.add(u64::from(dep > 0), "dependences");
        losses.add(u64::from(size != to_end_of_line(addr)), "sizes of accesses");
        match self.format {
            Format::RamulatorCpu => self.processor(addr, write, losses),
            Format::LoadStore => {
                losses.add(std::mem::take(&mut self.gap), "instructions without access");
                writeln!(self.out, "{} {addr:#x}", if write { "ST" } else { "LD" })
            }
            Format::Ramulator => {
                losses.add(std::mem::take(&mut self.gap), "instructions without access");
                writeln!(self.out, "{addr:#x} {}", if write { "W" } else { "R" })
            }
            _ => {
                self.gap = 0;
                let cycle = match counted {
                    true => before / self.instructions_per_cycle,
                    false => before,
                };
                writeln!(self.out, "{addr:#x} {} {cycle}", if write { "WRITE" } else { "READ" })
            }
        }
    }

    /// A load has a line of its own, which a store that follows at once completes; any other store is on a line that reads what it
    /// writes.
    fn processor(&mut self, addr: u64, write: bool, losses: &mut Losses) -> io::Result<()> {
        let gap = std::mem::take(&mut self.gap);
        if let (true, 0, Some((before, load))) = (write, gap, self.load) {
            self.load = None;
            return writeln!(self.out, "{before} {load} {addr}");
        }
        self.load()?;
        losses.add(gap.saturating_sub(LONGEST_GAP), "instructions of gaps beyond 2^31 - 1");
        let gap = gap.min(LONGEST_GAP);
        if !write {
            self.load = Some((gap, addr));
            return Ok(());
        }
        losses.add(
            1,
            "stores without a load just before them (a load of the same address is added)",
        );
        writeln!(self.out, "{gap} {addr} {addr}")
    }

    /// Writes the load that is held back.
    fn load(&mut self) -> io::Result<()> {
        match self.load.take() {
            Some((gap, addr)) => writeln!(self.out, "{gap} {addr}"),
            None => Ok(()),
        }
    }

    pub fn finish(mut self, losses: &mut Losses) -> io::Result<W> {
        self.load()?;
        losses.add(self.gap, "instructions after the last access");
        Ok(self.out)
    }
}
