// SPDX-License-Identifier: MIT OR Apache-2.0
//! The colors of a map as data and as tables.

use super::proof::Proof;
use crate::verbs::map::functions::FunctionView;
use crate::verbs::map::source::{Source, SourceView};
use fresco_dram::color::format_list;
use fresco_dram::gf2::bits_of;
use fresco_dram::{ColorSpace, Organisation};
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;

/// What `fresco map colors` reports.
#[derive(Debug, Serialize)]
pub struct ColorsReport {
    source: SourceView,
    /// Banks of the map.
    banks: u64,
    /// Colors that differ in their banks; every page has one.
    bank_colors: u32,
    /// Colors that differ in their cache sets; every page has one.
    llc_colors: u32,
    /// (bank color, LLC color) pairs that a page can have; of `bank_colors * llc_colors`.
    pairs: u64,
    /// Functions that bank and LLC color both decide.
    shared: Vec<FunctionView>,
    /// Where each part of the memory counts its colors from, and by which functions: one part per node where the node
    /// is fixed by address range, else one.
    parts: Vec<Part>,
    /// Bank-selecting functions that pages cannot choose alone.
    lost: Vec<Lost>,
    /// The colors listed.
    colors: Vec<Color>,
    /// Places of the banks of the colors listed, where asked for.
    places: Vec<Place>,
    /// The proof asked for.
    disjoint: Option<Proof>,
}

#[derive(Debug, Serialize)]
struct Part {
    node: Option<u32>,
    first_color: u32,
    /// Ways of channels that pages choose among, where channels are no power of two: what stands above the functions in
    /// (color − `first_color`); 1 if they cannot. The functions read the address within the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    ways: Option<u32>,
    /// Bit `i` of (color − `first_color`) is function `i`.
    functions: Vec<ColorFunction>,
}

#[derive(Debug, Serialize)]
struct ColorFunction {
    #[serde(flatten)]
    function: FunctionView,
    /// The functions of the map whose XOR it is.
    sum_of: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Lost {
    name: String,
    #[serde(flatten)]
    function: FunctionView,
    /// Its bits inside the page, where it takes both values.
    inside: Vec<u32>,
}

#[derive(Debug, Serialize)]
struct Color {
    color: u32,
    name: String,
    /// Values of parity functions over address bits.
    parities: String,
    /// Banks that every page of the color touches (some of them, where the granule that is dealt over channels is smaller
    /// than a page), and no page of another does.
    banks: Vec<u32>,
    /// LLC colors that pages of this color have.
    llc_colors: Vec<u32>,
}

#[derive(Debug, Serialize)]
struct Place {
    number: u32,
    color: u32,
    node: u32,
    channel: u32,
    rank: u32,
    bank_group: u32,
    bank: u32,
}

impl ColorsReport {
    /// The colors `selected` (all if `None`) of a space; with the places of their banks where `org` is given.
    pub fn new(
        source: &Source,
        space: &ColorSpace,
        selected: Option<&[u32]>,
        org: Option<&Organisation>,
        disjoint: Option<Proof>,
    ) -> Self {
        let of_proof = disjoint.as_ref().map(Proof::colors);
        let listed: Vec<u32> = match selected.or(of_proof.as_deref()) {
            Some(colors) => colors.to_vec(),
            None => (0..space.bank_colors()).collect(),
        };
        let color = |color| Color {
            color,
            name: space.name(color),
            parities: space.describe(color),
            banks: space.banks(color),
            llc_colors: space.llc_colors_of(color),
        };
        let places = org.map_or_else(Vec::new, |org| {
            let of_color = |&color: &u32| {
                space
                    .banks(color)
                    .into_iter()
                    .map(move |bank| Place::new(bank, color, org))
            };
            listed.iter().flat_map(of_color).collect()
        });
        Self {
            source: source.view(),
            banks: source.selectors().1,
            bank_colors: space.bank_colors(),
            llc_colors: space.llc_colors(),
            pairs: space.pairs(),
            shared: space.overlap().into_iter().map(FunctionView::new).collect(),
            parts: space
                .parts()
                .map(|part| Part {
                    node: part.node,
                    first_color: part.first_color,
                    ways: part.interleave.map(|_| part.ways),
                    functions: color_functions(space, part.first_color),
                })
                .collect(),
            lost: lost(space),
            colors: listed.into_iter().map(color).collect(),
            places,
            disjoint,
        }
    }

    /// The proof if one was asked for; else numbers, functions and colors.
    pub fn tables(&self, title: &str) -> Result<Vec<Table>, ReportError> {
        if let Some(proof) = &self.disjoint {
            return Ok(vec![self.color_table()?, proof.table()?]);
        }
        let mut tables = vec![self.numbers(title)?];
        if self.bank_colors > 1 {
            tables.push(self.functions()?);
        }
        if !self.lost.is_empty() {
            tables.push(self.lost_table()?);
        }
        tables.push(self.color_table()?);
        if !self.places.is_empty() {
            tables.push(self.place_table()?);
        }
        Ok(tables)
    }

