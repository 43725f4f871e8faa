// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reading a machine file: one module for each part, the checks between the parts here.

mod caches;
mod calibration;
mod coherence;
mod controller;
mod core;
mod density;
mod fabric;
mod management;
mod map;
mod memory;
mod notation;
mod prefetch;
mod rest;
mod threads;
mod tlb;
mod topology;

use crate::{Machine, MemoryConfig, digest};
use fresco_input::{Document, InputError, Table};
use std::collections::BTreeMap;

/// Keys that a calibration may fit: what nobody publishes of a machine.
const OF_CALIBRATION: &[&str] = &[
    "core.mshrs",
    "fabric.cluster.in_flight",
    "fabric.node.in_flight",
    "fabric.node.traffic",
    "fabric.node.write_cost",
    "memory.controller.drain_high",
    "memory.controller.drain_low",
    "memory.controller.frontend",
    "memory.controller.page",
    "memory.controller.page_idle",
];

impl Machine {
    /// Reads a machine file; its format is described in `machines/README.md`.
    ///
    /// `file_name` is only the name that errors give. `overrides` are dotted keys and values that replace those of the
    /// file, as `--set` gives them (see [`Document::set_value`]).
    ///
    /// # Errors
    /// Anything that is not a complete, consistent machine: no TOML, a key that is missing, unknown or out of range,
    /// or parts that contradict each other.
    pub fn parse(file_name: &str, text: &str, overrides: &[(String, String)]) -> Result<Self, InputError> {
        let mut document = Document::parse(file_name, text)?;
        let is_early = |(key, _): &&(String, String)| key == calibration::KEY;
        let (early, others): (Vec<_>, Vec<_>) = overrides.iter().partition(is_early);
        let mut before = BTreeMap::new();
        apply(&mut document, &early, &mut before)?;
        let fitted = calibration::apply(&mut document)?;
        apply(&mut document, &others, &mut before)?;
        let read = Self::read(&document, digest::of(text, &changes(&document, before)));
        read.map_err(|error| match overrides.iter().any(|(key, _)| error.field == *key) {
            true => error,
            false => calibration::relocate(error, file_name, &fitted),
        })
    }

    fn read(document: &Document, text_digest: String) -> Result<Self, InputError> {
        let root = document.root();
        let core_table = root.table("core")?;
        let core = core::read(&core_table)?;
        core_table.finish()?;
        let cores = root.integer("cores", 1..=threads::MOST_CORES)?;
        let page_bytes = page_bytes(&root)?;
        let caches = caches::read(&root, &core, cores)?;
        let memory_table = root.table("memory")?;
        let memory = memory(&memory_table, &core, page_bytes)?;
        memory_table.finish()?;
        check_line(&root, &caches, &memory)?;
        let topology = topology::read(&root, &core, cores, memory.organisation.nodes)?;
        let coherence = coherence::read(&root, &core)?;
        let fabric = fabric::read(&root)?;
        let mut machine = Self {
            name: name(&root)?,
            title: root.text("title")?.to_owned(),
            sources: root.texts("sources")?,
            assumptions: root.texts("assumptions")?,
            cores,
            core,
            page_bytes,
            l1: caches.l1,
            l1i: caches.l1i,
            l2: caches.l2,
            llc: caches.llc,
            coherence,
            topology,
            fabric,
            memory,
            calibration: calibration::read(&root)?,
            text_digest,
        };
        fabric::check(&root, &machine)?;
        threads::share(&root, &mut machine)?;
        prefetch::check(&root, &machine)?;
        coherence::check(&root, &machine)?;
        root.finish()?;
        Ok(machine)
    }
}

/// Applies the overrides, and keeps in `before` what stood there.
fn apply(
    document: &mut Document,
    overrides: &[&(String, String)],
    before: &mut BTreeMap<String, Option<String>>,
) -> Result<(), InputError> {
    for (key, value) in overrides {
        let there = document.toml_at(key);
        document.set_value(key, value)?;
        before.entry(key.clone()).or_insert(there);
    }
    Ok(())
}

