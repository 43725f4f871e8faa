// SPDX-License-Identifier: GPL-2.0-or-later
//! A whole machine: what its processors load and store, by physical address, kernel and all.
//!
//! A processor is recorded from a mark that a program executes on it: a word of no effect, see `fresco_ring::physical`. It is skipped so
//! many instructions, recorded so many, and is done; when all that are waited for are done, the reader is told.
//!
//! An access to the line that was accessed last of all lines with the same number modulo 64 is left out, unless it is a store and those
//! before it were loads: in a cache of 64 sets or more it hits the line used last of its set, which changes no order of replacement.
//! Lines are told apart by virtual address, so whatever may change what an address means lets all be forgotten: x86-64 has but a few
//! instructions for that. A load that is left out a moment after the load that has brought its line waits for it: the reader is told of it.
//!
//! Which load needs which the reader finds out. So it is told which blocks run, and what each consists of before it runs first.

use crate::{closed, qemu};
use fresco_ring::Guest;
use fresco_ring::physical::{self, BEGIN, PLACES, Settings, UNDER_WAY, access, block, elsewhere};
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Processors at most.
const CPUS: usize = 64;
/// Lines that are remembered.
const SETS: usize = 64;
/// Bytes of a line, and of a page, as powers of two.
const LINE: u32 = 6;
const PAGE: u32 = 12;
/// No line: line numbers have 58 bits.
const NOTHING: u64 = u64::MAX;
/// What calls are given: a block's number, and below that its number of instructions, or the number of one of them.
const NUMBER: u32 = 10;
pub const BELOW: u64 = (1 << NUMBER) - 1;
const _: () = assert!(PLACES <= BELOW);

/// What becomes of what a processor does.
#[derive(Clone, Copy, PartialEq)]
pub enum State {
    /// No mark yet.
    Off,
    /// After the mark.
    Skipping,
    /// In a closed loop: it waits for the others.
    Ready,
    /// It is told.
    Recording,
    /// After the end.
    Done,
}

/// A processor, which its own thread alone looks at.
struct Cpu {
    state: State,
    /// Instructions executed before the present block, and with it.
    before: u64,
    after: u64,
    /// Number of instructions at which the state changes.
    turn: u64,
    /// The present block, if it is told.
    block: u64,
    /// Accesses told so far.
    told: u64,
    /// The line that was accessed last, by its number modulo [`SETS`], and in the lowest bit whether by a store.
    last: [u64; SETS],
    /// The load that has brought it: its number, and the number of instructions up to which something may wait for it.
    brought: [(u64, u64); SETS],
    /// Blocks that are defined, a bit each.
    defined: Vec<u64>,
}

/// So that processors share no line of the host's cache.
#[repr(align(128))]
struct Own(UnsafeCell<Cpu>);

// SAFETY: the thread that executes a processor's instructions is the only one that gets at its state, but for a closed loop, where others do
// while it waits.
unsafe impl Sync for Own {}

static MACHINE: [Own; CPUS] = [const {
    Own(UnsafeCell::new(Cpu {
        state: State::Off,
        before: 0,
        after: 0,
        turn: u64::MAX,
        block: NOTHING,
        told: 0,
        last: [NOTHING; SETS],
        brought: [(0, 0); SETS],
        defined: Vec::new(),
    }))
}; CPUS];

struct Recorder {
    ring: Guest,
    settings: Settings,
}

