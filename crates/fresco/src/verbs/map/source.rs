// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a map comes from (a machine, or a file of bank functions), and what its colors are counted with.

use super::format::MapFormat;
use super::proved;
use crate::arguments::key_value;
use crate::provenance;
use fresco_dram::ColorSpace;
use fresco_dram::color::parse_list;
use fresco_dram::map::BankMap;
use fresco_input::{Document, InputError, file_name, read_file};
use fresco_machine::{Machine, builtin_text, load_with};
use fresco_report::{InputFile, Provenance};
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::Path;

/// Options that say which map is meant, and with which pages and cache.
#[derive(Debug, clap::Args)]
pub struct SourceArgs {
    /// The map of a built-in machine, or of the machine file at this path
    #[arg(long, value_name = "MACHINE")]
    pub machine: Option<String>,

    /// Override a key of the machine file (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    set: Vec<(String, String)>,

    /// Format of FILE, instead of finding it out
    #[arg(long, value_name = "FORMAT", conflicts_with = "machine")]
    format: Option<MapFormat>,

    /// Bytes to subtract from a physical address before the functions of FILE read it (the memory hole of AMD processors)
    #[arg(long, value_name = "BYTES", conflicts_with = "machine")]
    offset: Option<String>,

    /// Page size, such as 4K, 16K, 64K, 2M [default: the machine's, or 4K]
    #[arg(long, value_name = "SIZE")]
    page: Option<String>,

    /// Address bits that index the last-level cache, such as 6-16, for the colors that banks and cache share
    #[arg(long, value_name = "BITS", conflicts_with = "machine")]
    llc: Option<String>,
}

/// A map, and what its colors are counted with.
#[derive(Debug)]
pub struct Source {
    /// Name of the machine, or path of the file.
    pub name: String,
    /// As the user named it.
    given: String,
    /// The functions.
    pub map: Map,
    /// Page size in bytes, a power of two.
    pub page_bytes: u64,
    /// Set-index functions of the last-level cache; empty if there is none.
    pub llc: Vec<u64>,
    /// The map file and its digest.
    input: Option<InputFile>,
}

/// A whole address map, or bank functions alone.
#[derive(Debug)]
pub enum Map {
    /// That of a machine.
    Machine(Box<Machine>),
    /// That of a file.
    Banks(BankMap, MapFormat),
}

/// The source as JSON shows it.
#[derive(Debug, Serialize)]
pub struct SourceView {
    /// Name of the machine.
    machine: Option<String>,
    /// Path of the map file.
    file: Option<String>,
    /// Its format.
    format: Option<MapFormat>,
    /// Subtracted before the functions of the file read an address.
    offset_bytes: Option<u64>,
    /// Page size.
    page_bytes: u64,
}

impl SourceArgs {
    /// The first of these options that was given.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            ("--machine", self.machine.is_some()),
            ("--set", !self.set.is_empty()),
            ("--format", self.format.is_some()),
            ("--offset", self.offset.is_some()),
            ("--page", self.page.is_some()),
            ("--llc", self.llc.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// Returns true if the page size has been given.
    pub fn has_page(&self) -> bool {
        self.page.is_some()
    }

    /// Reads the machine or, where none is named, the file; where none of both is, the map last proved for this machine.
    pub fn load(&self, file: Option<&Path>) -> Result<Source, InputError> {
        match (&self.machine, file) {
            (Some(name), _) => self.machine(name),
            (None, Some(path)) => self.file(path),
            (None, None) => self.proved(),
        }
    }

    fn machine(&self, name: &str) -> Result<Source, InputError> {
        let machine = load_with(name, &self.set)?;
        Ok(Source {
            name: machine.name.clone(),
            given: name.to_owned(),
            page_bytes: self.page_bytes(machine.page_bytes)?,
            llc: machine.set_functions(),
            map: Map::Machine(Box::new(machine)),
            input: None,
        })
    }

    fn file(&self, path: &Path) -> Result<Source, InputError> {
        let name = file_name(path);
        if let Some((key, value)) = self.set.first() {
            return Err(
                InputError::new(format!("--set {key}={value}"), "found an override without a machine")
                    .allowed("--set with --machine: a map file has no keys")
                    .help("leave out --set, or name a machine instead of the file"),
            );
        }
        if path.extension().is_some_and(|extension| extension == "toml") {
            return Err(
                InputError::new(name.clone(), "found a machine file where a map file belongs")
                    .allowed("a file of bank functions: map.txt, PALLOC masks, hexadecimal masks")
                    .help(format!("write --machine {name}")),
            );
        }
        if !path.exists() && builtin_text(&name).is_ok() {
            return Err(
                InputError::new(name.clone(), "found no such file, but a built-in machine of this name")
                    .allowed("the path of a map file, or --machine NAME")
                    .help(format!("write --machine {name}")),
            );
        }
        let text = read_file(path)?;
        let format = self.format.unwrap_or_else(|| MapFormat::of(&text));
        let functions = format.parse(&text, &name)?.functions().to_vec();
        let offset = match &self.offset {
            Some(text) => size("--offset", text, 0..=(1 << 63) - 1)?,
            None => 0,
        };
        let map = BankMap::new(functions, offset).map_err(|error| error.into_input(name.clone(), ""))?;
        self.banks(name, &text, map, format)
    }

    /// The bank functions in the file `name`, whose text is `text`.
    fn banks(&self, name: String, text: &str, map: BankMap, format: MapFormat) -> Result<Source, InputError> {
        let page_bytes = self.page_bytes(4096)?;
        if !map.offset().is_multiple_of(page_bytes) {
            return Err(InputError::new("--offset", format!("found {:#x}", map.offset()))
                .allowed(format!("a multiple of the page size, {page_bytes} bytes"))
                .help("round it to what the hardware subtracts, which is whole pages"));
        }
        let llc = match &self.llc {
            Some(text) => parse_list(text, 64, "--llc")?,
            None => Vec::new(),
        };
        Ok(Source {
            given: name.clone(),
            input: Some(InputFile::new(name.clone(), provenance::digest(text))),
            name,
            map: Map::Banks(map, format),
            page_bytes,
            llc: llc.into_iter().map(|bit| 1 << bit).collect(),
        })
    }

    /// What was last proved for this machine.
    fn proved(&self) -> Result<Source, InputError> {
        let Some(current) = proved::current()? else {
            return Err(InputError::new("command line", "found no map")
                .allowed("--machine NAME, a map file, or what `fresco map detect` has proved for this machine: nothing")
                .help("name one; `fresco machine list` shows the built-in machines"));
        };
        let name = current.path.display().to_string();
        let options = [("--offset", self.offset.is_some()), ("--format", self.format.is_some())];
        if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
            return Err(
                InputError::new(*option, format!("found it for {name}, which has its own"))
                    .allowed("it with a map file")
                    .help(format!("leave out {option}")),
            );
        }
        self.banks(name, &current.text, current.map, MapFormat::MapTxt)
    }

