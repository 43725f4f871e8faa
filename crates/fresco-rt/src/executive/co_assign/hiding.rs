// SPDX-License-Identifier: MIT OR Apache-2.0
//! The theory of the co-assignment: two flows that pull in opposite directions (F4, F7).
//!
//! Owning a color takes time from a task's jobs and gives room to its memory. As long as both networks have a complete
//! flow, the choices so far can stand; a cut of either is a no-good.

use std::collections::BTreeSet;

use super::super::search::{Literal, Search, Theory, Trail, Variable};
use super::super::transport::Transport;
use super::CoAssign;
use super::alone::JobsAlone;
use super::explain::{Causes, NO_CAUSE};
use super::guide::Guide;
use super::variables::Variables;
use crate::patience::{Patience, Progress};

/// What a variable does to the networks, beside closing edges of the time network.
#[derive(Default)]
struct Effect {
    /// Edge of the memory network closed while it is false.
    memory_edge: Option<usize>,
    /// Row of the time network with a higher supply while it is true.
    time_supply: Option<(usize, u64)>,
    /// Row of the memory network with a higher supply while it is true.
    memory_supply: Option<(usize, u64)>,
}

/// Both networks, kept in step with the trail.
pub(super) struct Hiding {
    pub time: Transport,
    pub memory: Transport,
    pub variables: Variables,
    effects: Vec<Effect>,
    time_causes: Causes,
    memory_causes: Causes,
    guide: Guide,
    /// Tasks with one instance and colors that are impossible alone.
    pub impossible: BTreeSet<(usize, usize)>,
}

impl Hiding {
    /// States the variables and their effects; excludes what no task can do even alone.
    /// `None` if the patience is over before.
    pub fn new(
        request: &CoAssign,
        mut time: Transport,
        alone: &mut JobsAlone,
        search: &mut Search,
        patience: Patience<'_>,
    ) -> Option<Hiding> {
        let problem = request.problem;
        let variables = Variables::state(request, &time, search);
        let mut effects: Vec<Effect> = (0..search.trail.variables()).map(|_| Effect::default()).collect();
        let mut time_causes = Causes {
            of_edge: vec![NO_CAUSE; time.edge_count()],
            of_row: vec![None; problem.jobs().len()],
        };
        for &variable in &variables.avoids {
            variables.time_edges[variable]
                .iter()
                .for_each(|&edge| time_causes.of_edge[edge as usize] = variable as u32);
        }
        for &(variable, row, cost) in &variables.switches {
            time_causes.of_row[row] = Some((variable, cost));
            effects[variable].time_supply = Some((row, cost));
        }
        let memory_of = |row: usize| request.memory[variables.instances[row].task];
        let rows = 0..variables.instances.len();
        let needed = rows.map(|row| {
            if variables.instances[row].used.is_some() {
                0
            } else {
                memory_of(row)
            }
        });
        let mut memory = Transport::new(needed.collect(), request.capacity.clone());
        let mut memory_causes = Causes {
            of_edge: Vec::new(),
            of_row: vec![None; variables.instances.len()],
        };
        for (row, instance) in variables.instances.iter().enumerate() {
            if let Some(used) = instance.used {
                memory_causes.of_row[row] = Some((used, memory_of(row)));
                effects[used].memory_supply = Some((row, memory_of(row)));
            }
            for (color, &variable) in instance.owns.iter().enumerate() {
                effects[variable].memory_edge = Some(memory.connect(row, color, u64::MAX));
                memory_causes.of_edge.push(variable as u32);
            }
        }
        let impossible = exclude_the_impossible(&mut time, &variables, alone, search, patience)?;
        let guide = Guide::new(problem, &variables, &search.trail);
        Some(Hiding {
            time,
            memory,
            variables,
            effects,
            time_causes,
            memory_causes,
            guide,
            impossible,
        })
    }

