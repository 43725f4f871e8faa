// SPDX-License-Identifier: GPL-2.0-or-later
//! Ends the program where the part ends that is to be recorded, and what it made when the recorder says so, or is gone.

use crate::{PLUGIN, Plugin, qemu, slot};
use fresco_ring::event::BLOCK;
use std::ffi::{c_uint, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// In the word about a block: where its instructions stand, and the bits of one with which the part begins, or before which it ends. Below
/// is its number.
const INSTRUCTIONS: u32 = 32;
const FROM: u64 = 1 << 48;
const TO: u64 = 1 << 49;

/// What [`on_block`] is to know of a block with so many instructions at `address`.
pub fn word(plugin: &Plugin, number: u64, address: u64, instructions: usize) -> u64 {
    // SAFETY: a function without arguments.
    let place = Some(address.wrapping_sub(unsafe { qemu::qemu_plugin_start_code() }));
    let part = plugin.until.part();
    let bit = |is: bool, bit| if is { bit } else { 0 };
    number | (instructions as u64) << INSTRUCTIONS | bit(part.from == place, FROM) | bit(part.to == place, TO)
}

/// As `on_block` of the plugin, where the program is to be ended somewhere.
pub unsafe extern "C" fn on_block(thread: c_uint, word: *mut c_void) {
    let Some(plugin) = PLUGIN.get() else { return };
    let word = word as u64;
    let instructions = word >> INSTRUCTIONS & 0xffff;
    if plugin.until.ends_before(instructions, word & FROM != 0, word & TO != 0) {
        end(plugin);
    }
    plugin.ring.push(slot(thread), BLOCK | word & 0xffff_ffff);
}

/// Ends the program, all threads of it; status 0, for this is what was asked for.
fn end(plugin: &Plugin) -> ! {
    plugin.ring.enough();
    // SAFETY: ends the process. What the emulator would do at its exit is of no use.
    unsafe { libc::_exit(0) }
}

/// The program itself; a process that it made; one that would see the recorder, and so sees that it is gone.
const PROGRAM: u8 = 0;
const CHILD: u8 = 1;
const WATCHING: u8 = 2;
static PROCESS: AtomicU8 = AtomicU8::new(PROGRAM);

/// The namespace of processes of this one, as the kernel names it.
pub fn namespace() -> Option<PathBuf> {
    std::fs::read_link("/proc/self/ns/pid").ok()
}

/// Of a process that the program made, which is not recorded.
pub fn in_child(plugin: &Plugin) {
    plugin.until.forget();
    // It may have died during the fork: who has not left its namespace of processes would see it.
    let would_see = || plugin.ring.sees_reader() || namespace() == plugin.namespace;
    let watches = PROCESS.load(Relaxed) != CHILD && would_see();
    PROCESS.store(if watches { WATCHING } else { CHILD }, Relaxed);
}

/// Before a system call: a process ends here that is to, instead of waiting in it, or of making others.
#[inline]
pub fn before_call(plugin: &Plugin) {
    let process = PROCESS.load(Relaxed);
    if process == PROGRAM {
        if plugin.until.is_over() {
            end(plugin);
        }
    } else if plugin.ring.is_over() || process == WATCHING && !plugin.ring.sees_reader() {
        // As if it had been found and killed. SAFETY: ends the process.
        unsafe { libc::_exit(128 + libc::SIGKILL) };
    }
}