    fn page_bytes(&self, default: u64) -> Result<u64, InputError> {
        let Some(text) = &self.page else {
            return Ok(default);
        };
        let bytes = size("--page", text, 64..=1 << 40)?;
        match bytes.is_power_of_two() {
            true => Ok(bytes),
            false => Err(InputError::new("--page", format!("found {bytes} bytes"))
                .allowed("a power of two")
                .help("write 4K, 16K, 64K or 2M")),
        }
    }
}

impl Source {
    /// log2 of the page size.
    pub fn page_bits(&self) -> u32 {
        self.page_bytes.trailing_zeros()
    }

    /// The colors of its pages.
    pub fn colors(&self) -> Result<ColorSpace, InputError> {
        self.colors_of(self.page_bits())
    }

    /// The colors of pages of `2^page_bits` bytes.
    pub fn colors_of(&self, page_bits: u32) -> Result<ColorSpace, InputError> {
        let space = match &self.map {
            Map::Machine(machine) => ColorSpace::new(&machine.memory.map, &self.llc, page_bits),
            Map::Banks(map, _) => ColorSpace::of_bank_map(map, &self.llc, page_bits),
        };
        space.map_err(|error| error.into_input(self.name.clone(), "colors"))
    }

    /// The functions that select a bank of one node, least significant first, and the number of banks of the machine.
    pub fn selectors(&self) -> (Vec<u64>, u64) {
        match &self.map {
            Map::Machine(machine) => {
                let map = &machine.memory.map;
                let functions = map.regions()[0].functions.selectors().map(|(_, mask)| mask).collect();
                (functions, u64::from(map.organisation().banks_total()))
            }
            Map::Banks(map, _) => (map.functions().to_vec(), 1 << map.functions().len()),
        }
    }

    /// What was run.
    pub fn provenance(&self) -> Provenance {
        let mut provenance = provenance::of_this_run(None);
        match &self.map {
            Map::Machine(machine) => {
                provenance.machine_files = vec![provenance::machine_file(machine, &self.given)];
            }
            Map::Banks(..) => provenance.inputs = self.input.iter().cloned().collect(),
        }
        provenance
    }

    /// As JSON shows it.
    pub fn view(&self) -> SourceView {
        let page_bytes = self.page_bytes;
        match &self.map {
            Map::Machine(machine) => SourceView {
                machine: Some(machine.name.clone()),
                file: None,
                format: None,
                offset_bytes: None,
                page_bytes,
            },
            Map::Banks(map, format) => SourceView {
                machine: None,
                file: Some(self.name.clone()),
                format: Some(*format),
                offset_bytes: Some(map.offset()),
                page_bytes,
            },
        }
    }
}

/// A size as machine files write it, given to an option.
pub fn size(option: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, InputError> {
    let mut document = Document::parse(option, "")?;
    let read = document
        .set_value("value", text)
        .and_then(|()| document.root().size("value", range));
    read.map_err(|error| {
        InputError::new(option, error.found.clone())
            .allowed(error.allowed.clone())
            .help(error.help.clone())
    })
}
