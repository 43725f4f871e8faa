// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pager's thread.

use super::liveness::end_of_first;
use super::{Pager, PagerPort, PagerRefusal, Stats};
use crate::colors::Request;
use crate::pool::Short;
use crate::proc::{Headroom, anonymous_parts};
use crate::sys::{as_a_stranger, drop_privileges, end_by_signal, end_thread, without_signals};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::Builder;
use std::time::Duration;

/// Bytes of its stack.
const STACK: usize = 256 << 10;

/// Addresses and data that limits of the process have to leave a program at its beginning, beside the addresses that its
/// allocator reserves: for the pager, its searches, and as much again for the program, that it gets anywhere.
const ROOM: u64 = 64 << 20;
/// What they have to leave a child, whose program is there already.
const ROOM_OF_CHILD: u64 = 8 << 20;

/// Between words about frames that are still looked for.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// What a process has when its pager starts.
#[derive(Clone, Debug, Default)]
pub struct Started {
    /// Ranges to be watched, each with its set of colors.
    pub ranges: Vec<(Range<u64>, u32)>,
    /// Whether it is a child, whose pages are its parent's, too.
    pub forked: bool,
    /// Bytes of addresses that the program's allocator is going to reserve.
    pub reserves: u64,
}

/// Starts the pager of this process, which from then on answers at `port` and watches what the
/// process has inherited. Returns when it serves, and why it could not collect the pool asked for, if it could not.
/// `waiting` is called every two seconds until then.
///
/// The thread takes no signals, has no file descriptors of the program but standard error, in a child only where
/// [`Request::stats`] are asked for, and no privileges but what it has opened.
///
/// # Errors
/// What the kernel or the lack of a privilege denies.
pub fn start(
    request: Request,
    port: &'static PagerPort,
    stats: &'static Stats,
    started: Started,
    mut waiting: impl FnMut(),
) -> Result<Result<(), Short>, PagerRefusal> {
    let begin = now();
    leave_room(&Headroom::of_self(Path::new("/proc")), &started)?;
    let (told, tells) = sync_channel(1);
    let body = move || {
        let with_stderr = !started.forked || request.stats;
        as_a_stranger(with_stderr);
        let ready = Pager::new(&request, stats).and_then(|mut pager| {
            pager.watch(port.page()).map_err(PagerRefusal::Userfault)?;
            for (range, set) in &started.ranges {
                for part in anonymous_parts(range) {
                    // What cannot be watched is left to the kernel.
                    let _ = pager.cover(part, *set, port.sets());
                }
            }
            match started.forked {
                true => pager.forked(),
                false => pager.mend_early(port, stats),
            }
            pager.has_stderr = with_stderr;
            Ok(pager)
        });
        drop_privileges();
        let (mut pager, result) = match ready {
            Ok(pager) => {
                let collected = pager.collected;
                (Some(pager), Ok(collected))
            }
            Err(refusal) => (None, Err(refusal)),
        };
        // The starter waits for this.
        let _ = told.send(result);
        if let Some(pager) = &mut pager {
            // When this ends the descriptor is closed, and the kernel answers all who wait.
            let stopped = loop {
                if let Err(error) = pager.serve(port, stats) {
                    break error;
                }
            };
            if stopped == Errno::SRCH {
                // The status of a process is that of the thread that ends last. Seccomp kills a process with its last
                // thread, and alone the first where there are others.
                let end = end_of_first();
                match end & 0x7f {
                    0 => end_thread(end >> 8),
                    signal => end_by_signal(signal),
                }
            }
        }
    };
    let spawned = without_signals(|| Builder::new().name("fresco".to_owned()).stack_size(STACK).spawn(body));
    match spawned {
        Ok(_) => loop {
            match tells.recv_timeout(PATIENCE) {
                Ok(result) => {
                    for ((count, end), begin) in [&stats.set_up, &stats.set_up_processor]
                        .into_iter()
                        .zip(now())
                        .zip(begin)
                    {
                        count.store(end.saturating_sub(begin), Ordering::Relaxed);
                    }
                    return result;
                }
                Err(RecvTimeoutError::Timeout) => waiting(),
                Err(RecvTimeoutError::Disconnected) => return Err(PagerRefusal::Thread(Errno::AGAIN)),
            }
        },
        Err(error) => Err(PagerRefusal::Thread(
            Errno::from_io_error(&error).unwrap_or(Errno::AGAIN),
        )),
    }
}

/// Checks that the limits of the process leave what is needed.
fn leave_room(headroom: &Headroom, started: &Started) -> Result<(), PagerRefusal> {
    let room = if started.forked { ROOM_OF_CHILD } else { ROOM };
    let needed = room + started.reserves;
    if let Some(left) = headroom.addresses.filter(|&left| left < needed) {
        return Err(PagerRefusal::Addresses { left, needed });
    }
    match headroom.data.filter(|&left| left < room) {
        Some(left) => Err(PagerRefusal::Data { left, needed: room }),
        None => Ok(()),
    }
}

/// Microseconds by a clock, and of processors that this process has used.
fn now() -> [u64; 2] {
    [ClockId::Monotonic, ClockId::ProcessCPUTime].map(|clock| {
        let time = clock_gettime(clock);
        time.tv_sec as u64 * 1_000_000 + time.tv_nsec as u64 / 1000
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_to_leave_room_for_what_is_reserved() {
        let started = |forked, reserves| Started {
            forked,
            reserves,
            ..Started::default()
        };
        let of = |addresses, data| Headroom { addresses, data };
        assert_eq!(leave_room(&of(None, None), &started(false, 1 << 30)), Ok(()));
        let needed = (1 << 30) + ROOM;
        assert_eq!(
            leave_room(&of(Some(needed), Some(ROOM)), &started(false, 1 << 30)),
            Ok(())
        );
        let left = needed - 1;
        let refused = leave_room(&of(Some(left), None), &started(false, 1 << 30));
        assert_eq!(refused, Err(PagerRefusal::Addresses { left, needed }));
        let refused = leave_room(&of(Some(needed), Some(1 << 20)), &started(false, 0));
        let said = "the limit of data (RLIMIT_DATA, ulimit -d) leaves 1 MiB, and 64 MiB are needed";
        assert_eq!(refused.map_err(|refusal| refusal.to_string()), Err(said.to_owned()));
        assert_eq!(leave_room(&of(Some(9 << 20), Some(9 << 20)), &started(true, 0)), Ok(()));
    }
}
