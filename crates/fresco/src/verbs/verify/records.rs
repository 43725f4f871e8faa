// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco verify PLAN --records FILE`: slots that a table was run in, against those of the plan.

use crate::arguments::duration;
use crate::failure::{Outcome, WANTING, tell};
use crate::plans::{self, LoadedPlan};
use crate::verbs::live::planned::check_sound;
use crate::{output, provenance};
use fresco_dram::color::parse_list;
use fresco_exchange::execution::{
    Execution, Executor, JobJudgement, Judgements, execution, judge, judge_jobs, parse_records,
};
use fresco_input::{InputError, file_name, is_standard_input, read_file};
use fresco_report::{Cell, Column, InputFile, ReportError, Table};
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;

/// Of `--late`, in ps: to a frame's most.
const LATE: std::ops::RangeInclusive<u64> = 0..=15_000_000_000_000;
/// Of `--after`, in ps: to a day.
const AFTER: std::ops::RangeInclusive<u64> = 0..=86_400_000_000_000_000;
/// As the scheduler has room for.
const MOST_CPUS: u32 = 64;

/// Of a plan without a table that can be judged: another way out than that of who runs it.
const HELP: &str = "leave out --records to look at live processes; fresco plan TASKS.toml --method colored-refresh --out PLAN.json makes a table";

/// What has become of the slots.
#[derive(Debug, Serialize)]
struct RecordsReport {
    plan: String,
    records_file: String,
    frame_ns: u64,
    /// Starts and ends may be so much later than planned.
    late_ns: u64,
    /// Slots that began earlier after the first one are left out.
    after_ns: u64,
    #[serde(flatten)]
    judged: Judgements,
    /// Of tasks that share slots.
    jobs: Vec<JobJudgement>,
    /// Records of jobs that are none of the plan.
    jobs_not_planned: u64,
    holds: bool,
}

/// How they are judged.
#[derive(Debug)]
pub struct Options<'a> {
    /// Starts and ends may be so much later than planned.
    pub late: &'a str,
    /// Slots that began within so much after the first one are left out.
    pub after: Option<&'a str>,
    /// The processors of the plan's cores, in order.
    pub cpus: Option<&'a str>,
}

/// Judges them. The status is 1 if something is not as planned.
pub fn run(path: &Path, file: &Path, options: &Options<'_>, json: bool) -> Outcome {
    let late_ns = duration("--late", options.late, LATE)? / 1_000;
    let after_ns = match options.after {
        Some(text) => duration("--after", text, AFTER)? / 1_000,
        None => 0,
    };
    if is_standard_input(path) && is_standard_input(file) {
        return Err(InputError::new("--records", "found - for the records and for the plan")
            .allowed("one of the two from standard input")
            .help("name the file of the other one")
            .into());
    }
    let LoadedPlan {
        plan,
        machine,
        mut provenance,
        ..
    } = plans::load(path, &[])?;
    let name = file_name(path);
    check_sound(&name, &plan, &machine)?;
    let table = match execution(&plan, Executor::Table) {
        Ok(Execution::Table(table)) => table,
        Ok(_) => unreachable!("a table is asked for"),
        Err(misfit) => {
            let error = misfit.into_input(&name, "--records").help(HELP);
            return Err(match Executor::of(&plan) {
                Some(Executor::Table) => error.into(),
                _ => error.allowed("a table, slots, servers or lock windows").into(),
            });
        }
    };
    let table = match options.cpus {
        None => table,
        Some(text) => table.on(&parse_list(text, MOST_CPUS, "--cpus")?).map_err(|core| {
            InputError::new("--cpus", format!("found no processor for core {core}"))
                .allowed(format!("one for each of the plan's {} cores", plan.cores))
                .help("name those of fresco run --cpus")
        })?,
    };
    let text = read_file(file)?;
    let read = parse_records(&file_name(file), &text)?;
    if let Some(left_out) = &read.left_out {
        tell(&format!("fresco verify: {left_out}"));
    }
    provenance
        .inputs
        .push(InputFile::new(file_name(file), provenance::digest(&text)));
    let judged = judge(&table, &read.records, late_ns, after_ns);
    let (jobs, jobs_not_planned) = judge_jobs(&table, &read.records, &read.jobs, late_ns, after_ns);
    let report = RecordsReport {
        plan: plan.name,
        records_file: file_name(file),
        frame_ns: table.frame_ns,
        late_ns,
        after_ns,
        holds: judged.hold() && jobs_not_planned == 0 && jobs.iter().all(|task| task.holds),
        judged,
        jobs,
        jobs_not_planned,
    };
    output::print(json, "fresco-verify-records/1", &provenance, &report, || {
        report.tables()
    })?;
    Ok(ExitCode::from(if report.holds { 0 } else { WANTING }))
}

