// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who may have how many requests under way in which banks: cores and devices of a scenario.

use crate::crowd::displaced_lines;
use crate::{Crowd, Dram, ReadBound, Unbounded, read};
use fresco_dram::Ps;
use fresco_frames::{Coloring, PageTables};
use fresco_machine::Machine;
use fresco_scenario::Setup;
use serde::Serialize;
use std::collections::BTreeSet;

/// A core with all its tasks, or a device.
#[derive(Clone, Debug)]
struct Source {
    /// Tasks of the core, or the device.
    names: Vec<String>,
    /// Reads under way at most.
    reads: u32,
    /// Writes that wait for a controller at most.
    writes: u32,
    /// Banks of the machine that it may reach.
    banks: BTreeSet<u32>,
}

/// What a core or device may do in one channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// Tasks of the core, or the device.
    pub names: Vec<String>,
    /// Reads under way at most.
    pub reads: u32,
    /// Writes that wait for the controller at most.
    pub writes: u32,
    /// Banks that it may reach, counted in the channel.
    pub banks: Vec<u32>,
}

/// All that may send requests in a scenario.
pub struct Sources<'s> {
    setup: &'s Setup,
    cores: Vec<(u32, Source)>,
    devices: Vec<Source>,
}

/// The bound of the reads of one task, in the channel in which it is the largest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TaskReads {
    /// Node of the controller.
    pub node: u32,
    /// Channel of the node.
    pub channel: u32,
    /// Who may be under way there.
    pub crowd: Crowd,
    /// The bound, in cycles of the memory clock.
    pub bound: ReadBound,
    /// The same, in picoseconds.
    pub longest_ps: Ps,
    /// All crowds around banks that the task may read, each with its bound; that above is among them.
    #[serde(skip)]
    pub all: Vec<(Crowd, ReadBound)>,
}

impl<'s> Sources<'s> {
    /// Of a scenario's setup.
    pub fn of(setup: &'s Setup) -> Self {
        let machine = &setup.machine;
        let misses = machine.core.mshrs;
        let write_backs = displaced_lines(misses);
        // A core writes back what its accesses displace, whoever wrote that; what nobody wrote is not written back.
        let somebody_writes = setup.copies.iter().any(|copy| !setup.program(copy.task).only_reads());
        let mut cores: Vec<(u32, Source)> = Vec::new();
        for (number, copy) in setup.copies.iter().enumerate() {
            let banks = banks_of_copy(setup, number);
            match cores.iter_mut().find(|(core, _)| *core == copy.core) {
                Some((_, source)) => {
                    source.banks.extend(banks);
                    source.names.push(copy.name.clone());
                }
                None => {
                    let source = Source {
                        names: vec![copy.name.clone()],
                        reads: misses,
                        writes: if somebody_writes { write_backs } else { 0 },
                        banks,
                    };
                    cores.push((copy.core, source));
                }
            }
        }
        let devices = setup.agents.iter().filter(|agent| agent.enabled).map(|agent| Source {
            names: vec![agent.name.clone()],
            reads: if agent.write_percent < 100 { agent.in_flight } else { 0 },
            writes: if agent.write_percent > 0 { agent.in_flight } else { 0 },
            banks: banks_of(setup, &agent.coloring),
        });
        Self {
            setup,
            cores,
            devices: devices.collect(),
        }
    }

    pub(crate) fn setup(&self) -> &Setup {
        self.setup
    }

    /// Returns true if a core may displace dirty lines.
    pub(crate) fn somebody_writes(&self) -> bool {
        self.cores.iter().any(|(_, source)| source.writes > 0)
    }

    fn all(&self) -> impl Iterator<Item = &Source> {
        self.cores.iter().map(|(_, source)| source).chain(&self.devices)
    }

    /// Who may send requests to a channel of a node.
    pub fn of_channel(&self, node: u32, channel: u32) -> Vec<Sender> {
        let org = &self.setup.machine.memory.organisation;
        let per_channel = org.banks_per_channel();
        let first = (node * org.channels + channel) * per_channel;
        let sender = |source: &Source| Sender {
            names: source.names.clone(),
            reads: source.reads,
            writes: source.writes,
            banks: source
                .banks
                .range(first..first + per_channel)
                .map(|bank| bank - first)
                .collect(),
        };
        let senders = self.all().map(sender);
        senders.filter(|sender| !sender.banks.is_empty()).collect()
    }

