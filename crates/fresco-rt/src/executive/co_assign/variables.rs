// SPDX-License-Identifier: MIT OR Apache-2.0
//! The choices of the co-assignment as propositional variables and clauses (F8).

use std::ops::Range;

use super::super::problem::Problem;
use super::super::search::{Literal, Search, Variable};
use super::super::transport::Transport;
use super::CoAssign;

/// One instance of a task: a row of the memory network.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub task: usize,
    /// `Y_ic` for each color: the instance owns memory in it.
    pub owns: Vec<Variable>,
    /// Whether any job runs on it; without, it needs no memory. `None` if it always is: the only one of its task.
    pub used: Option<Variable>,
}

/// All variables. A task with one instance avoids a color by owning it; with several, each job picks an instance.
pub(super) struct Variables {
    pub instances: Vec<Instance>,
    /// Numbers of the instances of each task.
    pub of_task: Vec<Vec<usize>>,
    /// For each job of a task with several instances, `w_ja` for each instance: the job runs on it. Else empty.
    pub picks: Vec<Vec<Variable>>,
    /// For each job of a task with several instances and each color its window meets, the variable that it avoids the color.
    pub avoids_of_job: Vec<Vec<Option<Variable>>>,
    /// Variables that close edges of the time network by being true.
    pub avoids: Vec<Variable>,
    /// For each variable, the edges of the time network that it closes by being true.
    pub time_edges: Vec<Vec<u32>>,
    /// Jobs of each task.
    pub jobs_of_task: Vec<Range<usize>>,
    /// Task of each job.
    pub task_of_job: Vec<usize>,
    /// Jobs that cost more if they run on another instance than the job before: variable, job, cost.
    pub switches: Vec<(Variable, usize, u64)>,
    /// Whether the jobs of each task hand data on from instance to instance.
    pub dependent: Vec<bool>,
}

impl Variables {
    /// Creates the variables and states the clauses between them.
    pub fn state(request: &CoAssign, time: &Transport, search: &mut Search) -> Variables {
        let problem = request.problem;
        let colors = problem.rotation().colors();
        let mut variables = Variables {
            instances: Vec::new(),
            of_task: Vec::new(),
            picks: vec![Vec::new(); problem.jobs().len()],
            avoids_of_job: vec![vec![None; colors]; problem.jobs().len()],
            avoids: Vec::new(),
            time_edges: Vec::new(),
            jobs_of_task: (0..problem.tasks().len())
                .map(|task| problem.jobs_of_task(task))
                .collect(),
            task_of_job: problem.jobs().iter().map(|job| job.task).collect(),
            switches: Vec::new(),
            dependent: vec![false; problem.tasks().len()],
        };
        for (task, &count) in request.instances.iter().enumerate() {
            let first = variables.instances.len();
            variables.of_task.push((first..first + count).collect());
            for _ in 0..count {
                let owns: Vec<Variable> = (0..colors).map(|_| search.variable()).collect();
                let used = (count > 1).then(|| search.variable());
                if request.memory[task] > 0 {
                    let some_color = owns.iter().map(|&variable| Literal::yes(variable));
                    search.require(&some_color.chain(used.map(Literal::no)).collect::<Vec<_>>());
                }
                variables.instances.push(Instance { task, owns, used });
            }
            if count == 1 {
                variables.one_instance(problem, time, task);
            } else {
                variables.several_instances(problem, time, search, task);
                if let Some(cost) = request.copy_cost[task] {
                    variables.dependent_jobs(problem, search, task, cost);
                }
            }
        }
        variables.time_edges.resize(search.trail.variables(), Vec::new());
        variables
    }

    /// What the task owns, all its jobs avoid.
    fn one_instance(&mut self, problem: &Problem, time: &Transport, task: usize) {
        let owns = &self.instances[self.of_task[task][0]].owns;
        for (color, &variable) in owns.iter().enumerate() {
            let edges = problem
                .jobs_of_task(task)
                .flat_map(|job| problem.edges_blocked(time, job, color));
            let edges = edges.collect();
            closes(&mut self.avoids, &mut self.time_edges, variable, edges);
        }
    }

