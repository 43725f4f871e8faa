// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cores, caches and nodes of a machine as tables; the order of all its tables.

use super::memory_tables::{controller, dram};
use super::timing::Parameter;
use super::view::{MachineView, NodeView};
use crate::verbs::map::counts::Counts;
use fresco_dram::color::format_list;
use fresco_input::{format_bandwidth, format_duration, format_size};
use fresco_machine::{
    Calibration, Fabric, Inclusion, Prefetch, Protocol, Rates, Replacement, SecondTlb, Stream, Stride, Tlb, TlbLevel,
};
use fresco_report::{Cell, Column, ReportError, Table};

/// All tables of a machine.
pub fn all(view: &MachineView) -> Result<Vec<Table>, ReportError> {
    let mut tables = vec![cores(view)?];
    if !view.caches.is_empty() {
        tables.push(caches(view)?);
    }
    if view.nodes.len() > 1 {
        tables.push(nodes(&view.nodes)?);
    }
    if let Some(coherence) = &view.coherence {
        let Protocol::Mesi = coherence.protocol;
        let rows = [
            ("protocol", "MESI, exact directory".to_owned()),
            (
                "transfer, beyond the last-level cache",
                nanoseconds(coherence.transfer_ps),
            ),
        ];
        tables.push(pairs("Coherence of private caches", &rows)?);
    }
    if !view.fabric.is_unlimited() {
        tables.push(fabric(&view.fabric)?);
    }
    tables.push(dram(&view.dram)?);
    tables.push(Parameter::table(&view.dram.standard, &view.timing)?);
    tables.push(controller(&view.controller)?);
    tables.extend(view.map.tables("Address map")?);
    tables.push(Counts::table("Colors of pages", &view.colors)?);
    tables.extend(view.calibration.as_ref().map(calibration).transpose()?);
    tables.push(lines("Sources", &view.sources)?);
    tables.push(lines("Assumptions", &view.assumptions)?);
    Ok(tables)
}

/// A table of names and values.
pub(super) fn pairs(title: impl Into<String>, rows: &[(&str, String)]) -> Result<Table, ReportError> {
    let mut table = Table::new(title, vec![Column::text("quantity"), Column::text("value")]);
    for (name, value) in rows {
        table.push(vec![(*name).into(), value.as_str().into()])?;
    }
    Ok(table)
}

fn cores(view: &MachineView) -> Result<Table, ReportError> {
    let core = &view.core;
    let prefetch = prefetchers(&core.prefetch).map(|names| ("prefetchers", names));
    let rows = [
        ("digest", view.digest.clone()),
        ("page", format_size(view.page_bytes)),
        ("cores", view.cores.to_string()),
        ("core clock", format!("{} MHz", core.clock_mhz)),
        ("core", core.kind.name().replace('-', " ")),
        ("instructions issued per cycle", core.issue_width.to_string()),
        ("instructions in flight", core.window.to_string()),
        ("misses in flight", core.mshrs.to_string()),
        ("threads that share a core", core.threads.to_string()),
    ];
    let tlb = core.tlb.as_ref().map(|tlb| ("TLB", translations(tlb)));
    let rows: Vec<_> = rows.into_iter().chain(prefetch).chain(tlb).collect();
    pairs(format!("{}: {}", view.name, view.title), &rows)
}

