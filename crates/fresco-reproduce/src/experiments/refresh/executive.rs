// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the theory of the cyclic executive says of a set of tasks, as rows: frames by the rules, placements, colors.

use super::{MS, RANKS, failed, ms, one_if};
use fresco_input::InputError;
use fresco_report::claims::Row;
use fresco_rt::executive::{Answer, CoAssign, Cores, Job, Problem, Rotation, Rules, Slicing, candidates};
use fresco_rt::refresh::RETENTION;
use fresco_rt::task::hyperperiod;
use fresco_rt::{Task, Time};

/// Tasks laid out over frames as long as the color's.
pub(super) struct Example {
    pub(super) problem: Problem,
}

/// What comes of each job keeping away from one color.
pub(super) struct InColors {
    /// Work that can be placed, in milliseconds.
    pub(super) flow_ms: f64,
    /// Jobs of the placement that use a frame of their color; `None` where not all fit.
    pub(super) conflicts: Option<usize>,
}

impl Example {
    /// Frames by rules (1) to (4), the longest if there are several.
    pub(super) fn new(tasks: &[Task]) -> Result<Self, InputError> {
        let allowed = |rotation: &Rotation| {
            let rules = Rules::of(tasks, rotation.frame(), RETENTION, RANKS);
            rules.short_frame && rules.divides_retention && rules.whole_frame_published && rules.multiple_of_rank_share
        };
        let rotation = candidates(RETENTION, RANKS).into_iter().find(allowed);
        let rotation = rotation.ok_or_else(|| failed("no frame by the rules"))?;
        let slicing = Slicing::Frames(rotation.frame());
        let problem = Problem::new(tasks, rotation, Cores::ONE, slicing).map_err(failed)?;
        Ok(Self { problem })
    }

    /// What belongs to the set.
    pub(super) fn set_row(&self) -> Result<Row, InputError> {
        let (problem, rotation) = (&self.problem, self.problem.rotation());
        let rules = Rules::of(problem.tasks(), rotation.frame(), RETENTION, RANKS);
        let rules_hold = rules.short_frame
            && rules.divides_retention
            && rules.whole_frame_published
            && rules.multiple_of_rank_share
            && rules.unsliced;
        let flow = problem.max_flow(|_, _| false);
        let ranks_per_color = (RANKS / rotation.colors()) as f64;
        let row = Row::new()
            .label("task", "all")
            .value("h_ms", ms(hyperperiod(problem.tasks()).map_err(failed)?))
            .value("l_ms", ms(problem.length()))
            .value("f_ms", ms(rotation.frame()))
            .value("frames", (RETENTION / rotation.frame()) as f64)
            .value("colors", rotation.colors() as f64)
            .value("ranks_per_color", ranks_per_color)
            .value("rank_window_ms", ms(rotation.frame()))
            .value("ranks_at_once", ranks_per_color)
            .value("rules_hold", one_if(rules_hold))
            .value("demand_ms", ms(flow.demand))
            .value("flow_ms", ms(flow.placed))
            .value("assignment_found", one_if(solved(&CoAssign::one_color(problem))?))
            .value(
                "private_assignment_found",
                one_if(solved(&CoAssign::one_color_private(problem))?),
            );
        Ok(match self.copies_needed()? {
            Some(copies) => row.value("copies_needed", copies as f64),
            None => row,
        })
    }

    /// What belongs to each task; the EDF placement is the one that tables 4.2 and 4.3 show.
    pub(super) fn task_rows(&self) -> Result<Vec<Row>, InputError> {
        let problem = &self.problem;
        let count = problem.tasks().len();
        let avoidable = problem.avoidable_colors().map_err(failed)?;
        let naive = problem.naive_plan(&vec![1; count], &vec![1; problem.rotation().colors()]);
        let naive = naive.map_err(failed)?;
        let row = |(number, task): (usize, &Task)| {
            Row::new()
                .label("task", &task.name)
                .value("period_ms", ms(task.period))
                .value("wcet_ms", ms(task.wcet))
                .value("edf_occupied", naive.occupied[number].len() as f64)
                .value("edf_available", naive.available[number].len() as f64)
                .value("avoidable_colors", avoidable[number].len() as f64)
        };
        Ok(problem.tasks().iter().enumerate().map(row).collect())
    }

