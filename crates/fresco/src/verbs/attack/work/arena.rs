// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the work of a task is attacked: the runs of a scenario with programs of attackers in place of others.

use super::Attacker;
use fresco_attack::work::{Area, Ground, Means, Moves, Scout, WorkAttack};
use fresco_dram::color::format_list;
use fresco_input::{InputError, Kind};
use fresco_scenario::{Extent, Setup, error_at};
use fresco_system::results::TaskResult;
use fresco_system::{Against, Begins, Rival, RunSpec};
use std::sync::Arc;

/// A run of a scenario, the copy of a task that is attacked in it, and those on other cores that attack.
pub struct Arena<'s> {
    pub setup: &'s Setup,
    against: Against<'s>,
    pub attacked: usize,
    /// The copies that may attack, and the ground of each.
    others: Vec<(usize, Arc<Ground>)>,
    pub means: Means,
    /// What the task did alone.
    pub alone: TaskResult,
}

impl<'s> Arena<'s> {
    /// Of copy `attacked` in a run, which can be attacked ([`check`]). It is run alone, beside the memory of its attackers; `None` if that is given up.
    ///
    /// # Errors
    /// There is no room for attackers; what a run finds.
    pub fn new(spec: &'s RunSpec, attacked: usize, given_up: &dyn Fn() -> bool) -> Result<Option<Self>, InputError> {
        let setup = &*spec.point.setup;
        let against = Against::new(spec, attacked);
        let copies = against.others();
        let line = setup.line_bytes();
        let mut bytes = Means::bytes(setup);
        let (area, result, reports) = loop {
            let area = Area { bytes, line };
            let scouts: Vec<(usize, Scout)> = copies.iter().map(|copy| (*copy, Scout::new(area))).collect();
            let reports: Vec<_> = scouts.iter().map(|(copy, scout)| (*copy, scout.report())).collect();
            let rivals = scouts.into_iter().map(|(copy, scout)| Rival {
                copy,
                program: Box::new(scout),
                begins: Begins::Never,
            });
            match against.alone(rivals.collect(), given_up) {
                Ok(None) => return Ok(None),
                Ok(Some(result)) => break (area, result, reports),
                // Their colors may have less room.
                Err(error) if error.kind == Kind::DoesNotFit && bytes > setup.machine.page_bytes => {
                    bytes = (bytes / 2).next_multiple_of(setup.machine.page_bytes);
                }
                Err(error) => return Err(error),
            }
        };
        let lines = u32::try_from(area.bytes / line).unwrap_or(u32::MAX);
        let grounds = reports
            .iter()
            .map(|(copy, report)| (*copy, Arc::new(report.ground(&setup.machine))));
        Ok(Some(Self {
            setup,
            against,
            attacked,
            means: Means::of(setup, attacked, &copies, lines),
            others: grounds.collect(),
            alone: task_of(result, attacked),
        }))
    }

    /// The attackers, for people.
    pub fn attackers(&self) -> Vec<Attacker> {
        let name = |copy: &usize| self.setup.copies[*copy].name.clone();
        let cores = self.means.cores.iter().map(|core| Attacker {
            core: core.core,
            names: core.copies.iter().map(name).collect(),
            bytes: self.ground(core.copies[0]).area().bytes,
            banks: core
                .copies
                .iter()
                .map(|copy| format_list(self.ground(*copy).banks()))
                .collect(),
            stores: self.means.may_store,
        });
        cores.collect()
    }

    fn ground(&self, copy: usize) -> &Arc<Ground> {
        let of_copy = self.others.iter().find(|(other, _)| *other == copy);
        &of_copy.expect("each that may attack has a ground").1
    }

    /// The task beside the programs that the scenario has on other cores.
    ///
    /// # Errors
    /// What a run finds.
    pub fn beside_own(&self, given_up: &dyn Fn() -> bool) -> Result<Option<TaskResult>, InputError> {
        let result = self.against.run(Vec::new(), given_up)?;
        Ok(result.map(|result| task_of(result, self.attacked)))
    }

    /// The task under an attack that nothing is wrong with.
    ///
    /// # Errors
    /// What a run finds.
    pub fn play(&self, attack: &WorkAttack, given_up: &dyn Fn() -> bool) -> Result<Option<TaskResult>, InputError> {
        let mut rivals = Vec::new();
        for (mover, core) in attack.cores.iter().zip(&self.means.cores) {
            for (number, &copy) in core.copies.iter().enumerate() {
                let begins = match (number == mover.task, mover.release) {
                    (false, _) => Begins::Never,
                    (true, None) => Begins::AtOnce,
                    (true, Some(release)) => Begins::Every {
                        period_ns: release.period_ns,
                        offset_ns: release.offset_ns,
                    },
                };
                let program: Box<dyn fresco_system::Program> = match begins {
                    Begins::Never => Box::new(Scout::new(self.ground(copy).area())),
                    _ => Box::new(Moves::new(mover, self.ground(copy))),
                };
                rivals.push(Rival { copy, program, begins });
            }
        }
        let result = self.against.run(rivals, given_up)?;
        Ok(result.map(|result| task_of(result, self.attacked)))
    }
}

fn task_of(mut result: fresco_system::results::RunResult, copy: usize) -> TaskResult {
    result.tasks.swap_remove(copy)
}

/// Checks that a copy's work can be attacked: its length is its own, and somebody runs on another core.
///
/// # Errors
/// It cannot.
pub fn check(spec: &RunSpec, attacked: usize) -> Result<(), InputError> {
    let setup = &*spec.point.setup;
    let task = &setup.tasks[setup.copies[attacked].task];
    let is_timed = match task.timing {
        Some(_) => false,
        None => setup.is_periodic() || matches!(setup.measure, Extent::Time(_)),
    };
    if is_timed {
        let found = "found a task that is measured for a time, in which it does less if others disturb it";
        return Err(error_at(&task.place, found)
            .allowed("jobs (period), or a measured phase in passes or operations: no attack makes a time longer")
            .help("measure passes or operations (measure.passes = 1), or give it a period"));
    }
    if Against::new(spec, attacked).others().is_empty() {
        return Err(error_at(&task.place, "found no task on another core: nobody attacks")
            .allowed("one task or more on other cores, in whose place attackers run")
            .help("add a task on another core, or attack reads (without --work)"));
    }
    Ok(())
}
