// SPDX-License-Identifier: GPL-2.0-only
//! What loading both schedulers has in common: what the kernel says of it, CPUs, and the end.

use crate::fault::{ENDED, Fault};
use crate::here::Owner;
use libbpf_rs::btf::{Btf, types};
use libbpf_rs::{MapCore, MapFlags, PrintLevel, ProgramInput, ProgramMut};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What libbpf and the kernel's verifier said.
static SAID: Mutex<String> = Mutex::new(String::new());

fn keep(_: PrintLevel, text: String) {
    if let Ok(mut said) = SAID.lock() {
        said.push_str(&text);
    }
}

/// From now on what libbpf says is kept for [`refused`].
pub fn listen() {
    libbpf_rs::set_print(Some((PrintLevel::Warn, keep)));
}

/// That the kernel did not take the programs, with its reason.
pub fn refused(what: &str, why: &libbpf_rs::Error, verbose: bool) -> Fault {
    let said = SAID.lock().map(|said| said.clone()).unwrap_or_default();
    if verbose {
        eprint!("{said}");
    }
    refusal(what, &why.to_string(), &said)
}

fn refusal(what: &str, why: &str, said: &str) -> Fault {
    // The verifier's log ends with what it did, before which is why.
    let is_log = |line: &&str| {
        !line.is_empty() && !line.starts_with("libbpf:") && !line.starts_with("processed ") && !line.starts_with("-- ")
    };
    let reason = said.lines().map(str::trim).rfind(is_log);
    let found = match reason {
        Some(reason) => format!("the kernel's verifier refuses it: {reason}"),
        None => {
            let last = said
                .lines()
                .next_back()
                .unwrap_or_default()
                .trim_start_matches("libbpf: ");
            let last = if last.is_empty() {
                String::new()
            } else {
                format!(": {last}")
            };
            format!("the kernel does not take it: {why}{last}")
        }
    };
    Fault::here(format!("scheduler {what}"), found)
        .allowed("Linux 7.2, on which it was tried; it is written for 6.12 and newer")
        .help("--verbose shows all that the kernel says")
}

/// What schedulers decide themselves: who runs when nobody else is there, who ends, and who is kept on its CPU for a while.
pub const FLAGS: [&str; 3] = [
    "SCX_OPS_ENQ_LAST",
    "SCX_OPS_ENQ_EXITING",
    "SCX_OPS_ENQ_MIGRATION_DISABLED",
];

/// Tells the programs the number of an owner.
pub fn name(processes: &dyn MapCore, groups: &dyn MapCore, owner: &Owner, number: u32) -> Result<(), libbpf_rs::Error> {
    match owner {
        Owner::Process(process) => processes.update(&process.to_ne_bytes(), &number.to_ne_bytes(), MapFlags::ANY),
        Owner::Group(group) => groups.update(&group.to_ne_bytes(), &number.to_ne_bytes(), MapFlags::ANY),
    }
}

/// The flags of that name, of those that this kernel has.
pub fn flags(names: &[&str]) -> u64 {
    let Ok(kernel) = Btf::from_vmlinux() else { return 0 };
    let is_named = |name: Option<&std::ffi::OsStr>| name.is_some_and(|name| names.iter().any(|wanted| *wanted == name));
    // As wide as its largest member.
    if let Some(wide) = kernel.type_by_name::<types::Enum64<'_>>("scx_ops_flags") {
        return wide
            .iter()
            .filter(|member| is_named(member.name))
            .fold(0, |flags, member| flags | member.value as u64);
    }
    let Some(narrow) = kernel.type_by_name::<types::Enum<'_>>("scx_ops_flags") else {
        return 0;
    };
    narrow
        .iter()
        .filter(|member| is_named(member.name))
        .fold(0, |flags, member| flags | member.value as u64)
}

