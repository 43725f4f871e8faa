// SPDX-License-Identifier: GPL-2.0-only
//! The file of the refresh-aware scheduler: turns of banks, and which pages of a task lie where.

use crate::fault::Fault;
use crate::table::Task;
use serde::Deserialize;

const FORMAT: &str = "fresco-refresh/1";
/// As refresh.bpf.c has room for.
pub const MOST_BANKS: usize = 64;
const MOST_ETA: u32 = 8;
const MOST_TASKS: usize = 1024;
const MILLION: u32 = 1_000_000;
/// A switch takes some microseconds.
const SHORTEST_TURN_NS: u64 = 100_000;
const LONGEST_TURN_NS: u64 = 1_000_000_000;

/// How to schedule.
#[derive(Debug)]
pub struct Turns {
    /// Length of a bank's turn, which is a time slice.
    pub turn_ns: u64,
    /// How many banks have turns, one after the other.
    pub banks: u32,
    /// How many tasks of a queue are looked at; 1 heeds no refresh.
    pub eta: u32,
    /// If each of them has pages in the bank: the one with the smallest share there runs, else the first.
    pub best_effort: bool,
    /// The tasks that have pages.
    pub tasks: Vec<Task>,
    /// Of each task and bank the share of its pages, in millionths; 0 only if it has none there.
    pub shares: Vec<Vec<u32>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    turn_ns: u64,
    banks: u32,
    eta: u32,
    #[serde(default = "yes")]
    best_effort: bool,
    task: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    cgroup: Option<String>,
    pid: Option<u32>,
    /// Banks that the pages are spread over evenly.
    banks: Option<Vec<u32>>,
    /// Or the share of each bank.
    shares_ppm: Option<Vec<u32>>,
}

fn yes() -> bool {
    true
}

/// What a text says.
///
/// # Errors
/// It is no such file, or what it says cannot be scheduled.
pub fn parse(text: &str, place: &str) -> Result<Turns, Fault> {
    let file: File = toml::from_str(text).map_err(|why| {
        let line = why
            .span()
            .map_or(0, |span| text[..span.start].matches('\n').count() + 1);
        Fault::input(
            format!("{place}:{line}"),
            format!("found no turns of banks: {}", why.message().replace('\n', " ")),
        )
    })?;
    let fault = |key: &str, found: String| Fault::input(format!("{place}: {key}"), format!("found {found}"));
    if file.format != FORMAT {
        return Err(fault("format", format!("{:?}", file.format)).allowed(format!("{FORMAT:?}")));
    }
    if !(SHORTEST_TURN_NS..=LONGEST_TURN_NS).contains(&file.turn_ns) {
        return Err(
            fault("turn_ns", file.turn_ns.to_string()).allowed(format!("{SHORTEST_TURN_NS} to {LONGEST_TURN_NS}"))
        );
    }
    if file.banks == 0 || file.banks as usize > MOST_BANKS {
        return Err(fault("banks", file.banks.to_string()).allowed(format!("1 to {MOST_BANKS}")));
    }
    if file.eta == 0 || file.eta > MOST_ETA {
        return Err(fault("eta", file.eta.to_string())
            .allowed(format!("1 to {MOST_ETA}"))
            .help("1 heeds no refresh"));
    }
    if file.task.len() > MOST_TASKS {
        return Err(fault("task", format!("{} tasks", file.task.len())).allowed(MOST_TASKS.to_string()));
    }
    let shares = file
        .task
        .iter()
        .map(|task| shares(task, file.banks, place))
        .collect::<Result<_, _>>()?;
    let task = |entry: Entry| Task {
        name: entry.name,
        cgroup: entry.cgroup,
        pid: entry.pid,
    };
    Ok(Turns {
        turn_ns: file.turn_ns,
        banks: file.banks,
        eta: file.eta,
        best_effort: file.best_effort,
        tasks: file.task.into_iter().map(task).collect(),
        shares,
    })
}

fn shares(task: &Entry, banks: u32, place: &str) -> Result<Vec<u32>, Fault> {
    let fault = |found: String| Fault::input(format!("{place}: task {:?}", task.name), format!("found {found}"));
    match (&task.banks, &task.shares_ppm) {
        (Some(list), None) => {
            let mut shares = vec![0; banks as usize];
            for &bank in list {
                let share = shares.get_mut(bank as usize);
                let share =
                    share.ok_or_else(|| fault(format!("bank {bank}")).allowed(format!("0 to {}", banks - 1)))?;
                if *share > 0 {
                    return Err(fault(format!("bank {bank} twice")).allowed("each once"));
                }
                *share = MILLION / list.len() as u32;
            }
            Ok(shares)
        }
        (None, Some(shares)) if shares.len() == banks as usize && shares.iter().all(|share| *share <= MILLION) => {
            Ok(shares.clone())
        }
        (None, Some(shares)) => {
            Err(fault(format!("shares_ppm {shares:?}")).allowed(format!("{banks} shares of 0 to {MILLION}")))
        }
        _ => Err(fault("neither or both of banks and shares_ppm".to_owned()).allowed("one of them")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_tasks() {
        let of = |tasks: &str, more: &str| {
            let turns = if more.is_empty() {
                "turn_ns = 4000000\nbanks = 4\neta = 3"
            } else {
                more
            };
            parse(
                &format!("format = \"fresco-refresh/1\"\n{turns}\ntask = [{tasks}]"),
                "t",
            )
        };
        let turns = of(
            "{ name = \"a\", banks = [1, 3] }, { name = \"b\", shares_ppm = [0, 1, 0, 999999] }",
            "",
        )
        .expect("turns");
        assert_eq!(turns.shares, [vec![0, 500_000, 0, 500_000], vec![0, 1, 0, 999_999]]);
        assert!(turns.best_effort);
        for (tasks, more, told) in [
            (
                "{ name = \"a\", banks = [4] }",
                "",
                "t: task \"a\": found bank 4\n  allowed: 0 to 3",
            ),
            (
                "{ name = \"a\", shares_ppm = [1] }",
                "",
                "allowed: 4 shares of 0 to 1000000",
            ),
            ("{ name = \"a\" }", "", "neither or both"),
            ("", "turn_ns = 99999\nbanks = 4\neta = 3", "turn_ns: found 99999"),
            ("", "turn_ns = 4000000\nbanks = 65\neta = 3", "banks: found 65"),
            (
                "",
                "turn_ns = 4000000\nbanks = 4\neta = 9",
                "eta: found 9\n  allowed: 1 to 8",
            ),
            (
                "",
                "turn_ns = 4000000\nbanks = 4",
                "found no turns of banks: missing field `eta`",
            ),
        ] {
            let said = of(tasks, more).expect_err("no turns").to_string();
            assert!(said.contains(told), "{said}");
        }
    }
}