impl RecordsReport {
    fn tables(&self) -> Result<Vec<Table>, ReportError> {
        let counts = [
            "slots",
            "ran",
            "unused",
            "missed",
            "early",
            "late",
            "late ends",
            "cut",
            "overran",
            "lost",
        ];
        let mut columns = vec![Column::text("task")];
        columns.extend(counts.map(|name| Column::number(name, "", 0)));
        columns.extend(["start min", "median", "p99", "max"].map(|name| Column::number(name, "us", 1)));
        columns.push(Column::text("as planned"));
        let mut table = Table::new(format!("Slots of the plan {}", self.plan), columns);
        let word = |holds: bool| if holds { "yes" } else { "no" };
        for task in &self.judged.tasks {
            let numbers = [
                task.slots,
                task.ran,
                task.unused,
                task.missed,
                task.early,
                task.late,
                task.late_ends,
                task.cut,
                task.overran,
                task.lost,
            ];
            let mut row: Vec<Cell> = vec![task.task.as_str().into()];
            row.extend(numbers.map(Cell::Count));
            let start = task.start;
            row.extend(
                [start.min_ns, start.median_ns, start.p99_ns, start.max_ns]
                    .map(|ns| Cell::from((start.count > 0).then_some(ns as f64 / 1e3))),
            );
            row.push(word(task.holds).into());
            table.push(row)?;
        }
        let mut tables = vec![table];
        if !self.jobs.is_empty() {
            tables.push(self.of_jobs()?);
        }
        let mut notes = Table::new("What was judged", ["what", "value"].map(Column::text).into());
        for (what, value) in [
            (
                "records",
                format!(
                    "{} of {} frames of {} ns",
                    self.judged.records, self.judged.frames, self.frame_ns
                ),
            ),
            (
                "late",
                format!("a start or an end more than {} ns after the planned one", self.late_ns),
            ),
            ("left out", format!("the first {} ns", self.after_ns)),
            (
                "not of the plan",
                format!("{} records", self.judged.not_planned + self.jobs_not_planned),
            ),
            ("as planned", word(self.holds).to_owned()),
        ] {
            notes.push(vec![what.into(), value.into()])?;
        }
        tables.push(notes);
        Ok(tables)
    }

    fn of_jobs(&self) -> Result<Table, ReportError> {
        let mut columns = vec![Column::text("task")];
        columns.extend(["jobs", "missed", "overran", "out of turn"].map(|name| Column::number(name, "", 0)));
        columns.extend(
            ["start median", "max", "response median", "max", "longest"].map(|name| Column::number(name, "us", 1)),
        );
        columns.push(Column::text("as planned"));
        let mut table = Table::new("Jobs of tasks that share slots", columns);
        for task in &self.jobs {
            let us = |ns: u64| Cell::from((task.jobs > 0).then_some(ns as f64 / 1e3));
            let mut row: Vec<Cell> = vec![task.task.as_str().into()];
            row.extend([task.jobs, task.missed, task.overran, task.out_of_turn].map(Cell::Count));
            let times = [
                task.start.median_ns,
                task.start.max_ns,
                task.response.median_ns,
                task.response.max_ns,
            ];
            row.extend(times.map(us));
            row.push(us(task.longest_ns));
            row.push(if task.holds { "yes" } else { "no" }.into());
            table.push(row)?;
        }
        Ok(table)
    }
}
