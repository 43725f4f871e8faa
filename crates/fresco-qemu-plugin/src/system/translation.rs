// SPDX-License-Identifier: GPL-2.0-or-later
//! What is called for a block of instructions is said when QEMU translates it.

use super::{BLOCKS, NUMBER, on_access, on_begin_mark, on_block, on_change_of_addresses, on_end_mark};
use crate::code::{changes_addresses, is_pause};
use crate::{closed, qemu};
use fresco_ring::physical::{BEGIN_MARK, END_MARK, definition};
use std::ffi::c_void;
use std::sync::PoisonError;

/// A block is translated.
pub unsafe extern "C" fn on_translation(_: qemu::Id, block: *mut qemu::Block) {
    let mut blocks = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
    let number = (blocks.len() as u64) << NUMBER;
    // SAFETY: QEMU's block is valid during the call, and has so many instructions, whose bytes are as many as their size; functions live as
    // long as the plugin.
    unsafe {
        let count = qemu::qemu_plugin_tb_n_insns(block);
        let codes: Vec<Vec<u8>> = (0..count)
            .map(|index| qemu::code(qemu::qemu_plugin_tb_get_insn(block, index)))
            .collect();
        let what = (number | count as u64) as *mut c_void;
        let call: qemu::OnBlock = match closed::is_on() {
            false => on_block,
            // It is the last of its block.
            true if codes.last().is_some_and(|bytes| is_pause(bytes)) => closed::on_block_with_pause,
            true => closed::on_block,
        };
        qemu::qemu_plugin_register_vcpu_tb_exec_cb(block, call, qemu::NO_REGISTERS, what);
        let mut instructions: Vec<&[u8]> = Vec::with_capacity(count);
        for (index, bytes) in codes.iter().enumerate() {
            let instruction = qemu::qemu_plugin_tb_get_insn(block, index);
            let bytes = bytes.as_slice();
            let what = (number | index as u64) as *mut c_void;
            let call: Option<qemu::OnBlock> = match bytes {
                bytes if bytes == BEGIN_MARK => Some(on_begin_mark),
                bytes if bytes == END_MARK => Some(on_end_mark),
                bytes if changes_addresses(bytes) => Some(on_change_of_addresses),
                _ => None,
            };
            if let Some(call) = call {
                qemu::qemu_plugin_register_vcpu_insn_exec_cb(instruction, call, qemu::NO_REGISTERS, what);
            }
            qemu::qemu_plugin_register_vcpu_mem_cb(
                instruction,
                on_access,
                qemu::NO_REGISTERS,
                qemu::READ_AND_WRITE,
                what,
            );
            instructions.push(bytes);
        }
        let address = qemu::qemu_plugin_tb_vaddr(block);
        let words = definition(blocks.len() as u32, address, &instructions);
        blocks.push(words.into_boxed_slice());
    }
}
