// SPDX-License-Identifier: GPL-2.0-only
//! Tasks that share slots, and what decides which of them runs.

use crate::fault::Fault;
use crate::table::{COLORS, Task};
use serde::Deserialize;

/// As order.h has it: the keys of queues leave room for so many.
const RANKS: u32 = 1024;

/// How the tasks that share slots take turns.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// The least rank first.
    Rank,
    /// The earliest deadline first, and of equal ones the least rank.
    Deadline,
}

/// A task as the file of a table has it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    pub cgroup: Option<String>,
    pub pid: Option<u32>,
    /// Name of slots that it shares with others; those of its own name if there is none.
    pub slots: Option<String>,
    rank: Option<u32>,
    period_ns: Option<u64>,
    deadline_ns: Option<u64>,
    #[serde(default)]
    phase_ns: u64,
    #[serde(default)]
    color: u32,
}

impl Row {
    /// Who it is.
    pub fn task(&self) -> Task {
        Task {
            name: self.name.clone(),
            cgroup: self.cgroup.clone(),
            pid: self.pid,
        }
    }

    /// Whose slots it runs in.
    fn owner(&self) -> &str {
        self.slots.as_deref().unwrap_or(&self.name)
    }
}

/// A task with slots. Times are in ns; all but the owner is 0 of one that has slots for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Number of the owner of slots.
    pub owner: u32,
    /// `None` if no order is told, which one that shares its slots with nobody needs not.
    pub order: Option<Order>,
    /// 0 goes first.
    pub rank: u32,
    /// Does not run in slots that are shut for it.
    pub color: u32,
    /// Jobs arrive at multiples of it after the phase, of CLOCK_MONOTONIC.
    pub period_ns: u64,
    pub phase_ns: u64,
    /// From an arrival, no more than the period.
    pub deadline_ns: u64,
}

impl Member {
    /// `struct member` of order.h.
    pub fn bytes(&self) -> Vec<u8> {
        let order: u32 = match self.order {
            None => 0,
            Some(Order::Rank) => 1,
            Some(Order::Deadline) => 2,
        };
        let short = [self.owner, order, self.rank, self.color].map(u32::to_ne_bytes);
        let long = [self.period_ns, self.phase_ns, self.deadline_ns].map(u64::to_ne_bytes);
        [short.concat(), long.concat()].concat()
    }

    /// When a job arrived, and when it is due.
    pub fn times(&self, job: u64) -> (u64, u64) {
        let arrived = self.phase_ns.saturating_add(self.period_ns.saturating_mul(job));
        (arrived, arrived.saturating_add(self.deadline_ns))
    }
}

/// Names of slots, in the order of the tasks.
pub fn owners(rows: &[Row]) -> Vec<String> {
    let mut owners: Vec<String> = Vec::new();
    for row in rows {
        if !owners.iter().any(|owner| owner == row.owner()) {
            owners.push(row.owner().to_owned());
        }
    }
    owners
}