    /// Each job picks an instance and avoids what that instance owns.
    fn several_instances(&mut self, problem: &Problem, time: &Transport, search: &mut Search, task: usize) {
        let instances = self.of_task[task].clone();
        for job in problem.jobs_of_task(task) {
            let picks: Vec<Variable> = instances.iter().map(|_| search.variable()).collect();
            search.require(&picks.iter().map(|&pick| Literal::yes(pick)).collect::<Vec<_>>());
            for (&pick, &instance) in picks.iter().zip(&instances) {
                let used = self.instances[instance].used.expect("one of several instances");
                search.require(&[Literal::no(pick), Literal::yes(used)]);
            }
            for color in 0..problem.rotation().colors() {
                let edges = problem.edges_blocked(time, job, color);
                if edges.is_empty() {
                    continue; // the window does not meet this color
                }
                let avoids = search.variable();
                for (&pick, &instance) in picks.iter().zip(&instances) {
                    let owns = self.instances[instance].owns[color];
                    search.require(&[Literal::no(pick), Literal::no(owns), Literal::yes(avoids)]);
                }
                closes(&mut self.avoids, &mut self.time_edges, avoids, edges);
                self.avoids_of_job[job][color] = Some(avoids);
            }
            self.picks[job] = picks;
        }
        // Instances are alike: the first job may as well run on the first one.
        search.require(&[Literal::yes(self.picks[problem.jobs_of_task(task).start][0])]);
    }

    /// The job before, around the table.
    pub fn before(&self, job: usize) -> usize {
        let jobs = &self.jobs_of_task[self.task_of_job[job]];
        if job == jobs.start { jobs.end - 1 } else { job - 1 }
    }

    /// The jobs that hand data to the job, or get them from it; none if its task's jobs are independent.
    pub fn neighbours(&self, job: usize) -> Vec<usize> {
        let jobs = &self.jobs_of_task[self.task_of_job[job]];
        let after = if job + 1 == jobs.end { jobs.start } else { job + 1 };
        if self.dependent[self.task_of_job[job]] {
            vec![self.before(job), after]
        } else {
            Vec::new()
        }
    }

    /// A job that runs on another instance than the job before copies the task's data first. It reads one instance and
    /// writes the other, so it must avoid the colors of both (F10), and it takes longer (F12).
    fn dependent_jobs(&mut self, problem: &Problem, search: &mut Search, task: usize, cost: u64) {
        let jobs = problem.jobs_of_task(task);
        if jobs.len() < 2 {
            return; // the only job of a turn follows itself, on the same instance
        }
        self.dependent[task] = true;
        let instances = &self.of_task[task];
        for job in jobs {
            let before = self.before(job);
            let switches = search.variable();
            for (from, &source) in self.picks[before].iter().zip(instances) {
                for (to, &destination) in self.picks[job].iter().zip(instances) {
                    if source == destination {
                        continue;
                    }
                    search.require(&[Literal::no(*from), Literal::no(*to), Literal::yes(switches)]);
                    for (color, avoids) in self.avoids_of_job[job].iter().enumerate() {
                        let Some(avoids) = avoids else { continue };
                        let owns = self.instances[source].owns[color];
                        search.require(&[
                            Literal::no(*from),
                            Literal::no(*to),
                            Literal::no(owns),
                            Literal::yes(*avoids),
                        ]);
                    }
                }
            }
            self.switches.push((switches, job, cost));
        }
    }
}

fn closes(avoids: &mut Vec<Variable>, time_edges: &mut Vec<Vec<u32>>, variable: Variable, edges: Vec<u32>) {
    avoids.push(variable);
    if time_edges.len() <= variable {
        time_edges.resize(variable + 1, Vec::new());
    }
    time_edges[variable] = edges;
}
