// SPDX-License-Identifier: GPL-2.0-or-later
//! A closed loop: the time of the machine is that of a model which runs in turn with it (`fresco_ring::turn`).
//!
//! One processor executes at a time. Before the loop is closed, and after it is left, they do so in slices, and time goes by
//! instructions, whoever executes them. In it, the processor that the model wants more of executes a window of instructions, while time
//! stands still; then the model goes on to where it wants more, and the time is the model's. Processors that the model has not execute a
//! window each in between, or until they wait.

use crate::system::{self, BELOW, State};
use crate::{baton, clock, qemu};
use fresco_ring::Guest;
use fresco_ring::physical::{PAUSE, Settings};
use fresco_ring::turn::Wanted;
use std::cell::UnsafeCell;
use std::ffi::{c_uint, c_void};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

/// Out of the loop, instructions of a slice. Each takes a nanosecond.
const SLICE: i64 = 10_000;
/// Processors at most.
const CPUS: u32 = 64;

/// Where the loop is.
#[derive(Clone, Copy, PartialEq)]
enum Loop {
    Open,
    Closed,
    Left,
}

/// The pace of all processors. Who has the baton has it.
struct Pace {
    ring: Guest,
    window: i64,
    /// The loop is closed a multiple of so many nanoseconds after the last mark; 0: as soon as it may be.
    align: i64,
    is: Loop,
    /// The machine's time when the model began, in nanoseconds.
    began: i64,
    /// The processor that the model wants more of.
    wanted: c_uint,
    /// Instructions left of the present slice or window.
    left: i64,
    /// Since something else was executed, processors have but waited.
    idles: bool,
    /// Processors whose last block has ended with PAUSE, a bit each. What such a block wrote, as a lock that it let go, others see in their
    /// turn: handed over before, two that want a lock in turn could miss it for ever.
    paused: u64,
}

struct One(UnsafeCell<Option<Pace>>);

// SAFETY: who has the baton alone gets at it, once it is there.
unsafe impl Sync for One {}

static PACE: One = One(UnsafeCell::new(None));
static ON: AtomicBool = AtomicBool::new(false);
/// The machine's time at the last mark.
static MARKED: AtomicI64 = AtomicI64::new(0);

/// Returns true if there is to be a closed loop.
pub fn is_on() -> bool {
    ON.load(Relaxed)
}

/// Takes control of the time.
///
/// # Errors
/// QEMU does not let it.
pub fn control(id: qemu::Id, ring: Guest, settings: &Settings) -> Result<(), String> {
    clock::control()?;
    let within = |number: u64| number.min(i64::MAX as u64) as i64;
    let pace = Pace {
        ring,
        window: within(settings.window),
        align: within(settings.align),
        is: Loop::Open,
        began: 0,
        wanted: 0,
        left: SLICE,
        idles: false,
        paused: 0,
    };
    // SAFETY: before any processor is executed; the function lives as long as the plugin.
    unsafe {
        *PACE.0.get() = Some(pace);
        qemu::qemu_plugin_register_vcpu_idle_cb(id, on_idle);
    }
    ON.store(true, Relaxed);
    Ok(())
}

/// A program has marked where the loop may begin.
pub fn mark() {
    MARKED.store(clock::now(), Relaxed);
}

/// A processor has nothing to execute until it is interrupted.
unsafe extern "C" fn on_idle(_: qemu::Id, number: c_uint) {
    baton::leave(number % CPUS);
    if baton::is_free() {
        clock::kick();
    }
}

/// A block runs.
pub unsafe extern "C" fn on_block(number: c_uint, what: *mut c_void) {
    // SAFETY: this is the processor's thread.
    unsafe { run(number, what, 0) };
}

/// A block runs whose last instruction is PAUSE.
pub unsafe extern "C" fn on_block_with_pause(number: c_uint, what: *mut c_void) {
    // SAFETY: as above.
    unsafe { run(number, what, PAUSE as i64 - 1) };
}

