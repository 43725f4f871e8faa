// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text formats of bank maps: which one a file is in, reading it, writing another.

use clap::ValueEnum;
use fresco_dram::map::BankMap;
use fresco_dram::map::text::{hex_masks, map_txt, palloc};
use fresco_input::InputError;
use serde::Serialize;
use std::fmt;

/// A text format of bank functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
pub enum MapFormat {
    /// One function per line, as decimal address bits: what drama-pp writes, PALLOC and IsolBench read
    #[value(name = "map.txt")]
    #[serde(rename = "map.txt")]
    MapTxt,
    /// PALLOC's mask of address bits, then `xor BIT BIT` lines
    #[value(name = "palloc")]
    #[serde(rename = "palloc")]
    Palloc,
    /// One hexadecimal mask per line, as row-hammer tools keep them
    #[value(name = "hex")]
    #[serde(rename = "hex")]
    Hex,
}

impl fmt::Display for MapFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MapTxt => "map.txt",
            Self::Palloc => "palloc",
            Self::Hex => "hex",
        })
    }
}

impl MapFormat {
    /// The format of a text, by the shape of its lines. A file of one mask is PALLOC's: its bits are one function
    /// each, where as a hexadecimal function they would tell two banks apart and no more.
    pub fn of(text: &str) -> Self {
        let mut lines = text
            .lines()
            .map(|line| line.split('#').next().unwrap_or("").trim_ascii())
            .filter(|line| !line.is_empty());
        let mask = |line: &str| line.starts_with("0x") || line.starts_with("0X");
        match (lines.next(), lines.next()) {
            (Some(first), None) if mask(first) => Self::Palloc,
            (Some(first), Some(second)) if mask(first) && second.starts_with("xor") => Self::Palloc,
            (Some(first), _) if mask(first) => Self::Hex,
            _ => Self::MapTxt,
        }
    }

    /// The functions of a text in this format, least significant bit of the bank number first.
    pub fn parse(self, text: &str, file: &str) -> Result<BankMap, InputError> {
        match self {
            Self::MapTxt => map_txt::parse(text, file),
            Self::Palloc => palloc::parse(text, file).map(|(_, map)| map),
            Self::Hex => hex_masks::parse(text, file),
        }
    }

    /// Functions in this format; `source` is what errors call the map they come from.
    pub fn write(self, functions: &[u64], source: &str) -> Result<String, InputError> {
        match self {
            Self::MapTxt => Ok(map_txt::format(functions)),
            Self::Hex => Ok(hex_masks::format(functions)),
            Self::Palloc => palloc::PallocMap::from_functions(functions)
                .map(|map| map.to_string())
                .map_err(|error| {
                    InputError::new(source, error.to_string())
                        .in_field("--to palloc")
                        .allowed("functions of one or two address bits outside the page, in ascending order")
                        .help("write map.txt")
                }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MapFormat::{self, Hex, MapTxt, Palloc};

    #[test]
    fn a_format_is_known_by_its_lines() {
        for (text, format) in [
            ("14 18\n15 19\n", MapTxt),
            ("# a comment\n\n6\n", MapTxt),
            ("", MapTxt),
            ("0x183000\n", Palloc),
            ("0x1e000 # mask\nxor 13 17\n", Palloc),
            ("0x44000\n0X88000\n", Hex),
        ] {
            assert_eq!(MapFormat::of(text), format, "{text:?}");
        }
    }

    #[test]
    fn what_is_written_is_found_to_be_of_its_format() {
        let functions = [0x22000, 0x44000];
        for format in [MapTxt, Palloc, Hex] {
            let text = format.write(&functions, "test").expect("has two bits each");
            assert_eq!(MapFormat::of(&text), format);
            let map = format.parse(&text, "test").expect("was just written");
            assert_eq!(map.functions(), functions);
        }
        assert!(Palloc.write(&[0x7000], "test").is_err());
    }
}
