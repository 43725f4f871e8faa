// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose reads are attacked, where, and by whom: what follows from a scenario.

use crate::{Found, Limits, Observer, Search, search};
use fresco_bound::{Crowd, Dram, Sources, TaskReads};
use fresco_dram::Organisation;
use fresco_scenario::Setup;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A copy of a task under attack.
#[derive(Clone, Debug)]
pub struct Target {
    /// The copy.
    pub name: String,
    /// Node of the controller in which its reads may take longest.
    pub node: u32,
    /// Channel of the node.
    pub channel: u32,
    /// The bound of its reads, if there is one.
    pub reads: Option<TaskReads>,
    /// Who attacks: its own core among them.
    pub attackers: Vec<Attacker>,
    /// Which of them is its core.
    pub victim: usize,
}

/// A core or device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attacker {
    /// Tasks of the core, or the device.
    pub names: Vec<String>,
    /// What it may do.
    #[serde(flatten)]
    pub limits: Limits,
}

impl Target {
    /// Copy number `copy` of a setup; `None` if nobody sends anything for it.
    pub fn of(setup: &Setup, copy: usize) -> Option<Self> {
        let sources = Sources::of(setup);
        let name = setup.copies[copy].name.clone();
        let reads = sources.reads_of(copy).ok();
        let (node, channel) = match &reads {
            Some(reads) => (reads.node, reads.channel),
            None => sources.a_channel_of(copy),
        };
        let senders = sources.of_channel(node, channel);
        let victim = senders.iter().position(|sender| sender.names.contains(&name))?;
        let attackers = senders.into_iter().map(|sender| Attacker {
            names: sender.names,
            limits: Limits {
                reads: sender.reads,
                writes: sender.writes,
                banks: sender.banks,
            },
        });
        Some(Self {
            name,
            node,
            channel,
            reads,
            attackers: attackers.collect(),
            victim,
        })
    }

    /// What each attacker may do.
    pub fn limits(&self) -> Vec<Limits> {
        self.attackers.iter().map(|attacker| attacker.limits.clone()).collect()
    }

    /// Attacks it. `None` if it was stopped before any.
    pub fn attack(&self, setup: &Setup, how: &Search, observer: &dyn Observer) -> Option<Found> {
        let organisation = channel_of(setup);
        search(&dram(setup, &organisation), &self.limits(), self.victim, how, observer)
    }
}

/// What may be under way around the reads of core `victim`, in a channel that nobody else uses.
pub fn crowd(limits: &[Limits], victim: usize, org: &Organisation) -> Crowd {
    let own = &limits[victim].banks;
    // In sum of those that share a part of so many banks with it.
    let near = |banks: u32| {
        let is_near = |core: &&Limits| {
            let mut pairs = core.banks.iter().flat_map(|a| own.iter().map(move |b| (a, b)));
            pairs.any(|(a, b)| a / banks == b / banks)
        };
        limits.iter().filter(is_near).map(|core| core.reads).sum::<u32>()
    };
    let rank = |bank: &u32| bank / org.banks_per_rank();
    // A read in any of its ranks has those in the others.
    let leaves = |core: &&Limits| core.banks.iter().any(|a| own.iter().any(|b| rank(a) != rank(b)));
    let ranks: BTreeSet<u32> = limits.iter().flat_map(|core| core.banks.iter().map(rank)).collect();
    let reads = limits.iter().map(|core| core.reads).sum();
    let writes = limits.iter().map(|core| core.writes).sum();
    Crowd {
        reads,
        of_rank: near(org.banks_per_rank()),
        of_group: near(org.banks),
        of_bank: near(1),
        of_other_ranks: limits.iter().filter(leaves).map(|core| core.reads).sum(),
        ranks: ranks.len() as u32,
        waiting_writes: writes,
        front: reads + writes,
    }
}

/// The organisation of one channel.
pub fn channel_of(setup: &Setup) -> Organisation {
    Organisation {
        nodes: 1,
        channels: 1,
        ..setup.machine.memory.organisation
    }
}

/// A controller with one channel.
pub fn dram<'s>(setup: &'s Setup, organisation: &'s Organisation) -> Dram<'s> {
    Dram {
        organisation,
        ..Dram::of(&setup.machine)
    }
}
