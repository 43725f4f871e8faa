// SPDX-License-Identifier: MIT OR Apache-2.0
//! Subjects to export.

use fresco_exchange::{Colors, ExportOptions, Exported, Head, Subject, Task, Times, export, format};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_rt::policy::Policy;
use fresco_scenario::{Plan, TaskSet};
use rand::Rng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The files of tasks/.
pub fn files() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks");
    let entries = std::fs::read_dir(directory).expect("tasks/ is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() >= 8, "{files:?}");
    files
}

/// The plans of tasks/, and one by a table, with their machines.
pub fn plans() -> Vec<(Plan, Machine)> {
    static PLANS: LazyLock<Vec<(Plan, Machine)>> = LazyLock::new(make_plans);
    PLANS.clone()
}

fn make_plans() -> Vec<(Plan, Machine)> {
    let plan = |(path, changes): (&PathBuf, &[String])| {
        let set = TaskSet::load(path, changes).unwrap_or_else(|error| panic!("{error}"));
        let plan = fresco_plan::plan(&set).unwrap_or_else(|refusal| panic!("{}: {refusal}", path.display()));
        (plan, set.machine)
    };
    let files = files();
    let table = files
        .iter()
        .find(|path| path.ends_with("table-4.4.toml"))
        .expect("it is there");
    let by_table = ["plan.method=colored-refresh".to_owned()];
    let all = files.iter().map(|path| (path, [].as_slice()));
    all.chain([(table, by_table.as_slice())]).map(plan).collect()
}

/// A plan of a text.
pub fn planned(text: &str) -> Subject {
    let set = TaskSet::parse("t.toml", text, Path::new(""), &[]).unwrap_or_else(|error| panic!("{error}"));
    let plan = fresco_plan::plan(&set).unwrap_or_else(|refusal| panic!("{refusal}"));
    Subject::of_plan("plan.json", plan, set.machine).unwrap_or_else(|error| panic!("{error}"))
}

/// A subject without colors.
pub fn subject(machine: &str, tasks: Vec<Task>) -> Subject {
    Subject {
        file: "s.toml".to_owned(),
        name: "s".to_owned(),
        machine: fresco_machine::builtin(machine).expect("built in"),
        tasks,
        budgets: None,
        policy: Policy::Edf,
        high: Vec::new(),
        plan: None,
    }
}

/// A task with nothing but a name.
pub fn task(name: &str) -> Task {
    Task {
        name: name.to_owned(),
        times: None,
        core: None,
        memory_bytes: None,
        colors: None,
        ways: None,
        command: Vec::new(),
    }
}

/// A task with times.
pub fn timed(name: &str, period_ns: u64, wcet_ns: u64) -> Task {
    Task {
        times: Some(Times {
            period_ns,
            wcet_ns,
            deadline_ns: period_ns,
            ..Times::default()
        }),
        ..task(name)
    }
}

/// A machine whose bank colors, LLC colors or both are dealt at random to a few tasks; those left are nobody's.
pub fn random_partition(machine: &str, random: &mut Pcg64) -> Subject {
    let mut subject = subject(machine, Vec::new());
    let space = subject.machine.colors().expect("it has colors");
    let (in_banks, in_llc) = [(true, false), (false, true), (true, true)][random.random_range(0..3)];
    let parts = random.random_range(1..=3);
    let deal = |all: u32, is_dealt: bool, random: &mut Pcg64| -> Vec<Vec<u32>> {
        if !is_dealt || all < 4 {
            return vec![(0..all).collect(); parts];
        }
        let mut numbers: Vec<u32> = (0..all).collect();
        // Half of the time whole runs, which masks of bits are likely to say.
        if random.random() {
            numbers.shuffle(random);
        }
        let each = (all as usize / 4).max(1);
        let mut lists: Vec<Vec<u32>> = numbers.chunks(each).take(parts).map(<[u32]>::to_vec).collect();
        lists.iter_mut().for_each(|list| list.sort_unstable());
        lists
    };
    let banks = deal(space.bank_colors(), in_banks, random);
    let llc = deal(space.llc_colors(), in_llc, random);
    for (number, (banks, llc)) in banks.into_iter().zip(llc).enumerate() {
        let exists = banks
            .iter()
            .any(|&bank| llc.iter().any(|&llc| space.pair_exists(bank, llc)));
        if exists {
            let cores = subject.machine.cores;
            subject.tasks.push(Task {
                colors: Some(Colors { banks, llc }),
                core: Some(number as u32 % cores),
                ..task(&format!("t{number}"))
            });
        }
    }
    subject
}

/// Exports, with what the caller accepts.
pub fn write(subject: &Subject, name: &str, options: &ExportOptions) -> Result<Exported, InputError> {
    let head = Head {
        version: "1".to_owned(),
        input: subject.file.clone(),
        digest: "0123456789abcdef".to_owned(),
        command: format!("fresco export {} --to {name}", subject.file),
    };
    export(format(name).expect("a format"), subject, options, &head)
}

/// Options that accept losses.
pub fn lossy() -> ExportOptions {
    ExportOptions {
        lossy: true,
        ..ExportOptions::default()
    }
}
