// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program `trace-parallel`: all threads of a recorded program, in the order in which they waited for each other.

use super::ftrace::recorded::{RecordedFile, ThreadTotals};
use super::replay::{PASSES, Replay};
use super::survey::Survey;
use crate::Program;
use crate::parameter::{Kind, Parameter};
use crate::registry::{Build, ProgramKind};
use std::path::Path;

/// Entry in the table of programs.
pub(crate) static TRACE_PARALLEL: ProgramKind = ProgramKind {
    name: "trace-parallel",
    doc: "team: replays all threads of a recorded program together, in the order in which they waited for each other",
    parameters: &[
        &[Parameter {
            name: "file",
            kind: Kind::File,
            doc: "the trace, of version 2; a relative name starts from the directory of traces",
        }],
        PASSES,
    ],
    build: Build::Team(|values, setting, count| {
        let path = setting.trace_dir.join(values.text("file"));
        let help = "record a program with fresco record; the program trace replays one thread of any trace";
        if !std::fs::exists(&path).is_ok_and(|there| there && RecordedFile::is(&path).is_ok_and(|is| is)) {
            let found = format!("{}: no trace of version 2, or not there", path.display());
            return Err(values.error("file", found).help(help));
        }
        let name = path.display().to_string();
        let file = RecordedFile::open(&path)?;
        let threads = recorded(&file);
        if threads.len() != count as usize {
            let found = format!("found {count} cores for the {} threads of {name}", threads.len());
            let cores = match threads.len() {
                0 | 1 => "core = 0".to_owned(),
                threads => format!("cores = \"0-{}\"", threads - 1),
            };
            return Err(values
                .error("file", found)
                .allowed("a core for each thread")
                .help(format!("write {cores}, or replay one of them with program = \"trace\"")));
        }
        let mut members: Vec<Box<dyn Program>> = Vec::new();
        for totals in &threads {
            let survey = Survey::of_totals(totals, &threads, &name)?;
            // Each reads at a place of its own.
            let file = RecordedFile::open(&path)?;
            let member = Replay::member(path.clone(), file, totals.thread, survey, values.number("passes"));
            members.push(Box::new(member));
        }
        Ok(members)
    }),
};

/// The threads of which something is recorded.
fn recorded(file: &RecordedFile) -> Vec<&ThreadTotals> {
    let threads = file.trailer().threads.iter();
    threads.filter(|totals| totals.counts.runs > 0).collect()
}

/// A recorded program; `None` for anything else, and for what cannot be read.
fn opened(path: &Path) -> Option<RecordedFile> {
    // A pipe would be waited for.
    let is_recorded = path.is_file() && RecordedFile::is(path).unwrap_or(false);
    is_recorded.then(|| RecordedFile::open(path).ok()).flatten()
}

/// How many threads of a file are replayed together; 1 for what is no recorded program.
pub fn threads_of(path: &Path) -> usize {
    opened(path).map_or(1, |file| recorded(&file).len())
}

/// The thread that executes the most instructions, the first one of several; 0 for what is no recorded program.
pub fn busiest_thread_of(path: &Path) -> u16 {
    let Some(file) = opened(path) else { return 0 };
    let threads = recorded(&file);
    let busiest = threads.iter().rev().max_by_key(|totals| totals.counts.instructions);
    busiest.map_or(0, |totals| totals.thread)
}