    /// The crowd around a read of bank `bank` of the machine.
    fn around(&self, bank: u32) -> Crowd {
        let org = &self.setup.machine.memory.organisation;
        let (per_rank, per_channel) = (org.banks_per_rank(), org.banks_per_channel());
        let per_node = per_channel * org.channels;
        let reaches = |source: &Source, size: u32| {
            let first = bank / size * size;
            source.banks.range(first..first + size).next().is_some()
        };
        let reads = |size: u32| self.all().filter(|s| reaches(s, size)).map(|s| s.reads).sum();
        let writes = |size: u32| self.all().filter(|s| reaches(s, size)).map(|s| s.writes).sum::<u32>();
        let first = bank / per_channel * per_channel;
        let ranks: BTreeSet<u32> = self
            .all()
            .flat_map(|s| s.banks.range(first..first + per_channel))
            .map(|bank| bank / per_rank)
            .collect();
        let own_rank = bank / per_rank;
        let leaves_rank = |source: &&Source| {
            let mut banks = source.banks.range(first..first + per_channel);
            banks.any(|bank| bank / per_rank != own_rank)
        };
        let in_other_ranks = self.all().filter(leaves_rank).map(|s| s.reads).sum();
        // A line that a task displaces may be of any other that shares the last-level cache.
        let any_writes = writes(per_node);
        Crowd {
            reads: reads(per_channel),
            of_rank: reads(per_rank),
            of_group: reads(org.banks),
            of_bank: reads(1),
            of_other_ranks: in_other_ranks,
            ranks: ranks.len() as u32,
            waiting_writes: any_writes,
            front: reads(per_node) + any_writes,
        }
    }

    /// Node and channel of the first bank that a copy may read.
    pub fn a_channel_of(&self, copy: usize) -> (u32, u32) {
        let org = &self.setup.machine.memory.organisation;
        let channel = banks_of_copy(self.setup, copy)
            .first()
            .map_or(0, |bank| bank / org.banks_per_channel());
        (channel / org.channels, channel % org.channels)
    }

    /// The bound of the reads of a copy.
    ///
    /// # Errors
    /// Why there is none.
    pub fn reads_of(&self, copy: usize) -> Result<TaskReads, Unbounded> {
        if self.setup.dynamic.is_some() {
            return Err(Unbounded::PagesMove);
        }
        let machine = &self.setup.machine;
        let org = &machine.memory.organisation;
        let bounds = self.bounds_of(banks_of_copy(self.setup, copy))?;
        // Of equal ones the first.
        let worst = bounds
            .iter()
            .rev()
            .max_by_key(|of| of.bound.total())
            .expect("a task has banks");
        let channel = worst.bank / org.banks_per_channel();
        Ok(TaskReads {
            node: channel / org.channels,
            channel: channel % org.channels,
            crowd: worst.crowd,
            bound: worst.bound,
            longest_ps: machine.memory.timing.clock.longest_ps(worst.bound.total()),
            all: bounds.iter().map(|of| (of.crowd, of.bound)).collect(),
        })
    }

    /// Nodes whose banks a copy may read.
    pub(crate) fn nodes_of(&self, copy: usize) -> BTreeSet<u32> {
        let banks = banks_of_copy(self.setup, copy);
        banks.into_iter().map(|bank| self.node_of(bank)).collect()
    }

    fn node_of(&self, bank: u32) -> u32 {
        let org = &self.setup.machine.memory.organisation;
        bank / (org.banks_per_channel() * org.channels)
    }

    /// All crowds around reads, whoever's, that a drain of lines of a copy's core may wait for, each with its bound.
    ///
    /// # Errors
    /// Why one has none.
    pub(crate) fn before_drains(&self, copy: usize) -> Result<Vec<(Crowd, ReadBound)>, Unbounded> {
        let nodes = self.nodes_of(copy);
        let read = self
            .all()
            .filter(|source| source.reads > 0)
            .flat_map(|source| &source.banks);
        let banks: BTreeSet<u32> = read
            .filter(|bank| nodes.contains(&self.node_of(**bank)))
            .copied()
            .collect();
        let bounds = self.bounds_of(banks)?;
        Ok(bounds.iter().map(|of| (of.crowd, of.bound)).collect())
    }

    /// The bound of a read of each of these banks, once for each different crowd.
    fn bounds_of(&self, banks: BTreeSet<u32>) -> Result<Vec<Around>, Unbounded> {
        let dram = Dram::of(&self.setup.machine);
        let mut bounds: Vec<Around> = Vec::new();
        for bank in banks {
            let crowd = self.around(bank);
            if bounds.iter().all(|of| of.crowd != crowd) {
                let bound = read(&dram, &crowd)?;
                bounds.push(Around { bank, crowd, bound });
            }
        }
        Ok(bounds)
    }
}

/// The bound of a read of a bank.
struct Around {
    bank: u32,
    crowd: Crowd,
    bound: ReadBound,
}

/// Banks of the machine that a copy of a task may read: those of its colors, and all if its page tables may lie anywhere.
fn banks_of_copy(setup: &Setup, copy: usize) -> BTreeSet<u32> {
    let walks = setup.machine.core.tlb.is_some() && setup.frames.page_tables == PageTables::Uncolored;
    match walks {
        true => all_banks(&setup.machine),
        false => banks_of(setup, &setup.copies[copy].coloring),
    }
}

fn banks_of(setup: &Setup, coloring: &Coloring) -> BTreeSet<u32> {
    match coloring {
        Coloring::Explicit {
            banks: Some(colors), ..
        } if setup.frames.policy.is_strict() => colors.iter().flat_map(|color| setup.space.banks(color)).collect(),
        // Frames of any color, or of colors that are chosen when pages are allocated.
        _ => all_banks(&setup.machine),
    }
}

fn all_banks(machine: &Machine) -> BTreeSet<u32> {
    (0..machine.memory.organisation.banks_total()).collect()
}
