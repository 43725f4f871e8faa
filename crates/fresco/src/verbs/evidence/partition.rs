// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which memory whose is, and why parts have nothing in common: by the functions of the map, and page by page ([`super::pages`]).

use super::facts::{Apart, PairFacts, PartFacts, PartitionFacts};
use super::pages::look;
use super::subject::Subject;
use crate::failure::Failure;
use crate::stop::Stop;
use fresco_dram::ColorSpace;
use fresco_dram::apart::pages::PageJudge;
use fresco_dram::color::{Separation, format_list, parse_list};
use fresco_dram::map::xor_text;
use fresco_frames::{ColorSet, Coloring};
use fresco_input::InputError;
use fresco_machine::Machine;
use fresco_plan::Plan;
use fresco_scenario::Setup;
use std::collections::BTreeSet;

/// What gives an owner its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memories {
    /// Bank colors; `None` for any.
    pub banks: Option<Vec<u32>>,
    /// Colors of the last-level cache; `None` for any.
    pub llc: Option<Vec<u32>>,
    /// Ways of the last-level cache; `None` for all.
    pub ways: Option<u128>,
    /// Row domains.
    pub rows: Option<ColorSet>,
}

/// A part with its owners.
pub struct Part {
    pub memories: Memories,
    pub owners: Vec<String>,
    /// Last-level caches that the owners use: groups of cores. Empty of devices.
    pub caches: BTreeSet<u32>,
}

/// The parts of a scenario or plan, and what is seen of their pages; `None` if Ctrl-C came before all was seen.
///
/// # Errors
/// Colors of a plan that do not exist.
pub fn of(subject: &Subject, stop: &Stop) -> Result<Option<PartitionFacts>, Failure> {
    let (machine, space) = (&subject.model, &*subject.space);
    let (parts, strict, policy) = match (&subject.plan, &subject.scenario) {
        // A plan's pages never come from other colors than its tasks'.
        (Some(loaded), _) => (
            of_plan(&loaded.plan, machine, space)?,
            !loaded.plan.colors.is_empty(),
            loaded.plan.frames.name().to_owned(),
        ),
        (None, Some((_, setup))) => (of_setup(setup), setup.frames.policy.is_strict(), policy_name(setup)),
        (None, None) => (Vec::new(), false, String::new()),
    };
    let functions = machine.set_functions();
    let Some((judge, pages)) = look(machine, space, &functions, &parts, strict, stop) else {
        return Ok(None);
    };
    let mut facts = PartitionFacts {
        policy,
        strict,
        parts: parts
            .iter()
            .enumerate()
            .map(|(number, part)| part.facts(number, space, &judge))
            .collect(),
        pairs: Vec::new(),
        pages,
        rows: None,
    };
    let reach: Vec<BTreeSet<u32>> = parts.iter().map(|part| reachable(space, part)).collect();
    for (a, one) in parts.iter().enumerate() {
        for (b, other) in parts.iter().enumerate().skip(a + 1) {
            let shared_banks = judge.shared_banks(a, b).len() as u64;
            let (banks, why) = banks_apart(space, strict, one, other);
            let (cache, by_colors, why_cache) =
                cache_apart(machine, space, strict, (one, &reach[a]), (other, &reach[b]));
            let seen_sets = judge.shared_sets(a, b);
            let contradicts = banks && shared_banks > 0 || by_colors && seen_sets > 0;
            facts.pages.agrees &= !contradicts;
            facts.pairs.push(PairFacts {
                parts: [a + 1, b + 1],
                banks: Apart {
                    apart: banks,
                    why,
                    by_colors: banks,
                    seen_shared: shared_banks,
                },
                cache: Apart {
                    apart: cache,
                    why: why_cache,
                    by_colors,
                    seen_shared: seen_sets,
                },
            });
        }
    }
    // The colors of a part are made of these banks, and each is touched if all of its pages were looked at.
    for (number, part) in parts.iter().enumerate() {
        if let Some(colors) = part.memories.banks.as_ref().filter(|_| strict) {
            let expected: BTreeSet<u32> = colors.iter().flat_map(|&color| space.banks(color)).collect();
            facts.pages.agrees &= judge.banks(number).iter().all(|bank| expected.contains(bank));
        }
    }
    Ok(Some(facts))
}

