// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many colors pages of one size have.

use fresco_dram::ColorSpace;
use fresco_input::{InputError, format_size};
use fresco_report::{Cell, Column, ReportError, Table};
use serde::Serialize;

/// The numbers of colors of pages of one size.
#[derive(Debug, Serialize)]
pub struct Counts {
    /// Page size.
    page_bytes: u64,
    /// The numbers; `null` where pages of this size have no colors.
    colors: Option<Numbers>,
    /// Why they have none.
    refused: Option<String>,
}

/// The numbers.
#[derive(Debug, Serialize)]
pub struct Numbers {
    /// Colors that differ in their banks.
    bank: u32,
    /// Banks that each of them covers.
    banks_each: u64,
    /// Colors that differ in their sets of the last-level cache.
    llc: u32,
    /// Pairs of both that exist.
    pairs: u64,
    /// Bank-selecting functions that pages cannot choose alone.
    lost_functions: usize,
}

impl Counts {
    /// The numbers of a color space, or why there is none.
    pub fn new(page_bytes: u64, space: Result<&ColorSpace, &InputError>) -> Self {
        Self {
            page_bytes,
            colors: space.ok().map(Numbers::of),
            refused: space.err().map(|error| error.found.clone()),
        }
    }

    /// One line per page size.
    pub fn table(title: &str, all: &[Self]) -> Result<Table, ReportError> {
        let names = ["bank colors", "banks each", "LLC colors", "pairs", "functions lost"];
        let mut columns = vec![Column::text("page")];
        columns.extend(names.map(|name| Column::number(name, "", 0)));
        let refused = all.iter().any(|counts| counts.refused.is_some());
        if refused {
            columns.push(Column::text("why none"));
        }
        let mut table = Table::new(title, columns);
        for counts in all {
            let mut row: Vec<Cell> = vec![format_size(counts.page_bytes).into()];
            match &counts.colors {
                Some(numbers) => row.extend([
                    Cell::Count(numbers.bank.into()),
                    Cell::Count(numbers.banks_each),
                    Cell::Count(numbers.llc.into()),
                    Cell::Count(numbers.pairs),
                    Cell::Count(numbers.lost_functions as u64),
                ]),
                None => row.extend(names.map(|_| Cell::Missing)),
            }
            if refused {
                row.push(counts.refused.clone().into());
            }
            table.push(row)?;
        }
        Ok(table)
    }
}

impl Numbers {
    fn of(space: &ColorSpace) -> Self {
        Self {
            bank: space.bank_colors(),
            // A machine file gives all parts of its map the same functions, so all colors cover equally many banks.
            banks_each: space.banks(0).len() as u64,
            llc: space.llc_colors(),
            pairs: space.pairs(),
            lost_functions: space.lost_functions(0).len(),
        }
    }
}
