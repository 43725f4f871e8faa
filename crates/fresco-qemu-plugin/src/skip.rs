// SPDX-License-Identifier: GPL-2.0-or-later
//! The begin of a program that is left out: its instructions are counted block by block, and its system calls are seen, since they say what
//! memory is for. Accesses are not looked at, which makes it several times faster.

use crate::{PLUGIN, qemu};
use fresco_ring::Part;
use fresco_ring::event::SKIPPED;
use fresco_ring::layout::DEFINITIONS;
use std::ffi::{c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Instructions before the end of what is left out from which all is seen: more than run until the emulator has thrown its translations
/// away. The recorder leaves the rest out itself, exactly.
const MARGIN: u64 = 1 << 22;
/// Instructions after which the recorder is told how far the program is.
const STEP: u64 = 1 << 24;

static DONE: AtomicU64 = AtomicU64::new(0);
static OVER: AtomicBool = AtomicBool::new(false);

/// Returns true if so much of this part is left out from the program's begin that it is worth it.
pub fn is_worth(part: &Part) -> bool {
    part.from.is_none() && part.skip > 2 * MARGIN
}

/// A block is translated.
pub unsafe extern "C" fn on_translation(_: qemu::Id, block: *mut qemu::Block) {
    let Some(plugin) = PLUGIN.get() else { return };
    if plugin.ring.is_closed() {
        return;
    }
    if plugin.image() {
        plugin.ring.push_all(DEFINITIONS, &[SKIPPED]);
    }
    // SAFETY: QEMU's block is valid during the call, and the function lives as long as the plugin.
    unsafe {
        let count = qemu::qemu_plugin_tb_n_insns(block);
        qemu::qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, qemu::NO_REGISTERS, count as *mut c_void);
    }
}

unsafe extern "C" fn on_block(_: c_uint, instructions: *mut c_void) {
    let Some(plugin) = PLUGIN.get() else { return };
    let instructions = instructions as u64;
    let done = DONE.fetch_add(instructions, Relaxed) + instructions;
    if done / STEP > (done - instructions) / STEP {
        plugin.ring.push_all(DEFINITIONS, &[SKIPPED | done]);
    }
    if done + MARGIN > plugin.until.part().skip && !OVER.swap(true, Relaxed) {
        // SAFETY: the plugin's own number; the function lives as long as the plugin.
        unsafe { qemu::qemu_plugin_reset(plugin.id, on_reset) };
    }
}

/// No block runs, and none is translated any more: from here on all is seen.
unsafe extern "C" fn on_reset(id: qemu::Id) {
    let Some(plugin) = PLUGIN.get() else { return };
    let done = DONE.load(Relaxed);
    plugin.ring.push_all(DEFINITIONS, &[SKIPPED | done]);
    plugin.until.leave_out(done);
    // SAFETY: the functions live as long as the plugin.
    unsafe { crate::register(id, crate::on_translation) };
}
