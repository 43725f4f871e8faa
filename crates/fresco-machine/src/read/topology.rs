// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[topology]`: which cores sit at which memory node, and how far the nodes are apart.

use super::core::latency;
use super::counted;
use crate::{CoreConfig, Topology};
use fresco_dram::Ps;
use fresco_input::{InputError, Table};

/// Hops between the farthest nodes.
const MOST_HOPS: u32 = 16;

/// A machine of one node needs no `[topology]`.
pub(super) fn read(root: &Table<'_>, core: &CoreConfig, cores: u32, nodes: u32) -> Result<Topology, InputError> {
    let Some(table) = root.opt_table("topology")? else {
        if nodes == 1 {
            return Ok(Topology::uniform(cores));
        }
        let error = root.error_at("topology", format!("missing, but there are {nodes} memory nodes"));
        return Err(error
            .allowed("a table")
            .help("add [topology] with cores_of_node, hops and hop_latency"));
    };
    let node_of_core = cores_of_node(&table, cores, nodes)?;
    let hop_latency = hop_latency(&table, core)?;
    let hops = hops(&table, nodes, hop_latency.len() as u32)?;
    table.finish()?;
    let latency = |hops: &u32| if *hops == 0 { 0 } else { hop_latency[*hops as usize - 1] };
    let hop_latency = hops.iter().map(|row| row.iter().map(latency).collect()).collect();
    Ok(Topology {
        node_of_core,
        hops,
        hop_latency,
    })
}

fn cores_of_node(table: &Table<'_>, cores: u32, nodes: u32) -> Result<Vec<u32>, InputError> {
    let item = table.item("cores_of_node", "for each node the list of its cores")?;
    let lists = item.list()?;
    if lists.len() != nodes as usize {
        let error = item.error(format!("found {}", counted(lists.len(), "list")));
        return Err(error
            .allowed(format!("{nodes}, one for each of memory.organisation.nodes"))
            .help("list the cores of each node"));
    }
    let mut node_of_core: Vec<Option<u32>> = vec![None; cores as usize];
    for (node, list) in (0u32..).zip(&lists) {
        for core in list.numbers(0..=cores - 1)? {
            if let Some(other) = node_of_core[core as usize].replace(node) {
                let error = list.error(format!("found core {core}, which node {other} has too"));
                return Err(error
                    .allowed("each core at one node")
                    .help("remove it from one of them"));
            }
        }
    }
    let missing = node_of_core.iter().position(Option::is_none);
    node_of_core.into_iter().collect::<Option<_>>().ok_or_else(|| {
        let error = item.error(format!("found no node for core {}", missing.unwrap_or(0)));
        error.allowed("each core at one node").help("add it to its node")
    })
}

/// Extra one-way latency of one hop, two hops, …
fn hop_latency(table: &Table<'_>, core: &CoreConfig) -> Result<Vec<Ps>, InputError> {
    let item = table.item("hop_latency", "the latency of one hop, two hops, …, ascending")?;
    let latencies = item
        .list()?
        .iter()
        .map(|element| latency(element, core))
        .collect::<Result<Vec<_>, _>>()?;
    if latencies.len() > MOST_HOPS as usize {
        return Err(item
            .error(format!("found {} latencies", latencies.len()))
            .allowed("at most 16 hops")
            .help("remove some"));
    }
    match latencies.windows(2).position(|pair| pair[1] < pair[0]) {
        Some(at) => {
            let found = format!("found that {} hops take less time than {}", at + 2, at + 1);
            Err(item
                .error(found)
                .allowed("the latency of one hop, two hops, …, ascending")
                .help("sort them"))
        }
        None => Ok(latencies),
    }
}

fn hops(table: &Table<'_>, nodes: u32, most: u32) -> Result<Vec<Vec<u32>>, InputError> {
    let square = format!("{nodes} rows of {nodes} numbers: hops from each node to each");
    let item = table.item("hops", &square)?;
    let rows = item.list()?;
    if rows.len() != nodes as usize {
        return Err(item
            .error(format!("found {}", counted(rows.len(), "row")))
            .allowed(square)
            .help("write one row for each node"));
    }
    let mut hops: Vec<Vec<u32>> = Vec::new();
    for row in &rows {
        let cells = row.list()?;
        if cells.len() != nodes as usize {
            return Err(row
                .error(format!("found {}", counted(cells.len(), "number")))
                .allowed(square)
                .help("write one number for each node"));
        }
        let read = |cell: &fresco_input::Item<'_>| {
            cell.integer(0..=most)
                .map_err(|error| error.help("give hop_latency as many entries as there are hops at most"))
        };
        hops.push(cells.iter().map(read).collect::<Result<_, _>>()?);
    }
    for (from, row) in rows.iter().enumerate() {
        for (to, there) in hops[from].iter().copied().enumerate() {
            if (there == 0) != (from == to) {
                let error = row.error(format!("found {there} hops from node {from} to node {to}"));
                return Err(error
                    .allowed("0 from a node to itself, at least 1 to another")
                    .help("correct the row"));
            }
            let back = hops[to][from];
            if there != back {
                let error = row.error(format!(
                    "found {there} hops from node {from} to node {to}, but {back} back"
                ));
                return Err(error
                    .allowed("as many hops there as back")
                    .help("make the matrix symmetric"));
            }
        }
    }
    Ok(hops)
}