impl Recorder {
    /// Returns true unless memory that a device brings with it is at this address.
    fn has(&self, place: u64) -> bool {
        self.settings.below == 0 || place < self.settings.below
    }
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();
/// The words that define each block.
static BLOCKS: Mutex<Vec<Box<[u64]>>> = Mutex::new(Vec::new());
/// Processors that are done.
static DONE: AtomicU32 = AtomicU32::new(0);

/// The state of a processor.
///
/// # Safety
/// Called on the thread that executes it, and what it returns is gone before it is called again.
#[inline(always)]
unsafe fn cpu<'a>(number: c_uint) -> &'a mut Cpu {
    // SAFETY: as above.
    unsafe { &mut *MACHINE[number as usize % CPUS].0.get() }
}

// What runs for each block and access calls what is rare last, so that it has no registers to save.

pub unsafe extern "C" fn on_block(number: c_uint, what: *mut c_void) {
    // SAFETY: this is the processor's thread.
    let cpu = unsafe { cpu(number) };
    let what = what as u64;
    cpu.before = cpu.after;
    cpu.after += what & BELOW;
    if cpu.before >= cpu.turn {
        // SAFETY: as above.
        unsafe { turn_over(number, what) };
    } else if cpu.state == State::Recording {
        // SAFETY: as above.
        unsafe { runs(number, what >> NUMBER) };
    }
}

unsafe extern "C" fn on_access(number: c_uint, info: u32, address: u64, what: *mut c_void) {
    // SAFETY: this is the processor's thread.
    let cpu = unsafe { cpu(number) };
    if cpu.state != State::Recording {
        return;
    }
    let what = what as u64;
    let (size, store) = size_and_store(info);
    let (line, set) = (address >> LINE, (address >> LINE) as usize % SETS);
    let within = (address & ((1 << LINE) - 1)) + size <= 1 << LINE;
    if !within || (cpu.last[set] != line << 1 | 1 && (store || cpu.last[set] != line << 1)) {
        // SAFETY: as above.
        unsafe { tell(number, info, address, what) };
    } else if !store && cpu.before + (what & BELOW) < cpu.brought[set].1 {
        // SAFETY: as above.
        unsafe { hit(number, set, what) };
    }
}

/// Bytes of an access, and whether it is a store.
#[inline(always)]
fn size_and_store(info: u32) -> (u64, bool) {
    (1 << (info >> crate::SHIFT & 7), info >> crate::DIRECTION & 2 != 0)
}

/// A block begins at or after the turn.
///
/// # Safety
/// As of [`cpu`], and so are those below.
#[cold]
#[inline(never)]
unsafe fn turn_over(number: c_uint, what: u64) {
    let Some(recorder) = RECORDER.get() else { return };
    // SAFETY: as the caller says.
    let cpu = unsafe { cpu(number) };
    match cpu.state {
        State::Skipping if recorder.settings.window > 0 => {
            cpu.state = State::Ready;
            cpu.turn = u64::MAX;
        }
        State::Skipping => cpu.begin(number, recorder),
        State::Recording => cpu.finish(number, PLACES),
        State::Off | State::Ready | State::Done => cpu.turn = u64::MAX,
    }
    if cpu.state == State::Recording {
        // SAFETY: as above.
        unsafe { runs(number, what >> NUMBER) };
    }
}

/// A block runs.
#[inline(always)]
unsafe fn runs(number: c_uint, id: u64) {
    let Some(recorder) = RECORDER.get() else { return };
    // SAFETY: as the caller says.
    let cpu = unsafe { cpu(number) };
    cpu.block = id;
    let known = cpu.defined.get((id / 64) as usize);
    let is_known = known.is_some_and(|bits| bits >> (id % 64) & 1 == 1);
    if !is_known || !recorder.ring.push_into_segment(number as usize, block(id as u32)) {
        // SAFETY: as above.
        unsafe { define(number, id) };
    }
}

/// A block runs that may not be defined yet.
#[cold]
#[inline(never)]
unsafe fn define(number: c_uint, id: u64) {
    let Some(recorder) = RECORDER.get() else { return };
    // SAFETY: as the caller says.
    let cpu = unsafe { cpu(number) };
    let place = (id / 64) as usize;
    if place >= cpu.defined.len() {
        cpu.defined.resize(place + 1, 0);
    }
    if cpu.defined[place] >> (id % 64) & 1 == 0 {
        cpu.defined[place] |= 1 << (id % 64);
        let blocks = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(words) = blocks.get(id as usize) {
            recorder.ring.push_all(number as usize, words);
        }
    }
    recorder.ring.push(number as usize, block(id as u32));
}

/// A load is left out whose line a load has brought a moment ago.
#[inline(never)]
unsafe fn hit(number: c_uint, set: usize, what: u64) {
    let Some(recorder) = RECORDER.get() else { return };
    // SAFETY: as the caller says.
    let cpu = unsafe { cpu(number) };
    if what >> NUMBER == cpu.block {
        let word = physical::hit(what & BELOW, cpu.told - cpu.brought[set % SETS].0);
        recorder.ring.push(number as usize, word);
    }
}

/// An access that is not left out.
#[inline(never)]
unsafe fn tell(number: c_uint, info: u32, address: u64, what: u64) {
    let Some(recorder) = RECORDER.get() else { return };
    // SAFETY: as the caller says.
    let cpu = unsafe { cpu(number) };
    let (size, store) = size_and_store(info);
    let (end, before) = (address + size, cpu.told);
    let mut at = address;
    while at < end {
        // Of two pages each has a place of its own.
        let next = (((at >> PAGE) + 1) << PAGE).min(end);
        if let Some(physical) = physical(info, at).filter(|place| recorder.has(*place)) {
            // A block that QEMU begins again after an access to a device is not told to run.
            let word = match what >> NUMBER == cpu.block {
                true => access(what & BELOW, physical, next - at, store),
                false => elsewhere(physical, next - at, store),
            };
            recorder.ring.push(number as usize, word);
            cpu.told += 1;
        }
        at = next;
    }
    let wanted = match store || cpu.told == before {
        true => 0,
        false => cpu.before + (what & BELOW) + UNDER_WAY,
    };
    let (first, last) = (address >> LINE, (end - 1) >> LINE);
    for line in first..=last {
        let set = line as usize % SETS;
        // Of a store to a line that a load has brought the load stays the one.
        if cpu.last[set] != line << 1 || !store {
            cpu.brought[set] = (cpu.told, wanted);
        }
        cpu.last[set] = line << 1 | u64::from(store);
    }
}

unsafe extern "C" fn on_change_of_addresses(number: c_uint, _: *mut c_void) {
    // SAFETY: this is the processor's thread.
    unsafe { cpu(number) }.last = [NOTHING; SETS];
}

unsafe extern "C" fn on_begin_mark(number: c_uint, what: *mut c_void) {
    let Some(recorder) = RECORDER.get() else { return };
    // SAFETY: this is the processor's thread.
    let cpu = unsafe { cpu(number) };
    if cpu.state == State::Off {
        cpu.state = State::Skipping;
        closed::mark();
        cpu.turn = cpu.before + (what as u64 & BELOW) + 1 + recorder.settings.skip;
    }
}

unsafe extern "C" fn on_end_mark(number: c_uint, what: *mut c_void) {
    // SAFETY: this is the processor's thread.
    let cpu = unsafe { cpu(number) };
    if matches!(cpu.state, State::Skipping | State::Ready | State::Recording) {
        cpu.finish(number, what as u64 & BELOW);
    }
}

/// What becomes of what a processor does.
///
/// # Safety
/// It is the processor's thread, or that waits (`baton`).
pub unsafe fn state(number: c_uint) -> State {
    // SAFETY: as the caller says.
    unsafe { cpu(number) }.state
}

/// If all that are waited for are ready, or done already, and one is ready, all begin to be told. Returns true if they do.
///
/// # Safety
/// As of [`state`].
pub unsafe fn begin_together() -> bool {
    let Some(recorder) = RECORDER.get() else { return false };
    let all = 0..CPUS as c_uint;
    // SAFETY: as the caller says.
    let count = |wanted| all.clone().filter(|number| unsafe { state(*number) } == wanted).count();
    let ready = count(State::Ready);
    if ready == 0 || ready + count(State::Done) < recorder.settings.processors as usize {
        return false;
    }
    for number in all {
        // SAFETY: as above.
        let cpu = unsafe { cpu(number) };
        if cpu.state == State::Ready {
            cpu.begin(number, recorder);
        }
    }
    true
}

impl Cpu {
    fn begin(&mut self, number: c_uint, recorder: &Recorder) {
        self.state = State::Recording;
        self.turn = self.before.saturating_add(recorder.settings.instructions);
        self.last = [NOTHING; SETS];
        recorder.ring.begin(number as usize, 0);
        recorder.ring.push(number as usize, BEGIN | u64::from(number));
    }