/// What is changed, in the order of the keys and with values as TOML has them: neither how a value is spelled, nor in which order values are given, nor one
/// that says what the file says anyway makes another machine.
fn changes(document: &Document, before: BTreeMap<String, Option<String>>) -> Vec<(String, String)> {
    let changed = before.into_iter().filter_map(|(key, there)| {
        let value = document.toml_at(&key)?;
        (Some(&value) != there.as_ref()).then_some((key, value))
    });
    changed.collect()
}

/// `1 function`, `2 functions`.
fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn memory(table: &Table<'_>, core: &crate::CoreConfig, page_bytes: u64) -> Result<MemoryConfig, InputError> {
    let organisation = memory::organisation(table)?;
    let (timing, device, own_timing) = memory::timing(table, &organisation)?;
    let line = map::Line {
        bytes: timing.bytes_of_line(&organisation),
        bursts: timing.bursts_of_line(&organisation),
    };
    let map = map::read(table, organisation, line, page_bytes)?;
    let controller_table = table.table("controller")?;
    let controller = controller::read(&controller_table, core, &organisation, &timing)?;
    controller_table.finish()?;
    Ok(MemoryConfig {
        timing,
        device,
        own_timing,
        organisation,
        map,
        controller,
    })
}

const A_NAME: &str = "up to 64 lower-case letters, digits and \"-\"";

/// Names go into file names and results: lower-case letters, digits and dashes.
fn name(root: &Table<'_>) -> Result<String, InputError> {
    let item = root.item("name", A_NAME)?;
    let name = item.text_like("^[a-z0-9-]{1,64}$")?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        let error = item.error(format!("found {}", item.describe()));
        return Err(error.allowed(A_NAME).help("write it as in \"xeon-w3530\""));
    }
    Ok(name.to_owned())
}

/// 4 KiB unless the file says otherwise; up to 1 GiB, the largest page of any of our machines.
fn page_bytes(root: &Table<'_>) -> Result<u64, InputError> {
    let Some(item) = root.opt_item("page") else {
        return Ok(4096);
    };
    let bytes = item.size(4096..=1 << 30)?;
    match bytes.is_power_of_two() {
        true => Ok(bytes),
        false => Err(item
            .error(format!("found {bytes} bytes"))
            .allowed("a power of two")
            .help("write \"4 KiB\", \"16 KiB\", \"64 KiB\" or \"2 MiB\"")),
    }
}

/// A cache line is fetched by one burst, or by the bursts that make up a line of the standard.
fn check_line(root: &Table<'_>, caches: &caches::Caches, memory: &MemoryConfig) -> Result<(), InputError> {
    let levels = [
        ("l1", &caches.l1),
        ("l1i", &caches.l1i),
        ("l2", &caches.l2),
        ("llc", &caches.llc.as_ref().map(|llc| llc.cache.clone())),
    ];
    let Some((key, line)) = levels
        .into_iter()
        .find_map(|(key, cache)| Some((key, cache.as_ref()?.line)))
    else {
        return Ok(());
    };
    let timing = &memory.timing;
    let moved = timing.bytes_of_line(&memory.organisation);
    if u64::from(line) == moved {
        return Ok(());
    }
    let bursts = match timing.bursts_of_line(&memory.organisation) {
        1 => format!("a burst of {} moves", timing.standard),
        bursts => format!("{bursts} bursts of {} move", timing.standard),
    };
    let found = format!("found {line} bytes, but {bursts} {moved}");
    let error = root
        .table(key)?
        .error_at("line", found)
        .allowed("burst length * memory.organisation.bus_bytes");
    Err(error.help(
        "correct the line, or memory.organisation.bus_bytes: channels that work in lockstep are one wide channel",
    ))
}