/// The prefetchers of a core; `None` if it has none.
fn prefetchers(prefetch: &Prefetch) -> Option<String> {
    let stride = |Stride { regions, degree }| format!("stride ({regions} regions, degree {degree})");
    let stream = |stream| {
        let Stream {
            streams,
            degree,
            distance,
        } = stream;
        format!("stream ({streams} streams, degree {degree}, distance {distance})")
    };
    let names = [
        prefetch.next_line.then(|| "next line".to_owned()),
        prefetch.stride.map(stride),
        prefetch.stream.map(stream),
    ];
    let names: Vec<String> = names.into_iter().flatten().collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The TLBs of a core.
fn translations(tlb: &Tlb) -> String {
    let level = |level: &TlbLevel| format!("{} entries of {} ways", level.entries, level.ways);
    let second = |second: &SecondTlb| {
        format!(
            "second level {} ({})",
            level(&second.size),
            format_duration(second.latency)
        )
    };
    let walk_cache = (tlb.walk_cache > 0).then(|| format!("walk cache {} entries", tlb.walk_cache));
    let parts = [Some(level(&tlb.first)), tlb.second.as_ref().map(second), walk_cache];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

fn caches(view: &MachineView) -> Result<Table, ReportError> {
    let mut columns = vec![
        Column::text("cache"),
        Column::text("size"),
        Column::number("ways", "", 0),
        Column::text("line"),
        Column::number("sets", "", 0),
        Column::text("latency"),
        Column::text("replacement"),
        Column::number("cores sharing it", "", 0),
        Column::text("slices chosen by address bits"),
    ];
    let bounded = view.caches.iter().any(|cache| cache.mshrs.is_some());
    columns.extend(bounded.then(|| Column::number("miss registers", "", 0)));
    let related = view.caches.iter().any(|cache| cache.inclusion.is_some());
    columns.extend(related.then(|| Column::text("of the caches above")));
    let mut table = Table::new("Caches", columns);
    for cache in &view.caches {
        let slices: Vec<String> = cache.slice_functions.iter().map(ToString::to_string).collect();
        let replacement = match cache.replacement {
            Replacement::Lru => "LRU",
            Replacement::TreePlru => "tree pseudo-LRU",
            Replacement::Srrip => "SRRIP",
            Replacement::Drrip => "DRRIP",
            Replacement::QlruH11M1R0U0 => "QLRU_H11_M1_R0_U0",
            Replacement::QlruH00M1R0U1 => "QLRU_H00_M1_R0_U1",
            Replacement::QlruH00M1R2U1 => "QLRU_H00_M1_R2_U1",
        };
        let mut row: Vec<Cell> = vec![
            cache.level.into(),
            format_size(cache.size_bytes).into(),
            Cell::Count(cache.ways.into()),
            format_size(cache.line_bytes.into()).into(),
            Cell::Count(cache.sets),
            nanoseconds(cache.latency_ps).into(),
            replacement.into(),
            Cell::Count(cache.cores.into()),
            match cache.hashed_slices {
                Some(slices) => Some(format!("{slices}, by a hash")),
                None => (!slices.is_empty()).then(|| slices.join(", ")),
            }
            .into(),
        ];
        row.extend(bounded.then(|| cache.mshrs.map(|mshrs| Cell::Count(mshrs.into())).into()));
        let inclusion = cache.inclusion.map(Inclusion::name);
        row.extend(related.then(|| inclusion.into()));
        table.push(row)?;
    }
    Ok(table)
}

fn calibration(calibration: &Calibration) -> Result<Table, ReportError> {
    let mut table = Table::new(
        format!("Fitted to {} (digest {})", calibration.data, calibration.digest),
        vec![Column::text("key, or what remains"), Column::text("value")],
    );
    for (key, value) in &calibration.fitted {
        table.push(vec![key.as_str().into(), value.as_str().into()])?;
    }
    for residual in &calibration.residuals {
        let (share, errors) = residual.split_once(": ").unwrap_or((residual, ""));
        table.push(vec![share.into(), errors.into()])?;
    }
    Ok(table)
}

fn fabric(fabric: &Fabric) -> Result<Table, ReportError> {
    let all = [("each cluster of cores", &fabric.cluster), ("each node", &fabric.node)];
    let counts = all.iter().any(|(_, rates)| rates.in_flight.is_some());
    let mut columns = Vec::from(["limit of", "reads", "writes", "both together"].map(Column::text));
    columns.extend(counts.then(|| Column::text("lines under way")));
    let mut table = Table::new("Traffic between last-level caches and controllers", columns);
    let rate = |rate: Option<u64>| rate.map_or_else(|| "none".into(), format_bandwidth);
    let both = |rates: &Rates| match rates.write_cost {
        Some(cost) => format!("{}, a written line {cost} %", rate(rates.traffic)),
        None => rate(rates.traffic),
    };
    for (of, rates) in all {
        let mut row = vec![of.into()];
        row.extend([rate(rates.reads), rate(rates.writes), both(rates)].map(Cell::from));
        let lines = || rates.in_flight.map_or_else(|| "none".into(), |lines| lines.to_string());
        row.extend(counts.then(|| lines().into()));
        table.push(row)?;
    }
    if fabric.link.is_some() {
        let mut row = vec!["each way between two nodes".into()];
        row.extend(["none".into(), "none".into(), rate(fabric.link)].map(Cell::from));
        row.extend(counts.then(|| "none".into()));
        table.push(row)?;
    }
    Ok(table)
}

fn nodes(nodes: &[NodeView]) -> Result<Table, ReportError> {
    let to = nodes
        .iter()
        .map(|other| Column::text(format!("to node {}", other.node)));
    let columns = [Column::number("node", "", 0), Column::text("cores")]
        .into_iter()
        .chain(to);
    let mut table = Table::new(
        "Nodes: hops to each other, and what they add one way",
        columns.collect(),
    );
    for node in nodes {
        let mut row: Vec<Cell> = vec![Cell::Count(node.node.into()), format_list(&node.cores).into()];
        row.extend(
            node.hops
                .iter()
                .zip(&node.hop_latency_ps)
                .map(|(hops, &ps)| match hops {
                    0 => Cell::from("local"),
                    1 => format!("1 hop, {}", nanoseconds(ps)).into(),
                    hops => format!("{hops} hops, {}", nanoseconds(ps)).into(),
                }),
        );
        table.push(row)?;
    }
    Ok(table)
}

/// A time that people read in nanoseconds; exact.
pub(super) fn nanoseconds(ps: u64) -> String {
    match ps % 1000 {
        0 => format!("{} ns", ps / 1000),
        _ => format_duration(ps),
    }
}

fn lines(title: &str, lines: &[String]) -> Result<Table, ReportError> {
    let mut table = Table::new(title, vec![Column::number("number", "", 0), Column::text("text")]);
    for (number, line) in (1..).zip(lines) {
        table.push(vec![Cell::Count(number), line.as_str().into()])?;
    }
    Ok(table)
}
