// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[memory.map]`: from physical addresses to places in the DRAM.

use super::counted;
use super::notation::functions;
use super::rest::complete;
use fresco_dram::map::Field;
use fresco_dram::{AddressMap, Functions, MapError, Organisation, Region};
use fresco_input::{InputError, Table};

/// Regions that a map may have; a machine has a few per node.
const MOST_REGIONS: usize = 256;

/// Each field with its key.
fn keys() -> impl Iterator<Item = (&'static str, Field)> {
    Field::ALL.into_iter().map(|field| (field.key(), field))
}

/// What one request moves.
#[derive(Clone, Copy)]
pub(super) struct Line {
    pub bytes: u64,
    /// Bursts from one row that move it, a power of two.
    pub bursts: u64,
}

/// Reads the map and proves it: one to one, and covering exactly the organisation. `page_bytes` is what a page holds.
pub(super) fn read(
    memory: &Table<'_>,
    org: Organisation,
    line: Line,
    page_bytes: u64,
) -> Result<AddressMap, InputError> {
    let table = memory.table("map")?;
    let region_tables = table.array_of_tables("region")?;
    let (mut given, mut rest) = (Functions::default(), Vec::new());
    for (key, field) in keys() {
        let Some(item) = table.opt_item(key) else { continue };
        let may_rest = matches!(field, Field::Row | Field::Column);
        if may_rest && item.text_like("^rest$") == Ok("rest") {
            rest.push(field);
            continue;
        }
        *given.get_mut(field) = functions(&item).map_err(|error| match may_rest {
            true => {
                let allowed = format!("{}, or \"rest\"", error.allowed);
                error.allowed(allowed)
            }
            false => error,
        })?;
    }
    check_bursts(&table, &given, line)?;
    given.granule_bits = granule(&table, &org, line.bytes)?;
    let mut regions = regions(&table, &region_tables, &org, page_bytes)?;
    let by_range = regions.iter().any(|region| region.node.is_some());
    check_counts(&table, &given, &rest, &org, by_range)?;
    let bytes = if by_range {
        org.total_bytes() / u64::from(org.nodes)
    } else {
        org.total_bytes()
    };
    complete(&mut given, &rest, &org, bytes.trailing_zeros());
    check_columns(&table, &given, &org, line)?;
    for region in &mut regions {
        region.functions = given.clone();
    }
    let map = AddressMap::new(org, regions).map_err(|error| map_error(&table, &region_tables, error))?;
    for region in region_tables {
        region.finish()?;
    }
    table.finish()?;
    Ok(map)
}

/// A line is consecutive bytes of one row of one bank, so only the column may read the address bits below.
fn check_bursts(table: &Table<'_>, given: &Functions, line: Line) -> Result<(), InputError> {
    for (key, field) in keys().filter(|(_, field)| *field != Field::Column) {
        if let Some(mask) = given.get(field).iter().find(|mask| **mask & (line.bytes - 1) != 0) {
            let found = format!("found a function that reads bit {}", mask.trailing_zeros());
            let what = if line.bursts == 1 { "burst" } else { "line" };
            let allowed = format!(
                "bits from {} up: a {what} of {} bytes lies in one row",
                line.bytes.trailing_zeros(),
                line.bytes
            );
            return Err(table
                .error_at(key, found)
                .allowed(allowed)
                .help("leave the low bits to the column"));
        }
    }
    Ok(())
}

/// log2 of the bytes that are dealt to a channel at a time, where the number of channels is no power of two.
fn granule(table: &Table<'_>, org: &Organisation, line_bytes: u64) -> Result<Option<u32>, InputError> {
    let item = table.opt_item("granule");
    if org.odd_ways() == 1 {
        return match item {
            None => Ok(None),
            Some(item) => {
                let error = item.error(format!(
                    "found a granule for {}",
                    counted(org.channels as usize, "channel")
                ));
                Err(error
                    .allowed("a granule where memory.organisation.channels is no power of two")
                    .help("remove it: channels that are a power of two are chosen by functions alone"))
            }
        };
    }
    let Some(item) = item else {
        let error = table.error(format!("found {} channels, but no granule", org.channels));
        return Err(error
            .allowed(format!(
                "granule: the bytes that each of {} ways of channels has in turn",
                org.odd_ways()
            ))
            .help("add one, such as granule = \"256 B\""));
    };
    let way_bytes = org.total_bytes() / u64::from(org.nodes * org.odd_ways());
    let bytes = item.size(line_bytes..=way_bytes)?;
    match bytes.is_power_of_two() {
        true => Ok(Some(bytes.trailing_zeros())),
        false => Err(item
            .error(format!("found {bytes} bytes"))
            .allowed("a power of two")
            .help("write \"256 B\", \"512 B\" or \"4 KiB\"")),
    }
}

