// SPDX-License-Identifier: MIT OR Apache-2.0
//! Address maps and the colors of pages.

use crate::data::as_python;
use crate::errors::{raised, wrong};
use fresco_dram::map::Field;
use fresco_dram::{AddressMap as Map, ColorSpace, FrameNumber, Location, PhysAddr};
use fresco_machine::Machine;
use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Where each address lies in memory, and which colors pages have. Of a Machine: machine.map.
#[pyclass(frozen, module = "fresco_dram")]
pub struct AddressMap {
    map: Map,
    colors: ColorSpace,
    page_bytes: u64,
}

impl AddressMap {
    /// That of a machine.
    pub fn of(machine: &Machine) -> PyResult<Self> {
        let colors = machine
            .colors()
            .map_err(|error| raised(error.into_input(machine.name.clone(), "memory.map")))?;
        Ok(Self {
            map: machine.memory.map.clone(),
            colors,
            page_bytes: machine.page_bytes,
        })
    }

    fn place(&self, address: u64) -> PyResult<Location> {
        self.map
            .decode(PhysAddr(address))
            .ok_or_else(|| wrong(format!("found address {address:#x}, where the machine has no memory")))
    }

    /// A color of the page of each address.
    fn colors_of<'py>(
        &self,
        py: Python<'py>,
        addresses: &PyReadonlyArray1<'py, u64>,
        of: fn(&ColorSpace, FrameNumber) -> u32,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let color = |&address: &u64| {
            self.place(address)?;
            Ok(of(&self.colors, FrameNumber(address / self.page_bytes)))
        };
        let colors: Vec<u32> = addresses.as_array().iter().map(color).collect::<PyResult<_>>()?;
        Ok(colors.to_pyarray(py))
    }
}

#[pymethods]
impl AddressMap {
    /// Places of physical addresses in bytes: a dict of seven arrays ("node", "channel", "rank", "bank_group", "bank", "row",
    /// "column"), each as long as `addresses`, an array of uint64.
    ///
    /// Raises FrescoError for an address where there is no memory.
    fn decode<'py>(&self, py: Python<'py>, addresses: PyReadonlyArray1<'py, u64>) -> PyResult<Bound<'py, PyDict>> {
        let places: Vec<Location> = addresses
            .as_array()
            .iter()
            .map(|&address| self.place(address))
            .collect::<PyResult<_>>()?;
        let fields = PyDict::new(py);
        for field in Field::ALL {
            let numbers: Vec<u32> = places.iter().map(|place| field.of(place)).collect();
            fields.set_item(field.key(), numbers.to_pyarray(py))?;
        }
        Ok(fields)
    }

    /// The physical address in bytes of a place.
    #[pyo3(signature = (*, node=0, channel=0, rank=0, bank_group=0, bank=0, row=0, column=0))]
    #[expect(clippy::too_many_arguments, reason = "keywords, as a place has them")]
    fn encode(
        &self,
        node: u32,
        channel: u32,
        rank: u32,
        bank_group: u32,
        bank: u32,
        row: u32,
        column: u32,
    ) -> PyResult<u64> {
        let place = Location {
            node,
            channel,
            rank,
            bank_group,
            bank,
            row,
            column,
        };
        for field in Field::ALL {
            let (found, count) = (field.of(&place), field.count(self.map.organisation()));
            if found >= count {
                return Err(wrong(format!(
                    "{}: found {found}\n  allowed: 0 to {}",
                    field.key(),
                    count - 1
                )));
            }
        }
        Ok(self.map.encode(&place).0)
    }

    /// Bank color of each physical address in bytes: an array of uint32. Pages of different colors share no bank.
    ///
    /// Raises FrescoError for an address where there is no memory.
    fn bank_colors<'py>(
        &self,
        py: Python<'py>,
        addresses: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.colors_of(py, &addresses, ColorSpace::bank_color)
    }

    /// Color in the last-level cache of each physical address in bytes: an array of uint32.
    fn llc_colors<'py>(
        &self,
        py: Python<'py>,
        addresses: PyReadonlyArray1<'py, u64>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        self.colors_of(py, &addresses, ColorSpace::llc_color)
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
    fn banks(&self, bank_color: u32) -> PyResult<Vec<u32>> {
        match bank_color < self.colors.bank_colors() {
            true => Ok(self.colors.banks(bank_color)),
            false => Err(wrong(format!(
                "bank color: found {bank_color}\n  allowed: 0 to {}",
                self.colors.bank_colors() - 1
            ))),
        }
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
