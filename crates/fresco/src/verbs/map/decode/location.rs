// SPDX-License-Identifier: MIT OR Apache-2.0
//! A place as a user writes it: `node=0,channel=1,bank=3,row=100`.

use super::addresses::number;
use crate::verbs::map::source::{Map, Source};
use fresco_dram::Location;
use fresco_dram::map::Field;
use fresco_input::{InputError, closest};

/// The fields as machine files name them.
const FIELDS: [(&str, Field); 7] = [
    ("node", Field::Node),
    ("channel", Field::Channel),
    ("rank", Field::Rank),
    ("bank_group", Field::BankGroup),
    ("bank", Field::Bank),
    ("row", Field::Row),
    ("column", Field::Column),
];

/// The physical address of the place that `text` describes; fields left out are 0.
pub fn encode(text: &str, source: &Source) -> Result<u64, InputError> {
    let Map::Machine(machine) = &source.map else {
        return Err(InputError::new("--encode", "found a map of bank functions alone")
            .allowed("the map of a machine")
            .help("name one with --machine: rows and columns are not in this file"));
    };
    let map = &machine.memory.map;
    let mut location = Location::default();
    let mut given = Vec::new();
    for part in text.split(',') {
        let (field, value) = assignment(part)?;
        let count = field.count(map.organisation());
        if given.contains(&field) {
            return Err(InputError::new("--encode", format!("found a second {field}"))
                .allowed("each field once")
                .help("remove one"));
        }
        given.push(field);
        match u32::try_from(value).ok().filter(|&value| value < count) {
            Some(value) => field.set(&mut location, value),
            None => {
                return Err(InputError::new("--encode", format!("found {field} {value}"))
                    .allowed(format!("0 to {}, the {field}s of {}", count - 1, machine.name))
                    .help("choose one that exists"));
            }
        }
    }
    Ok(map.encode(&location).0)
}

fn assignment(part: &str) -> Result<(Field, u64), InputError> {
    let names = FIELDS.map(|(name, _)| name);
    let fault = |help: String| {
        let shown: String = part.chars().take(40).collect();
        InputError::new("--encode", format!("found {shown:?}"))
            .allowed(format!("FIELD=NUMBER, the field one of {}", names.join(", ")))
            .help(help)
    };
    let Some((name, value)) = part.split_once('=') else {
        return Err(fault("write it as in bank=3,row=100".to_owned()));
    };
    let Some((_, field)) = FIELDS.into_iter().find(|(known, _)| *known == name) else {
        return Err(fault(match closest(name, names) {
            Some(near) => format!("did you mean {near}?"),
            None => "choose one of these fields".to_owned(),
        }));
    };
    let value = number(value).ok_or_else(|| fault("write a whole number behind the equals sign".to_owned()))?;
    Ok((field, value))
}
