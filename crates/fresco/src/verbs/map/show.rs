// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco map show`: the functions of a map, here or in another format.

use super::counts::Counts;
use super::format::MapFormat;
use super::functions::MapView;
use super::source::{Map, Source, SourceArgs, SourceView};
use crate::arguments::integer;
use crate::failure::{Outcome, tell};
use crate::output;
use fresco_input::InputError;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `fresco map show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file of bank functions: map.txt, PALLOC masks or hexadecimal masks; without it and --machine, the map
    /// last proved for this machine
    #[arg(conflicts_with = "machine")]
    file: Option<PathBuf>,

    #[command(flatten)]
    source: SourceArgs,

    /// Write the bank functions in this format, and nothing else
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    to: Option<MapFormat>,

    /// With --to: only the functions that pages can choose, as page-coloring kernels want them
    #[arg(long, requires = "to")]
    usable: bool,

    /// With --to: the functions of this node, where nodes are fixed by address range
    #[arg(long, value_name = "NODE", requires = "to", allow_negative_numbers = true, value_parser = integer("--node", 0..=63u32))]
    node: Option<u32>,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// What `fresco map show` reports.
#[derive(Debug, Serialize)]
struct MapReport {
    source: SourceView,
    map: MapView,
    colors: Counts,
}

/// Shows or converts the map.
pub fn run(args: &Args) -> Outcome {
    let source = args.source.load(args.file.as_deref())?;
    if let Some(format) = args.to {
        let text = in_format(&source, format, args.usable, args.node)?;
        output::write(text)?;
        return Ok(ExitCode::SUCCESS);
    }
    let map = match &source.map {
        Map::Machine(machine) => MapView::of_machine(&machine.memory.map),
        Map::Banks(map, _) => MapView::of_banks(map),
    };
    let report = MapReport {
        source: source.view(),
        map,
        colors: Counts::new(source.page_bytes, source.colors().as_ref()),
    };
    output::print(args.json, "fresco-map-show/1", &source.provenance(), &report, || {
        let title = match &source.map {
            Map::Machine(machine) => format!("Address map of {}: {}", machine.name, machine.title),
            Map::Banks(_, format) => format!("Bank functions of {} ({format})", source.name),
        };
        let mut tables = report.map.tables(&title)?;
        tables.push(Counts::table("Colors of pages", std::slice::from_ref(&report.colors))?);
        Ok(tables)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The bank functions in a format: only those that pages can choose if `usable`, those of a node if one is named.
pub fn in_format(source: &Source, format: MapFormat, usable: bool, node: Option<u32>) -> Result<String, InputError> {
    let functions = exported(source, format, usable, node)?;
    let text = format.write(&functions, &source.name).map_err(|error| {
        let helps = !usable && exported(source, format, true, node).is_ok_and(|some| format.write(&some, "").is_ok());
        match helps {
            true => error.help("write map.txt, or give --usable for the functions that pages can choose"),
            false => error,
        }
    })?;
    let found = MapFormat::of(&text);
    if found != format {
        let read = found.parse(&text, "").map(|map| map.functions().to_vec());
        if read.as_deref() != Ok(&functions) {
            tell(&format!(
                "fresco map: attention: a file of this one {format} mask is read as {found}, each bit a function of its own; read \
                 it with --format {format}"
            ));
        }
    }
    Ok(text)
}

/// The functions to write; refuses what a list of functions cannot say.
fn exported(source: &Source, format: MapFormat, usable: bool, asked_node: Option<u32>) -> Result<Vec<u64>, InputError> {
    let field = format!("--to {format}");
    let refuse = |found: String| InputError::new(source.name.clone(), found).in_field(field.clone());
    if let (Map::Banks(..), Some(node)) = (&source.map, asked_node) {
        return Err(
            InputError::new("--node", format!("found node {node} without a machine"))
                .allowed("--node with --machine: a map file knows no nodes")
                .help("leave out --node"),
        );
    }
    if let Map::Machine(machine) = &source.map {
        let regions = machine.memory.map.regions();
        let nodes = machine.memory.organisation.nodes;
        match asked_node {
            Some(node) if node >= nodes => {
                return Err(InputError::new("--node", format!("found node {node}"))
                    .allowed(format!("0 to {}", nodes - 1))
                    .help("choose one that exists"));
            }
            Some(node) if nodes > 1 && regions[0].node.is_none() => {
                return Err(
                    InputError::new("--node", format!("found node {node}, but functions select the node"))
                        .allowed("machines whose nodes are fixed by address range")
                        .help("leave out --node: the functions of all nodes are written"),
                );
            }
            None if nodes > 1 && regions[0].node.is_some() => {
                return Err(refuse(format!("{nodes} nodes are told apart by address range"))
                    .allowed("maps whose banks are selected by parity functions alone")
                    .help("add --node 0 for the functions of one node: those of the others are the same"));
            }
            _ => {}
        }
        if machine.memory.organisation.odd_ways() > 1 {
            let channels = machine.memory.organisation.channels;
            return Err(refuse(format!(
                "{channels} channels are no power of two: granules are dealt over them"
            ))
            .allowed("maps whose banks are selected by parity functions alone")
            .help("use the machine file itself: map formats have no place for a division"));
        }
        let wanted = |node: Option<u32>| asked_node.is_none() || node.is_none() || node == asked_node;
        if let Some(region) = regions.iter().find(|region| wanted(region.node) && region.offset != 0) {
            return Err(refuse(format!(
                "{:#x} is subtracted from addresses from {:#x} on",
                region.offset, region.base
            ))
            .allowed("maps whose functions read physical addresses as they are")
            .help("use the machine file itself: map formats have no place for an offset"));
        }
    }
    let functions = match usable {
        true => {
            let space = source.colors()?;
            space
                .parts()
                .next()
                .map_or_else(Vec::new, |part| part.functions.to_vec())
        }
        false => source.selectors().0,
    };
    match functions.is_empty() {
        false => Ok(functions),
        true => Err(refuse("there is no function to write".to_owned())
            .allowed("a map that tells banks apart")
            .help(match usable {
                true => "give a smaller --page, or leave out --usable",
                false => "a memory of one bank has no map",
            })),
    }
}
