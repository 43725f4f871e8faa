// SPDX-License-Identifier: GPL-2.0-or-later
//! The plugin of QEMU with which `fresco record` sees what a program does, in user-mode emulation, and `fresco loop` what the processors
//! of a machine do (`system`).
//!
//! Of a program it writes words into memory that it shares with the recorder, and nothing else: the meaning of the words is in
//! `fresco_ring::event`. Its arguments are `ring=FILE`, that memory, and those of `fresco_ring::Part`, which says where the program is to be
//! ended.

mod atomic;
mod baton;
mod calls;
mod clock;
mod closed;
mod code;
mod ends;
mod futex;
mod got;
mod qemu;
mod skip;
mod system;

use atomic::Guest as Architecture;
use fresco_ring::event::{
    ACCESS, AFTER, BEGIN, BIRTHS, BLOCK, DEFINE, END, IMAGE, INSTRUCTION, LOW, MAPS, SIZE, STORE, UPDATE, object, order,
};
use fresco_ring::layout::{DEFINITIONS, THREADS, WORDS};
use fresco_ring::{Guest, Part, Until};
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// All that the calls need.
struct Plugin {
    id: qemu::Id,
    ring: Guest,
    architecture: Architecture,
    /// Where the program is to be ended.
    until: Until,
    /// The program's namespace of processes.
    namespace: Option<PathBuf>,
    /// Blocks translated so far; held while the stream of definitions is written.
    blocks: Mutex<u64>,
}

static PLUGIN: OnceLock<Plugin> = OnceLock::new();
/// Whether there is more than one thread. Before, what is atomic orders nothing.
static SEVERAL: AtomicBool = AtomicBool::new(false);
/// Whether the recorder was told where the program lies.
static PLACED: AtomicBool = AtomicBool::new(false);

/// Bits of QEMU's word about an access: the logarithm of its size, a load, a store. QEMU has functions for two of them; that these
/// are the same is checked when it starts.
const SHIFT: u32 = 4;
const DIRECTION: u32 = 16;

#[inline(always)]
fn slot(thread: c_uint) -> usize {
    thread as usize % THREADS
}

// What runs for each block and access calls what is rare last, so that it has no registers to save: that took most of its time.

unsafe extern "C" fn on_block(thread: c_uint, number: *mut c_void) {
    let Some(plugin) = PLUGIN.get() else { return };
    let word = BLOCK | number as u64;
    if !plugin.ring.push_into_segment(slot(thread), word) {
        push_into_next(plugin, thread, word);
    }
}

#[cold]
#[inline(never)]
fn push_into_next(plugin: &Plugin, thread: c_uint, word: u64) {
    plugin.ring.push(slot(thread), word);
}

/// The word of an access by the instruction at `place`.
#[inline(always)]
fn access(info: u32, address: u64, place: *mut c_void) -> u64 {
    let (size, direction) = (u64::from(info >> SHIFT & 7), u64::from(info >> DIRECTION & 3));
    let kind = if direction == 3 { UPDATE } else { ACCESS };
    kind | place as u64 | (direction >> 1) << STORE | size << SIZE | (address & LOW)
}

unsafe extern "C" fn on_access(thread: c_uint, info: u32, address: u64, place: *mut c_void) {
    let Some(plugin) = PLUGIN.get() else { return };
    let several = SEVERAL.load(Relaxed);
    if !plugin
        .ring
        .push_into_segment(slot(thread), access(info, address, place))
    {
        push_access_into_next(plugin, thread, info, address, place);
    } else if several {
        order_access(plugin, thread, info, address);
    }
}

#[cold]
#[inline(never)]
fn push_access_into_next(plugin: &Plugin, thread: c_uint, info: u32, address: u64, place: *mut c_void) {
    plugin.ring.push(slot(thread), access(info, address, place));
    if SEVERAL.load(Relaxed) {
        order_access(plugin, thread, info, address);
    }
}

#[inline(never)]
fn order_access(plugin: &Plugin, thread: c_uint, info: u32, address: u64) {
    if is_shared(address) {
        // What threads wait at is also looked at and changed by plain instructions: the end of a thread, the release of a barrier.
        match info >> DIRECTION & 2 {
            0 => plugin.after(thread, object(address)),
            _ => plugin.order(thread, object(address)),
        }
    }
}

unsafe extern "C" fn on_atomic(thread: c_uint, info: u32, address: u64, place: *mut c_void) {
    let Some(plugin) = PLUGIN.get() else { return };
    plugin.ring.push(slot(thread), access(info, address, place));
    if SEVERAL.load(Relaxed) {
        share(address);
        plugin.order(thread, object(address));
    }
}

