// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the evidence does not cover: what no model of Fresco has, and what this scenario, machine or command line leaves out.

use super::Args;
use super::facts::{Gap, LiveFacts, MachineFacts, PartitionFacts};
use super::runs::Found;
use super::subject::Subject;
use fresco_frames::PageTables;
use fresco_machine::CoreKind;

/// The list, what is always missing last.
pub fn of(
    args: &Args,
    subject: &Subject,
    machine: &MachineFacts,
    partition: &PartitionFacts,
    found: &Found,
    live: Option<&LiveFacts>,
) -> Vec<Gap> {
    let setup = subject.scenario.as_ref().map(|(_, setup)| &**setup);
    let model = &subject.model;
    let mut gaps = Vec::new();
    let mut gap = |what: &str, why: String| {
        gaps.push(Gap {
            what: what.to_owned(),
            why,
        });
    };
    for bound in &found.bounds {
        for unbounded in &bound.unbounded {
            let why = format!("{}; way out: {}", unbounded.why, unbounded.way_out);
            gap(&format!("a bound of the {} of {}", unbounded.what, bound.task), why);
        }
    }
    let shared = |pairs: &mut dyn Iterator<Item = [usize; 2]>| {
        let pairs: Vec<String> = pairs.map(|[a, b]| format!("{a} and {b}")).collect();
        pairs.join(", ")
    };
    let banks = shared(
        &mut partition
            .pairs
            .iter()
            .filter(|pair| !pair.banks.apart)
            .map(|pair| pair.parts),
    );
    if !banks.is_empty() {
        gap(
            "banks of parts that are not apart",
            format!("parts {banks}: their tasks may open each other's rows"),
        );
    }
    let caches = shared(
        &mut partition
            .pairs
            .iter()
            .filter(|pair| !pair.cache.apart)
            .map(|pair| pair.parts),
    );
    if !caches.is_empty() {
        let why = format!("parts {caches}: their tasks may displace each other's lines from the last-level cache");
        gap("the last-level cache of parts that are not apart", why);
    }
    if partition.rows.is_none() {
        gap(
            "disturbance of rows (Rowhammer)",
            "no task names row domains: parts may have neighboring rows of a bank, where they share one".to_owned(),
        );
    }
    if !partition.pages.exhaustive && partition.pages.pages > 0 {
        let pages = &partition.pages;
        let why = format!(
            "each so many-th of {} was looked at, {} in all; that parts are apart follows from the map's functions alone",
            pages.of_pages, pages.pages
        );
        gap("pages that were not looked at", why);
    }
    match live {
        None => gap(
            "hardware",
            "nothing was measured on hardware: no record of live processes was given (--live)".to_owned(),
        ),
        Some(live) if !live.ran => gap(
            "hardware",
            "the record given is of what would be asked for: nothing ran".to_owned(),
        ),
        Some(_) => gap(
            "pages that fresco run does not color",
            "text, libraries, stacks and files of programs, unless the kernel's back end gives them their frames (docs/run.md)".to_owned(),
        ),
    }
    if !machine.map_evidence.on_hardware {
        let found = &machine.map_evidence.found;
        gap(
            "that the machine's memory is as its map says",
            format!("{found} (`fresco map verify` asks one)"),
        );
    }
    if setup.is_none() {
        gap(
            "bounds of reads and work, and attacks",
            "the plan's tasks name no program, so that `fresco bound` and `fresco attack` have nothing to run"
                .to_owned(),
        );
    } else if args.no_attack {
        gap("attacks", "none were tried (--no-attack)".to_owned());
    }
    let devices: Vec<&str> = setup
        .iter()
        .flat_map(|setup| &setup.agents)
        .filter(|agent| agent.enabled)
        .map(|agent| agent.name.as_str())
        .collect();
    match devices.as_slice() {
        [] => gap(
            "devices that read and write memory (DMA)",
            "there are none here; each that a machine has adds requests that nothing here counts ([[agent]] of a scenario)".to_owned(),
        ),
        devices => gap("other devices than those of the scenario", format!("it has {}", devices.join(", "))),
    }
    let page_tables = match (&subject.plan, setup) {
        (Some(loaded), _) => loaded.plan.page_tables,
        (None, Some(setup)) => setup.frames.page_tables,
        (None, None) => PageTables::Uncolored,
    };
    if model.core.tlb.is_none() {
        gap(
            "page tables",
            "the model of this machine has no TLB: walks of page tables are neither simulated nor bounded".to_owned(),
        );
    } else if page_tables == PageTables::Uncolored {
        gap(
            "page tables' own memory",
            "they lie in the kernel's frames, in any bank: bounds count on that, the partition does not keep them apart".to_owned(),
        );
    }
    match setup {
        None => gap(
            "execution times",
            "WCETs, or what was measured alone with the lines of a job, are taken as they are given: nothing here shows that no job takes longer".to_owned(),
        ),
        Some(_) => of_bounds(model.core.kind, &mut gap),
    }
    if model.core.threads > 1 {
        gap(
            "what threads of one core cost each other",
            "their execution units are not modelled".to_owned(),
        );
    }
    if model.core.prefetch.is_off() {
        gap(
            "prefetchers",
            "the model of this machine has none switched on; a real one may have".to_owned(),
        );
    }
    gap(
        "the controller of the machine",
        format!(
            "what vendors' controllers do is not published; the model's policies are sourced or assumed, {} assumptions in all",
            machine.assumptions.len()
        ),
    );
    for (what, why) in ALWAYS {
        gap(what, (*why).to_owned());
    }
    gaps
}

/// What bounds of reads and work leave out.
fn of_bounds(kind: CoreKind, gap: &mut impl FnMut(&str, String)) {
    let (what, core) = match kind {
        CoreKind::OutOfOrder => (
            "timing anomalies of cores that reorder",
            "nobody has proven that of this core",
        ),
        CoreKind::InOrder => (
            "timing anomalies",
            "that the real core is in order and does so is not shown here",
        ),
    };
    let assumed = "bounds of work assume that a read that takes longer by some time makes the work longer by no more";
    gap(what, format!("{assumed}; {core}"));
    gap(
        "inputs that were not run",
        "bounds of work hold for the work that was run alone: inputs that make it longer must be run".to_owned(),
    );
    gap(
        "the path between cores and controllers",
        "a bound of a read counts from its arrival at the controller; the way there is a part of the work alone"
            .to_owned(),
    );
}

/// What no scenario covers.
const ALWAYS: &[(&str, &str)] = &[
    (
        "remapping within DRAM devices and modules",
        "spare rows and columns, mirrored and inverted address pins, repair after packaging: banks stay what they are, neighbors of rows may not",
    ),
    (
        "firmware beside the operating system",
        "System Management Mode, EL3, management engines: they run when they like, and read and write memory of any color",
    ),
    (
        "the kernel's own memory",
        "its text, data, stacks and buffers have no colors, unless the kernel gives them some; what it does for a task is not a part of the task's bound",
    ),
    (
        "conditions of operation",
        "refresh at high temperature, error correction and scrubbing, changes of clocks, power states and thermal throttling",
    ),
    (
        "other programs",
        "everything that runs beside the tasks and devices of the scenario",
    ),
    (
        "faults",
        "of hardware, of the operating system, and of Fresco: its version and how it is checked stand in its documentation",
    ),
];
