// SPDX-License-Identifier: MIT OR Apache-2.0
//! What cores have sent, and what of it is under way.

use crate::Limits;
use fresco_bound::Dram;
use fresco_dram::{Cycle, Location, Organisation};
use fresco_memory::{Access, Controller, Request};

/// Rows of a bank that are used.
pub const ROWS: u32 = 64;

/// A request that was sent.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    pub core: usize,
    /// The series that it is of.
    pub series: Option<usize>,
    pub write: bool,
    /// Bank of the channel.
    pub bank: u32,
    is_over: bool,
}

/// All requests of an attack, by number.
pub struct Requests<'d> {
    dram: &'d Dram<'d>,
    /// Columns that a line takes.
    line_columns: u32,
    sent: Vec<Sent>,
    /// Before this one all are over.
    first_under_way: usize,
    /// Reads and writes under way, by core.
    under_way: Vec<[u32; 2]>,
    /// Reads under way, by bank.
    reading: Vec<u32>,
}

impl<'d> Requests<'d> {
    pub fn new(dram: &'d Dram<'d>, cores: usize) -> Self {
        let org = dram.organisation;
        Self {
            dram,
            line_columns: (dram.timing.bytes_of_line(org) / u64::from(org.bus_bytes)) as u32,
            sent: Vec::new(),
            first_under_way: 0,
            under_way: vec![[0; 2]; cores],
            reading: vec![0; org.banks_per_channel() as usize],
        }
    }

    /// Lines of a row.
    pub fn lines(&self) -> u32 {
        self.dram.organisation.columns / self.line_columns
    }

    /// The interval of refreshes, in cycles.
    pub fn refi(&self) -> Cycle {
        self.dram.timing.refi.max(1)
    }

    /// The number of the next request.
    pub fn next(&self) -> usize {
        self.sent.len()
    }

    /// Reads of a core under way.
    pub fn reads_of(&self, core: usize) -> u32 {
        self.under_way[core][0]
    }

    /// Writes of a core that wait.
    pub fn writes_of(&self, core: usize) -> u32 {
        self.under_way[core][1]
    }

    /// Returns true if reads of the bank are under way.
    pub fn is_read(&self, bank: u32) -> bool {
        self.reading[bank as usize] > 0
    }

    /// Reads of other banks that were sent before request `number` and are under way.
    pub fn older_elsewhere(&self, number: usize) -> usize {
        let bank = self.sent[number].bank;
        let older = &self.sent[self.first_under_way.min(number)..number];
        let counts = |sent: &&Sent| !sent.is_over && !sent.write && sent.bank != bank;
        older.iter().filter(counts).count()
    }

    /// A request is over.
    pub fn is_over(&mut self, number: usize) -> Sent {
        let sent = &mut self.sent[number];
        sent.is_over = true;
        let sent = *sent;
        while self.sent.get(self.first_under_way).is_some_and(|sent| sent.is_over) {
            self.first_under_way += 1;
        }
        self.under_way[sent.core][usize::from(sent.write)] -= 1;
        self.reading[sent.bank as usize] -= u32::from(!sent.write);
        sent
    }
}

/// A core that may send requests in a cycle.
pub struct Turn<'t, 'd> {
    pub core: usize,
    pub limits: &'t Limits,
    pub now: Cycle,
    pub requests: &'t mut Requests<'d>,
    pub to: &'t mut Controller,
}

impl Turn<'_, '_> {
    pub fn may_read(&self) -> bool {
        self.requests.reads_of(self.core) < self.limits.reads
    }

    pub fn may_write(&self) -> bool {
        self.requests.writes_of(self.core) < self.limits.writes
    }

    /// Sends a request for a line of a row.
    pub fn send(&mut self, series: Option<usize>, write: bool, bank: u32, (row, line): (u32, u32)) {
        let requests = &mut *self.requests;
        let org = requests.dram.organisation;
        requests.under_way[self.core][usize::from(write)] += 1;
        requests.reading[bank as usize] += u32::from(!write);
        let number = u64::from(bank) * u64::from(ROWS) + u64::from(row);
        let request = Request {
            id: requests.sent.len() as u64,
            source: self.core as u16,
            access: if write { Access::Write } else { Access::Read },
            line: (number * u64::from(requests.lines()) + u64::from(line)) * requests.dram.timing.bytes_of_line(org),
            location: place(org, bank, row, line * requests.line_columns),
        };
        requests.sent.push(Sent {
            core: self.core,
            series,
            write,
            bank,
            is_over: false,
        });
        self.to.submit(self.now, request);
    }
}

fn place(org: &Organisation, bank: u32, row: u32, column: u32) -> Location {
    let (rank, rest) = (bank / org.banks_per_rank(), bank % org.banks_per_rank());
    Location {
        rank,
        bank_group: rest / org.banks,
        bank: rest % org.banks,
        row,
        column,
        ..Location::default()
    }
}
