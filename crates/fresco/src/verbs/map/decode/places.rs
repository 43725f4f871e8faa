// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is at each address.

use super::addresses::Asked;
use crate::verbs::map::source::{Map, Source, SourceView};
use fresco_dram::{AddressMap, ColorSpace, FrameNumber, Location, PhysAddr};
use fresco_input::InputError;
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;

/// What `fresco map decode` reports.
#[derive(Debug, Serialize)]
pub struct DecodeReport {
    source: SourceView,
    /// One per address, in the order asked; those that are none are left out.
    places: Vec<Place>,
}

/// One address.
#[derive(Debug, Serialize)]
struct Place {
    address: u64,
    /// Node to column; left out where only bank functions are known.
    #[serde(flatten)]
    location: Option<Location>,
    /// Bank within the machine: the fields that select it, side by side.
    bank_number: u64,
    /// Bank color of its page.
    color: u32,
    /// LLC color of its page.
    llc_color: u32,
}

impl DecodeReport {
    /// Decodes every address; also returns what is wrong with those that are none: a word that is no number, an address
    /// where the machine has no memory or below the offset of the map.
    ///
    /// # Errors
    /// The map leaves no colors to pages.
    pub fn new(source: &Source, asked: Vec<Result<Asked, InputError>>) -> Result<(Self, Vec<InputError>), InputError> {
        let space = source.colors()?;
        let (mut places, mut faults) = (Vec::new(), Vec::new());
        for asked in asked {
            let place = asked
                .and_then(|asked| Place::new(source, &space, asked.address).ok_or_else(|| outside(source, &asked)));
            match place {
                Ok(place) => places.push(place),
                Err(fault) => faults.push(fault),
            }
        }
        let source = source.view();
        Ok((Self { source, places }, faults))
    }

    /// Returns true if there is no address among those asked.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// One row per address.
    pub fn table(&self, source: &Source) -> Result<Table, ReportError> {
        let located = matches!(source.map, Map::Machine(_));
        let fields: &[&str] = match located {
            true => &["node", "channel", "rank", "bank group", "bank", "row", "column"],
            false => &[],
        };
        let names = fields.iter().chain(&["bank number", "color", "LLC color"]);
        let columns = std::iter::once(Column::text("address")).chain(names.map(|name| Column::number(*name, "", 0)));
        let mut table = Table::new(format!("Places by the map of {}", source.name), columns.collect());
        for place in &self.places {
            let mut row: Vec<Cell> = vec![format!("{:#x}", place.address).into()];
            if let Some(at) = &place.location {
                let values = [at.node, at.channel, at.rank, at.bank_group, at.bank, at.row, at.column];
                row.extend(values.map(|value| Cell::Count(value.into())));
            }
            row.extend([
                Cell::Count(place.bank_number),
                Cell::Count(place.color.into()),
                Cell::Count(place.llc_color.into()),
            ]);
            table.push(row)?;
        }
        Ok(table)
    }
}

impl Place {
    /// The place of an address; `None` where the map has none.
    fn new(source: &Source, space: &ColorSpace, address: u64) -> Option<Self> {
        let (location, bank_number) = match &source.map {
            Map::Machine(machine) => {
                let map = &machine.memory.map;
                let location = map.decode(PhysAddr(address))?;
                (Some(location), location.bank_in_machine(map.organisation()).into())
            }
            Map::Banks(map, _) => (None, map.bank(address)?),
        };
        let frame = FrameNumber(address >> source.page_bits());
        Some(Self {
            address,
            location,
            bank_number,
            color: space.try_bank_color(frame)?,
            llc_color: space.llc_color(frame),
        })
    }
}

fn outside(source: &Source, asked: &Asked) -> InputError {
    let allowed = match &source.map {
        Map::Machine(machine) => ranges(&machine.memory.map),
        Map::Banks(map, _) => format!("addresses of 63 bits, from the offset {:#x} up", map.offset()),
    };
    asked
        .error(format!("found address {:#x}", asked.address))
        .allowed(format!("{allowed}: the memory of {}", source.name))
        .help("check that it is a physical address of this machine, in bytes")
}

fn ranges(map: &AddressMap) -> String {
    let range = |region: &fresco_dram::Region| format!("{:#x} to {:#x}", region.base, region.base + (region.size - 1));
    map.regions().iter().map(range).collect::<Vec<_>>().join(", ")
}