/// Whose slots each task runs in.
///
/// # Errors
/// Tasks share slots, and nothing says which of them goes first; times that none has.
pub fn of(rows: &[Row], order: Option<Order>, owners: &[String], place: &str) -> Result<Vec<Member>, Fault> {
    let member = |row: &Row| {
        let fault = |found: String| Fault::input(format!("{place}: task {:?}", row.name), found);
        let number = (0..).zip(owners).find(|(_, owner)| *owner == row.owner());
        let alone = Member {
            owner: number.map_or(0, |(number, _)| number),
            ..Member::default()
        };
        if row.slots.is_none() {
            let sharer = rows.iter().find(|other| other.slots.as_ref() == Some(&row.name));
            return match sharer {
                None => Ok(alone),
                Some(other) => Err(
                    fault(format!("found no slots of it, and task {:?} shares them", other.name))
                        .allowed("slots and order of all that share them"),
                ),
            };
        }
        let Some(order) = order else {
            return Err(fault("found slots that tasks share, and no order".to_owned())
                .allowed("order = \"deadline\" or \"rank\", of the table"));
        };
        let (Some(rank), Some(period_ns), Some(deadline_ns)) = (row.rank, row.period_ns, row.deadline_ns) else {
            return Err(
                fault("found slots that it shares, and no rank, period_ns or deadline_ns".to_owned())
                    .allowed("all three"),
            );
        };
        if rank >= RANKS {
            return Err(fault(format!("found rank {rank}")).allowed(format!("0 to {}", RANKS - 1)));
        }
        if row.color >= COLORS {
            return Err(fault(format!("found color {}", row.color)).allowed(format!("0 to {}", COLORS - 1)));
        }
        if deadline_ns == 0 || deadline_ns > period_ns {
            return Err(
                fault(format!("found deadline_ns {deadline_ns} of period_ns {period_ns}"))
                    .allowed("1 to the period")
                    .help("a job is told from the one after it by its period"),
            );
        }
        Ok(Member {
            order: Some(order),
            rank,
            color: row.color,
            period_ns,
            phase_ns: row.phase_ns,
            deadline_ns,
            ..alone
        })
    };
    rows.iter().map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::Order;
    use crate::table::{NOBODY, Table, parse};
    use std::path::Path;

    fn table(tasks: &str) -> Result<Table, String> {
        let head = "format = \"fresco-table/1\"\nframe_ns = 1000000\norder = \"deadline\"\n";
        let slot = "slot = [{ core = 0, start_ns = 0, length_ns = 500000, task = \"s\", shut = [1] }]\n";
        parse(&format!("{head}task = [{tasks}]\n{slot}"), "t.toml").map_err(|fault| fault.to_string())
    }

    #[test]
    fn tasks_share_slots() {
        let table = table(
            "{ name = \"a\", slots = \"s\", rank = 1, period_ns = 8, deadline_ns = 7, phase_ns = 3 }, \
             { name = \"b\" }, { name = \"c\", slots = \"s\", rank = 0, period_ns = 4, deadline_ns = 4, color = 1 }",
        )
        .expect("a table");
        assert_eq!(table.owners, ["s", "b"]);
        let owners: Vec<u32> = table.members.iter().map(|member| member.owner).collect();
        assert_eq!(owners, [0, 1, 0]);
        assert_eq!((table.cores[0][0].owner, table.cores[0][0].shut), (0, 2));
        assert_eq!(
            (table.members[0].times(0), table.members[0].times(2)),
            ((3, 10), (19, 26))
        );
        let bytes: Vec<u32> = table.members[2]
            .bytes()
            .chunks_exact(4)
            .map(|four| u32::from_ne_bytes(four.try_into().expect("four")))
            .collect();
        assert_eq!(bytes[..4], [0, 2, 0, 1]);
        assert_eq!(bytes.len(), 10);
    }

    /// Fresco's own tests compare the file with what a plan becomes.
    #[test]
    fn what_a_plan_becomes_is_read() {
        let table =
            crate::table::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shared.toml")).expect("a table");
        assert_eq!((table.owners.len(), table.members.len()), (1, 3));
        let shut: Vec<(u32, u32)> = table.cores[0]
            .iter()
            .map(|segment| (segment.owner, segment.shut))
            .collect();
        let free = (NOBODY, 0);
        assert_eq!(shut, [free, (0, 2), free, (0, 0), free, (0, 1), free, (0, 0)]);
        // b: of color 0, third job from 68 ms to 84.
        assert_eq!(
            (table.members[1].color, table.members[1].times(2)),
            (0, (68_000_000, 84_000_000))
        );
        assert_eq!(table.members[2].order, Some(Order::Deadline));
    }

    #[test]
    fn what_does_not_say_who_goes_first_is_told() {
        let all = "rank = 0, period_ns = 8, deadline_ns = 8";
        for (tasks, told) in [
            (
                "{ name = \"a\", slots = \"s\" }".to_owned(),
                "no rank, period_ns or deadline_ns",
            ),
            (
                format!("{{ name = \"a\", slots = \"s\", {all} }}, {{ name = \"s\" }}"),
                "task \"a\" shares them",
            ),
            (
                format!("{{ name = \"a\", slots = \"s\", {all}, color = 2 }}"),
                "found color 2",
            ),
            (
                "{ name = \"a\", slots = \"s\", rank = 1024, period_ns = 8, deadline_ns = 8 }".to_owned(),
                "found rank 1024",
            ),
            (
                "{ name = \"a\", slots = \"s\", rank = 0, period_ns = 8, deadline_ns = 9 }".to_owned(),
                "found deadline_ns 9 of period_ns 8",
            ),
        ] {
            let said = table(&tasks).expect_err("no table");
            assert!(said.contains(told), "{tasks}: {said}");
        }
        let text =
            "format = \"fresco-table/1\"\nframe_ns = 1000000\ntask = [{ name = \"a\", slots = \"s\" }]\nslot = []\n";
        let said = parse(text, "t").expect_err("no order").to_string();
        assert!(said.contains("found slots that tasks share, and no order"), "{said}");
    }
}
