// SPDX-License-Identifier: GPL-2.0-or-later
//! The functions of QEMU's plugin interface, version 1, that are used; their names and arguments are those of
//! `qemu-plugin.h`.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Names this plugin in calls.
pub type Id = u64;
/// A block that is being translated.
#[repr(C)]
pub struct Block(c_void);
/// One of its instructions.
#[repr(C)]
pub struct Instruction(c_void);

/// Where an access goes in the machine.
#[repr(C)]
pub struct Place(c_void);

/// No registers are read.
pub const NO_REGISTERS: c_int = 0;
/// Loads and stores.
pub const READ_AND_WRITE: c_int = 3;

/// What QEMU says about itself.
#[repr(C)]
pub struct Info {
    /// The architecture, as `x86_64`.
    pub target: *const c_char,
    /// Versions of the interface, the least and the present.
    pub versions: [c_int; 2],
    /// A whole system, not a program.
    pub system: bool,
}

/// A block runs, or a thread begins or ends.
pub type OnThread = unsafe extern "C" fn(Id, c_uint);
/// A block runs.
pub type OnBlock = unsafe extern "C" fn(c_uint, *mut c_void);
/// An access.
pub type OnAccess = unsafe extern "C" fn(c_uint, u32, u64, *mut c_void);
/// A block is translated.
pub type OnTranslation = unsafe extern "C" fn(Id, *mut Block);
/// A system call begins.
pub type OnCall = unsafe extern "C" fn(Id, c_uint, i64, u64, u64, u64, u64, u64, u64, u64, u64);
/// A system call is over.
pub type OnReturn = unsafe extern "C" fn(Id, c_uint, i64, i64);

/// The plugin as a whole.
pub type OnPlugin = unsafe extern "C" fn(Id);

unsafe extern "C" {
    pub fn qemu_plugin_reset(id: Id, call: OnPlugin);
    pub fn qemu_plugin_register_vcpu_init_cb(id: Id, call: OnThread);
    pub fn qemu_plugin_register_vcpu_exit_cb(id: Id, call: OnThread);
    pub fn qemu_plugin_register_vcpu_tb_trans_cb(id: Id, call: OnTranslation);
    pub fn qemu_plugin_register_vcpu_tb_exec_cb(block: *mut Block, call: OnBlock, flags: c_int, data: *mut c_void);
    pub fn qemu_plugin_register_vcpu_mem_cb(
        instruction: *mut Instruction,
        call: OnAccess,
        flags: c_int,
        which: c_int,
        data: *mut c_void,
    );
    pub fn qemu_plugin_register_vcpu_insn_exec_cb(
        instruction: *mut Instruction,
        call: OnBlock,
        flags: c_int,
        data: *mut c_void,
    );
    pub fn qemu_plugin_get_hwaddr(info: u32, address: u64) -> *mut Place;
    pub fn qemu_plugin_hwaddr_is_io(place: *const Place) -> bool;
    pub fn qemu_plugin_hwaddr_phys_addr(place: *const Place) -> u64;
    pub fn qemu_plugin_register_vcpu_syscall_cb(id: Id, call: OnCall);
    pub fn qemu_plugin_register_vcpu_syscall_ret_cb(id: Id, call: OnReturn);
    pub fn qemu_plugin_tb_n_insns(block: *const Block) -> usize;
    pub fn qemu_plugin_tb_vaddr(block: *const Block) -> u64;
    pub fn qemu_plugin_tb_get_insn(block: *const Block, index: usize) -> *mut Instruction;
    pub fn qemu_plugin_insn_data(instruction: *const Instruction) -> *const c_void;
    pub fn qemu_plugin_insn_size(instruction: *const Instruction) -> usize;
    pub fn qemu_plugin_mem_size_shift(info: u32) -> c_uint;
    pub fn qemu_plugin_mem_is_store(info: u32) -> bool;
    pub fn qemu_plugin_start_code() -> u64;
    pub fn qemu_plugin_end_code() -> u64;
    pub fn qemu_plugin_entry_code() -> u64;
}
