// SPDX-License-Identifier: GPL-2.0-only
//! Loads Fresco's schedulers for Linux with sched_ext, and says what they did.

mod balance;
mod execute;
mod fault;
mod here;
mod jobs;
mod load;
mod members;
mod records;
mod table;
mod turns;

use clap::{Args, Parser, Subcommand};
use fault::Fault;
use here::Owner;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Fresco's schedulers for Linux with sched_ext.
///
/// Exit status: 0 done, 1 the kernel has ended the scheduler, 2 the input is wrong, 3 this machine has not what is needed.
#[derive(Parser)]
#[command(version)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Runs a table of slots, until Ctrl-C or SIGTERM; then prints what has become of them, as JSON
    Table(Arguments),
    /// Runs tasks in fair shares, in turns of banks that are refreshed; at the end prints what was decided, as JSON
    Refresh(Arguments),
}

#[derive(Args)]
struct Arguments {
    /// The table (`fresco export plan.json --to sched-ext --out table.toml`), or turns and pages of tasks
    file: PathBuf,
    /// Who a task is: NAME=cgroup:/PATH, all tasks in it and below, or NAME=pid:NUMBER, all threads of a process
    #[arg(long = "task", value_name = "NAME=WHO")]
    tasks: Vec<String>,
    /// Tasks of which nothing else is said are the cgroups PATH/NAME
    #[arg(long, value_name = "PATH")]
    groups: Option<String>,
    /// Ends after so long
    #[arg(long)]
    seconds: Option<f64>,
    /// Frames, or all turns, begin so much after multiples of their length, of CLOCK_MONOTONIC in ns
    #[arg(long, value_name = "NS", default_value_t = 0)]
    phase: u64,
    /// Writes what has become of each slot, or each decision, a line of JSON each
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Reads the file alone, and loads nothing
    #[arg(long)]
    check: bool,
    /// Shows all that the kernel says, if it does not take the scheduler
    #[arg(long)]
    verbose: bool,
}

fn main() -> ExitCode {
    let done = match Command::parse().verb {
        Verb::Table(arguments) => run_table(&arguments),
        Verb::Refresh(arguments) => run_refresh(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("fresco-scheduler: {fault}");
            ExitCode::from(fault.status)
        }
    }
}

fn run_table(arguments: &Arguments) -> Result<(), Fault> {
    let mut table = table::read(&arguments.file)?;
    let Some(Ready {
        owners,
        length,
        records,
    }) = arguments.ready(&mut table.tasks)?
    else {
        return Ok(());
    };
    let options = execute::Options {
        place: arguments.place(),
        length,
        phase_ns: arguments.phase,
        records,
        verbose: arguments.verbose,
    };
    print(&execute::execute(&table, &owners, options)?)
}

fn run_refresh(arguments: &Arguments) -> Result<(), Fault> {
    let mut turns = turns::parse(&table::text(&arguments.file)?, &arguments.place())?;
    let Some(Ready {
        owners,
        length,
        records,
    }) = arguments.ready(&mut turns.tasks)?
    else {
        return Ok(());
    };
    let options = balance::Options {
        length,
        phase_ns: arguments.phase,
        records,
        verbose: arguments.verbose,
    };
    print(&balance::balance(&turns, &owners, options)?)
}

fn print(report: &impl serde::Serialize) -> Result<(), Fault> {
    let text = serde_json::to_string_pretty(report).map_err(|why| Fault::input("standard output", why.to_string()))?;
    writeln!(std::io::stdout(), "{text}").map_err(|why| Fault::input("standard output", why.to_string()))
}

/// What a scheduler needs besides its file.
struct Ready {
    owners: Vec<Owner>,
    length: Option<Duration>,
    records: Option<Box<dyn Write>>,
}

impl Arguments {
    /// How the file is named in faults.
    fn place(&self) -> String {
        self.file.display().to_string()
    }

    /// Finds out who tasks are, and opens the file of records; `None` if nothing is to be loaded.
    fn ready(&self, tasks: &mut [table::Task]) -> Result<Option<Ready>, Fault> {
        for text in &self.tasks {
            name_task(tasks, text)?;
        }
        if let Some(groups) = &self.groups {
            for task in tasks
                .iter_mut()
                .filter(|task| task.cgroup.is_none() && task.pid.is_none())
            {
                task.cgroup = Some(format!("{}/{}", groups.trim_end_matches('/'), task.name));
            }
        }
        let length = match self.seconds.map(Duration::try_from_secs_f64) {
            Some(Err(why)) => return Err(Fault::input("--seconds", why.to_string()).allowed("a positive number")),
            Some(Ok(length)) => Some(length),
            None => None,
        };
        if self.check {
            return Ok(None);
        }
        here::check()?;
        let owners = here::owners(tasks, &self.place())?;
        let unwritable = |why: std::io::Error| Fault::input("--records", format!("cannot be written: {why}"));
        let records = match &self.records {
            Some(path) => Some(Box::new(BufWriter::new(File::create(path).map_err(unwritable)?)) as Box<dyn Write>),
            None => None,
        };
        Ok(Some(Ready {
            owners,
            length,
            records,
        }))
    }
}

/// Says who a task is, as `NAME=cgroup:/PATH` or `NAME=pid:NUMBER`.
fn name_task(tasks: &mut [table::Task], text: &str) -> Result<(), Fault> {
    let wrong = || {
        Fault::input("--task", format!("found {text:?}"))
            .allowed("NAME=cgroup:/PATH or NAME=pid:NUMBER, of a task of the table")
    };
    let (name, who) = text.split_once('=').ok_or_else(wrong)?;
    let task = tasks.iter_mut().find(|task| task.name == name).ok_or_else(wrong)?;
    (task.cgroup, task.pid) = match who.split_once(':').ok_or_else(wrong)? {
        ("cgroup", path) if !path.is_empty() => (Some(path.to_owned()), None),
        ("pid", number) => (None, Some(number.parse().map_err(|_| wrong())?)),
        _ => return Err(wrong()),
    };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_named() {
        let task = |name: &str| table::Task {
            name: name.to_owned(),
            cgroup: None,
            pid: None,
        };
        let mut tasks = [task("a"), task("b")];
        name_task(&mut tasks, "a=cgroup:/x/y").expect("a cgroup");
        name_task(&mut tasks, "b=pid:12").expect("a process");
        assert_eq!(tasks[0].cgroup.as_deref(), Some("/x/y"));
        assert_eq!(tasks[1].pid, Some(12));
        for text in ["c=pid:1", "a", "a=", "a=pid:x", "a=cgroup:", "a=group:/x"] {
            assert!(name_task(&mut tasks, text).is_err(), "{text}");
        }
    }
}
