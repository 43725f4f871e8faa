// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of a point, packed: texts once, numbers in as few bytes as they need.
//!
//! All integers are LEB128. First the number of texts, and each with its length in bytes; then for each table that the sweep keeps, in the
//! order of [`fresco_tidy::NAMES`], the number of its runs, and of each run how many values its rows share, these, how many values
//! follow, and these. A value is a byte and what belongs to it: 0 missing, 1 text (its number), 2 integer (zigzag), 3 number (eight bytes,
//! little endian), 4 true, 5 false.

use fresco_report::dataset::Value;
use fresco_tidy::Tables;
use std::collections::HashMap;
use std::sync::Arc;

/// The rows of a run in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Values that all rows share: those of the run.
    pub shared: Vec<Value>,
    /// Their own, row by row.
    pub values: Vec<Value>,
}

/// Rows by table, in the order of the sweep's tables.
pub type Blocks = Vec<Vec<Block>>;

/// Packs the tables of these names.
pub fn pack(tables: &Tables, names: &[&str]) -> Vec<u8> {
    let mut packer = Packer::default();
    for table in tables.all().into_iter().filter(|table| names.contains(&table.name)) {
        packer.integer(table.blocks().count() as u64);
        for (shared, values) in table.blocks() {
            for part in [shared, values] {
                packer.integer(part.len() as u64);
                part.iter().for_each(|value| packer.value(value));
            }
        }
    }
    packer.finish()
}

#[derive(Default)]
struct Packer {
    texts: Vec<u8>,
    numbers: HashMap<Arc<str>, u64>,
    names: HashMap<&'static str, u64>,
    bytes: Vec<u8>,
}

fn leb128(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

impl Packer {
    fn integer(&mut self, number: u64) {
        leb128(number, &mut self.bytes);
    }

    /// The number of a text, which is new.
    fn add(&mut self, text: &str) -> u64 {
        leb128(text.len() as u64, &mut self.texts);
        self.texts.extend_from_slice(text.as_bytes());
        (self.names.len() + self.numbers.len()) as u64
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Missing => self.bytes.push(0),
            Value::Name(name) => {
                let number = self.names.get(name).copied();
                let number = number.unwrap_or_else(|| {
                    let number = self.add(name);
                    self.names.insert(name, number);
                    number
                });
                self.bytes.push(1);
                self.integer(number);
            }
            Value::Text(text) => {
                let number = self.numbers.get(text).copied();
                let number = number.unwrap_or_else(|| {
                    let number = self.add(text);
                    self.numbers.insert(Arc::clone(text), number);
                    number
                });
                self.bytes.push(1);
                self.integer(number);
            }
            Value::Integer(integer) => {
                self.bytes.push(2);
                self.integer(((integer << 1) ^ (integer >> 63)) as u64);
            }
            Value::Number(number) => {
                self.bytes.push(3);
                self.bytes.extend_from_slice(&number.to_le_bytes());
            }
            Value::Truth(truth) => self.bytes.push(if *truth { 4 } else { 5 }),
        }
    }

    fn finish(self) -> Vec<u8> {
        let mut packed = Vec::with_capacity(self.texts.len() + self.bytes.len() + 4);
        leb128((self.names.len() + self.numbers.len()) as u64, &mut packed);
        packed.extend_from_slice(&self.texts);
        packed.extend_from_slice(&self.bytes);
        packed
    }
}

/// Takes packed rows apart: so many tables. `None` if these bytes are something else.
pub fn unpack(bytes: &[u8], tables: usize) -> Option<Blocks> {
    let mut rest = bytes;
    let texts = (0..integer(&mut rest)?)
        .map(|_| text(&mut rest))
        .collect::<Option<Vec<_>>>()?;
    let mut all = Vec::with_capacity(tables);
    for _ in 0..tables {
        let runs = integer(&mut rest)?;
        let block = |_| {
            let mut part = || {
                let values = integer(&mut rest)?;
                (0..values)
                    .map(|_| value(&mut rest, &texts))
                    .collect::<Option<Vec<_>>>()
            };
            Some(Block {
                shared: part()?,
                values: part()?,
            })
        };
        all.push((0..runs).map(block).collect::<Option<Vec<_>>>()?);
    }
    rest.is_empty().then_some(all)
}

fn integer(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (first, others) = rest.split_first()?;
        *rest = others;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn text(rest: &mut &[u8]) -> Option<Arc<str>> {
    let length = usize::try_from(integer(rest)?).ok()?;
    let (text, others) = rest.split_at_checked(length)?;
    *rest = others;
    Some(std::str::from_utf8(text).ok()?.into())
}

fn value(rest: &mut &[u8], texts: &[Arc<str>]) -> Option<Value> {
    let (kind, others) = rest.split_first()?;
    *rest = others;
    Some(match kind {
        0 => Value::Missing,
        1 => Value::Text(Arc::clone(texts.get(usize::try_from(integer(rest)?).ok()?)?)),
        2 => {
            let number = integer(rest)?;
            Value::Integer((number >> 1) as i64 ^ -((number & 1) as i64))
        }
        3 => {
            let (bytes, others) = rest.split_first_chunk::<8>()?;
            *rest = others;
            Value::finite(f64::from_le_bytes(*bytes))
        }
        4 => Value::Truth(true),
        5 => Value::Truth(false),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngCore, SeedableRng};
    use rand_pcg::Pcg64;

    fn packed() -> (Vec<u8>, Tables) {
        let scenario = fresco_scenario::builtin(
            "first",
            &[
                "repetitions=2".to_owned(),
                "task.victim.parameters.bytes=64KiB".to_owned(),
                "sweep.corunners=[0]".to_owned(),
                "measure.operations=500".to_owned(),
            ],
        );
        let result = fresco_system::run_all(&scenario.expect("built in"), 1, &|_| {}).expect("runs");
        let tables = fresco_tidy::scenarios(&[result]).expect("tables");
        (pack(&tables, &fresco_tidy::NAMES), tables)
    }

    /// As they are read back: names have become texts.
    fn read_back(value: &Value) -> Value {
        match value {
            Value::Name(name) => Value::from(*name),
            other => other.clone(),
        }
    }

    #[test]
    fn what_is_packed_comes_out_again() {
        let (bytes, tables) = packed();
        let blocks = unpack(&bytes, 5).expect("these bytes");
        for (blocks, table) in blocks.iter().zip(tables.all()) {
            let expected: Vec<Block> = table
                .blocks()
                .map(|(shared, values)| Block {
                    shared: shared.iter().map(read_back).collect(),
                    values: values.iter().map(read_back).collect(),
                })
                .collect();
            assert_eq!(*blocks, expected, "{}", table.name);
        }
        assert_eq!(blocks[0].len(), 4, "two repetitions, with two choices of banks");
        let some = unpack(&pack(&tables, &["observations"]), 1).expect("these bytes");
        assert_eq!(some[0], blocks[0]);
    }

    #[test]
    fn other_bytes_are_refused_and_never_panic() {
        let (bytes, _) = packed();
        assert_eq!(unpack(&bytes[..bytes.len() - 1], 5), None);
        assert_eq!(unpack(&[&bytes[..], &[0]].concat(), 5), None);
        assert_eq!(unpack(&[], 1), None);
        let mut rng = Pcg64::seed_from_u64(1);
        for _ in 0..2000 {
            let mut spoilt = bytes.clone();
            let place = rng.next_u64() as usize % spoilt.len().min(400);
            spoilt[place] = rng.next_u64() as u8;
            let _ = unpack(&spoilt, 5);
        }
    }
}
