// SPDX-License-Identifier: MIT OR Apache-2.0
//! What instructions do with registers and memory: as much as it takes to follow values.

pub mod a64;
mod a64_memory;
mod a64_vector;
pub mod leads;
pub mod x86;

use fresco_load::trace::ftrace::recorded::REGISTERS;

/// The architecture of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// x86-64.
    X86,
    /// AArch64.
    Arm,
}

impl Architecture {
    /// Its name in traces.
    pub fn name(self) -> &'static str {
        match self {
            Self::X86 => "x86-64",
            Self::Arm => "aarch64",
        }
    }

    /// Number of the stack pointer among its registers.
    pub fn stack_pointer(self) -> u8 {
        match self {
            Self::X86 => x86::RSP,
            Self::Arm => a64::SP,
        }
    }

    /// What each of the instructions of a block does; `code` are the bytes of each.
    pub fn decode(self, address: u64, code: &[&[u8]]) -> Vec<Effect> {
        match self {
            Self::X86 => x86::decode(address, code),
            Self::Arm => code.iter().map(|bytes| a64::effect(bytes)).collect(),
        }
    }
}

/// A set of registers: a bit each, below [`REGISTERS`].
pub type Registers = u64;

/// An address: base + index · scale + displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Number of the base register.
    pub base: Option<u8>,
    /// Number of the index register.
    pub index: Option<u8>,
    /// What the index is multiplied with.
    pub scale: u8,
    /// What is added.
    pub displacement: i64,
    /// What else it depends on, and stays the same throughout a block: the segment, extensions of the index. Different values mean
    /// nothing in common.
    pub space: u32,
}

impl Address {
    /// The registers it is made of.
    pub fn registers(&self) -> Registers {
        [self.base, self.index]
            .into_iter()
            .flatten()
            .fold(0, |set, register| set | 1 << register)
    }
}

/// What an instruction does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Address of its loads, if it loads.
    pub load: Option<Address>,
    /// Address of its stores, if it stores.
    pub store: Option<Address>,
    /// Vector registers that are part of the addresses (gathers).
    pub scattered: Registers,
    /// Bytes that are accessed at once: an emulator may do it in pieces. 0: pieces stay as they are.
    pub size: u8,
    /// It accesses no more bytes than these, once, whatever an emulator does: QEMU loads 16 bytes where a scalar fused multiply-add
    /// loads four or eight.
    pub no_more: bool,
    /// Its accesses are made whenever it is executed.
    pub certain: bool,
    /// It loads nothing, whatever an emulator does: a conditional store may be emulated as compare-and-exchange.
    pub loads_nothing: bool,
    /// What it stores derives from its load.
    pub stores_loaded: bool,
    /// Registers that it reads for results, and for data stored.
    pub data: Registers,
    /// Registers that it writes.
    pub writes: Registers,
    /// Those of them that keep a part of what they were.
    pub merges: Registers,
    /// Registers whose value derives from what another one's did; or that move on by themselves, by what is not known.
    pub copies: Vec<(u8, u8)>,
    /// Registers that become another one's value (or their own) plus a constant.
    pub steps: Vec<(u8, u8, i64)>,
}

const _: () = assert!(REGISTERS == 64);
