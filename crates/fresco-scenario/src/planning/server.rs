// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[[server]]`: a server that is given, not to be found; the first has priority.

use fresco_input::{InputError, Table};
use fresco_rt::Time;

/// A server as the user wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSpec {
    /// p_s.
    pub period_ns: Time,
    /// e_s.
    pub budget_ns: Time,
}

/// Longest period: a second.
const MOST_PS: u64 = 1_000_000_000_000;

impl ServerSpec {
    /// All `[[server]]`: none, or one for each of the two colors.
    pub(super) fn read_all(root: &Table<'_>) -> Result<Vec<Self>, InputError> {
        if !root.has("server") {
            return Ok(Vec::new());
        }
        let tables = root.array_of_tables("server")?;
        if tables.len() != 2 {
            let error = root.error_at("server", format!("found {} servers", tables.len()));
            return Err(error
                .allowed("two [[server]], that of color 0 first, or none")
                .help("add or remove one; without any, servers are found"));
        }
        let mut servers = Vec::new();
        for table in tables {
            let duration = |key| table.item(key, "a time such as \"4 ms\"")?.whole_ns(1000..=MOST_PS);
            let (period_ns, budget_ns) = (duration("period")?, duration("budget")?);
            if budget_ns > period_ns {
                let error = table.error_at("budget", format!("found {budget_ns} ns in a period of {period_ns} ns"));
                return Err(error
                    .allowed("at most the period")
                    .help("lower the budget or lengthen the period"));
            }
            table.finish()?;
            servers.push(Self { period_ns, budget_ns });
        }
        Ok(servers)
    }
}
