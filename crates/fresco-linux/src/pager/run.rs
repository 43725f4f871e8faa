// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pager's thread.

use super::place::anonymous_parts;
use super::{Door, Pager, Refusal, Stats};
use crate::colors::Request;
use crate::sys::{as_a_stranger, drop_privileges, without_signals};
use rustix::io::Errno;
use std::ops::Range;
use std::sync::mpsc::sync_channel;
use std::thread::Builder;

/// Bytes of its stack.
const STACK: usize = 256 << 10;

/// What a process has when its pager starts.
#[derive(Clone, Debug, Default)]
pub struct Started {
    /// Ranges to be watched, each with its set of colours.
    pub ranges: Vec<(Range<u64>, u32)>,
    /// Is it a child, whose pages are its parent's, too?
    pub forked: bool,
}

/// Starts the pager of this process, which from then on answers at `door` and watches what the
/// process has inherited. Returns when it serves.
///
/// The thread takes no signals, has no file descriptors of the program and no privileges but what it has opened.
///
/// # Errors
/// What the kernel or the lack of a privilege denies.
pub fn start(request: Request, door: &'static Door, stats: &'static Stats, started: Started) -> Result<(), Refusal> {
    let (told, tells) = sync_channel(1);
    let body = move || {
        as_a_stranger();
        let ready = Pager::new(&request).and_then(|mut pager| {
            pager.watch(door.page()).map_err(Refusal::Userfault)?;
            for (range, set) in &started.ranges {
                for part in anonymous_parts(range) {
                    // What cannot be watched is left to the kernel.
                    let _ = pager.cover(part, *set, door.sets());
                }
            }
            if started.forked {
                pager.forked();
            }
            Ok(pager)
        });
        drop_privileges();
        let (mut pager, result) = match ready {
            Ok(pager) => (Some(pager), Ok(())),
            Err(refusal) => (None, Err(refusal)),
        };
        // The starter waits for this.
        let _ = told.send(result);
        if let Some(pager) = &mut pager {
            // When this ends the descriptor is closed, and the kernel answers all who wait.
            while pager.serve(door, stats).is_ok() {}
        }
    };
    let spawned = without_signals(|| Builder::new().name("fresco".to_owned()).stack_size(STACK).spawn(body));
    match spawned {
        Ok(_) => tells.recv().unwrap_or(Err(Refusal::Userfault(Errno::AGAIN))),
        Err(error) => Err(Refusal::Userfault(Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))),
    }
}