fn policy_name(setup: &Setup) -> String {
    // As scenarios spell it: the name of the variant in its JSON.
    let json = serde_json::to_value(setup.frames.policy).unwrap_or_default();
    match &json {
        serde_json::Value::String(name) => name.clone(),
        serde_json::Value::Object(fields) => fields.keys().next().cloned().unwrap_or_default(),
        _ => String::new(),
    }
}

/// Adds an owner to the part that has its memory.
fn add(parts: &mut Vec<Part>, memories: Memories, owner: &str, cache: Option<u32>) {
    let place = match parts.iter().position(|part| part.memories == memories) {
        Some(place) => place,
        None => {
            parts.push(Part {
                memories,
                owners: Vec::new(),
                caches: BTreeSet::new(),
            });
            parts.len() - 1
        }
    };
    parts[place].owners.push(owner.to_owned());
    parts[place].caches.extend(cache);
}

fn of_setup(setup: &Setup) -> Vec<Part> {
    let mut parts = Vec::new();
    for copy in &setup.copies {
        let task = &setup.tasks[copy.task];
        let memories = memories(&copy.coloring, task.ways, task.rows.as_ref());
        add(&mut parts, memories, &copy.name, cache_of(&setup.machine, copy.core));
    }
    for agent in setup.agents.iter().filter(|agent| agent.enabled) {
        let memories = memories(&agent.coloring, None, agent.rows.as_ref());
        add(&mut parts, memories, &agent.name, None);
    }
    parts
}

fn cache_of(machine: &Machine, core: u32) -> Option<u32> {
    machine.llc.as_ref().map(|llc| core / llc.cores_per_cache)
}

fn memories(coloring: &Coloring, ways: Option<u128>, rows: Option<&ColorSet>) -> Memories {
    let list = |set: &Option<ColorSet>| set.as_ref().map(|set| set.iter().collect());
    let (banks, llc) = match coloring {
        Coloring::Off => (None, None),
        Coloring::Explicit { banks, llc } => (list(banks), list(llc)),
        Coloring::Automatic { llc, .. } => (None, list(llc)),
    };
    Memories {
        banks,
        llc,
        ways,
        rows: rows.cloned(),
    }
}

fn of_plan(plan: &Plan, machine: &Machine, space: &ColorSpace) -> Result<Vec<Part>, InputError> {
    let (bank_colors, llc_colors) = (space.bank_colors(), space.llc_colors());
    let list = |text: &str, count: u32, field: &str| {
        parse_list(text, count, &plan.name).map_err(|error| error.in_field(field))
    };
    let mut parts = Vec::new();
    for task in &plan.tasks {
        let all: BTreeSet<usize> = (0..task.instances.len())
            .flat_map(|instance| task.colors_of(instance))
            .collect();
        let mut memories = memories(&Coloring::Off, None, None);
        for color in all.into_iter().filter_map(|color| plan.colors.get(color)) {
            let banks = list(&color.bank_colors, bank_colors, "colors.bank_colors")?;
            memories.banks.get_or_insert_default().extend(banks);
            if let Some(llc) = &color.llc_colors {
                let llc = list(llc, llc_colors, "colors.llc_colors")?;
                memories.llc.get_or_insert_default().extend(llc);
            }
        }
        for colors in memories.banks.iter_mut().chain(&mut memories.llc) {
            colors.sort_unstable();
            colors.dedup();
        }
        // A task without a core of its own may run on any.
        let cache = task.core.and_then(|core| cache_of(machine, core));
        add(
            &mut parts,
            memories,
            &task.name,
            cache.or(machine.llc.as_ref().map(|_| 0)),
        );
    }
    Ok(parts)
}

impl Part {
    fn facts(&self, number: usize, space: &ColorSpace, judge: &PageJudge<'_>) -> PartFacts {
        let all = || "all".to_owned();
        let text = |colors: &Option<Vec<u32>>| colors.as_deref().map_or_else(all, format_list);
        let banks = self.memories.banks.as_ref().map(|colors| {
            let banks: BTreeSet<u32> = colors.iter().flat_map(|&color| space.banks(color)).collect();
            format_list(&Vec::from_iter(banks))
        });
        PartFacts {
            part: number + 1,
            owners: self.owners.clone(),
            bank_colors: text(&self.memories.banks),
            banks: banks.unwrap_or_else(all),
            llc_colors: text(&self.memories.llc),
            ways: self.memories.ways.map_or_else(all, ways_text),
            rows: match &self.memories.rows {
                Some(rows) => format_list(&rows.iter().collect::<Vec<u32>>()),
                None => "those that nobody names".to_owned(),
            },
            pages: judge.pages(number),
            sets: judge.sets(number),
        }
    }
}

