// SPDX-License-Identifier: MIT OR Apache-2.0
//! Row domains: how the memory is divided, and what the independent judge found at the end of a run.

use fresco_machine::Machine;
use fresco_scenario::Rows;
use serde::{Deserialize, Serialize};

/// How the memory of a point is divided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DividedRows {
    /// Row domains of the machine.
    pub domains: u32,
    /// Bytes of each, with its guards.
    pub domain_bytes: u64,
    /// Rows of each bank between two domains, at least.
    pub blast: u32,
    /// What the guards assume of the order of rows in devices.
    pub order: String,
    /// The domains that the same tasks and agents name, together; last those that nobody names.
    pub parts: Vec<RowsPart>,
    /// Memory that nobody has: guards, and what lies behind the last whole domain.
    pub unused_bytes: u64,
}

/// Some row domains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsPart {
    /// Their numbers, as `0-1,4`.
    pub rows: String,
    /// Tasks and agents that name them; none of those that nobody names.
    pub users: Vec<String>,
    /// Their memory without guards.
    pub bytes: u64,
}

impl DividedRows {
    /// What a scenario's tasks and agents, by name with the domains that they have, make of the memory.
    pub(crate) fn new<'a>(rows: &Rows, machine: &Machine, users: impl Iterator<Item = User<'a>> + Clone) -> Self {
        let users_of = |part: &fresco_frames::Part| {
            let names = |(name, rows): User<'a>| {
                let rows = rows.as_ref()?;
                part.domains
                    .iter()
                    .all(|domain| rows.contains(domain))
                    .then(|| name.to_owned())
            };
            users.clone().filter_map(names).collect()
        };
        let part = |part: &fresco_frames::Part| RowsPart {
            rows: part.domains.to_string(),
            users: users_of(part),
            bytes: Rows::frames(part) * machine.page_bytes,
        };
        let parts: Vec<RowsPart> = rows.parts[1..].iter().chain(&rows.parts[..1]).map(part).collect();
        let used: u64 = parts.iter().map(|part| part.bytes).sum();
        Self {
            domains: rows.domains,
            domain_bytes: rows.domain_bytes,
            blast: rows.request.blast,
            order: rows.request.remaps.to_string(),
            parts,
            unused_bytes: machine.memory.organisation.total_bytes() - used,
        }
    }
}

/// Name and row domains of a task or an agent.
pub(crate) type User<'a> = (&'a str, &'a Option<fresco_frames::ColorSet>);

/// What the judge found, who decodes every line of every page in use, those of the kernel too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowsApart {
    /// Pages in use at the end.
    pub pages: u64,
    /// Rows of banks that they lie in, each counted for each of the domains, or the lists of domains, that have it.
    pub rows: u64,
    /// The least distance of rows of which hammering one must not disturb the other; `None` if there are none in one bank.
    pub nearest: Option<u32>,
}
