// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a block of instructions does, said once for all its runs.

use super::bytes::Bytes;
use super::changes::Changes;
use super::fetch::Code;
use crate::trace::ftrace::varint::{put, unzigzag, zigzag};

/// Registers whose values can be followed.
pub const REGISTERS: usize = 64;
/// Instructions of a block, at most (those of QEMU's translation blocks).
pub const MOST_INSTRUCTIONS: u16 = 512;
/// Accesses of a block, at most: an instruction may have dozens (state of the vector unit).
pub const MOST_SITES: usize = 4096;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Source {
    /// The latest load of the block that it derives from: its place among the accesses plus one; 0: none.
    pub load: u16,
    /// Registers at the begin of the block that it derives from. Without meaning if there is a load, which is later than all of
    /// theirs.
    pub entry: u64,
}

/// One access of each run of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// Which instruction of the block makes it, from 0 on; in ascending order.
    pub instruction: u16,
    /// Bytes, 1 to 64.
    pub size: u8,
    /// A store.
    pub write: bool,
    /// What its address derives from.
    pub address: Source,
    /// What a store's data derive from.
    pub data: Source,
    /// Most often its address is that of an access before it in the block, which has this place plus one, and so much more; 0: it
    /// is not known to be.
    pub beside: u16,
    /// How much more, modulo 2^64.
    pub distance: u64,
}

/// A block: what each of its runs does, in one go. Where a block of the program does now this and now that, it is several.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Block {
    /// Address of its first instruction.
    pub address: u64,
    /// Instructions that are executed, 1 to [`MOST_INSTRUCTIONS`].
    pub instructions: u16,
    /// The accesses, in their order.
    pub sites: Vec<Site>,
    /// Registers that are changed.
    pub changed: Changes,
    /// Where its instructions lie, in traces with fetches.
    pub code: Option<Box<Code>>,
}

fn put_source(out: &mut Vec<u8>, source: Source) {
    put(out, u64::from(source.load));
    if source.load == 0 {
        put(out, source.entry);
    }
}

fn source(bytes: &mut Bytes<'_>, sites: &[Site]) -> Result<Source, String> {
    let load = bytes.below(sites.len() as u64 + 1, "a load")? as u16;
    if load == 0 {
        return Ok(Source {
            load,
            entry: bytes.integer()?,
        });
    }
    match sites[usize::from(load) - 1].write {
        false => Ok(Source { load, entry: 0 }),
        true => Err(format!("a value of store {load}")),
    }
}

impl Block {
    /// Appends it to `out`, with what `fetches` need; `before` is the address of the block defined before.
    pub(super) fn put(&self, before: u64, fetches: bool, out: &mut Vec<u8>) {
        put(out, zigzag(self.address.wrapping_sub(before)));
        put(out, u64::from(self.instructions));
        put(out, self.sites.len() as u64);
        let mut last = 0;
        for site in &self.sites {
            put(out, u64::from(site.instruction - last));
            last = site.instruction;
            out.push(site.size << 1 | u8::from(site.write));
            put_source(out, site.address);
            if site.write {
                put_source(out, site.data);
            }
            put(out, u64::from(site.beside));
            if site.beside > 0 {
                put(out, zigzag(site.distance));
            }
        }
        put(out, self.changed.all().len() as u64);
        for (register, source) in self.changed.all() {
            out.push(*register);
            put_source(out, *source);
        }
        match &self.code {
            Some(code) if fetches => code.put(out),
            None if fetches => put(out, 0),
            _ => {}
        }
    }

    /// Reads one, with what `fetches` need.
    pub(super) fn get(before: u64, fetches: bool, bytes: &mut Bytes<'_>) -> Result<Self, String> {
        let address = before.wrapping_add(unzigzag(bytes.integer()?));
        let instructions = bytes.below(u64::from(MOST_INSTRUCTIONS) + 1, "a number of instructions")? as u16;
        let count = bytes.below(MOST_SITES as u64 + 1, "a number of accesses")? as usize;
        let mut sites: Vec<Site> = Vec::with_capacity(count.min(bytes.left()));
        let mut instruction = 0;
        for place in 0..count {
            instruction += bytes.below(u64::from(instructions).saturating_sub(instruction), "an instruction")?;
            let word = bytes.byte()?;
            let (size, write) = (word >> 1, word & 1 == 1);
            if !(1..=64).contains(&size) {
                return Err(format!("an access of {size} bytes"));
            }
            let from = source(bytes, &sites)?;
            let data = if write {
                source(bytes, &sites)?
            } else {
                Source::default()
            };
            let beside = bytes.below(place as u64 + 1, "an access beside")? as u16;
            let distance = if beside > 0 { unzigzag(bytes.integer()?) } else { 0 };
            sites.push(Site {
                instruction: instruction as u16,
                size,
                write,
                address: from,
                data,
                beside,
                distance,
            });
        }
        let count = bytes.below(REGISTERS as u64 + 1, "a number of registers")?;
        let mut changed: Vec<(u8, Source)> = Vec::with_capacity(count as usize);
        for _ in 0..count {
            let register = bytes.byte()?;
            if usize::from(register) >= REGISTERS {
                return Err(format!("register {register}"));
            }
            if changed.last().is_some_and(|(before, _)| *before >= register) {
                return Err(format!("register {register} after one that is no lower"));
            }
            changed.push((register, source(bytes, &sites)?));
        }
        if instructions == 0 {
            return Err("a block without instructions".into());
        }
        let code = match fetches {
            true => Code::get(address, instructions, bytes)?.map(Box::new),
            false => None,
        };
        Ok(Self {
            address,
            instructions,
            sites,
            changed: changed.into(),
            code,
        })
    }
}
