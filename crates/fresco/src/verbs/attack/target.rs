// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whose reads are attacked, where, and by whom: what follows from the scenario.

use super::Attacker;
use fresco_attack::Limits;
use fresco_bound::{Dram, Sources, TaskReads};
use fresco_dram::Organisation;
use fresco_scenario::Setup;

/// A task under attack.
pub struct Target {
    pub name: String,
    pub node: u32,
    pub channel: u32,
    /// The bound of its reads, if there is one.
    pub reads: Option<TaskReads>,
    pub attackers: Vec<Attacker>,
    /// Which of them is the task's core.
    pub victim: usize,
}

impl Target {
    /// A copy of a task, in the channel in which its reads may take longest.
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

    pub fn limits(&self) -> Vec<Limits> {
        self.attackers.iter().map(|attacker| attacker.limits.clone()).collect()
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
