// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a program does just before it begins, so that it runs from its first instruction on as its schedule has it.

use crate::launch::bind_cpus;
use crate::sys::{Policy, before_exec, set_policy};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, write};
use std::ffi::CString;
use std::process::Command;

/// What it does.
#[derive(Clone, Debug)]
pub enum Entry {
    /// It is scheduled so.
    Policy(Policy),
    /// It enters a cgroup, by its file `cgroup.procs`.
    Group(CString),
}

impl Entry {
    /// Has the program of a command do it. If that is refused it does not begin.
    pub fn apply(&self, command: &mut Command) {
        match self.clone() {
            Self::Policy(policy) => before_exec(command, move || set_policy(policy)),
            Self::Group(file) => before_exec(command, move || enter(&file)),
        }
    }
}

/// Writes the caller's number; without memory of its own, as a child of any process may.
fn enter(file: &CString) -> Result<(), Errno> {
    let file = open(
        file.as_c_str(),
        OFlags::WRONLY | OFlags::APPEND | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let mut number = rustix::process::getpid().as_raw_nonzero().get();
    let mut digits = [b'\n'; 12];
    let mut first = digits.len() - 1;
    while number > 0 {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    write(&file, &digits[first..]).map(drop)
}

/// Finds out whether the kernel schedules threads so on these processors: a thread tries it, and ends.
///
/// # Errors
/// In words, what the kernel refuses, and the way out.
pub fn probe(policy: Policy, cpus: &[u32]) -> Result<(), String> {
    let cpus = cpus.to_vec();
    let tried = std::thread::spawn(move || bind_cpus(&cpus).and_then(|()| set_policy(policy))).join();
    let tried = tried.unwrap_or(Err(Errno::NOMEM));
    tried.map_err(|error| refused(policy, error))
}

fn refused(policy: Policy, error: Errno) -> String {
    let name = match policy {
        Policy::Deadline { .. } => "SCHED_DEADLINE",
        _ => "SCHED_FIFO",
    };
    let reason = match (error, policy) {
        (Errno::PERM, Policy::Deadline { .. }) if rustix::process::geteuid().is_root() => {
            "the processor shares a root domain with others, or this root lacks CAP_SYS_NICE; allowed: a processor that is a root domain by \
             itself; run within a cpuset partition of it (docs/run.md)"
        }
        (Errno::PERM, _) => "not permitted; allowed: root with CAP_SYS_NICE; run it as root, outside of containers",
        (Errno::BUSY, _) => {
            "the kernel admits no more: other tasks have deadlines, and it keeps some of each processor for those without; allowed: what \
             these leave of kernel.sched_rt_runtime_us; end them, or plan with less"
        }
        _ => return format!("{name}: the kernel refuses it: {error}"),
    };
    format!("{name}: {reason}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::policy_of;

    #[test]
    fn a_program_enters_before_it_begins() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cgroup.procs");
        std::fs::write(&file, "").expect("writable");
        let path = CString::new(file.to_str().expect("UTF-8")).expect("a path");
        let mut command = Command::new("true");
        Entry::Group(path).apply(&mut command);
        let mut child = command.spawn().expect("it starts");
        let id = child.id();
        child.wait().expect("it ends");
        assert_eq!(std::fs::read_to_string(&file).expect("there"), format!("{id}\n"));
        let mut command = Command::new("true");
        Entry::Group(c"/no/such/file".to_owned()).apply(&mut command);
        assert_eq!(
            command.spawn().expect_err("no such group").kind(),
            std::io::ErrorKind::NotFound
        );
    }

    #[test]
    fn a_probe_changes_nothing_of_the_caller() {
        let before = policy_of(0);
        // Whatever the answer is here.
        let _ = probe(Policy::Fifo(1), &[0]);
        assert_eq!(policy_of(0), before);
        let told = probe(Policy::Fifo(100), &[0]).expect_err("no such priority");
        assert!(told.starts_with("SCHED_FIFO: the kernel refuses it"), "{told}");
    }
}
