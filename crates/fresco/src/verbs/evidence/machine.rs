// SPDX-License-Identifier: MIT OR Apache-2.0
//! The machine: functions of its map, and how it is known that these are its functions (`--map`).

use super::facts::{FunctionFacts, MachineFacts, MapFacts};
use super::subject::Subject;
use fresco_dram::gf2::{bits_of, low_mask, rank};
use fresco_dram::map::xor_text;
use fresco_input::{InputError, file_name, read_file};
use fresco_linux::probe::ProvedMap;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The copy of the record in the folder.
pub const RECORD: &str = "map.json";

/// What there is to say of the machine.
///
/// # Errors
/// The record of its map is none, or of another map.
pub fn of(subject: &mut Subject, record: Option<&Path>) -> Result<MachineFacts, InputError> {
    let map_evidence = match record {
        Some(path) => proved(path, subject)?,
        None => published(subject),
    };
    let machine = &subject.model;
    let page = low_mask(machine.page_bytes.trailing_zeros());
    let mut functions = Vec::new();
    for region in machine.memory.map.regions() {
        for (name, mask) in region.functions.selectors() {
            let facts = FunctionFacts {
                selects: name.to_string(),
                function: xor_text(mask),
                within_page: bits_of(mask & page).collect(),
            };
            if !functions
                .iter()
                .any(|known: &FunctionFacts| known.selects == facts.selects)
            {
                functions.push(facts);
            }
        }
    }
    let mut color_bits = Vec::new();
    for part in subject.space.parts() {
        for bit in subject.space.color_bits(part.first_color) {
            let text = bit.to_string();
            if !color_bits.contains(&text) {
                color_bits.push(text);
            }
        }
    }
    Ok(MachineFacts {
        name: machine.name.clone(),
        title: machine.title.clone(),
        file: subject.copies.machine_copy.clone(),
        digest: machine.text_digest.clone(),
        changes: subject
            .machine
            .changes
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect(),
        page_bytes: machine.page_bytes,
        functions,
        color_bits,
        map_evidence,
        sources: machine.sources.clone(),
        assumptions: machine.assumptions.clone(),
    })
}

fn published(subject: &Subject) -> MapFacts {
    let found = match subject.model.sources.is_empty() {
        true => "the machine's file gives no source: the map is an assumption",
        false => "the machine's file has it from the published sources that it names; no machine was asked",
    };
    MapFacts {
        from: "published".to_owned(),
        file: None,
        verdict: None,
        found: found.to_owned(),
        on_hardware: false,
    }
}

/// A record of `fresco map verify` or `fresco map detect`, or the map that the latter kept.
fn proved(path: &Path, subject: &mut Subject) -> Result<MapFacts, InputError> {
    let name = file_name(path);
    let text = read_file(path)?;
    let wrong = |field: &str, found: String, allowed: &str| {
        InputError::new(name.clone(), found)
            .in_field(field)
            .allowed(allowed)
            .help("write it with `fresco map verify --json`, of the machine of the scenario")
    };
    let record: Value = serde_json::from_str(&text).map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(0);
        wrong(
            "--map",
            format!("found no record: {error}"),
            "JSON of `fresco map verify` or `map detect`",
        )
        .at_line(line)
    })?;
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (data, schema) = (&record["data"], word(&record["schema"]));
    let own: BTreeSet<u64> = own_functions(subject);
    let same = |found: Result<Vec<u64>, String>, field: &str| match found {
        Ok(found) if spans_equal(&own, &found) => Ok(()),
        Ok(found) => {
            let text = |masks: &mut dyn Iterator<Item = u64>| masks.map(xor_text).collect::<Vec<_>>().join(", ");
            let allowed = format!(
                "functions that tell the same banks apart as {}",
                text(&mut own.iter().copied())
            );
            Err(wrong(
                field,
                format!("found {}", text(&mut found.into_iter())),
                &allowed,
            ))
        }
        Err(found) => Err(wrong(field, found, "functions as hexadecimal masks")),
    };
    let (verdict, memory, simulated, confirmed) = match schema.as_str() {
        "fresco-map-verify/1" => {
            let files = record["provenance"]["machine_files"].as_array().into_iter().flatten();
            let named: Vec<String> = files.map(|file| word(&file["digest"])).collect();
            let original = subject.digest_of_map();
            if !named.contains(&original) {
                let allowed = format!("a record of the machine with digest {original}");
                return Err(wrong(
                    "provenance.machine_files",
                    format!("found {}", named.join(", ")),
                    &allowed,
                ));
            }
            let judgement = word(&data["judgement"]);
            let confirmed = judgement.eq_ignore_ascii_case("confirmed");
            (judgement, word(&data["memory"]), data["simulated"].as_bool(), confirmed)
        }
        "fresco-map-detect/1" => {
            same(masks(&data["functions"]["masks"]), "data.functions.masks")?;
            let defended = data["functions"]["defended"].as_bool().unwrap_or(false);
            (
                word(&data["verdict"]),
                word(&data["machine"]),
                data["simulated"].as_bool(),
                defended,
            )
        }
        "fresco-proved-map/1" => {
            let kept = ProvedMap::parse(&text, &name)?;
            same(Ok(kept.map(&name)?.functions().to_vec()), "functions")?;
            (
                kept.proof,
                "the machine that `fresco map detect` ran on".to_owned(),
                Some(false),
                true,
            )
        }
        other => {
            return Err(wrong(
                "schema",
                format!("found {other:?}"),
                "fresco-map-verify/1, fresco-map-detect/1 or fresco-proved-map/1",
            ));
        }
    };
    if !confirmed {
        return Err(wrong(
            "data",
            format!("found the verdict {verdict}"),
            "a record that confirms the map",
        ));
    }
    let simulated = simulated.unwrap_or(true);
    subject.copies.add(
        RECORD,
        text.into_bytes(),
        "how the address map was proven, as it was given",
    );
    subject.read.push(path.to_owned());
    let place = if simulated {
        "a simulation of the memory"
    } else {
        "hardware"
    };
    Ok(MapFacts {
        from: schema,
        file: Some(RECORD.to_owned()),
        found: format!("{verdict} on {place}: {memory}"),
        verdict: Some(verdict),
        on_hardware: !simulated,
    })
}

/// Functions that select a bank, of all regions.
fn own_functions(subject: &Subject) -> BTreeSet<u64> {
    let regions = subject.model.memory.map.regions().iter();
    regions
        .flat_map(|region| region.functions.selectors().map(|(_, mask)| mask))
        .collect()
}

fn masks(value: &Value) -> Result<Vec<u64>, String> {
    let list = value.as_array().ok_or("found no masks")?;
    let mask = |value: &Value| {
        let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
        let mask = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        mask.ok_or_else(|| format!("found {value}"))
    };
    list.iter().map(mask).collect()
}

/// Whether functions tell the same banks apart: each of one is a sum of the other's.
fn spans_equal(a: &BTreeSet<u64>, b: &[u64]) -> bool {
    let a: Vec<u64> = a.iter().copied().collect();
    let both: Vec<u64> = a.iter().chain(b).copied().collect();
    rank(&a) == rank(&both) && rank(b) == rank(&both)
}

#[cfg(test)]
mod tests {
    use super::spans_equal;
    use std::collections::BTreeSet;

    #[test]
    fn sums_of_functions_tell_the_same_banks_apart() {
        let own = BTreeSet::from([0b011, 0b110]);
        assert!(spans_equal(&own, &[0b101, 0b110]));
        assert!(!spans_equal(&own, &[0b101]));
        assert!(!spans_equal(&own, &[0b001, 0b110]));
    }
}
