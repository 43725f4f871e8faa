// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many banks work at the same time, and for how long all cores wait for refreshes at once.

use fresco_dram::{CommandKind, Cycle, Organisation, Ps, Timing};
use fresco_memory::Command;

/// Banks at work: from a command for a request until it has opened or closed the row, or the data are over.
#[derive(Clone, Debug)]
pub(super) struct BankWork {
    banks_per_group: u32,
    banks_per_rank: u32,
    ranks: u32,
    /// Cycles of an activation, a precharge, a read and a write.
    lengths: [Cycle; 4],
    /// Of each bank of all channels, until when it works; work is added up in order of time.
    until: Vec<Cycle>,
    bank_cycles: Cycle,
    /// The same for any bank of a channel.
    any_until: Vec<Cycle>,
    any_cycles: Cycle,
}

impl BankWork {
    /// No work yet.
    pub fn new(organisation: &Organisation, timing: &Timing) -> Self {
        let channels = (organisation.nodes * organisation.channels) as usize;
        let banks = (organisation.ranks * organisation.banks_per_rank()) as usize;
        Self {
            banks_per_group: organisation.banks,
            banks_per_rank: organisation.banks_per_rank(),
            ranks: organisation.ranks,
            lengths: [
                timing.rcd,
                timing.rp,
                timing.cl + timing.burst(),
                timing.cwl + timing.burst(),
            ],
            until: vec![0; channels * banks],
            bank_cycles: 0,
            any_until: vec![0; channels],
            any_cycles: 0,
        }
    }

    /// Work so far does not count; what is under way does from now on, with the next command.
    pub fn count_anew(&mut self) {
        (self.bank_cycles, self.any_cycles) = (0, 0);
    }

    /// Commands come in order of time.
    pub fn observe(&mut self, command: &Command) {
        let [activation, precharge, read, write] = self.lengths;
        let length = match command.kind {
            CommandKind::Act => activation,
            CommandKind::Pre => precharge,
            CommandKind::Rd | CommandKind::RdA => read,
            CommandKind::Wr | CommandKind::WrA => write,
            _ => return,
        };
        let rank = command.channel * self.ranks + command.rank;
        let bank = rank * self.banks_per_rank + command.bank_group * self.banks_per_group + command.bank;
        let end = command.cycle + length;
        let bank = &mut self.until[bank as usize];
        self.bank_cycles += end.saturating_sub(command.cycle.max(*bank));
        *bank = end.max(*bank);
        let any = &mut self.any_until[command.channel as usize];
        self.any_cycles += end.saturating_sub(command.cycle.max(*any));
        *any = end.max(*any);
    }

    /// Banks at work, mean over the time in which any bank of their channel is; 0 if none ever was.
    pub fn mean(&self) -> f64 {
        if self.any_cycles == 0 {
            return 0.0;
        }
        self.bank_cycles as f64 / self.any_cycles as f64
    }
}

/// When reads of each core waited for refreshes, from when they were sent.
#[derive(Clone, Debug)]
pub(super) struct Waits(Vec<Vec<(Ps, Ps)>>);

impl Waits {
    /// Of so many cores.
    pub fn new(cores: usize) -> Self {
        Self(vec![Vec::new(); cores])
    }

    pub fn note(&mut self, core: u32, from: Ps, wait: Ps) {
        self.0[core as usize].push((from, from + wait));
    }

    /// Time in which every core has a read that waits.
    pub fn all_at_once(&self) -> Ps {
        let mut edges: Vec<(Ps, bool)> = Vec::new();
        for spans in &self.0 {
            edges.extend(united(spans).iter().flat_map(|&(from, to)| [(from, true), (to, false)]));
        }
        // Ends before beginnings of the same time.
        edges.sort_unstable();
        let (mut waiting, mut since, mut total) = (0, 0, 0);
        for (at, begins) in edges {
            if begins {
                waiting += 1;
                since = at;
            } else {
                if waiting == self.0.len() {
                    total += at - since;
                }
                waiting -= 1;
            }
        }
        total
    }
}

/// Spans without overlaps.
fn united(spans: &[(Ps, Ps)]) -> Vec<(Ps, Ps)> {
    let mut sorted = spans.to_vec();
    sorted.sort_unstable();
    let mut united: Vec<(Ps, Ps)> = Vec::new();
    for (from, to) in sorted {
        match united.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => united.push((from, to)),
        }
    }
    united
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(cycle: Cycle, kind: CommandKind, rank: u32, bank: u32) -> Command {
        Command {
            cycle,
            kind,
            channel: 0,
            rank,
            bank_group: 0,
            bank,
            row: 0,
            column: 0,
        }
    }

    #[test]
    fn banks_side_by_side_and_one_after_the_other() {
        let machine = fresco_machine::builtin("gem5-2core").expect("built in");
        let (organisation, timing) = (&machine.memory.organisation, &machine.memory.timing);
        let mut work = BankWork::new(organisation, timing);
        assert_eq!(work.mean(), 0.0);
        work.observe(&command(0, CommandKind::Act, 0, 0));
        work.observe(&command(10_000, CommandKind::Act, 1, 0));
        assert_eq!(work.mean(), 1.0);
        work.observe(&command(20_000, CommandKind::Act, 0, 1));
        work.observe(&command(20_000, CommandKind::Act, 1, 2));
        work.observe(&command(20_000, CommandKind::RefAb, 1, 2));
        // Three activations long some bank works, for one of them two.
        assert_eq!(work.mean(), 4.0 / 3.0);
    }

    #[test]
    fn only_what_all_wait_for_counts() {
        let mut waits = Waits::new(2);
        waits.note(0, 10, 10);
        assert_eq!(waits.all_at_once(), 0);
        waits.note(1, 20, 5);
        assert_eq!(waits.all_at_once(), 0, "one after the other");
        waits.note(1, 12, 3);
        waits.note(1, 14, 4);
        assert_eq!(waits.all_at_once(), 6);
    }
}