/// A block runs, which takes as long as so many more instructions than it has.
///
/// # Safety
/// On the thread that executes it.
#[inline(always)]
unsafe fn run(number: c_uint, what: *mut c_void, more: i64) {
    let has_baton = baton::take(number % CPUS);
    // SAFETY: as the caller says.
    unsafe { system::on_block(number, what) };
    if !has_baton {
        return;
    }
    // SAFETY: who has the baton has it, and nobody keeps it.
    let Some(pace) = (unsafe { &mut *PACE.0.get() }) else {
        return;
    };
    let own = 1 << (number % CPUS);
    let pauses = pace.paused & own != 0;
    match more > 0 {
        true => pace.paused |= own,
        false => pace.paused &= !own,
    }
    pace.left -= (what as u64 & BELOW) as i64 + more;
    // SAFETY: as above.
    unsafe {
        if pace.left <= 0 || pauses || system::state(number) == State::Ready {
            turn(number, pauses);
        }
    }
}

/// Perhaps another processor has its turn now, as the block before has ended with PAUSE or time is over.
///
/// # Safety
/// As of [`run`], with the baton.
#[inline(never)]
unsafe fn turn(number: c_uint, pauses: bool) {
    // SAFETY: as the caller says.
    let next = unsafe {
        let Some(pace) = &mut *PACE.0.get() else { return };
        match pace.is {
            Loop::Closed => pace.in_loop(number, pauses),
            Loop::Open if system::state(number) == State::Ready => {
                let is_time = pace.is_time(clock::now() - MARKED.load(Relaxed));
                if is_time && system::begin_together() {
                    (pace.is, pace.began) = (Loop::Closed, clock::now());
                    Some(pace.hand_over())
                } else if pace.align == 0 {
                    // It waits for the others.
                    Some(pace.after(number))
                } else {
                    pace.out_of_loop(number, pauses)
                }
            }
            Loop::Open | Loop::Left => pace.out_of_loop(number, pauses),
        }
    };
    if let Some(next) = next {
        baton::give(next, number % CPUS);
    }
}

impl Pace {
    /// Whether the loop may be closed so long after the mark. Time goes on by a slice and a block.
    fn is_time(&self, ns: i64) -> bool {
        ns.checked_rem(self.align).is_none_or(|over| over < 2 * SLICE)
    }

    /// Time goes by instructions; of processors that do nothing but wait, in slices.
    fn out_of_loop(&mut self, number: c_uint, pauses: bool) -> Option<u32> {
        if pauses && self.idles {
            self.left = self.left.min(0);
        }
        self.idles = pauses;
        if self.left > 0 && !pauses {
            return None;
        }
        clock::set(clock::now() + SLICE - self.left);
        self.left = SLICE;
        Some(self.after(number))
    }

    /// Whose turn it is after this processor: the next one that waits.
    fn after(&self, number: c_uint) -> u32 {
        let waiting = baton::waiting();
        let mut others = (1..=CPUS).map(|distance| (number % CPUS + distance) % CPUS);
        let found = others.find(|other| waiting >> other & 1 == 1);
        found.unwrap_or(number % CPUS)
    }

    /// The first from here on that waits and that the model has not.
    fn beside(&self, from: u32) -> Option<u32> {
        let waiting = baton::waiting();
        let mut others = from..CPUS;
        // SAFETY: it waits.
        let has_not = |other: u32| unsafe { system::state(other) } != State::Recording;
        others.find(|other| waiting >> other & 1 == 1 && has_not(*other))
    }

    /// In the loop.
    fn in_loop(&mut self, number: c_uint, pauses: bool) -> Option<u32> {
        // SAFETY: they wait, or this is its thread.
        let is_over = unsafe { system::state(self.wanted) } == State::Done;
        if number == self.wanted && !is_over {
            return (self.left <= 0).then(|| self.hand_over());
        }
        // One that the model has not.
        if self.left > 0 && !pauses {
            return None;
        }
        if let Some(next) = self.beside(number + 1) {
            self.left = self.window;
            return Some(next);
        }
        if is_over {
            return Some(self.hand_over());
        }
        self.left = self.window;
        Some(self.wanted)
    }

    /// The model's turn. It says how late it is, and what it wants more of; before that, those have a turn that the model has not.
    #[inline(never)]
    fn hand_over(&mut self) -> u32 {
        let ring = self.ring;
        match baton::away(|| ring.hand_over()) {
            Wanted::More { processor, time_ns } => {
                self.wanted = processor;
                self.left = self.window;
                clock::set(clock::now().max(self.began.saturating_add_unsigned(time_ns)));
                self.beside(0).unwrap_or(processor)
            }
            Wanted::Nothing => {
                (self.is, self.left) = (Loop::Left, SLICE);
                self.wanted
            }
        }
    }
}
