// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[rows]`, and `rows` of tasks and agents: row domains, so far apart that what hammers rows of one flips no bits of another.

use super::place::{error_at, moved};
use super::{Agent, Task};
use fresco_dram::domains::{DomainError, DomainRequest, MOST_BLAST, Remaps, RowDomains, USUAL_BLAST, USUAL_BYTES};
use fresco_dram::standards;
use fresco_frames::{ColorSet, Part};
use fresco_input::{InputError, Table};
use fresco_machine::Machine;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The row domains of a machine as its tasks and agents have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// What was asked for.
    pub request: DomainRequest,
    /// Domains of the machine.
    pub domains: u32,
    /// Bytes of each with its guards.
    pub domain_bytes: u64,
    /// The memory of domains that nobody names, which all others share with the kernel; then that of the domains that are named, those
    /// together that the same tasks and agents name.
    pub parts: Vec<Part>,
}

/// Row domains before it is known who names which.
pub(crate) struct Asked {
    /// `None` if nobody names any.
    domains: Option<RowDomains>,
    all: u32,
    /// What to say of domains that there are.
    there_are: String,
}

impl Asked {
    /// Reads `[rows]` of a scenario; the memory is divided if tasks or agents name domains.
    ///
    /// # Errors
    /// Keys that are unknown or out of range; a machine whose memory has no such domains.
    pub(super) fn read(root: &Table<'_>, machine: &Machine) -> Result<Self, InputError> {
        let request = match root.opt_table("rows")? {
            Some(table) => {
                let request = read_request(&table, machine)?;
                table.finish()?;
                request
            }
            None => usual(machine),
        };
        let mut users = root.array_of_tables("task")?;
        users.extend(root.array_of_tables("agent")?);
        let domains = match users.iter().any(|table| table.has("rows")) {
            true => Some(RowDomains::new(&machine.memory.map, request).map_err(|error| wrong(root, machine, error))?),
            false => None,
        };
        let all = domains
            .as_ref()
            .map_or(0, |domains| domains.parts().len() as u32 * domains.domains_each());
        let there_are = match all {
            1 => "0 only: the memory has one".to_owned(),
            _ => format!(
                "row domains 0 to {} of this machine, such as \"0-1,4\"",
                all.saturating_sub(1)
            ),
        };
        Ok(Self {
            domains,
            all,
            there_are,
        })
    }

    /// The domains of a task or agent; `None` if it names none.
    ///
    /// # Errors
    /// Domains that do not exist, or none.
    pub(super) fn of(&self, table: &Table<'_>) -> Result<Option<ColorSet>, InputError> {
        let Some(item) = table.opt_item("rows") else {
            return Ok(None);
        };
        let help = "fresco map domains lists them; smaller ones (rows.size) are more";
        let numbers = item.numbers(0..=self.all.saturating_sub(1));
        let numbers = numbers.map_err(|error| error.allowed(self.there_are.clone()).help(help))?;
        if numbers.is_empty() {
            let error = item.error("found no row domain").allowed(self.there_are.clone());
            return Err(
                error.help("name a domain, or remove the key: the task then has memory of domains that nobody names")
            );
        }
        Ok(Some(numbers.into_iter().collect()))
    }

    /// Divides the memory among those that name domains; `None` if nobody does.
    ///
    /// # Errors
    /// All domains are named.
    pub(super) fn divide(
        self,
        root: &Table<'_>,
        machine: &Machine,
        tasks: &[Task],
        agents: &[Agent],
    ) -> Result<Option<Arc<Rows>>, InputError> {
        let Some(domains) = self.domains else { return Ok(None) };
        let mut users: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
        let named = tasks
            .iter()
            .map(|task| &task.rows)
            .chain(agents.iter().map(|agent| &agent.rows));
        for (user, rows) in named.enumerate() {
            for domain in rows.iter().flat_map(ColorSet::iter) {
                users.entry(domain).or_default().insert(user);
            }
        }
        if users.len() as u32 == self.all {
            return Err(root
                .error_at("rows", format!("found tasks and agents that name all of {} row domains", self.all))
                .allowed("a domain that nobody names, in which the kernel, page tables and tasks without rows have their memory")
                .help("name fewer, or make them smaller: rows.size"));
        }
        let each = domains.domains_each();
        let row_bytes = domains.parts()[0].row_bytes;
        Ok(Some(Arc::new(Rows {
            request: *domains.request(),
            domains: self.all,
            domain_bytes: u64::from(domains.rows_each()) * row_bytes,
            parts: parts(&domains, each, &users, machine.page_bytes),
        })))
    }
}

