// SPDX-License-Identifier: GPL-2.0-or-later
//! Which instructions order threads: the atomic ones. Their bytes are looked at no further than that.

/// The architecture of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guest {
    /// x86-64.
    X86,
    /// AArch64.
    Arm,
}

impl Guest {
    /// The one that QEMU calls so.
    pub fn of(name: &[u8]) -> Option<Self> {
        match name {
            b"x86_64" => Some(Self::X86),
            b"aarch64" => Some(Self::Arm),
            _ => None,
        }
    }

    /// Numbers of the system calls clone, exit and futex.
    pub fn calls(self) -> [i64; 3] {
        match self {
            Self::X86 => [56, 60, 202],
            Self::Arm => [220, 93, 98],
        }
    }

    /// Which argument of clone is the word that the kernel clears, and wakes, at the end of the thread.
    pub fn cleared(self) -> usize {
        match self {
            Self::X86 => 3,
            Self::Arm => 4,
        }
    }

    /// Returns true if the instruction is atomic.
    pub fn is_atomic(self, bytes: &[u8]) -> bool {
        match self {
            Self::X86 => {
                let prefix = |byte: &&u8| {
                    matches!(
                        byte,
                        0xf0 | 0xf2 | 0xf3 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 | 0x66 | 0x67
                    )
                };
                let prefixes = bytes.iter().take_while(prefix).count();
                if bytes[..prefixes].contains(&0xf0) {
                    return true;
                }
                // xchg with memory is so without a prefix; after the prefixes there may be a REX.
                let rest = &bytes[prefixes..];
                let opcode = rest.iter().find(|byte| **byte & 0xf0 != 0x40);
                matches!(opcode, Some(0x86 | 0x87))
            }
            Self::Arm => {
                let word = bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
                // Exclusive, acquire, release and compare-and-swap: C4.1.94, "load/store exclusive, ordered, compare and swap";
                // atomic memory operations: size 111 0 00 A R 1 Rs o3 opc 00.
                word & 0x3f00_0000 == 0x0800_0000 || word & 0x3f20_0c00 == 0x3820_0000
            }
        }
    }
}
