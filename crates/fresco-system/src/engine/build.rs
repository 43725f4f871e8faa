// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a specification to a machine with its tasks, at time 0.

use super::cpu::Cpu;
use super::recoloring::Recoloring;
use super::{Engine, Judge, RUN_AHEAD, team};
use crate::bandwidth::{self, Regulator};
use crate::core::{Core, InOrder};
use crate::os::memory;
use crate::os::pages::PageTable;
use crate::os::process::Process;
use crate::scenario::{Role, RunSpec, Setup, error_at};
use fresco_frames::TaskId;
use fresco_input::InputError;
use fresco_load::Program;
use fresco_memory::{MemorySystem, PrivateCaches};

impl<'s> Engine<'s> {
    /// Sets up a run.
    ///
    /// # Errors
    /// A program cannot be built, or the allocator refuses a task: what loading the scenario did not find, because it
    /// depends on the seed or on files that have changed.
    pub fn new(spec: &'s RunSpec) -> Result<Self, InputError> {
        let setup = &spec.point.setup;
        let machine = &setup.machine;
        let mut memory = MemorySystem::new(machine);
        let frames = memory::frames(machine, &setup.space, setup.frames, spec.seed);
        let mut frames = frames.map_err(|error| InputError::new(machine.name.clone(), format!("found {error}")))?;
        let mut programs = programs(setup, spec.seed)?.into_iter();
        let mut cpus = Vec::new();
        let mut assignments = Vec::new();
        for (number, copy) in setup.copies.iter().enumerate() {
            let task = &setup.tasks[copy.task];
            let assignment = frames.register(TaskId(number as u32), memory::of_task(setup, copy));
            assignments.push(assignment.map_err(|error| error_at(&task.place, format!("found {error}")))?);
            let program = programs.next().expect("each copy has a program");
            let core = Core::new(&machine.core);
            let latency = |cache: &Option<_>| {
                cache.as_ref().map_or(1, |cache: &fresco_machine::CacheConfig| {
                    core.clock().latency(cache.latency)
                })
            };
            let process = Process::new(
                PageTable::new(&program.footprint(), machine.page_bytes),
                program,
                PrivateCaches::new(machine.l1.as_ref(), machine.l2.as_ref()),
                [latency(&machine.l1), latency(&machine.l2)],
                (machine.memory.timing.burst_length * u64::from(machine.memory.organisation.bus_bytes)) as u32,
                task.role == Role::Measured || task.program.is_team(),
            );
            cpus.push(Cpu::new(number, copy.core, core, process));
        }
        let judge = setup.check.then(|| Judge::watch(machine, &mut memory));
        cpus.sort_by_key(|cpu| cpu.number);
        let regulator = setup.bandwidth.as_ref();
        let regulator = regulator.map(|budgets| Regulator::new(budgets, &machine.core));
        Ok(Self {
            spec,
            setup,
            memory,
            frames,
            assignments,
            recoloring: setup.dynamic.as_ref().map(|rules| Recoloring::new(rules, setup)),
            timers: Vec::new(),
            released: false,
            opened: None,
            background: cpus.iter().map(|_| None).collect(),
            results: cpus.iter().map(|_| None).collect(),
            teams: team::teams(setup, &cpus),
            cpu_of: cpu_of(&cpus),
            cpus: InOrder::new(cpus),
            judge,
            run_ahead: if regulator.is_some() {
                bandwidth::RUN_AHEAD
            } else {
                RUN_AHEAD
            },
            regulator,
        })
    }
}

/// Index of the cpu of each core, up to the last that has one; those that have none have no meaning.
fn cpu_of(cpus: &[Cpu]) -> Vec<usize> {
    let cores = cpus.last().map_or(0, |cpu| cpu.number + 1);
    let mut cpu_of = vec![usize::MAX; cores as usize];
    for (index, cpu) in cpus.iter().enumerate() {
        cpu_of[cpu.number as usize] = index;
    }
    cpu_of
}

/// The program of each copy; those of a team are its threads.
fn programs(setup: &Setup, seed: u64) -> Result<Vec<Box<dyn Program>>, InputError> {
    let mut programs: Vec<Box<dyn Program>> = Vec::new();
    for (number, copy) in setup.copies.iter().enumerate() {
        if !setup.tasks[copy.task].program.is_team() {
            programs.push(program(setup, number, seed)?);
        } else if number == 0 || setup.copies[number - 1].task != copy.task {
            // The copies of a task follow each other.
            programs.extend(setup.team(copy.task, own_seed(number, seed))?);
        }
    }
    Ok(programs)
}

/// The program of a copy. Each copy of a run has its own seed.
pub(super) fn program(setup: &Setup, copy: usize, seed: u64) -> Result<Box<dyn Program>, InputError> {
    setup.program(setup.copies[copy].task, own_seed(copy, seed))
}

/// Weyl sequence of the golden ratio: neighbouring seeds and copies are far apart (Steele et al., OOPSLA 2014).
fn own_seed(copy: usize, seed: u64) -> u64 {
    (seed.wrapping_mul(1 << 16).wrapping_add(copy as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