    fn numbers(&self, title: &str) -> Result<Table, ReportError> {
        let mut table = Table::new(title, vec![Column::text("quantity"), Column::number("number", "", 0)]);
        let mut row = |name: &str, value: u64| table.push(vec![name.into(), Cell::Count(value)]);
        row("banks", self.banks)?;
        row("bank colors", self.bank_colors.into())?;
        row("LLC colors", self.llc_colors.into())?;
        if self.llc_colors > 1 {
            let all = u64::from(self.bank_colors) * u64::from(self.llc_colors);
            row("pairs of bank and LLC color", all)?;
            row("pairs that exist", self.pairs)?;
        }
        Ok(table)
    }

    fn functions(&self) -> Result<Table, ReportError> {
        let columns = ["color bit", "address bits", "functions of the map"].map(Column::text);
        let mut table = Table::new("Functions of the bank color", columns.to_vec());
        // A machine file gives all parts of its map the same functions; the node is in the names of the colors.
        for (bit, function) in self
            .parts
            .iter()
            .take(1)
            .flat_map(|part| part.functions.iter().enumerate())
        {
            table.push(vec![
                bit.to_string().into(),
                function.function.to_string().into(),
                function.sum_of.join(" ^ ").into(),
            ])?;
        }
        if let Some(ways) = self.parts.first().and_then(|part| part.ways) {
            let text = match ways {
                1 => "bits are those within a way of the channels, which pages cannot choose".to_owned(),
                _ => format!("bits are those within a way; above them, which of {ways} ways of the channels"),
            };
            table.push(vec!["-".into(), "".into(), text.into()])?;
        }
        for function in &self.shared {
            table.push(vec![
                "-".into(),
                function.to_string().into(),
                "decides the LLC color too".into(),
            ])?;
        }
        Ok(table)
    }

    fn lost_table(&self) -> Result<Table, ReportError> {
        let columns = ["function", "address bits", "of these inside the page"].map(Column::text);
        let mut table = Table::new("Functions that pages cannot choose alone", columns.to_vec());
        for lost in &self.lost {
            table.push(vec![
                lost.name.as_str().into(),
                lost.function.to_string().into(),
                format_list(&lost.inside).into(),
            ])?;
        }
        Ok(table)
    }

    fn color_table(&self) -> Result<Table, ReportError> {
        let mut columns = vec![
            Column::number("color", "", 0),
            Column::text("name"),
            Column::text("banks"),
            Column::text("address bits"),
        ];
        if self.llc_colors > 1 {
            columns.push(Column::text("LLC colors"));
        }
        let mut table = Table::new("Bank colors", columns);
        for color in &self.colors {
            let mut row: Vec<Cell> = vec![
                Cell::Count(color.color.into()),
                color.name.as_str().into(),
                format_list(&color.banks).into(),
                color.parities.as_str().into(),
            ];
            if self.llc_colors > 1 {
                row.push(format_list(&color.llc_colors).into());
            }
            table.push(row)?;
        }
        Ok(table)
    }

    fn place_table(&self) -> Result<Table, ReportError> {
        let names = ["number", "color", "node", "channel", "rank", "bank group", "bank"];
        let mut table = Table::new("Banks", names.map(|name| Column::number(name, "", 0)).to_vec());
        for place in &self.places {
            let values = [
                place.number,
                place.color,
                place.node,
                place.channel,
                place.rank,
                place.bank_group,
                place.bank,
            ];
            table.push(values.map(|value| Cell::Count(value.into())).to_vec())?;
        }
        Ok(table)
    }
}

fn color_functions(space: &ColorSpace, first_color: u32) -> Vec<ColorFunction> {
    let function = |bit: fresco_dram::color::ColorBit| ColorFunction {
        function: FunctionView::new(bit.function),
        sum_of: bit.sum_of.iter().map(ToString::to_string).collect(),
    };
    space.color_bits(first_color).into_iter().map(function).collect()
}

impl Place {
    fn new(number: u32, color: u32, org: &Organisation) -> Self {
        // The dense numbering of Location::bank_in_machine, taken apart from the least significant field up.
        let mut rest = number;
        let mut next = |count: u32| {
            let value = rest % count;
            rest /= count;
            value
        };
        let bank = next(org.banks);
        let bank_group = next(org.bank_groups);
        let rank = next(org.ranks);
        let channel = next(org.channels);
        Self {
            number,
            color,
            node: rest,
            channel,
            rank,
            bank_group,
            bank,
        }
    }
}

/// The functions lost; a machine file gives all parts of its map the same.
fn lost(space: &ColorSpace) -> Vec<Lost> {
    let view = |lost: fresco_dram::color::LostFunction| Lost {
        name: lost.name.to_string(),
        function: FunctionView::new(lost.function),
        inside: bits_of(lost.inside).collect(),
    };
    space.lost_functions(0).into_iter().map(view).collect()
}
