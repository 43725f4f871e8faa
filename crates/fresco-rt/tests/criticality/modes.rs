// SPDX-License-Identifier: MIT OR Apache-2.0
//! A core of two criticality levels, tick by tick. It knows tasks as numbers, and nothing of the analysis.

/// A task.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    pub deadline: u64,
    /// The deadline by which EDF takes its jobs in low mode.
    pub virtual_deadline: u64,
    pub wcet: u64,
    /// None for a low task.
    pub wcet_high: Option<u64>,
    /// Its priority, 0 the highest; under EDF it decides among equal deadlines.
    pub rank: usize,
}

/// What starts high mode.
#[derive(Clone, Copy, Debug)]
pub enum Trigger {
    /// At this instant.
    Heat(u64),
    /// This job of this task (numbers) takes longer than in low mode.
    Overrun(usize, usize),
}

/// When the core is free for the tasks: `open` within every `length`.
#[derive(Clone, Debug)]
pub struct Free {
    pub open: Vec<(u64, u64)>,
    pub length: u64,
}

impl Free {
    fn at(&self, t: u64) -> bool {
        let inside = t % self.length;
        self.open.iter().any(|&(from, to)| from <= inside && inside < to)
    }
}

/// A core.
pub struct Core<'a> {
    pub tasks: &'a [Numbers],
    pub is_edf: bool,
    pub low: &'a Free,
    pub high: &'a Free,
    /// The table of high mode begins at a multiple of this.
    pub retention: u64,
}

struct Job {
    task: usize,
    number: usize,
    released: u64,
    done: u64,
}

impl Core<'_> {
    /// Runs jobs released at `releases` (of each task, ascending) until `end`: the longest response of each task in low and in high mode, or the task that
    /// misses. A job counts for the mode in which it ends.
    pub fn run(&self, releases: &[Vec<u64>], trigger: Trigger, end: u64) -> Result<[Vec<u64>; 2], usize> {
        let mut worst = [vec![0; self.tasks.len()], vec![0; self.tasks.len()]];
        let mut pending: Vec<Job> = Vec::new();
        let mut next = vec![0; self.tasks.len()];
        let mut changed: Option<u64> = None;
        for t in 0..end {
            if changed.is_none() && matches!(trigger, Trigger::Heat(at) if at == t) {
                changed = Some(t);
            }
            for (task, releases) in releases.iter().enumerate() {
                if releases.get(next[task]) == Some(&t) {
                    pending.push(Job {
                        task,
                        number: next[task],
                        released: t,
                        done: 0,
                    });
                    next[task] += 1;
                }
            }
            if changed.is_some() {
                pending.retain(|job| self.tasks[job.task].wcet_high.is_some());
            }
            if let Some(late) = pending
                .iter()
                .find(|job| job.released + self.tasks[job.task].deadline <= t)
            {
                return Err(late.task);
            }
            let free = match changed {
                Some(at) if t >= at.next_multiple_of(self.retention) => self.high.at(t),
                _ => self.low.at(t),
            };
            let first = pending.iter().enumerate().min_by_key(|(_, job)| {
                let task = &self.tasks[job.task];
                let relative = if changed.is_some() {
                    task.deadline
                } else {
                    task.virtual_deadline
                };
                let deadline = if self.is_edf { job.released + relative } else { 0 };
                (deadline, task.rank)
            });
            let (true, Some((place, _))) = (free, first) else {
                continue;
            };
            let job = &mut pending[place];
            let task = &self.tasks[job.task];
            job.done += 1;
            let overruns =
                matches!(trigger, Trigger::Overrun(task, number) if (task, number) == (job.task, job.number));
            let needed = match task.wcet_high {
                Some(high) if changed.is_some() || overruns => high,
                _ => task.wcet,
            };
            if job.done >= needed {
                let (mode, response) = (usize::from(changed.is_some()), t + 1 - job.released);
                worst[mode][job.task] = worst[mode][job.task].max(response);
                if response > task.deadline {
                    return Err(job.task);
                }
                pending.remove(place);
            } else if changed.is_none() && job.done == task.wcet {
                changed = Some(t + 1);
            }
        }
        Ok(worst)
    }
}