/// The bursts of a line have columns that follow each other: the address bits that tell them apart are column bits as they are.
fn check_columns(table: &Table<'_>, given: &Functions, org: &Organisation, line: Line) -> Result<(), InputError> {
    let burst_bytes = line.bytes / line.bursts;
    let bits = burst_bytes.trailing_zeros()..line.bytes.trailing_zeros();
    let first = org.bus_bytes.trailing_zeros();
    let in_place = |bit: &u32| given.column.get((bit - first) as usize) == Some(&(1 << bit));
    match bits.into_iter().find(|bit| !in_place(bit)) {
        None => Ok(()),
        Some(bit) => Err(table
            .error_at(
                "column",
                format!("found that bit {} is not bit {bit} of the address", bit - first),
            )
            .allowed(format!(
                "that: a line of {} bytes is {} bursts of {burst_bytes}, from columns that follow each other",
                line.bytes, line.bursts
            ))
            .help("write column = \"rest\", or put the low bits in order")),
    }
}

/// As many functions as the counts of the organisation need: log2 of each.
fn check_counts(
    table: &Table<'_>,
    given: &Functions,
    rest: &[Field],
    org: &Organisation,
    by_range: bool,
) -> Result<(), InputError> {
    for (key, field) in keys().filter(|(_, field)| !rest.contains(field)) {
        let found = given.get(field).len();
        let needed = if field == Field::Node && by_range {
            0
        } else {
            field.width(org)
        };
        if found != needed as usize {
            let allowed = match by_range && field == Field::Node {
                true => "none: the regions fix the node".to_owned(),
                false if field == Field::Channel && org.odd_ways() > 1 => format!(
                    "{needed}, for {} of the {} channels in memory.organisation: the granule deals over {}",
                    1 << needed,
                    org.channels,
                    org.odd_ways()
                ),
                false => format!("{needed}, for a count of {} in memory.organisation", field.count(org)),
            };
            let error = table
                .error_at(key, format!("found {}", counted(found, "function")))
                .allowed(allowed);
            return Err(error.help(match field {
                Field::Row | Field::Column => "add or remove functions, or write \"rest\"",
                _ => "add or remove functions, or correct the count",
            }));
        }
    }
    Ok(())
}

/// The regions of the file, without functions; a machine without any has all its memory from address 0 up.
fn regions(
    map: &Table<'_>,
    tables: &[Table<'_>],
    org: &Organisation,
    page_bytes: u64,
) -> Result<Vec<Region>, InputError> {
    if tables.is_empty() {
        let has_node = map.keys().any(|key| key == "node");
        if org.nodes > 1 && !has_node {
            let error = map.error(format!("found {} nodes, but nothing that tells them apart", org.nodes));
            return Err(error
                .allowed("node functions, or regions with a node")
                .help("add node = [...] or [[memory.map.region]]"));
        }
        return Ok(vec![Region {
            base: 0,
            size: org.total_bytes(),
            offset: 0,
            node: None,
            functions: Functions::default(),
        }]);
    }
    if tables.len() > MOST_REGIONS {
        let error = map.error_at("region", format!("found {}", counted(tables.len(), "region")));
        return Err(error
            .allowed(format!("at most {MOST_REGIONS}"))
            .help("merge neighbouring regions"));
    }
    tables.iter().map(|table| region(table, org, page_bytes)).collect()
}

fn region(table: &Table<'_>, org: &Organisation, page_bytes: u64) -> Result<Region, InputError> {
    const TOP: u64 = 1 << 52;
    let paged = |key: &str, least: u64| -> Result<Option<u64>, InputError> {
        let Some(item) = table.opt_item(key) else {
            return Ok(None);
        };
        let bytes = item.size(least..=TOP)?;
        if bytes % page_bytes != 0 {
            let error = item
                .error(format!("found {bytes:#x}"))
                .allowed(format!("a multiple of the page size, {page_bytes} bytes"));
            return Err(error.help("align it: a page lies in one region"));
        }
        Ok(Some(bytes))
    };
    let required = |key: &str, least: u64| match paged(key, least)? {
        Some(bytes) => Ok(bytes),
        None => table.size(key, least..=TOP),
    };
    Ok(Region {
        base: required("base", 0)?,
        size: required("size", 1)?,
        offset: paged("offset", 0)?.unwrap_or(0),
        node: table.opt_integer("node", 0..=org.nodes - 1)?,
        functions: Functions::default(),
    })
}

/// What the map's own check found, at the line it concerns.
fn map_error(table: &Table<'_>, regions: &[Table<'_>], error: MapError) -> InputError {
    let in_region = |index: usize| regions.get(index).map(|region| region.error(error.to_string()));
    let in_field = |field: Field| Some(table.error_at(field.key(), error.to_string()));
    let place = match &error {
        MapError::BelowBus { name, .. } => in_field(name.field),
        MapError::Interleave { .. } => in_field(Field::Node),
        MapError::Singular { dependent, .. } => dependent.first().and_then(|(name, _)| in_field(name.field)),
        MapError::BadRange { region }
        | MapError::OffsetAboveBase { region }
        | MapError::NodeSelection { region, .. } => in_region(*region),
        MapError::Overlap { second, .. } => in_region(*second),
        _ => None,
    };
    let place = place.unwrap_or_else(|| table.error(error.to_string()));
    let told = error.into_input("", "");
    place.allowed(told.allowed.clone()).help(told.help.clone())
}