/// Words of four bytes, by [`place_of`], that atomic instructions or the kernel have changed: the latest ones.
static SHARED: [AtomicU64; 1 << WORD_BITS] = [const { AtomicU64::new(0) }; 1 << WORD_BITS];
const WORD_BITS: u32 = 12;

/// Where a word stands, by Fibonacci hashing.
#[inline(always)]
fn place_of(address: u64) -> usize {
    ((address >> 2).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - WORD_BITS)) as usize
}

#[inline(always)]
fn is_shared(address: u64) -> bool {
    SHARED[place_of(address)].load(Relaxed) == address >> 2
}

fn share(address: u64) {
    SHARED[place_of(address)].store(address >> 2, Relaxed);
}

impl Plugin {
    /// Says when the event that was written last came.
    fn order(&self, thread: c_uint, object: usize) {
        self.ring.push(slot(thread), order(object, self.ring.ticket(object)));
    }

    /// Says after what the event that was written last came; nobody waits for it.
    fn after(&self, thread: c_uint, object: usize) {
        self.ring
            .push(slot(thread), AFTER | order(object, self.ring.tickets(object)));
    }

    /// Writes bytes, after a word that says how many, in pieces.
    fn bytes(&self, kind: u64, bytes: &[u8]) {
        for piece in bytes.chunks(WORDS) {
            let mut words = vec![kind | piece.len() as u64];
            words.extend(packed(piece));
            self.ring.push_all(DEFINITIONS, &words);
        }
    }

    /// Says where the program lies, when the first block is translated: it is loaded by then. False if that was said before.
    fn image(&self) -> bool {
        if PLACED.swap(true, Relaxed) {
            return false;
        }
        // SAFETY: functions without arguments.
        let code = unsafe {
            [
                qemu::qemu_plugin_start_code(),
                qemu::qemu_plugin_end_code(),
                qemu::qemu_plugin_entry_code(),
            ]
        };
        self.ring.push_all(DEFINITIONS, &[IMAGE, code[0], code[1], code[2]]);
        self.bytes(MAPS, &std::fs::read("/proc/self/maps").unwrap_or_default());
        true
    }
}

fn packed(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

unsafe extern "C" fn on_translation(_: qemu::Id, block: *mut qemu::Block) {
    let Some(plugin) = PLUGIN.get() else { return };
    if plugin.ring.is_closed() {
        return;
    }
    let mut blocks = plugin.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    plugin.image();
    let number = *blocks;
    *blocks += 1;
    // SAFETY: QEMU's block is valid during the call, and has so many instructions.
    let (address, count) = unsafe { (qemu::qemu_plugin_tb_vaddr(block), qemu::qemu_plugin_tb_n_insns(block)) };
    let (mut sizes, mut code) = (Vec::with_capacity(count), Vec::with_capacity(count * 8));
    for index in 0..count {
        // SAFETY: as above.
        let (instruction, bytes) = unsafe {
            let instruction = qemu::qemu_plugin_tb_get_insn(block, index);
            (instruction, qemu::code(instruction))
        };
        sizes.push(bytes.len() as u8);
        code.extend_from_slice(&bytes);
        let call = if plugin.architecture.is_atomic(&bytes) {
            on_atomic
        } else {
            on_access
        };
        let place = (index as u64) << INSTRUCTION;
        // SAFETY: the function lives as long as the plugin.
        unsafe {
            let place = place as *mut c_void;
            qemu::qemu_plugin_register_vcpu_mem_cb(instruction, call, qemu::NO_REGISTERS, qemu::READ_AND_WRITE, place);
        }
    }
    let mut words = vec![DEFINE | (count as u64) << 32 | (number & 0xffff_ffff), address];
    words.extend(packed(&sizes));
    words.extend(packed(&code));
    plugin.ring.push_all(DEFINITIONS, &words);
    let number = number & 0xffff_ffff;
    let (call, number): (qemu::OnBlock, u64) = match plugin.until.part().has_end() {
        true => (ends::on_block, ends::word(plugin, number, address, count)),
        false => (on_block, number),
    };
    // SAFETY: as above.
    unsafe {
        qemu::qemu_plugin_register_vcpu_tb_exec_cb(block, call, qemu::NO_REGISTERS, number as *mut c_void);
    }
}

unsafe extern "C" fn on_begin(_: qemu::Id, thread: c_uint) {
    let Some(plugin) = PLUGIN.get() else { return };
    if (thread as usize) >= THREADS {
        let _ = writeln!(
            std::io::stderr(),
            "fresco record: more than {THREADS} threads at a time cannot be recorded"
        );
        std::process::abort();
    }
    plugin.ring.begin(slot(thread), calls::WOKEN.take());
    SEVERAL.fetch_or(thread > 0, Relaxed);
    // SAFETY: no arguments. The new thread is made by this one, and does not run yet.
    let maker = unsafe { libc::syscall(libc::SYS_gettid) } as u64;
    plugin.ring.push(slot(thread), BEGIN | maker);
    plugin.after(thread, BIRTHS);
}

unsafe extern "C" fn on_end(_: qemu::Id, thread: c_uint) {
    let Some(plugin) = PLUGIN.get() else { return };
    plugin.ring.push(slot(thread), END);
    plugin.ring.end(slot(thread));
}

/// A forked child must not write into its parent's memory.
unsafe extern "C" fn in_child() {
    if let Some(plugin) = PLUGIN.get() {
        // SAFETY: a forked child has one thread.
        if unsafe { plugin.ring.detach() }.is_err() {
            std::process::abort();
        }
        ends::in_child(plugin);
    }
}

/// Entry point: what QEMU calls first.
///
/// # Safety
/// `info` and the arguments are as QEMU gives them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn qemu_plugin_install(
    id: qemu::Id,
    info: *const qemu::Info,
    count: c_int,
    arguments: *const *const c_char,
) -> c_int {
    // SAFETY: QEMU passes `count` strings, and the name of its architecture.
    let (arguments, target, processors) = unsafe {
        let arguments: Vec<&CStr> = (0..count as usize).map(|i| CStr::from_ptr(*arguments.add(i))).collect();
        let processors = (*info).system.then(|| (*info).processors);
        (arguments, CStr::from_ptr((*info).target), processors)
    };
    let arguments: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str().ok()).collect();
    if let Some(processors) = processors {
        let installed =
            open(&arguments).and_then(|ring| system::install(id, ring, (target.to_bytes(), processors), &arguments));
        if let Err(error) = &installed {
            let _ = writeln!(std::io::stderr(), "fresco loop: the plugin of QEMU: {error}");
        }
        // SAFETY: no memory is involved.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        return c_int::from(installed.is_err());
    }
    match install(id, &arguments, target) {
        Ok(plugin) => {
            if PLUGIN.set(plugin).is_err() {
                return 1;
            }
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "fresco record: the plugin of QEMU: {error}");
            return 1;
        }
    }
    let leaves_out = PLUGIN.get().is_some_and(|plugin| skip::is_worth(plugin.until.part()));
    // SAFETY: the functions live as long as the plugin, which is never unloaded; the recorder's death ends this process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        libc::pthread_atfork(None, None, Some(in_child));
        register(
            id,
            if leaves_out {
                skip::on_translation
            } else {
                on_translation
            },
        );
    }
    0
}

