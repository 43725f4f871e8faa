// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes that a program made: none is left behind when the program is made to end. All this is of the whole process that calls it: it is
//! for one that has no other children.

use rustix::process::{Pid, Signal, getpid, kill_process, set_child_subreaper};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long to wait for processes that were killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// Processes whose parents end become children of this one from here on, so that they can be found.
pub fn adopt() {
    // Where it cannot be, they are found as long as their parents live.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills all processes that descend from this one.
pub fn kill_all() {
    let since = Instant::now();
    loop {
        let found = living(getpid().as_raw_nonzero().get());
        for pid in &found {
            if let Some(pid) = Pid::from_raw(*pid) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        // Children of children come to this process, and are to be waited for.
        let waited = loop {
            // SAFETY: no memory is involved.
            let pid = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
            if pid <= 0 {
                break pid;
            }
        };
        // One that ends during a look leaves its children to this process, so that the look has not found them: nobody is left where
        // there is no child at all.
        let is_over = found.is_empty() && waited < 0;
        if is_over || since.elapsed() > PATIENCE {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Parent and state of a process, from its line in `/proc`: the name, in parentheses, may contain anything.
fn parent(line: &str) -> Option<(i32, bool)> {
    let mut words = line.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = words.next()?;
    Some((words.next()?.parse().ok()?, matches!(state, "Z" | "X")))
}

/// Processes that descend from `ancestor` and are not dead.
fn living(ancestor: i32) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let about = |pid: i32| {
        Some((
            pid,
            parent(&std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?,
        ))
    };
    let parents: BTreeMap<i32, (i32, bool)> = pids.filter_map(about).collect();
    let descends = |pid: &i32| {
        let mut above = *pid;
        // Numbers are used again: a circle cannot be excluded.
        for _ in 0..1000 {
            match parents.get(&above) {
                Some((parent, _)) if *parent == ancestor => return true,
                Some((parent, _)) if *parent > 1 => above = *parent,
                _ => return false,
            }
        }
        false
    };
    parents
        .iter()
        .filter(|(pid, (_, dead))| !dead && descends(pid))
        .map(|(pid, _)| *pid)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_contain_anything() {
        assert_eq!(parent("7 (a) b) S 5 7 7 0"), Some((5, false)));
        assert_eq!(parent("7 (x) Z 5 7"), Some((5, true)));
        assert_eq!(parent("7 x"), None);
    }
}