    /// Of the block that was told last so many instructions are recorded, or all.
    fn finish(&mut self, number: c_uint, instructions: u64) {
        let Some(recorder) = RECORDER.get() else { return };
        if self.state != State::Recording && recorder.settings.window > 0 {
            self.begin(number, recorder);
        }
        if self.state == State::Recording {
            let slot = number as usize;
            recorder.ring.push(slot, physical::end(instructions));
            recorder.ring.end(slot);
        }
        self.state = State::Done;
        self.turn = u64::MAX;
        if DONE.fetch_add(1, Relaxed) + 1 == recorder.settings.processors {
            recorder.ring.enough();
        }
    }
}

/// Where an access goes in memory; `None` for registers of devices.
fn physical(info: u32, address: u64) -> Option<u64> {
    // SAFETY: within the call about this access; what it returns is valid until the next one.
    unsafe {
        let place = qemu::qemu_plugin_get_hwaddr(info, address);
        let memory = !place.is_null() && !qemu::qemu_plugin_hwaddr_is_io(place);
        memory.then(|| qemu::qemu_plugin_hwaddr_phys_addr(place))
    }
}

/// Has QEMU call the plugin.
///
/// # Errors
/// The machine is none that can be recorded.
pub fn install(id: qemu::Id, ring: Guest, machine: (&[u8], c_int), arguments: &[&str]) -> Result<(), String> {
    let (target, processors) = machine;
    if target != b"x86_64" {
        let target = String::from_utf8_lossy(target);
        return Err(format!(
            "machines with processors of {target} cannot be recorded: x86_64 alone"
        ));
    }
    let settings = Settings::of(arguments);
    if settings.window == 0 && processors > 1 && !qemu::tells_processors() {
        return Err(
            "this version of QEMU does not tell which of several processors executes a block: record with one before 9.0, or \
             with a scenario on one core; --closed does with any"
                .into(),
        );
    }
    if settings.window > 0 {
        closed::control(id, ring, &settings)?;
    }
    RECORDER
        .set(Recorder { ring, settings })
        .map_err(|_| "loaded twice".to_owned())?;
    // SAFETY: the function lives as long as the plugin.
    unsafe { qemu::qemu_plugin_register_vcpu_tb_trans_cb(id, translation::on_translation) };
    Ok(())
}

mod translation;
