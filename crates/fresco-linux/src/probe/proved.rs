// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a proved map: JSON, schema `fresco-proved-map/1`.

use super::firmware::Identity;
use fresco_dram::map::BankMap;
use fresco_input::InputError;
use serde::{Deserialize, Serialize};

/// The schema, and its version.
const SCHEMA: &str = "fresco-proved-map/1";

/// A map, what proved it, and for which machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvedMap {
    schema: String,
    /// Version of the program.
    pub tool: String,
    /// The command that proved it.
    pub command: String,
    /// The verdict, or `registers`.
    pub proof: String,
    /// Bank functions as hexadecimal masks over the bits of (physical address − offset).
    functions: Vec<String>,
    /// The offset, hexadecimal.
    offset: String,
    /// The machine as it was.
    pub machine: Identity,
}

impl ProvedMap {
    /// A map that was proved just now.
    pub fn new(map: &BankMap, proof: &str, tool: &str, command: &str, machine: Identity) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            tool: tool.to_owned(),
            command: command.to_owned(),
            proof: proof.to_owned(),
            functions: map.functions().iter().map(|mask| format!("{mask:#x}")).collect(),
            offset: format!("{:#x}", map.offset()),
            machine,
        }
    }

    /// Reads the file named `name`.
    ///
    /// # Errors
    /// It is no JSON of this schema.
    pub fn parse(text: &str, name: &str) -> Result<Self, InputError> {
        let read: Result<Self, _> = serde_json::from_str(text);
        let proved = read.map_err(|error| {
            let line = u32::try_from(error.line()).unwrap_or(0);
            wrong(name, format!("cannot read it as a proved map: {error}")).at_line(line)
        })?;
        match proved.schema == SCHEMA {
            true => Ok(proved),
            false => Err(wrong(name, format!("found the schema {:?}", proved.schema))),
        }
    }

    /// The functions; `name` is the file.
    ///
    /// # Errors
    /// A number that is none, or functions that are no map.
    pub fn map(&self, name: &str) -> Result<BankMap, InputError> {
        let number = |text: &String| {
            let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
            let number = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
            number.ok_or_else(|| wrong(name, format!("found {text:?} where a hexadecimal number belongs")))
        };
        let functions = self.functions.iter().map(number).collect::<Result<_, _>>()?;
        BankMap::new(functions, number(&self.offset)?).map_err(|error| error.into_input(name.to_owned(), "functions"))
    }

    /// As the file has it.
    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        // Text and lists of text have no form that JSON lacks.
        text.unwrap_or_default() + "\n"
    }
}

fn wrong(name: &str, found: String) -> InputError {
    InputError::new(name.to_owned(), found)
        .allowed("what `fresco map detect` wrote there")
        .help("prove the map again: sudo fresco map detect")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proved() -> ProvedMap {
        let map = BankMap::new(vec![1 << 13 | 1 << 17, 1 << 14], 0).expect("a map");
        ProvedMap::new(&map, "MAP", "fresco 0", "fresco map detect", Identity::default())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let proved = proved();
        let text = proved.to_text();
        let again = ProvedMap::parse(&text, "m").expect("as written");
        assert_eq!(again, proved);
        assert_eq!(again.map("m").expect("a map").functions(), [1 << 13 | 1 << 17, 1 << 14]);
    }

    #[test]
    fn other_files_are_refused_with_their_name() {
        let good = proved().to_text();
        for (text, found) in [
            ("{".to_owned(), "m:1: cannot read it"),
            (good.replace("map/1", "map/2"), "m: found the schema"),
            (good.replace("\"proof\"", "\"prof\""), "cannot read it"),
            (good.replace("0x4000", "0x+4000"), "m: found \"0x+4000\""),
            (good.replace("0x4000", "16384"), "m: found \"16384\""),
            (good.replace("0x4000", "0x0"), "m: "),
        ] {
            let read = ProvedMap::parse(&text, "m").and_then(|proved| proved.map("m"));
            let error = read.expect_err(found).to_string();
            assert!(error.contains(found), "{error}");
        }
    }

    #[test]
    fn a_spoilt_file_is_read_or_refused() {
        let good = proved().to_text().into_bytes();
        let (mut read, mut refused) = (0, 0);
        for place in 0..good.len() {
            for byte in [b'0', b'9', b'f', b'"', b'{', b']', b','] {
                let mut text = good.clone();
                text[place] = byte;
                let text = String::from_utf8(text).expect("ASCII");
                let Ok(spoilt) = ProvedMap::parse(&text, "m") else {
                    refused += 1;
                    continue;
                };
                read += 1;
                assert_eq!(ProvedMap::parse(&spoilt.to_text(), "m"), Ok(spoilt.clone()));
                if let Ok(map) = spoilt.map("m") {
                    assert!(!map.functions().contains(&0));
                }
            }
        }
        assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
    }
}