fn ways_text(ways: u128) -> String {
    format_list(&(0..128).filter(|way| ways >> way & 1 == 1).collect::<Vec<u32>>())
}

/// Whether two parts share no bank by the functions of the map, and why.
fn banks_apart(space: &ColorSpace, strict: bool, a: &Part, b: &Part) -> (bool, String) {
    let (Some(of_a), Some(of_b)) = (&a.memories.banks, &b.memories.banks) else {
        return (false, "a part without bank colors may have any bank".to_owned());
    };
    if !strict {
        return (
            false,
            "the policy takes frames of other colors when its own are used up".to_owned(),
        );
    }
    if let Err(shared) = space.disjoint_sets(of_a, of_b) {
        return (false, shared.to_string());
    }
    let mut functions: Vec<String> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for (&one, &other) in of_a.iter().flat_map(|one| of_b.iter().map(move |other| (one, other))) {
        match space.disjoint(one, other) {
            Ok(Separation::Parity { function, sum_of, .. }) => {
                let names: Vec<String> = sum_of.iter().map(ToString::to_string).collect();
                let function = format!("{} (address bits {})", names.join(" ^ "), xor_text(function));
                if !functions.contains(&function) {
                    functions.push(function);
                }
            }
            Ok(Separation::Ways { .. }) if !others.contains(&WAYS) => others.push(WAYS),
            Ok(Separation::Nodes { .. }) if !others.contains(&NODES) => others.push(NODES),
            Ok(_) | Err(_) => {}
        }
    }
    let functions = match functions.as_slice() {
        [] => None,
        [one] => Some(format!(
            "{one} has one value within a page, and another for their colors"
        )),
        several => Some(format!(
            "for each two of their colors one of these differs, which have one value within a page: {}",
            several.join("; ")
        )),
    };
    let reasons: Vec<String> = functions
        .into_iter()
        .chain(others.into_iter().map(str::to_owned))
        .collect();
    (true, reasons.join("; "))
}

/// Other reasons than a function.
const WAYS: &str = "they lie in different ways of the channels";
const NODES: &str = "they lie on different nodes";

/// Colors of the last-level cache that pages of a part can have: its own, or those that go with its banks.
fn reachable(space: &ColorSpace, part: &Part) -> BTreeSet<u32> {
    let all: Vec<u32> = (0..space.bank_colors()).collect();
    let banks = part.memories.banks.as_ref().unwrap_or(&all);
    let own = |color: &u32| part.memories.llc.as_ref().is_none_or(|llc| llc.contains(color));
    let goes = |color: &u32| banks.iter().any(|&bank| space.pair_exists(bank, *color));
    (0..space.llc_colors()).filter(own).filter(goes).collect()
}

/// Whether two parts share no line of a last-level cache; whether that follows from colors; and why.
/// Each part comes with the colors of the cache that its pages can have.
fn cache_apart(
    machine: &Machine,
    space: &ColorSpace,
    strict: bool,
    (a, of_a): (&Part, &BTreeSet<u32>),
    (b, of_b): (&Part, &BTreeSet<u32>),
) -> (bool, bool, String) {
    let Some(llc) = &machine.llc else {
        return (true, false, "there is no last-level cache".to_owned());
    };
    if !a.caches.is_empty() && !b.caches.is_empty() && a.caches.is_disjoint(&b.caches) {
        return (
            true,
            false,
            "their cores have last-level caches of their own".to_owned(),
        );
    }
    let ways = |part: &Part| part.memories.ways.unwrap_or_else(|| llc.all_ways());
    if ways(a) & ways(b) == 0 {
        let (a, b) = (ways_text(ways(a)), ways_text(ways(b)));
        return (
            true,
            false,
            format!("ways {a} and {b}: each displaces lines of its own ways only"),
        );
    }
    if strict && of_a.is_disjoint(of_b) {
        let functions: Vec<String> = space.llc_functions().iter().map(|mask| xor_text(*mask)).collect();
        let text = |colors: &BTreeSet<u32>| format_list(&colors.iter().copied().collect::<Vec<u32>>());
        let why = format!(
            "their pages have colors {} and {} of the cache: functions of its sets that have one value within a page (address bits {}) differ",
            text(of_a),
            text(of_b),
            functions.join("; ")
        );
        return (true, true, why);
    }
    (
        false,
        false,
        "pages of both may have lines in the same sets and ways".to_owned(),
    )
}
