// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which choice to try next: who is most to blame for conflicts, and for them the color that disturbs the flow least.

use std::cmp::Reverse;

use super::super::problem::Problem;
use super::super::search::{Literal, Trail, Variable};
use super::super::transport::Transport;
use super::variables::Variables;

/// Someone who has a choice: an instance (its colors), or, numbered after all instances, a job (its instance).
type Chooser = usize;

/// Order of choosers.
pub(super) struct Guide {
    chooser_of: Vec<Option<Chooser>>,
    /// When each chooser was last part of a conflict: the latest chooses first.
    blamed: Vec<u64>,
    clock: u64,
}

impl Guide {
    /// First order: who has the fewest colors left, then who has the shortest period.
    pub fn new(problem: &Problem, variables: &Variables, trail: &Trail) -> Guide {
        let instances = variables.instances.len();
        let mut chooser_of = vec![None; trail.variables()];
        let mut freedom = Vec::new();
        let open = |count: usize, &variable: &Variable| count + usize::from(trail.is_open(variable));
        for (number, instance) in variables.instances.iter().enumerate() {
            instance
                .owns
                .iter()
                .for_each(|&variable| chooser_of[variable] = Some(number));
            freedom.push((
                instance.owns.iter().fold(0, open),
                problem.tasks()[instance.task].period,
            ));
        }
        for (job, picks) in variables.picks.iter().enumerate() {
            let avoids = variables.avoids_of_job[job].iter().flatten();
            freedom.push((
                avoids.clone().fold(0, open),
                problem.tasks()[problem.jobs()[job].task].period,
            ));
            picks
                .iter()
                .chain(avoids)
                .for_each(|&variable| chooser_of[variable] = Some(instances + job));
        }
        let mut order: Vec<Chooser> = (0..freedom.len()).collect();
        order.sort_by_key(|&chooser| Reverse((freedom[chooser], chooser)));
        let mut guide = Guide {
            chooser_of,
            blamed: vec![0; freedom.len()],
            clock: 0,
        };
        order.into_iter().for_each(|chooser| guide.raise(chooser));
        guide
    }

    fn raise(&mut self, chooser: Chooser) {
        self.clock += 1;
        self.blamed[chooser] = self.clock;
    }

    /// The variable took part in a conflict: whoever chooses it does so earlier from now on.
    pub fn blame(&mut self, variable: Variable) {
        if let Some(chooser) = self.chooser_of[variable] {
            self.raise(chooser);
        }
    }

    /// A color for an instance without room for its memory.
    pub fn choose_color(
        &self,
        variables: &Variables,
        time: &Transport,
        memory: &Transport,
        trail: &Trail,
    ) -> Option<Literal> {
        let mut granted = granted_memory(variables, memory, trail);
        if granted.solve() {
            return None;
        }
        let all = 0..variables.instances.len();
        let has_choice = |&row: &usize| variables.instances[row].owns.iter().any(|&owns| trail.is_open(owns));
        let short = all.clone().filter(|&row| granted.missing(row) > 0).filter(has_choice);
        // If only instances without a choice are short, others must make room for them.
        let row = short
            .max_by_key(|&row| self.blamed[row])
            .or_else(|| all.filter(has_choice).max_by_key(|&row| self.blamed[row]))?;
        let owns = &variables.instances[row].owns;
        let color = (0..owns.len())
            .filter(|&color| trail.is_open(owns[color]))
            .min_by_key(|&color| {
                let full = granted.used(color) >= granted.capacity(color);
                let near = owns.len() - distance_to_siblings(variables, row, color, trail);
                (full, near, disturbed_by_color(variables, row, color, time), color)
            })?;
        Some(Literal::yes(owns[color]))
    }

    /// An instance for a job that has none: the one whose colors the job's present flow meets least.
    pub fn choose_instance(&self, variables: &Variables, time: &Transport, trail: &Trail) -> Option<Literal> {
        let instances = variables.instances.len();
        let undecided = |picks: &[Variable]| !picks.is_empty() && !picks.iter().any(|&pick| trail.holds(pick));
        let jobs = (0..variables.picks.len()).filter(|&job| undecided(&variables.picks[job]));
        let job = jobs.max_by_key(|&job| self.blamed[instances + job])?;
        let picks = &variables.picks[job];
        let siblings = &variables.of_task[variables.task_of_job[job]];
        let disturbed = |number: usize| -> u64 {
            let owns = &variables.instances[siblings[number]].owns;
            let avoids = variables.avoids_of_job[job]
                .iter()
                .zip(owns)
                .filter(|(_, owns)| trail.holds(**owns));
            avoids
                .filter_map(|(avoids, _)| *avoids)
                .map(|avoids| flow_closed_by(variables, avoids, time))
                .sum()
        };
        // A copy costs time for good, a detour of the flow may cost none.
        let copies = |number: usize| {
            let apart = |&neighbour: &usize| {
                let theirs = &variables.picks[neighbour];
                theirs.iter().any(|&pick| trail.holds(pick)) && !trail.holds(theirs[number])
            };
            variables
                .neighbours(job)
                .iter()
                .filter(|neighbour| apart(neighbour))
                .count()
        };
        let open = (0..picks.len()).filter(|&number| trail.is_open(picks[number]));
        open.min_by_key(|&number| (copies(number), disturbed(number), number))
            .map(|number| Literal::yes(picks[number]))
    }
}

/// The memory network with those colors only that are owned for certain.
fn granted_memory(variables: &Variables, memory: &Transport, trail: &Trail) -> Transport {
    let supply = (0..memory.rows()).map(|row| memory.supply(row)).collect();
    let colors = variables.instances.first().map_or(0, |instance| instance.owns.len());
    let mut granted = Transport::new(supply, (0..colors).map(|color| memory.capacity(color)).collect());
    for (row, instance) in variables.instances.iter().enumerate() {
        for (color, _) in instance.owns.iter().enumerate().filter(|(_, owns)| trail.holds(**owns)) {
            granted.connect(row, color, u64::MAX);
        }
    }
    granted
}

/// How far, around the rotation, the color is from those that other instances of the task own: windows that meet
/// colors far apart are rare (F11). The number of colors, if no other instance owns any.
fn distance_to_siblings(variables: &Variables, row: usize, color: usize, trail: &Trail) -> usize {
    let colors = variables.instances[row].owns.len();
    let siblings = variables.of_task[variables.instances[row].task]
        .iter()
        .filter(|&&other| other != row);
    let owned = siblings.flat_map(|&other| variables.instances[other].owns.iter().enumerate());
    let distance = |other: usize| {
        let ahead = (color + colors - other) % colors;
        ahead.min(colors - ahead)
    };
    owned
        .filter(|(_, owns)| trail.holds(**owns))
        .map(|(other, _)| distance(other))
        .min()
        .unwrap_or(colors)
}

/// Flow of the task's jobs while the color is blocked.
fn disturbed_by_color(variables: &Variables, row: usize, color: usize, time: &Transport) -> u64 {
    let instance = &variables.instances[row];
    let jobs = variables.jobs_of_task[instance.task].clone();
    let of_jobs = jobs.filter_map(|job| variables.avoids_of_job[job][color]);
    of_jobs
        .chain([instance.owns[color]])
        .map(|variable| flow_closed_by(variables, variable, time))
        .sum()
}

fn flow_closed_by(variables: &Variables, variable: Variable, time: &Transport) -> u64 {
    variables.time_edges[variable]
        .iter()
        .map(|&edge| time.edge(edge as usize).flow)
        .sum()
}