/// Runs a program once on each of the CPUs.
///
/// # Errors
/// A CPU cannot be run on, or the program fails there.
pub fn on_each(program: &ProgramMut<'_>, cpus: &[u32]) -> Result<(), Fault> {
    let failed = |cpu: u32, why: String| Fault::here(format!("CPU {cpu}"), format!("its timer does not start: {why}"));
    let all = sched_getaffinity(None).map_err(|why| Fault::here("this program", why.to_string()))?;
    for &cpu in cpus {
        let mut one = CpuSet::new();
        one.set(cpu as usize);
        sched_setaffinity(None, &one).map_err(|why| failed(cpu, why.to_string()))?;
        let result = program
            .test_run(ProgramInput::default())
            .map_err(|why| failed(cpu, why.to_string()))?;
        if result.return_value != 0 {
            return Err(failed(cpu, format!("status {}", result.return_value as i32)));
        }
    }
    sched_setaffinity(None, &all).map_err(|why| Fault::here("this program", why.to_string()))
}

/// Becomes true with SIGINT, SIGTERM or SIGHUP.
///
/// # Errors
/// The kernel does not let signals be caught.
pub fn stop() -> Result<Arc<AtomicBool>, Fault> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.clone()).map_err(|why| Fault::here("signals", why.to_string()))?;
    }
    Ok(stop)
}

/// Whether the program is to end.
pub fn is_over(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}

/// Where variables of a scheduler are among all of them.
pub struct Places {
    /// How the kernel has ended it, 32 bits; and why, in words.
    pub ended: usize,
    pub reason: usize,
    pub message: usize,
    /// Records that did not fit, 64 bits.
    pub lost: usize,
}

/// What a scheduler tells in its variables.
pub struct Told {
    /// Why the kernel has ended it, if it has.
    pub ended: Option<String>,
    /// Records that did not fit.
    pub lost: u64,
}

/// Reads a scheduler's variables, which change while it runs.
pub fn told(variables: &impl MapCore, places: &Places) -> Told {
    let bytes = variables
        .lookup(&0u32.to_ne_bytes(), MapFlags::ANY)
        .ok()
        .flatten()
        .unwrap_or_default();
    let at = |place: usize| bytes.get(place..).unwrap_or_default();
    let text = |place: usize| {
        String::from_utf8_lossy(at(place).split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
    };
    let has_ended = at(places.ended)
        .first_chunk()
        .is_some_and(|bytes| i32::from_ne_bytes(*bytes) != 0);
    let words = || {
        [text(places.reason), text(places.message)]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
    };
    Told {
        ended: has_ended.then(|| words().join(": ")),
        lost: at(places.lost)
            .first_chunk()
            .map_or(0, |bytes| u64::from_ne_bytes(*bytes)),
    }
}

/// That the kernel has ended a scheduler.
pub fn ended(what: &str, why: &str) -> Fault {
    Fault::new(
        ENDED,
        format!("scheduler {what}"),
        format!("the kernel has ended it: {why}"),
    )
    .help("all tasks are scheduled by Linux's own again; the kernel's log (dmesg) says more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_the_verifier_refuses() {
        let said = "libbpf: prog 'table_dispatch': BPF program load failed: -EACCES\nlibbpf: prog 'table_dispatch': -- BEGIN PROG LOAD LOG --\n\
            0: R1=ctx() R10=fp0\nR2 unbounded memory access, make sure to bounds check any such access\nprocessed 7 insns (limit 1000000)\n\
            -- END PROG LOAD LOG --\nlibbpf: failed to load object 'table_bpf'\n";
        assert_eq!(
            refusal("fresco_table", "Permission denied", said)
                .to_string()
                .lines()
                .next(),
            Some(
                "scheduler fresco_table: the kernel's verifier refuses it: R2 unbounded memory access, make sure to bounds check any such access"
            )
        );
        let said = "libbpf: extern (func ksym) 'scx_bpf_create_dsq': not found in kernel or module BTFs\n";
        assert_eq!(
            refusal("fresco_table", "Invalid argument", said).found,
            "the kernel does not take it: Invalid argument: extern (func ksym) 'scx_bpf_create_dsq': not found in kernel or module BTFs"
        );
    }
}