    /// Least number of tasks with two instances; `None` if two of each do not suffice.
    fn copies_needed(&self) -> Result<Option<u32>, InputError> {
        let count = self.problem.tasks().len();
        let mut choices: Vec<u32> = (0..1 << count).collect();
        choices.sort_by_key(|choice| choice.count_ones());
        for choice in choices {
            let instances = (0..count)
                .map(|task| if choice >> task & 1 == 1 { 2 } else { 1 })
                .collect();
            let question = CoAssign {
                instances,
                ..CoAssign::instances(&self.problem, 2)
            };
            if solved(&question)? {
                return Ok(Some(choice.count_ones()));
            }
        }
        Ok(None)
    }

    /// Work that fits into the printed frames, numbered from 1, in milliseconds.
    pub(super) fn flow_in_frames(&self, occupied: &[&[usize]]) -> f64 {
        let flow = self
            .problem
            .max_flow(|job, color| !occupied[job.task].contains(&(color + 1)));
        ms(flow.placed)
    }

    /// Each job keeps away from one of the colors of its task, numbered from 1: one that its window does not meet, else
    /// one with which more work fits.
    pub(super) fn in_colors(&self, colors: &[&[usize]]) -> InColors {
        let (problem, rotation) = (&self.problem, self.problem.rotation());
        let meets = |job: &Job, color: usize| {
            let frames = job.length / rotation.frame();
            (0..frames).any(|frame| rotation.color_of(job.start + frame * rotation.frame()) + 1 == color)
        };
        let choose = |job: &Job| {
            let own = colors[job.task];
            own.iter().copied().find(|&color| !meets(job, color)).unwrap_or(own[0])
        };
        let mut chosen: Vec<usize> = problem.jobs().iter().map(choose).collect();
        let placed = |chosen: &[usize]| {
            problem
                .max_flow(|job, color| self.color(chosen, job) == color + 1)
                .placed
        };
        let mut best = placed(&chosen);
        for (number, job) in problem.jobs().iter().enumerate() {
            for &color in colors[job.task] {
                let before = std::mem::replace(&mut chosen[number], color);
                match placed(&chosen) {
                    more if more > best => best = more,
                    _ => chosen[number] = before,
                }
            }
        }
        InColors {
            flow_ms: ms(best),
            conflicts: self.conflicts(&chosen),
        }
    }

    fn conflicts(&self, chosen: &[usize]) -> Option<usize> {
        let placement = self
            .problem
            .place(|job, color| self.color(chosen, job) == color + 1)
            .ok()?;
        let jobs = placement.shares.iter().zip(chosen);
        let meets = |cell: usize, color: usize| self.problem.cells()[cell].blocked == Some(color - 1);
        let conflicting = jobs.filter(|(shares, color)| shares.iter().any(|share| meets(share.cell, **color)));
        Some(conflicting.count())
    }

    /// The color of a job in a list of all jobs.
    fn color(&self, chosen: &[usize], job: &Job) -> usize {
        chosen[self.problem.jobs_of_task(job.task).start + job.index as usize]
    }

    /// Returns true if the job of a task that is released at this millisecond may use the whole frame that begins there.
    pub(super) fn is_usable(&self, task: usize, release_ms: Time, frame_ms: Time) -> bool {
        let (release, frame) = (release_ms * MS, frame_ms * MS);
        let end = frame + self.problem.rotation().frame();
        let jobs = self.problem.jobs().iter();
        jobs.filter(|job| job.task == task && job.release == release)
            .any(|job| job.start <= frame && end <= job.start + job.length)
    }
}

/// Whether there is an assignment.
pub(super) fn solved(question: &CoAssign<'_>) -> Result<bool, InputError> {
    match question.solve().map_err(failed)?.0 {
        Answer::Found(_) => Ok(true),
        Answer::Impossible(_) => Ok(false),
        Answer::Unknown => Err(failed("a search that gave up")),
    }
}
