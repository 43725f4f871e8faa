// SPDX-License-Identifier: MIT OR Apache-2.0
//! Children that are waited for. If the one who waits is told to end, nothing of what they have started is left.

use crate::proc::has_ended;
use crate::sys::{Signals, fork_on};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// From SIGTERM to SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// Between looks at who is left.
const GLANCE: Duration = Duration::from_millis(20);

/// From now on a process whose parent ends becomes a child of this one, if this one started it or its parents.
pub fn adopt_orphans() {
    // Kernels since 3.4 can; failing, orphans are the first process's as ever.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Waits until the first `awaited` of the children have ended, and tells of each child, by its place, when it does; of the others only if they
/// end by themselves meanwhile. If this process gets a signal that ends it first, one of `signals`, all children and all that they have started
/// are ended, and the signal is returned.
pub fn tend(
    children: &mut [Child],
    awaited: usize,
    signals: &Signals,
    mut ended: impl FnMut(usize, io::Result<ExitStatus>),
) -> Option<i32> {
    let own: BTreeSet<u32> = children.iter().map(Child::id).collect();
    let mut left: Vec<usize> = (0..children.len()).collect();
    let mut told = None;
    loop {
        left.retain(|&place| match children[place].try_wait() {
            Ok(None) => true,
            Ok(Some(status)) => {
                ended(place, Ok(status));
                false
            }
            Err(error) => {
                ended(place, Err(error));
                false
            }
        });
        if left.iter().all(|&place| place >= awaited) || told.is_some() {
            break;
        }
        bury(&own);
        // A look now and then, should a signal be lost.
        told = signals.next(Duration::from_secs(1)).filter(|&signal| signal != 0);
    }
    if told.is_some() {
        end_all(&own);
        for &place in &left {
            let status = children[place].wait();
            if place < awaited {
                ended(place, status);
            }
        }
    }
    told
}

/// Goes on in a child, and returns there. This process waits for it, hands on the signals that tell it to end, and ends
/// as it does; whatever is left then of what was started is ended, too. So one of the two may be killed at any moment,
/// and nothing stays. Both hold the signals back from here on, which a terminal sends to both.
///
/// # Errors
/// No process can be made.
pub fn go_on_guarded() -> Result<Signals, Errno> {
    let signals = Signals::hold();
    let Some(child) = fork_on()? else {
        return Ok(signals);
    };
    adopt_orphans();
    let status = loop {
        match waitpid(Some(child), WaitOptions::NOHANG) {
            Ok(None) => {}
            Ok(Some((_, status))) => {
                break status
                    .exit_status()
                    .or(status.terminating_signal().map(|signal| 128 + signal));
            }
            Err(_) => break None,
        }
        bury(&BTreeSet::from([child.as_raw_nonzero().get().cast_unsigned()]));
        let signal = signals.next(Duration::from_secs(1)).unwrap_or_default();
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process(child, signal);
        }
    };
    end_all(&BTreeSet::new());
    std::process::exit(status.unwrap_or(i32::from(u8::MAX)))
}

/// Ends all that this process has started, and waits for it.
pub fn end_started() {
    end_all(&BTreeSet::new());
}

/// Ends all that this process has started, its `own` children and theirs.
fn end_all(own: &BTreeSet<u32>) {
    let start = Instant::now();
    let mut told = BTreeSet::new();
    while start.elapsed() < 2 * GRACE {
        let living: Vec<u32> = descendants()
            .into_iter()
            .filter(|pid| !has_ended(Path::new(&format!("/proc/{pid}"))))
            .collect();
        bury(own);
        if living.is_empty() && is_nothing_left(own_children, |pid| has_ended(Path::new(&format!("/proc/{pid}")))) {
            return;
        }
        for pid in living {
            // Ours until we have waited for it, or its parent has: its number is no other's but for a moment.
            let signal = match start.elapsed() < GRACE {
                true if !told.insert(pid) => continue,
                true => Signal::TERM,
                false => Signal::KILL,
            };
            if let Some(pid) = Pid::from_raw(pid.cast_signed()) {
                let _ = kill_process(pid, signal);
            }
        }
        std::thread::sleep(GLANCE);
    }
}

/// Returns true if no process is left below this one. One that ends between two looks leaves its children to this one, so that neither look
/// has them: who ended is told by one list of `children`, and the next one has nobody else.
fn is_nothing_left(mut children: impl FnMut() -> Vec<u32>, has_ended: impl Fn(u32) -> bool) -> bool {
    let known = children();
    known.iter().all(|pid| has_ended(*pid)) && children().iter().all(|pid| known.contains(pid))
}

fn own_children() -> Vec<u32> {
    children_of(getpid().as_raw_nonzero().get().cast_unsigned())
}

/// Waits for adopted children that have ended.
fn bury(own: &BTreeSet<u32>) {
    for pid in own_children() {
        let orphan = Pid::from_raw(pid.cast_signed()).filter(|_| !own.contains(&pid));
        if let Some(orphan) = orphan {
            let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
        }
    }
}

fn descendants() -> BTreeSet<u32> {
    let mut known = BTreeSet::new();
    let mut open = own_children();
    while let Some(pid) = open.pop() {
        if known.insert(pid) {
            open.extend(children_of(pid));
        }
    }
    known
}

/// The children of all threads of a process.
fn children_of(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace()
                .filter_map(|pid| pid.parse().ok())
                .collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_left_by_a_parent_that_ends_meanwhile_is_not_overlooked() {
        let looks = |lists: [&[u32]; 2], ended: &[u32]| {
            let mut lists = lists.into_iter();
            is_nothing_left(|| lists.next().expect("two looks").to_vec(), |pid| ended.contains(&pid))
        };
        assert!(looks([&[], &[]], &[]));
        assert!(looks([&[7, 8], &[8]], &[7, 8]));
        assert!(!looks([&[7], &[7]], &[]));
        // 7 has ended since the first look, and its child 9 is ours now.
        assert!(!looks([&[7], &[7, 9]], &[7]));
    }
}