/// Has QEMU call the plugin.
///
/// # Safety
/// The function lives as long as the plugin.
unsafe fn register(id: qemu::Id, on_translation: qemu::OnTranslation) {
    // SAFETY: as above; the other functions live as long.
    unsafe {
        qemu::qemu_plugin_register_vcpu_init_cb(id, on_begin);
        qemu::qemu_plugin_register_vcpu_exit_cb(id, on_end);
        qemu::qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
        qemu::qemu_plugin_register_vcpu_syscall_cb(id, calls::on_call);
        qemu::qemu_plugin_register_vcpu_syscall_ret_cb(id, calls::on_return);
    }
}

/// The memory that is shared with the recorder.
fn open(arguments: &[&str]) -> Result<Guest, String> {
    let path = arguments.iter().find_map(|argument| argument.strip_prefix("ring="));
    let path = path.ok_or("the argument ring=FILE is missing: it is for `fresco record` and `fresco loop` alone")?;
    let ring = Guest::open(Path::new(path)).map_err(|error| format!("{path}: {error}"))?;
    // SAFETY: functions of a number each.
    let as_expected = (0..5).all(|size| unsafe { qemu::qemu_plugin_mem_size_shift(size << SHIFT) == size })
        && [(1, false), (2, true), (3, true)]
            .iter()
            // SAFETY: as above.
            .all(|&(direction, store)| unsafe { qemu::qemu_plugin_mem_is_store(direction << DIRECTION) == store });
    if !as_expected {
        return Err("this version of QEMU describes accesses otherwise than 7.2 and 10.0 do".into());
    }
    Ok(ring)
}

fn install(id: qemu::Id, arguments: &[&str], target: &CStr) -> Result<Plugin, String> {
    let architecture = Architecture::of(target.to_bytes())
        .ok_or_else(|| format!("programs for {} cannot be recorded", target.to_string_lossy()))?;
    let mut part = Part::default();
    arguments.iter().for_each(|argument| part.take(argument));
    let ring = open(arguments)?;
    ring.begin(DEFINITIONS, 0);
    Ok(Plugin {
        id,
        ring,
        architecture,
        until: Until::new(part),
        namespace: ends::namespace(),
        blocks: Mutex::new(0),
    })
}
