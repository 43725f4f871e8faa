// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many requests at once.

use crate::handle::{Handle, call_back, enter, enter_moving};
use crate::run::{access, c_done};
use crate::status::{FRESCO_OK, Failure};
use crate::types::fresco_request;
use fresco_memory::TraceRequest;
use fresco_memory::embedded::SendError;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// So many requests are sent before the callback is called for what was done meanwhile.
const PIECE: usize = 1024;

/// Requests of the caller: `count` of them from the `first` one on.
///
/// # Safety
/// `requests` is null or points to so many of them.
unsafe fn requests_of(
    requests: *const fresco_request,
    first: usize,
    count: usize,
) -> Result<Vec<TraceRequest>, Failure> {
    if count == 0 {
        return Ok(Vec::new());
    }
    if requests.is_null() {
        return Err(Failure::argument("found a null pointer for the requests"));
    }
    // SAFETY: as the caller promises.
    let requests = unsafe { std::slice::from_raw_parts(requests.add(first), count) };
    let request = |given: &fresco_request| TraceRequest {
        cycle: given.cycle,
        address: given.address,
        access: access(given.is_write != 0),
    };
    Ok(requests.iter().map(request).collect())
}

/// Requests are no more than an array can have.
fn counted(count: usize) -> Result<(), Failure> {
    let most = isize::MAX as usize / size_of::<fresco_request>();
    match count <= most {
        true => Ok(()),
        false => Err(Failure::argument(format!(
            "found {count} requests, allowed: at most {most}"
        ))),
    }
}

fn outstanding(most: u32) -> Result<usize, Failure> {
    match most {
        0 => Err(Failure::argument("found 0 outstanding requests, allowed: 1 or more")),
        most => Ok(most as usize),
    }
}

fn failure(index: usize, error: SendError) -> Failure {
    let mut failure = Failure::from(error);
    failure.text = format!("requests[{index}]: {}", failure.text);
    failure
}

/// Tells what was done while requests were sent.
///
/// # Safety
/// The handle is null or valid, and borrowed by nobody.
unsafe fn tell(handle: *mut Handle) {
    // A few at once: each borrow of the handle has its price.
    let mut some = [const { MaybeUninit::uninit() }; 8];
    loop {
        let mut count = 0;
        let work = |handle: &mut Handle| {
            while let Some(place) = some.get_mut(count)
                && let Some(next) = handle.memory.next_told()
            {
                place.write(c_done(next));
                count += 1;
            }
            Ok(FRESCO_OK)
        };
        // SAFETY: as the caller promises.
        if unsafe { enter(handle, work) } != FRESCO_OK || count == 0 {
            return;
        }
        // SAFETY: so many were written.
        let told = unsafe { std::slice::from_raw_parts(some.as_ptr().cast(), count) };
        // SAFETY: the handle is valid, or there would be no request, and its borrow is over.
        unsafe { call_back(handle, told) };
    }
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `requests` has `count` of them; `sent` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_send_all(
    handle: *mut Handle,
    requests: *const fresco_request,
    count: usize,
    most: u32,
    tag: u64,
    sent: *mut usize,
) -> c_int {
    let mut reached = 0;
    let mut status = FRESCO_OK;
    // In pieces, so that what is to be told stays little; an empty slice is one, too.
    while status == FRESCO_OK && (reached < count || count == 0) {
        let piece = PIECE.min(count - reached);
        let work = |handle: &mut Handle| {
            counted(count)?;
            // SAFETY: as the caller promises.
            let requests = unsafe { requests_of(requests, reached, piece)? };
            let most = outstanding(most)?;
            let result = handle
                .memory
                .send_quietly(&requests, most, tag.wrapping_add(reached as u64));
            let before = reached;
            reached += result.map_or_else(|(index, _)| index, |()| piece);
            result.map_err(|(index, error)| failure(before + index, error))?;
            Ok(FRESCO_OK)
        };
        // SAFETY: as the caller promises.
        status = unsafe { enter_moving(handle, work) };
        // SAFETY: as the caller promises; its borrow is over.
        unsafe { tell(handle) };
        if count == 0 {
            break;
        }
    }
    if !sent.is_null() {
        // SAFETY: as the caller promises.
        unsafe { sent.write(reached) };
    }
    status
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `end` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_drain(handle: *mut Handle, end: *mut u64) -> c_int {
    let mut told = Vec::new();
    let work = |handle: &mut Handle| {
        let last = handle.memory.drain(|done| told.push(c_done(done)));
        if !end.is_null() {
            // SAFETY: as the caller promises.
            unsafe { end.write(last) };
        }
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    let status = unsafe { enter_moving(handle, work) };
    if !told.is_empty() {
        // SAFETY: there is something to tell only of a valid handle, and its borrow is over.
        unsafe { call_back(handle, &told) };
    }
    status
}

/// See `fresco.h`.
///
/// # Safety
/// The handle is null or valid, and used by nobody else; `requests` has `count` of them, `ends` is null or room for as many; `end` is null or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fresco_memory_replay(
    handle: *mut Handle,
    requests: *const fresco_request,
    count: usize,
    most: u32,
    ends: *mut u64,
    end: *mut u64,
) -> c_int {
    let work = |handle: &mut Handle| {
        counted(count)?;
        // SAFETY: as the caller promises.
        let requests = unsafe { requests_of(requests, 0, count)? };
        let most = outstanding(most)?;
        let mut unasked = Vec::new();
        let ends = match ends.is_null() {
            true => {
                unasked.resize(count, 0);
                &mut unasked[..]
            }
            // SAFETY: as the caller promises.
            false => unsafe { std::slice::from_raw_parts_mut(ends, count) },
        };
        let last = handle
            .memory
            .replay(&requests, most, ends)
            .map_err(|(index, error)| failure(index, error))?;
        if !end.is_null() {
            // SAFETY: as the caller promises.
            unsafe { end.write(last) };
        }
        Ok(FRESCO_OK)
    };
    // SAFETY: as the caller promises.
    unsafe { enter_moving(handle, work) }
}