    fn shortage(network: &mut Transport, causes: &Causes, trail: &Trail) -> Option<Vec<Literal>> {
        if network.solve() {
            return None;
        }
        let row = (0..network.rows())
            .find(|&row| network.missing(row) > 0)
            .expect("the flow is not complete");
        Some(causes.explain(network, row, trail))
    }
}

impl Theory for Hiding {
    fn follow(&mut self, literal: Literal) {
        let effect = &self.effects[literal.variable()];
        if literal.is_yes() {
            self.variables.time_edges[literal.variable()]
                .iter()
                .for_each(|&edge| self.time.close(edge as usize));
            if let Some((row, by)) = effect.time_supply {
                self.time.raise_supply(row, by);
            }
            if let Some((row, by)) = effect.memory_supply {
                self.memory.raise_supply(row, by);
            }
        } else if let Some(edge) = effect.memory_edge {
            self.memory.close(edge);
        }
    }

    fn undo(&mut self, literal: Literal) {
        let effect = &self.effects[literal.variable()];
        if literal.is_yes() {
            self.variables.time_edges[literal.variable()]
                .iter()
                .for_each(|&edge| self.time.open(edge as usize));
            if let Some((row, by)) = effect.time_supply {
                self.time.lower_supply(row, by);
            }
            if let Some((row, by)) = effect.memory_supply {
                self.memory.lower_supply(row, by);
            }
        } else if let Some(edge) = effect.memory_edge {
            self.memory.open(edge);
        }
    }

    fn conflict(&mut self, trail: &Trail) -> Option<Vec<Literal>> {
        Hiding::shortage(&mut self.memory, &self.memory_causes, trail)
            .or_else(|| Hiding::shortage(&mut self.time, &self.time_causes, trail))
    }

    fn choose(&mut self, trail: &Trail) -> Option<Literal> {
        let (guide, variables) = (&self.guide, &self.variables);
        let color = guide.choose_color(variables, &self.time, &self.memory, trail);
        color.or_else(|| guide.choose_instance(variables, &self.time, trail))
    }

    fn blame(&mut self, variable: Variable) {
        self.guide.blame(variable);
    }
}

/// Each choice alone, as in F6b but job by job where jobs choose: what is impossible alone never becomes possible. The tasks and colors
/// that are; `None` if the patience is over before.
fn exclude_the_impossible(
    time: &mut Transport,
    variables: &Variables,
    alone: &mut JobsAlone,
    search: &mut Search,
    patience: Patience<'_>,
) -> Option<BTreeSet<(usize, usize)>> {
    let mut impossible = BTreeSet::new();
    time.solve();
    let tasks = variables.of_task.len();
    let has_copies = variables.of_task.iter().any(|instances| instances.len() > 1);
    for (task, instances) in variables.of_task.iter().enumerate() {
        if instances.len() > 1 {
            for (number, job) in variables.jobs_of_task[task].clone().enumerate() {
                for (color, variable) in variables.avoids_of_job[job].iter().enumerate() {
                    if let Some(variable) = variable.filter(|_| !alone.is_possible(task, number, color)) {
                        search.require(&[Literal::no(variable)]);
                    }
                }
            }
            continue;
        }
        let at = Progress {
            what: "tasks looked at alone",
            done: task as u64,
            most: tasks as u64,
        };
        for (color, &variable) in variables.instances[instances[0]].owns.iter().enumerate() {
            if patience.is_over(at) {
                return None;
            }
            // Without copies the flow that is left by this is where the search begins.
            let known = alone.is_task_possible(task, color).filter(|_| has_copies);
            let is_possible = known.unwrap_or_else(|| {
                let edges = &variables.time_edges[variable];
                edges.iter().for_each(|&edge| time.close(edge as usize));
                let is_possible = time.solve();
                edges.iter().for_each(|&edge| time.open(edge as usize));
                time.solve();
                is_possible
            });
            if !is_possible {
                search.require(&[Literal::no(variable)]);
                impossible.insert((task, color));
            }
        }
    }
    if !has_copies {
        alone.note_tasks(impossible.iter().copied());
    }
    Some(impossible)
}
