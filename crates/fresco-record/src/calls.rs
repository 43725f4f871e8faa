// SPDX-License-Identifier: MIT OR Apache-2.0
//! System calls that change what memory is for, or that make others of a program.

use crate::decode::Architecture;
use crate::memory::Memory;
use fresco_load::trace::ftrace::recorded::Kind;

/// What a call is, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Brk,
    Map,
    Unmap,
    Remap,
    Clone,
    Fork,
    Execute,
    Other,
}

fn call(architecture: Architecture, number: u64) -> Call {
    match (architecture, number) {
        (Architecture::X86, 12) | (Architecture::Arm, 214) => Call::Brk,
        (Architecture::X86, 9) | (Architecture::Arm, 222) => Call::Map,
        (Architecture::X86, 11) | (Architecture::Arm, 215) => Call::Unmap,
        (Architecture::X86, 25) | (Architecture::Arm, 216) => Call::Remap,
        (Architecture::X86, 56) | (Architecture::Arm, 220) => Call::Clone,
        (Architecture::X86, 57 | 58) => Call::Fork,
        (Architecture::X86, 59 | 322) | (Architecture::Arm, 221 | 281) => Call::Execute,
        _ => Call::Other,
    }
}

/// Flags of mmap, the same on both architectures.
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x20;
const STACK: u64 = 0x2_0000;
const GROWS_DOWN: u64 = 0x100;
const EXECUTABLE: u64 = 4;
/// Of clone: the same memory.
const SHARES_MEMORY: u64 = 0x100;
/// Of clone: the parent waits for the child to execute another program; QEMU copies the process.
const VFORK: u64 = 0x4000;
/// Results from here on are numbers of errors.
const ERRORS: u64 = -4095i64 as u64;

fn up(bytes: u64) -> u64 {
    bytes.saturating_add(0xfff) & !0xfff
}

/// A system call that is under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pending {
    number: u64,
    arguments: [u64; 6],
}

/// What a call turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Nothing that matters.
    Nothing,
    /// Another process was made.
    Child,
}

impl Pending {
    /// A call begins.
    pub fn new(number: u64, arguments: [u64; 6]) -> Self {
        Self { number, arguments }
    }

    /// Returns true if the thread asks for another program in place of this one.
    pub fn executes(&self, architecture: Architecture) -> bool {
        call(architecture, self.number) == Call::Execute
    }

    /// The call is over.
    pub fn over(&self, architecture: Architecture, result: u64, memory: &mut Memory) -> Made {
        let [a, b, c, d, ..] = self.arguments;
        if result >= ERRORS {
            return Made::Nothing;
        }
        match call(architecture, self.number) {
            Call::Brk => memory.brk(up(result)),
            Call::Map => map(memory, result, up(b), c, d),
            Call::Unmap => memory.remove(a, a.saturating_add(up(b))),
            Call::Remap => {
                let kind = memory.kind(a);
                memory.remove(a, a.saturating_add(up(b)));
                memory.insert(result, result.saturating_add(up(c)), kind);
            }
            Call::Fork if result > 0 => return Made::Child,
            Call::Clone if result > 0 && (a & SHARES_MEMORY == 0 || a & VFORK != 0) => return Made::Child,
            _ => {}
        }
        Made::Nothing
    }
}

fn map(memory: &mut Memory, at: u64, bytes: u64, protection: u64, flags: u64) {
    let end = at.saturating_add(bytes);
    let inside = memory
        .interval(at)
        .filter(|(_, last, _)| flags & FIXED != 0 && end <= *last);
    let kind = match (flags & ANONYMOUS != 0, inside) {
        // A piece of a library: its data, or what its file has no bytes for.
        (_, Some((_, _, Kind::Library))) => Kind::Library,
        // The first piece of a file that is executed: all that was mapped with it is a library.
        (false, Some((first, last, Kind::File))) if protection & EXECUTABLE != 0 => {
            memory.insert(first, last, Kind::Library);
            return;
        }
        (false, _) if protection & EXECUTABLE != 0 => Kind::Library,
        (false, _) => Kind::File,
        (true, _) if flags & (STACK | GROWS_DOWN) != 0 => Kind::Stack,
        (true, _) => Kind::Mapping,
    };
    memory.insert(at, end, kind);
}

#[cfg(test)]
mod tests {
    use super::*;

    const X86: Architecture = Architecture::X86;

    fn done(memory: &mut Memory, number: u64, arguments: [u64; 6], result: u64) -> Made {
        Pending::new(number, arguments).over(X86, result, memory)
    }

    #[test]
    fn a_library_is_what_a_loader_maps_piece_by_piece() {
        let mut memory = Memory::default();
        let private = 2;
        done(&mut memory, 9, [0, 0x5000, 1, private, 3, 0], 0x10000);
        assert_eq!(memory.kind(0x12000), Kind::File);
        done(
            &mut memory,
            9,
            [0x11000, 0x2000, 5, private | FIXED, 3, 0x1000],
            0x11000,
        );
        done(
            &mut memory,
            9,
            [0x13000, 0x1000, 3, private | FIXED, 3, 0x3000],
            0x13000,
        );
        done(
            &mut memory,
            9,
            [0x14000, 0x1000, 3, private | FIXED | ANONYMOUS, u64::MAX, 0],
            0x14000,
        );
        for page in 0x10..0x15 {
            assert_eq!(memory.kind(page << 12), Kind::Library, "page {page:#x}");
        }
    }

    #[test]
    fn heap_stacks_and_mappings() {
        let mut memory = Memory::default();
        done(&mut memory, 12, [0; 6], 0x50_0000);
        done(&mut memory, 12, [0x52_1000, 0, 0, 0, 0, 0], 0x52_1000);
        done(&mut memory, 9, [0, 0x1_0001, 3, 2 | ANONYMOUS, u64::MAX, 0], 0x70_0000);
        done(
            &mut memory,
            9,
            [0, 0x1000, 3, 2 | ANONYMOUS | STACK, u64::MAX, 0],
            0x80_0000,
        );
        let kinds = [0x52_0fff, 0x52_1000, 0x71_0fff, 0x80_0000].map(|at| memory.kind(at));
        assert_eq!(kinds, [Kind::Heap, Kind::Other, Kind::Mapping, Kind::Stack]);
        // Moved and made larger; then half of it is given back; what fails changes nothing.
        done(&mut memory, 25, [0x70_0000, 0x1_1000, 0x2_0000, 1, 0, 0], 0x90_0000);
        done(&mut memory, 11, [0x91_0000, 0x1_0000, 0, 0, 0, 0], 0);
        done(&mut memory, 11, [0x90_0000, 0x1_0000, 0, 0, 0, 0], -22i64 as u64);
        let kinds = [0x70_0000, 0x90_ffff, 0x91_0000].map(|at| memory.kind(at));
        assert_eq!(kinds, [Kind::Other, Kind::Mapping, Kind::Other]);
    }

    #[test]
    fn threads_are_no_children() {
        let mut memory = Memory::default();
        assert_eq!(done(&mut memory, 56, [0x3d_0f00, 0, 0, 0, 0, 0], 77), Made::Nothing);
        assert_eq!(done(&mut memory, 56, [0x120_0011, 0, 0, 0, 0, 0], 77), Made::Child);
        assert_eq!(done(&mut memory, 57, [0; 6], 77), Made::Child);
        assert!(Pending::new(59, [0; 6]).executes(X86) && !Pending::new(59, [0; 6]).executes(Architecture::Arm));
    }
}
