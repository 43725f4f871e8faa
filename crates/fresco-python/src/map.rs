// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address maps and the colors of pages.

use crate::arguments::Whole;
use crate::arrays::numbers;
use crate::data::{Reduced, as_python};
use crate::errors::{fault, raised};
use crate::machine::Machine as Owner;
use fresco_dram::map::Field;
use fresco_dram::{AddressMap as Map, ColorSpace, FrameNumber, Location, PhysAddr};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Where each address lies in memory, and which colors pages have. Of a Machine: machine.map.
#[pyclass(frozen, module = "fresco_dram")]
pub struct AddressMap {
    machine: Py<Owner>,
    map: Map,
    colors: ColorSpace,
    page_bytes: u64,
}

/// Addresses looked at between two looks for signals.
const PIECE: usize = 1 << 16;

impl AddressMap {
    /// That of a machine.
    pub fn of(owner: &Bound<'_, Owner>) -> PyResult<Self> {
        let machine = &owner.get().inner;
        let colors = machine
            .colors()
            .map_err(|error| raised(error.into_input(machine.name.clone(), "memory.map")))?;
        Ok(Self {
            machine: owner.clone().unbind(),
            map: machine.memory.map.clone(),
            colors,
            page_bytes: machine.page_bytes,
        })
    }

    /// What `of` says of each address and its place, without the interpreter's lock.
    fn of_each<T: Send>(
        &self,
        py: Python<'_>,
        addresses: &Bound<'_, PyAny>,
        of: impl Fn(u64, &Location) -> T + Sync,
    ) -> PyResult<Vec<T>> {
        let addresses = numbers("addresses", addresses)?;
        let mut found = Vec::with_capacity(addresses.len());
        let mut left = addresses.iter();
        while found.len() < addresses.len() {
            let placed = py.detach(|| {
                left.by_ref().take(PIECE).try_for_each(|&address| {
                    let place = self.map.decode(PhysAddr(address)).ok_or(address)?;
                    found.push(of(address, &place));
                    Ok(())
                })
            });
            placed.map_err(|address: u64| {
                let found = format!("found address {address:#x}, where the machine has no memory");
                fault("addresses", found, "", "regions tells where there is memory")
            })?;
            py.check_signals()?;
        }
        Ok(found)
    }
}

#[pymethods]
impl AddressMap {
    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Py<Owner>, &'static str)> {
        let getattr = py.import("builtins")?.getattr("getattr")?;
        Ok((getattr, (self.machine.clone_ref(py), "map")))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.machine.get() == other.machine.get()
    }

    fn __hash__(&self) -> u64 {
        self.machine.get().hash()
    }

    /// Places of physical addresses in bytes: a dict of seven arrays of uint32 ("node", "channel", "rank", "bank_group", "bank", "row",
    /// "column"), each as long as `addresses`, an array of whole numbers.
    ///
    /// Raises FrescoError for an address where there is no memory.
    fn decode<'py>(&self, py: Python<'py>, addresses: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let places = self.of_each(py, addresses, |_, place| *place)?;
        let fields = PyDict::new(py);
        for field in Field::ALL {
            let numbers: Vec<u32> = py.detach(|| places.iter().map(|place| field.of(place)).collect());
            fields.set_item(field.key(), numbers.into_pyarray(py))?;
        }
        Ok(fields)
    }

    /// The physical address in bytes of a place.
    #[pyo3(
        signature = (*, node=Whole::Fits(0), channel=Whole::Fits(0), rank=Whole::Fits(0), bank_group=Whole::Fits(0), bank=Whole::Fits(0), row=Whole::Fits(0), column=Whole::Fits(0)),
        text_signature = "($self, *, node=0, channel=0, rank=0, bank_group=0, bank=0, row=0, column=0)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords, as a place has them")]
    fn encode(
        &self,
        node: Whole,
        channel: Whole,
        rank: Whole,
        bank_group: Whole,
        bank: Whole,
        row: Whole,
        column: Whole,
    ) -> PyResult<u64> {
        let part = |given: Whole, field: Field| given.narrow(field.key(), 0..=field.count(self.map.organisation()) - 1);
        let place = Location {
            node: part(node, Field::Node)?,
            channel: part(channel, Field::Channel)?,
            rank: part(rank, Field::Rank)?,
            bank_group: part(bank_group, Field::BankGroup)?,
            bank: part(bank, Field::Bank)?,
            row: part(row, Field::Row)?,
            column: part(column, Field::Column)?,
        };
        Ok(self.map.encode(&place).0)
    }

    /// Bank color of each physical address in bytes: an array of uint32. Pages of different colors share no bank.
    ///
    /// Raises FrescoError for an address where there is no memory.
    fn bank_colors<'py>(&self, py: Python<'py>, addresses: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let color = |address, _: &Location| self.colors.bank_color(FrameNumber(address / self.page_bytes));
        Ok(self.of_each(py, addresses, color)?.into_pyarray(py))
    }

    /// Color in the last-level cache of each physical address in bytes: an array of uint32.
    ///
    /// Raises FrescoError for an address where there is no memory.
    fn llc_colors<'py>(&self, py: Python<'py>, addresses: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let color = |address, _: &Location| self.colors.llc_color(FrameNumber(address / self.page_bytes));
        Ok(self.of_each(py, addresses, color)?.into_pyarray(py))
    }

    /// Number of bank colors.
    #[getter]
    fn bank_color_count(&self) -> u32 {
        self.colors.bank_colors()
    }

    /// Number of colors in the last-level cache.
    #[getter]
    fn llc_color_count(&self) -> u32 {
        self.colors.llc_colors()
    }

    /// Banks of a bank color, numbered through the machine.
    fn banks(&self, bank_color: Whole) -> PyResult<Vec<u32>> {
        let color = bank_color.narrow("bank_color", 0..=self.colors.bank_colors() - 1)?;
        Ok(self.colors.banks(color))
    }

    /// The ranges of addresses and their functions: a list of dicts. Each function is a mask of the bits, of an address less the range's `offset`,
    /// whose parity is a bit of the field; the least significant one comes first.
    #[getter]
    fn regions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        as_python(py, self.map.regions())
    }

    fn __repr__(&self) -> String {
        let (banks, llc) = (self.colors.bank_colors(), self.colors.llc_colors());
        format!("<fresco_dram.AddressMap: {banks} bank colors, {llc} cache colors>")
    }
}
