// SPDX-License-Identifier: MIT OR Apache-2.0
//! Devices beside the cores: they get their buffers before the tasks get any page, begin with the programs, and send lines when these are
//! due. At equal times they go after timers and before cores.

use super::{Done, Engine, build};
use crate::agent::Device;
use crate::experiment::{AgentOutcome, Experiment};
use fresco_dram::{NEVER, PhysAddr, Ps};
use fresco_frames::{Frames, TaskId};
use fresco_input::InputError;
use fresco_scenario::{Agent, allocator, error_at};

/// Numbers of devices where tasks have theirs for their seeds: beyond those of any task.
const FIRST_SEED: u64 = 1 << 15;

/// The devices of a run.
pub(super) struct Agents {
    devices: Vec<Device>,
    /// Their numbers with the allocator.
    ids: Vec<TaskId>,
    /// When one of them sends a line next; [`NEVER`] without devices.
    pub next: Ps,
}

impl Agents {
    /// All devices of an experiment, with their buffers.
    ///
    /// # Errors
    /// The memory or the colors of one are used up.
    pub fn new(experiment: &Experiment, frames: &mut Frames) -> Result<Self, InputError> {
        let machine = &experiment.machine;
        let line_bytes = machine.memory.timing.bytes_of_line(&machine.memory.organisation);
        // The allocator's numbers from 0 on are those of the memories of tasks.
        let first = experiment.tasks.iter().map(|task| task.instances.len() as u32).sum();
        let ids: Vec<TaskId> = (first..).map(TaskId).take(experiment.agents.len()).collect();
        let mut devices = Vec::new();
        for (number, (agent, id)) in (FIRST_SEED..).zip(std::iter::zip(&experiment.agents, &ids)) {
            let pages = (buffer(agent, *id, frames, machine.page_bytes)?, machine.page_bytes);
            devices.push(Device::new(agent, pages, line_bytes, build::seed(experiment, number)));
        }
        Ok(Self {
            devices,
            ids,
            next: NEVER,
        })
    }

    /// Their numbers with the allocator, in their order.
    pub fn ids(&self) -> &[TaskId] {
        &self.ids
    }

    fn find_next(&mut self) {
        self.next = self.devices.iter().map(Device::next_time).min().unwrap_or(NEVER);
    }
}

/// Where the pages of a device lie.
fn buffer(agent: &Agent, id: TaskId, frames: &mut Frames, page_bytes: u64) -> Result<Vec<PhysAddr>, InputError> {
    let refused = |error| {
        let told = allocator::named(&error, id, |_| agent.name.clone());
        error_at(&agent.place, format!("found no page frame: {told}"))
            .allowed("a buffer that fits the memory and the colors it may have")
            .help("give the agent a smaller buffer or more colors")
            .does_not_fit()
    };
    frames.register(id, agent.memory()).map_err(refused)?;
    let page = |_| {
        let (frame, _) = frames.alloc(id).map_err(refused)?;
        Ok(PhysAddr(frame.0 * page_bytes))
    };
    (0..agent.bytes.div_ceil(page_bytes)).map(page).collect()
}

impl Engine<'_> {
    /// The programs begin at `at`, and devices with them, each after its own delay.
    pub(super) fn begin_agents(&mut self, at: Ps) {
        for (device, agent) in std::iter::zip(&mut self.agents.devices, &self.experiment.agents) {
            if agent.enabled {
                device.begin(at + agent.start);
            }
        }
        self.agents.find_next();
    }

    /// The devices whose time it is send a line each, in their order.
    pub(super) fn send_of_agents(&mut self, now: Ps) {
        for (number, device) in (0u32..).zip(&mut self.agents.devices) {
            if device.next_time() <= now {
                let (line, access) = device.send(now);
                device.sent(self.memory.transfer(now, number, line, access), access);
            }
        }
        self.agents.find_next();
    }

    /// Takes those lines out of `done` that devices had under way.
    #[inline(always)]
    pub(super) fn arrived_at_agents(&mut self, done: &mut Vec<Done>) {
        if !self.agents.devices.is_empty() {
            self.arrived_at_devices(done);
        }
    }

    #[cold]
    fn arrived_at_devices(&mut self, done: &mut Vec<Done>) {
        let cores = self.cpus.len();
        done.retain(|done| match (done.core as usize).checked_sub(cores) {
            Some(number) => {
                self.agents.devices[number].arrived(done);
                false
            }
            None => true,
        });
        self.agents.find_next();
        self.timer = self.next_timer();
    }

    /// Counters begin anew.
    pub(super) fn count_agents_anew(&mut self) {
        self.agents.devices.iter_mut().for_each(Device::count_anew);
    }

    /// What devices have counted.
    pub(super) fn agent_outcomes(&mut self) -> Vec<AgentOutcome> {
        let devices = std::mem::take(&mut self.agents.devices);
        let of = |(device, id): (Device, &TaskId)| device.outcome(self.banks_of(*id));
        std::iter::zip(devices, &self.agents.ids).map(of).collect()
    }
}
