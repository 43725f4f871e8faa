// SPDX-License-Identifier: MIT OR Apache-2.0
//! Threads with colors of their own (TINT-6). Each has a heap in an arena of its set of colors, and maps memory of these
//! colors; what it had before stays as it is. Functions are those of `fresco_colors.h`.

use crate::next::Next;
use crate::{ranges, state};
use fresco_linux::colors::{AskedColors, ColorCounts};
use fresco_linux::pager::MOST_SETS;
use libmimalloc_sys as mi;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Addresses of an arena: all that the threads of one set may have on their heaps at a time.
const ARENA: usize = 64 << 30;
/// Heaps that a thread keeps, of sets it has had.
const HEAPS: usize = 8;

thread_local! {
    /// The set of this thread.
    static SET: Cell<u32> = const { Cell::new(0) };
    /// Heaps of sets that it has had.
    static HAD: Cell<[(u32, *mut mi::mi_heap_t); HEAPS]> = const { Cell::new([(0, null_mut()); HEAPS]) };
}

/// The arena of each set, and whether somebody is making one.
static ARENAS: [OnceLock<mi::mi_arena_id_t>; MOST_SETS] = [const { OnceLock::new() }; MOST_SETS];
static MAKING: AtomicBool = AtomicBool::new(false);
/// Threads so far, for the list of the request.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// The set of colors of the calling thread.
pub fn set() -> u32 {
    // At the very end of a thread it has none.
    SET.try_with(Cell::get).unwrap_or(0)
}

/// The first thread takes the first colors of the list.
pub fn begin() {
    if state::is_colored() {
        next_of_list();
    }
}

/// Gives the calling thread the next colors of the list that was asked for, if there is one.
fn next_of_list() {
    let Some(shared) = state::shared() else { return };
    let list = &shared.request.thread_colors;
    if list.is_empty() {
        return;
    }
    let number = THREADS.fetch_add(1, Ordering::Relaxed);
    // Without an arena the thread has the process's colors.
    let _ = enter(&list[number % list.len()]);
}

/// From now on, what the calling thread allocates and maps has these colors.
fn enter(asked: &AskedColors) -> Result<(), c_int> {
    let shared = state::shared().filter(|_| state::is_colored()).ok_or(libc::ENOTSUP)?;
    let set = shared.port.sets().number_of(asked).ok_or(libc::ENOSPC)?;
    ranges::name(set, &asked.to_string());
    let before = set_to(set);
    let heap = heap_of(set);
    if heap.is_null() {
        set_to(before);
        return Err(libc::ENOMEM);
    }
    // SAFETY: the heap is this thread's own.
    unsafe { mi::mi_heap_set_default(heap) };
    Ok(())
}

fn set_to(set: u32) -> u32 {
    SET.try_with(|current| current.replace(set)).unwrap_or(0)
}

/// This thread's heap for the set; null without memory.
fn heap_of(set: u32) -> *mut mi::mi_heap_t {
    let Ok(mut had) = HAD.try_with(Cell::get) else {
        return null_mut();
    };
    if let Some((_, heap)) = had.iter().find(|(of, _)| *of == set) {
        return *heap;
    }
    let Some(arena) = arena_of(set) else { return null_mut() };
    // SAFETY: the arena was made below; the heap is used by this thread alone, and goes with it.
    let heap = unsafe { mi::mi_heap_new_in_arena(arena) };
    let place = had.iter().position(|(of, _)| *of == 0).unwrap_or(0);
    had[place] = (set, heap);
    let _ = HAD.try_with(|all| all.set(had));
    heap
}

/// The arena of the set; the thread that makes it has the set already, so that its memory is of that.
fn arena_of(set: u32) -> Option<mi::mi_arena_id_t> {
    let slot = ARENAS.get(set as usize)?;
    while slot.get().is_none() {
        if MAKING.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
            continue;
        }
        let made = slot.get().is_some() || {
            let mut arena: mi::mi_arena_id_t = Default::default();
            // SAFETY: reserves addresses, opened as they are needed, for heaps made in it alone.
            let failed = unsafe { mi::mi_reserve_os_memory_ex(ARENA, false, false, true, &mut arena) };
            failed == 0 && slot.set(arena).is_ok()
        };
        MAKING.store(false, Ordering::Release);
        if !made {
            return None;
        }
    }
    slot.get().copied()
}

/// In a child, nobody makes an arena.
pub fn reset() {
    MAKING.store(false, Ordering::Release);
}

/// `int fresco_thread_colors(const char *colors)`: as `fresco_colors.h` says.
///
/// # Safety
/// `colors` is null or a string.
#[unsafe(no_mangle)]
unsafe extern "C" fn fresco_thread_colors(colors: *const c_char) -> c_int {
    let Some(shared) = state::shared().filter(|_| state::is_colored()) else {
        return libc::ENOTSUP;
    };
    if colors.is_null() {
        set_to(0);
        // SAFETY: a thread's first heap lives as long as it.
        unsafe { mi::mi_heap_set_default(mi::mi_heap_get_backing()) };
        return 0;
    }
    // SAFETY: as the caller promises.
    let Ok(text) = unsafe { CStr::from_ptr(colors) }.to_str() else {
        return libc::EINVAL;
    };
    match AskedColors::parse(text, ColorCounts::of(&shared.request.colors)) {
        Ok(asked) => enter(&asked).err().unwrap_or(0),
        Err(_) => libc::EINVAL,
    }
}

type Start = extern "C" fn(*mut c_void) -> *mut c_void;
type Create = unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;

/// What a new thread is to do.
struct Work {
    start: Start,
    argument: *mut c_void,
}

/// The C library's function.
static CREATE: Next = Next::new(c"pthread_create");

extern "C" fn begin_thread(work: *mut c_void) -> *mut c_void {
    // SAFETY: the box was given up for this thread below.
    let work = unsafe { Box::from_raw(work.cast::<Work>()) };
    next_of_list();
    (work.start)(work.argument)
}

/// `pthread_create` of the C library.
///
/// # Safety
/// As of that.
pub unsafe fn create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    let Some(real) = CREATE.address() else {
        return libc::EAGAIN;
    };
    // SAFETY: this is the type of the function of that name.
    let create = unsafe { std::mem::transmute::<*mut c_void, Create>(real) };
    // SAFETY: as the caller promises.
    unsafe { create(thread, attributes, start, argument) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    let listed = state::is_colored() && state::shared().is_some_and(|shared| !shared.request.thread_colors.is_empty());
    if !listed {
        // SAFETY: as the caller promises.
        return unsafe { create(thread, attributes, start, argument) };
    }
    let work = Box::into_raw(Box::new(Work { start, argument }));
    // SAFETY: as the caller promises; the box is the new thread's.
    let result = unsafe { create(thread, attributes, begin_thread, work.cast()) };
    if result != 0 {
        // SAFETY: there is no thread that would use it.
        drop(unsafe { Box::from_raw(work) });
    }
    result
}
