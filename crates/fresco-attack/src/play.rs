// SPDX-License-Identifier: MIT OR Apache-2.0
//! An attack on the model of the controller.

use crate::phases::Phased;
use crate::requests::{Requests, Turn};
use crate::rounds::{Rounds, Row};
use crate::{Attack, Habits};
use fresco_bound::Dram;
use fresco_dram::{CommandKind, Cycle, Organisation};
use fresco_memory::{Access, Command, Completion, Controller, Sink};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What a core or device may do in a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Reads under way at most; at least 1 of the victim.
    pub reads: u32,
    /// Writes that may wait for the controller at most; 0: it writes nothing.
    pub writes: u32,
    /// Its banks, counted in the channel; at least one.
    pub banks: Vec<u32>,
}

/// A read, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worst {
    /// From its arrival at the controller to its last data, in cycles.
    pub cycles: Cycle,
    /// When it arrived.
    pub arrived: Cycle,
}

/// What came of an attack.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// The longest read of each core.
    pub longest: Vec<Worst>,
    /// Reads of all cores.
    pub reads: u64,
    /// Commands, if they were asked for.
    pub commands: Vec<Command>,
}

struct Back {
    /// What is over when: numbers of requests.
    done: BinaryHeap<Reverse<(Cycle, u64)>>,
    /// The row that is open in each bank, or was last.
    rows: Vec<Row>,
    org: Organisation,
    played: Played,
    keeps_commands: bool,
}

impl Sink for Back {
    fn completed(&mut self, c: &Completion) {
        self.done.push(Reverse((c.done, c.id)));
        if c.access == Access::Read {
            self.played.reads += 1;
            let longest = &mut self.played.longest[usize::from(c.source)];
            if c.done - c.arrived > longest.cycles {
                *longest = Worst {
                    cycles: c.done - c.arrived,
                    arrived: c.arrived,
                };
            }
        }
    }

    fn wants_commands(&self) -> bool {
        true
    }

    fn command(&mut self, command: &Command) {
        let rank = command.rank * self.org.banks_per_rank();
        let bank = (rank + command.bank_group * self.org.banks + command.bank) as usize;
        match command.kind {
            CommandKind::Act => {
                self.rows[bank] = Row {
                    number: command.row,
                    is_open: true,
                };
            }
            CommandKind::Pre | CommandKind::RdA | CommandKind::WrA => self.rows[bank].is_open = false,
            CommandKind::PreAll => {
                let banks = rank as usize..(rank + self.org.banks_per_rank()) as usize;
                self.rows[banks].iter_mut().for_each(|row| row.is_open = false);
            }
            _ => {}
        }
        if self.keeps_commands {
            self.played.commands.push(*command);
        }
    }
}

/// Plays `attack` for so many cycles on a controller with one channel, empty at the start. `victim` is the core that others ambush. Commands
/// are kept if `keeps_commands`.
///
/// # Panics
/// If the attack has not as many cores as there are limits.
pub fn play(
    dram: &Dram<'_>,
    limits: &[Limits],
    victim: usize,
    attack: &Attack,
    cycles: Cycle,
    keeps_commands: bool,
) -> Played {
    assert_eq!(attack.cores.len(), limits.len());
    let org = dram.organisation;
    let mut controller = Controller::new(dram.controller, org, dram.timing, 0);
    let mut back = Back {
        done: BinaryHeap::new(),
        rows: vec![Row::default(); org.banks_per_channel() as usize],
        org: *org,
        played: Played {
            longest: vec![Worst::default(); limits.len()],
            ..Played::default()
        },
        keeps_commands,
    };
    let mut rng = Pcg64::seed_from_u64(attack.seed);
    let mut requests = Requests::new(dram, limits.len());
    let mut cores: Vec<(Phased, Rounds)> = limits.iter().map(|_| Default::default()).collect();
    for now in 0..cycles {
        while let Some(&Reverse((at, request))) = back.done.peek()
            && at <= now
        {
            back.done.pop();
            let sent = requests.is_over(request as usize);
            if let Some(series) = sent.series {
                cores[sent.core].1.is_over(series, sent.write);
            }
        }
        // The victim's read is the youngest of its cycle.
        let others = (0..limits.len()).filter(|core| *core != victim);
        for core in others.chain([victim]) {
            let mut turn = Turn {
                core,
                limits: &limits[core],
                now,
                requests: &mut requests,
                to: &mut controller,
            };
            let victims_next = (core != victim).then_some(cores[victim].0.next);
            let (phased, rounds) = &mut cores[core];
            match &attack.cores[core] {
                Habits::Phases(phases) => phased.send(phases, victims_next, &mut rng, &mut turn),
                Habits::Rounds(series) => rounds.send(series, attack.round, &back.rows, &mut turn),
            }
        }
        controller.run_until(now, &mut back);
    }
    back.played
}
