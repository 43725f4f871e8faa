// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether rows of tasks in different row domains are apart: judged at the end of a run, by who shares no code with the allocator.

use super::Engine;
use crate::experiment::Experiment;
use crate::results::RowsApart;
use fresco_dram::apart::Judge;
use fresco_dram::{FrameNumber, PhysAddr};
use fresco_frames::{ColorSet, TaskId};
use fresco_input::InputError;
use fresco_scenario::Rows;

/// Pages in use, first frame and number, and the row domains they were to be in; `None` for those that nobody names.
type Pages<'a> = (Option<&'a ColorSet>, Vec<(FrameNumber, u64)>);

impl Engine<'_> {
    /// Judges the pages of all memories, buffers of devices, page tables and the kernel; `None` where there are no row domains. No page has been
    /// given back by then.
    ///
    /// # Errors
    /// Two that must be apart are not: a fault of the allocator.
    pub(super) fn judge_rows(&self) -> Result<Option<RowsApart>, InputError> {
        let Some(rows) = &self.experiment.rows else {
            return Ok(None);
        };
        let of = |id: &TaskId| {
            let frames = self.frames.frames_of(*id).unwrap_or_default();
            frames.into_iter().map(|frame| (frame, 1)).collect::<Vec<_>>()
        };
        let tasks = std::iter::zip(&self.experiment.tasks, &self.tasks).flat_map(|(spec, state)| {
            let memories = std::iter::zip(&spec.instances, &state.memory_ids);
            memories.map(|(instance, id)| (instance.memory.as_ref().and_then(|memory| memory.rows.as_ref()), of(id)))
        });
        let agents = std::iter::zip(&self.experiment.agents, self.agents.ids());
        let agents = agents.map(|(agent, id)| (agent.rows.as_ref(), of(id)));
        let kernel = (None, self.frames.kernel_blocks().collect());
        judge(self.experiment, rows, tasks.chain(agents).chain([kernel])).map(Some)
    }
}

fn judge<'a>(
    experiment: &Experiment,
    rows: &Rows,
    memories: impl Iterator<Item = Pages<'a>>,
) -> Result<RowsApart, InputError> {
    let page_bytes = experiment.machine.page_bytes;
    let mut judge = Judge::new(&experiment.machine.memory.map);
    // Those that name the same domains are one owner.
    let mut owners: Vec<Option<&ColorSet>> = vec![None];
    let mut pages = 0;
    for (domains, frames) in memories {
        let known = owners.iter().position(|owner| *owner == domains);
        let owner = known.unwrap_or(owners.len());
        if known.is_none() {
            owners.push(domains);
        }
        for (first, count) in frames {
            judge.see(owner as u32, PhysAddr(first.0 * page_bytes), count * page_bytes);
            pages += count;
        }
    }
    let must_be = |one: u32, other: u32| match (owners[one as usize], owners[other as usize]) {
        (Some(one), Some(other)) => one.is_disjoint(other),
        (one, other) => one.is_some() != other.is_some(),
    };
    let name =
        |owner: u32| owners[owner as usize].map_or_else(|| "those that nobody names".to_owned(), ToString::to_string);
    match judge.judge(rows.request.blast, rows.request.remaps, must_be) {
        Ok(apart) => Ok(RowsApart {
            pages,
            rows: apart.rows,
            nearest: apart.nearest,
        }),
        Err(near) => {
            let (one, other) = (name(near.owners.0), name(near.owners.1));
            let found = format!("found pages of row domains {one} and {other} too near each other: {near}");
            Err(experiment
                .error(found)
                .allowed(format!("more than {} rows between them", rows.request.blast))
                .internal())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use std::path::Path;

    /// Domains of 8 rows, on node 0 rows 8 n to 8 n + 7 of which the first two are guards but in domain 0.
    const TEXT: &str = r#"
        name = "rows"
        machine = "small.toml"
        rows = { size = "1 MiB", blast = 2 }
        [[task]]
        name = "one"
        program = "latency"
        core = 0
        rows = "0-1"
        parameters.bytes = 4096
    "#;

    #[test]
    fn what_is_too_near_is_found() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        let scenario = Scenario::parse("rows.toml", TEXT, &directory, &[]).unwrap_or_else(|error| panic!("{error}"));
        let experiment = crate::runs::experiment(&scenario.runs()[0]).unwrap_or_else(|error| panic!("{error}"));
        let rows = experiment.rows.as_deref().expect("a task has some");
        let [low, next, all] = [&[0][..], &[1], &[0, 1]].map(|rows| rows.iter().copied().collect::<ColorSet>());
        // A row of all banks is 32 pages.
        let row = |row: u64| vec![(FrameNumber(32 * row), 32)];
        let judged = |pages: Vec<Pages<'_>>| judge(&experiment, rows, pages.into_iter());
        let apart = judged(vec![
            (Some(&low), row(7)),
            (Some(&next), row(10)),
            (Some(&all), row(9)),
            (None, row(13)),
        ]);
        let expected = RowsApart {
            pages: 128,
            rows: 64,
            nearest: Some(3),
        };
        assert_eq!(apart.unwrap_or_else(|error| panic!("{error}")), expected);
        // Domain 0 beside domain 1, and either beside those that nobody names.
        for pages in [
            vec![(Some(&low), row(7)), (Some(&next), row(9))],
            vec![(None, row(7)), (Some(&low), row(7))],
            vec![(Some(&all), row(100)), (None, row(102))],
        ] {
            let error = judged(pages).expect_err("they are too near").to_string();
            assert!(
                error.contains("too near each other: rows") && error.contains("more than 2 rows"),
                "{error}"
            );
        }
    }
}
