// SPDX-License-Identifier: MIT OR Apache-2.0
//! Requests one by one, and time.

use crate::handle::{Handle, call_back, enter, enter_moving};
use crate::layout::Room;
use crate::status::{FRESCO_ERROR_CYCLE, FRESCO_FULL, FRESCO_NONE, FRESCO_OK, Failure};
use crate::types::{FRESCO_LAST_CYCLE, FRESCO_NEVER, fresco_done, fresco_done_fn};
use fresco_memory::embedded::Done;
use fresco_memory::{Access, RowOutcome};
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;

#[inline]
pub(crate) fn access(is_write: bool) -> Access {
    match is_write {
        false => Access::Read,
        true => Access::Write,
    }
}

#[inline]
pub(crate) fn c_done(done: &Done) -> fresco_done {
    fresco_done {
        size: size_of::<fresco_done>(),
        tag: done.tag,
        address: done.address,
        arrived: done.arrived,
        at: done.at,
        wait_queue: done.wait.queue,
        wait_bank: done.wait.bank,
        wait_bus: done.wait.bus,
        wait_refresh: done.wait.refresh,
        service: done.wait.service,
        is_write: u32::from(done.access == Access::Write),
        outcome: match done.outcome {
            RowOutcome::Hit => 0,
            RowOutcome::Miss => 1,
            RowOutcome::Conflict => 2,
            RowOutcome::Forwarded => 3,
            RowOutcome::Buffered => 4,
        },
    }
}

#[inline]
fn until(cycle: u64) -> Result<u64, Failure> {
    if cycle <= FRESCO_LAST_CYCLE {
        return Ok(cycle);
    }
    Err(Failure {
        status: FRESCO_ERROR_CYCLE,
        text: format!("found cycle {cycle}, allowed: up to {FRESCO_LAST_CYCLE}"),
    })
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; the callback may be called with `user`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_on_done(
    handle: *mut Handle,
    callback: fresco_done_fn,
    user: *mut c_void,
) -> c_int {
    let work = |handle: &mut Handle| {
        (handle.callback, handle.user) = (callback, user);
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_now(handle: *const Handle) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.map_or(0, |handle| handle.memory.now())
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_outstanding(handle: *const Handle) -> u64 {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.map_or(0, |handle| handle.memory.outstanding() as u64)
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_next_event(handle: *const Handle) -> u64 {
    // SAFETY: as the caller promises.
    let next = unsafe { handle.as_ref() }.and_then(|handle| handle.memory.next_event());
    next.unwrap_or(FRESCO_NEVER)
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_can_take(handle: *mut Handle, address: u64, is_write: c_int) -> c_int {
    let work = |handle: &mut Handle| {
        let takes = handle.memory.can_take(address, access(is_write != 0))?;
        Ok(if takes { FRESCO_OK } else { FRESCO_FULL })
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_send(handle: *mut Handle, address: u64, is_write: c_int, tag: u64) -> c_int {
    let work = |handle: &mut Handle| {
        handle.memory.send(address, access(is_write != 0), tag)?;
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter(handle, work) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `done` is null or points to a structure with its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_next_done(handle: *mut Handle, cycle: u64, done: *mut fresco_done) -> c_int {
    let work = |handle: &mut Handle| {
        let cycle = until(cycle)?;
        // Looked at first: what is done is told but once.
        // SAFETY: as the caller promises.
        let room = unsafe { Room::of(done, "fresco_done")? };
        let Some(next) = handle.memory.next_done_ref(cycle) else {
            return Ok(FRESCO_NONE);
        };
        // SAFETY: as the caller promises.
        unsafe { room.fill(|| c_done(next)) };
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter_moving(handle, work) }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; its callback does not free it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_advance(handle: *mut Handle, cycle: u64) -> c_int {
    let mut done = MaybeUninit::uninit();
    loop {
        let work = |handle: &mut Handle| {
            let Some(next) = handle.memory.next_done_ref(until(cycle)?) else {
                return Ok(FRESCO_NONE);
            };
            done.write(c_done(next));
            Ok(FRESCO_OK)
        };
        // SAFETY: as the caller promises.
        match unsafe { enter_moving(handle, work) } {
            // SAFETY: the handle is valid, or there would be no request, its borrow is over, and the request was written.
            FRESCO_OK => unsafe { call_back(handle, std::slice::from_ref(done.assume_init_ref())) },
            FRESCO_NONE => return FRESCO_OK,
            error => return error,
        }
    }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; its callback does not free it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_tick(handle: *mut Handle) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { fresco_memory_advance(handle, fresco_memory_now(handle) + 1) }
}
