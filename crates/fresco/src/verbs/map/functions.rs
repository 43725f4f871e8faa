// SPDX-License-Identifier: MIT OR Apache-2.0
//! The functions and regions of a map, for people and for programs.

use fresco_dram::AddressMap;
use fresco_dram::gf2::bits_of;
use fresco_dram::map::{BankMap, Field, xor_text};
use fresco_input::format_size;
use fresco_report::{Column, ReportError, Table};
use serde::Serialize;

/// A map as JSON shows it.
#[derive(Debug, Serialize)]
pub struct MapView {
    /// Bytes that each of the odd number of ways of channels has in turn, where channels are no power of two; the functions
    /// read the address within the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granule_bytes: Option<u64>,
    /// Those ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ways: Option<u32>,
    /// Per field that has functions: node, channel, rank, bank group, bank, row, column.
    pub fields: Vec<FieldView>,
    /// The ranges of physical addresses; empty where only bank functions are known.
    pub regions: Vec<RegionView>,
}

/// The functions of one field.
#[derive(Debug, Serialize)]
pub struct FieldView {
    /// The field.
    field: Field,
    /// How many values it has.
    count: u64,
    /// Its functions, least significant first.
    functions: Vec<FunctionView>,
}

/// One parity function over the bits of (physical address − offset).
#[derive(Debug, Serialize)]
pub struct FunctionView {
    /// The bits whose XOR it is.
    bits: Vec<u32>,
    /// The same as a mask, in hexadecimal.
    mask: String,
}

/// A range of physical addresses.
#[derive(Debug, Serialize)]
pub struct RegionView {
    /// First address.
    base: u64,
    /// Bytes.
    size: u64,
    /// Subtracted before functions read an address.
    offset: u64,
    /// The node, where the range decides it.
    node: Option<u32>,
}

impl FunctionView {
    /// The view of a mask.
    pub fn new(mask: u64) -> Self {
        Self {
            bits: bits_of(mask).collect(),
            mask: format!("{mask:#x}"),
        }
    }
}

impl MapView {
    /// The map of a machine.
    pub fn of_machine(map: &AddressMap) -> Self {
        let org = map.organisation();
        let functions = &map.regions()[0].functions;
        let fields = Field::ALL
            .into_iter()
            .filter(|field| !functions.get(*field).is_empty() || (*field == Field::Channel && org.odd_ways() > 1))
            .map(|field| FieldView::new(field, u64::from(field.count(org)), functions.get(field)))
            .collect();
        let regions = map.regions().iter().map(|region| RegionView {
            base: region.base,
            size: region.size,
            offset: region.offset,
            node: region.node,
        });
        let granule_bytes = functions.granule_bits.map(|bits| 1 << bits);
        Self {
            granule_bytes,
            ways: granule_bytes.map(|_| org.odd_ways()),
            fields,
            regions: regions.collect(),
        }
    }

    /// A map of bank functions alone.
    pub fn of_banks(map: &BankMap) -> Self {
        let functions = map.functions();
        Self {
            granule_bytes: None,
            ways: None,
            fields: vec![FieldView::new(Field::Bank, 1 << functions.len(), functions)],
            regions: Vec::new(),
        }
    }

    /// The functions by field and, where they say something, the regions.
    pub fn tables(&self, title: &str) -> Result<Vec<Table>, ReportError> {
        let mut fields = Table::new(
            title,
            vec![
                Column::text("field"),
                Column::number("count", "", 0),
                Column::text(match self.ways {
                    None => "address bits, least significant function first",
                    Some(_) => "bits of the address within the way, least significant function first",
                }),
            ],
        );
        for view in &self.fields {
            let dealt = self
                .ways
                .zip(self.granule_bytes)
                .filter(|_| view.field == Field::Channel);
            let bits = bits_text(&view.functions);
            let text = match dealt {
                None => bits,
                Some((ways, granule)) => format!(
                    "{} to each of {ways} ways in turn{}{bits}",
                    format_size(granule),
                    if bits.is_empty() { "" } else { "; within a way " }
                ),
            };
            fields.push(vec![view.field.to_string().into(), view.count.into(), text.into()])?;
        }
        let mut tables = vec![fields];
        if self.regions.len() > 1 || self.regions.iter().any(|region| region.base != 0) {
            tables.push(self.region_table()?);
        }
        Ok(tables)
    }

    fn region_table(&self) -> Result<Table, ReportError> {
        let mut table = Table::new(
            "Ranges of physical addresses",
            vec![
                Column::text("from"),
                Column::text("to"),
                Column::text("size"),
                Column::text("subtracted"),
                Column::text("node"),
            ],
        );
        for region in &self.regions {
            table.push(vec![
                format!("{:#x}", region.base).into(),
                format!("{:#x}", region.base + (region.size - 1)).into(),
                format_size(region.size).into(),
                format!("{:#x}", region.offset).into(),
                region.node.map(|node| node.to_string()).into(),
            ])?;
        }
        Ok(table)
    }
}

impl FieldView {
    fn new(field: Field, count: u64, functions: &[u64]) -> Self {
        Self {
            field,
            count,
            functions: functions.iter().map(|&mask| FunctionView::new(mask)).collect(),
        }
    }
}

/// Functions as text, runs of single bits as ranges: `3-12, 13^17`.
fn bits_text(functions: &[FunctionView]) -> String {
    let follows = |a: &FunctionView, b: &FunctionView| match (a.bits.as_slice(), b.bits.as_slice()) {
        (&[a], &[b]) => a + 1 == b,
        _ => false,
    };
    let runs = functions.chunk_by(follows).map(|run| match run {
        [first, .., last] if run.len() > 2 => format!("{}-{}", first.bits[0], last.bits[0]),
        _ => run.iter().map(FunctionView::to_string).collect::<Vec<_>>().join(", "),
    });
    runs.collect::<Vec<_>>().join(", ")
}

impl std::fmt::Display for FunctionView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&xor_text(self.bits.iter().fold(0, |mask, bit| mask | 1 << bit)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_single_bits_are_ranges() {
        let text = |masks: &[u64]| bits_text(&masks.iter().map(|&mask| FunctionView::new(mask)).collect::<Vec<_>>());
        assert_eq!(text(&[1 << 3, 1 << 4, 1 << 5, 1 << 13 | 1 << 17]), "3-5, 13^17");
        assert_eq!(text(&[1 << 3, 1 << 4, 1 << 6]), "3, 4, 6");
        assert_eq!(text(&[1 << 4, 1 << 3]), "4, 3");
        assert_eq!(text(&[]), "");
    }
}