impl Rows {
    /// Frames of a part.
    pub fn frames(part: &Part) -> u64 {
        part.frames.iter().map(|range| range.end - range.start).sum()
    }
}

/// The memory of the domains that the same users name; first that of those that nobody names.
fn parts(domains: &RowDomains, each: u32, users: &BTreeMap<u32, BTreeSet<usize>>, page_bytes: u64) -> Vec<Part> {
    let nobody = BTreeSet::new();
    let mut numbers: BTreeMap<&BTreeSet<usize>, usize> = BTreeMap::from([(&nobody, 0)]);
    let mut parts = vec![Part::default()];
    let mut of_domain = Vec::new();
    for domain in 0..domains.parts().len() as u32 * each {
        let number = *numbers
            .entry(users.get(&domain).unwrap_or(&nobody))
            .or_insert(parts.len());
        parts.resize(parts.len().max(number + 1), Part::default());
        parts[number].domains.insert(domain);
        of_domain.push(number);
    }
    for (node, part) in (0u32..).zip(domains.parts()) {
        for range in domains.ranges(part) {
            let number = of_domain[(node * each + range.domain) as usize];
            parts[number]
                .frames
                .push(range.first / page_bytes..range.end / page_bytes);
        }
    }
    // Nodes need not lie in the order of their numbers.
    parts
        .iter_mut()
        .for_each(|part| part.frames.sort_unstable_by_key(|range| range.start));
    parts
}

fn usual(machine: &Machine) -> DomainRequest {
    DomainRequest {
        page_bytes: machine.page_bytes,
        domain_bytes: USUAL_BYTES,
        blast: USUAL_BLAST,
        remaps: Remaps::NONE,
    }
}

fn read_request(table: &Table<'_>, machine: &Machine) -> Result<DomainRequest, InputError> {
    let usual = usual(machine);
    let rows = machine.memory.organisation.rows;
    let standard = &machine.memory.timing.standard;
    let known = standards::generation(standard).is_ok_and(Remaps::known_of);
    let given = |key| {
        let given = table.opt_boolean(key)?.unwrap_or(false);
        match given && !known {
            false => Ok(given),
            true => Err(table
                .error_at(key, format!("found it for {standard}"))
                .allowed("it with DDR4, whose order of address bits on modules is known here")
                .help("leave it out; blocks cover rows that move within blocks")),
        }
    };
    Ok(DomainRequest {
        domain_bytes: table.opt_size("size", 1..=1 << 50)?.unwrap_or(usual.domain_bytes),
        blast: table.opt_integer("blast", 1..=MOST_BLAST)?.unwrap_or(usual.blast),
        remaps: Remaps {
            mirrored: given("mirrored")?,
            inverted: given("inverted")?,
            block: table
                .opt_item("blocks")
                .map_or(Ok(1), |item| item.power_of_two(1..=rows))?,
        },
        ..usual
    })
}

/// A division that cannot be, at the key that asks for it.
fn wrong(root: &Table<'_>, machine: &Machine, error: DomainError) -> InputError {
    let of_size = error.is_of_size();
    let error = error.into_input(&machine.name, |key| match key {
        "page" => "page".to_owned(),
        key => format!("rows.{key}"),
    });
    if !of_size {
        return moved(&error, &root.error_at("machine", ""), error.found.clone());
    }
    match root.opt_table("rows").ok().flatten().filter(|table| table.has("size")) {
        Some(table) => moved(&error, &table.error_at("size", ""), error.found.clone()),
        None => moved(
            &error,
            &root.error_at("rows", ""),
            format!("{}, the default of rows.size", error.found),
        ),
    }
}

/// Rows beside colors that move, at the key of `[policy]` that moves them.
pub(super) fn refuse_dynamic(place: &InputError) -> InputError {
    error_at(place, "found banks that are divided anew, beside row domains")
        .allowed("one of the two: what a bank can lend is counted over all rows")
        .help("remove policy.dynamic, or rows of the tasks")
}
