// SPDX-License-Identifier: GPL-2.0-or-later
//! Which functions of libraries the program calls: by addresses in its global offset table, which the loader has filled in.
//!
//! Names are those of the ELF specification (gABI, chapter 5, "Dynamic Section") and its supplements for x86-64 and AArch64.

use std::ffi::{CStr, c_char, c_int, c_void};

/// Tags of the dynamic section.
const PLTRELSZ: i64 = 2;
const STRTAB: i64 = 5;
const SYMTAB: i64 = 6;
const RELA: i64 = 7;
const RELASZ: i64 = 8;
const JMPREL: i64 = 23;

/// Kinds of relocations that are the address of a function: GLOB_DAT and JUMP_SLOT.
#[cfg(target_arch = "x86_64")]
const FUNCTIONS: [u32; 2] = [6, 7];
#[cfg(target_arch = "aarch64")]
const FUNCTIONS: [u32; 2] = [1025, 1026];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const FUNCTIONS: [u32; 2] = [u32::MAX; 2];

/// An entry of the dynamic section.
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

struct Search<'a> {
    name: &'a CStr,
    function: *const c_void,
    replaced: bool,
}

/// From here on the program that runs calls `function` where it called the function of this name of a library. False if it calls none by
/// that name.
///
/// # Safety
/// The function is of the same type, and does what the program expects; nobody else changes the table.
pub unsafe fn replace(name: &CStr, function: *const c_void) -> bool {
    let mut search = Search {
        name,
        function,
        replaced: false,
    };
    // SAFETY: the call ends before `search` does.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.replaced
}

/// The program itself comes first.
unsafe extern "C" fn look(about: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: as the loader says, and as `replace` gives it.
    unsafe {
        let (about, search) = (&*about, &mut *search.cast::<Search<'_>>());
        let headers = std::slice::from_raw_parts(about.dlpi_phdr, about.dlpi_phnum.into());
        if let Some(dynamic) = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC) {
            search.in_section((about.dlpi_addr + dynamic.p_vaddr) as *const Dynamic, about.dlpi_addr);
        }
        1
    }
}

impl Search<'_> {
    /// # Safety
    /// It is the dynamic section of a program that is loaded at `base`.
    unsafe fn in_section(&mut self, section: *const Dynamic, base: u64) {
        // SAFETY: as the caller says; the section ends with tag 0, and the loader has put addresses into it.
        unsafe {
            let value = |tag: i64| {
                let entries = (0..).map(|at| &*section.add(at)).take_while(|entry| entry.tag != 0);
                entries
                    .into_iter()
                    .find(|entry| entry.tag == tag)
                    .map_or(0, |entry| entry.value)
            };
            let (symbols, strings) = (value(SYMTAB) as *const libc::Elf64_Sym, value(STRTAB) as *const c_char);
            for (table, bytes) in [(RELA, RELASZ), (JMPREL, PLTRELSZ)] {
                let table = value(table) as *const libc::Elf64_Rela;
                let count = value(bytes) as usize / size_of::<libc::Elf64_Rela>();
                for at in 0..count {
                    let relocation = &*table.add(at);
                    let (symbol, kind) = ((relocation.r_info >> 32) as usize, relocation.r_info as u32);
                    if !FUNCTIONS.contains(&kind) {
                        continue;
                    }
                    let name = CStr::from_ptr(strings.add((*symbols.add(symbol)).st_name as usize));
                    if name == self.name {
                        self.replaced |= write((base + relocation.r_offset) as *mut *const c_void, self.function);
                    }
                }
            }
        }
    }
}

/// Writes a place that may not be written as it is. False if it cannot be.
///
/// # Safety
/// It is a place of the global offset table.
unsafe fn write(place: *mut *const c_void, function: *const c_void) -> bool {
    // SAFETY: as the caller says.
    unsafe {
        let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let first = place as usize / page * page;
        if libc::mprotect(first as *mut c_void, page, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            return false;
        }
        std::ptr::write_volatile(place, function);
        true
    }
}
