// SPDX-License-Identifier: GPL-2.0-or-later
//! The functions of QEMU's plugin interface that are used; their names and arguments are those of `qemu-plugin.h`.
//!
//! One plugin serves version 1 of the interface (QEMU 6 to 8) and version 3 and later ones (QEMU 9.1 and later): what differs is looked up
//! when it is loaded.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

/// Version of the interface that this plugin uses; QEMU looks for it, after [`ON_LOAD`].
#[unsafe(no_mangle)]
pub static qemu_plugin_version: AtomicI32 = AtomicI32::new(1);

/// What the loader calls before anybody looks at [`qemu_plugin_version`].
#[used]
#[unsafe(link_section = ".init_array")]
static ON_LOAD: extern "C" fn() = choose_version;

extern "C" fn choose_version() {
    // It came with version 3. SAFETY: a string that lives as long as the call.
    if !unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"qemu_plugin_update_ns".as_ptr()) }.is_null() {
        qemu_plugin_version.store(3, Relaxed);
    }
}

/// Returns true if QEMU tells which processor executes a block where one thread executes several. Later ones tell the number of the
/// processor for which the block was translated (10.0.2), unless each processor has a thread of its own.
pub fn tells_processors() -> bool {
    qemu_plugin_version.load(Relaxed) < 3
}

/// The bytes of an instruction.
///
/// # Safety
/// While its block is translated.
pub unsafe fn code(instruction: *const Instruction) -> Vec<u8> {
    // SAFETY: an instruction has as many bytes as its size, and these are the types of the function before and since version 3.
    unsafe {
        let size = qemu_plugin_insn_size(instruction);
        if qemu_plugin_version.load(Relaxed) < 3 {
            return std::slice::from_raw_parts(qemu_plugin_insn_data(instruction).cast::<u8>(), size).to_vec();
        }
        type Copying = unsafe extern "C" fn(*const Instruction, *mut c_void, usize) -> usize;
        let copy: Copying =
            std::mem::transmute(qemu_plugin_insn_data as unsafe extern "C" fn(*const Instruction) -> *const c_void);
        let mut bytes = vec![0; size];
        copy(instruction, bytes.as_mut_ptr().cast(), size);
        bytes
    }
}

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
    /// Processors of a system.
    pub processors: c_int,
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
    pub fn qemu_plugin_register_vcpu_idle_cb(id: Id, call: OnThread);
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
    fn qemu_plugin_insn_data(instruction: *const Instruction) -> *const c_void;
    fn qemu_plugin_insn_size(instruction: *const Instruction) -> usize;
    pub fn qemu_plugin_mem_size_shift(info: u32) -> c_uint;
    pub fn qemu_plugin_mem_is_store(info: u32) -> bool;
    pub fn qemu_plugin_start_code() -> u64;
    pub fn qemu_plugin_end_code() -> u64;
    pub fn qemu_plugin_entry_code() -> u64;
}
