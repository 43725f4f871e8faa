// SPDX-License-Identifier: GPL-2.0-only
//! What this machine and its kernel have, and who is meant by a task.

use crate::fault::Fault;
use crate::table::Task;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const SCHED_EXT: &str = "/sys/kernel/sched_ext";
const BTF: &str = "/sys/kernel/btf/vmlinux";
const CGROUP: &str = "/sys/fs/cgroup";

/// Refuses what a scheduler cannot be loaded on.
///
/// # Errors
/// The kernel has no sched_ext or no types, another scheduler is loaded, or this is not root.
pub fn check() -> Result<(), Fault> {
    if !Path::new(SCHED_EXT).exists() {
        return Err(Fault::here(SCHED_EXT, "this kernel has no sched_ext")
            .allowed("Linux 6.12 or newer with CONFIG_SCHED_CLASS_EXT=y, as Debian 14 has it")
            .help("boot such a kernel"));
    }
    if !Path::new(BTF).exists() {
        return Err(Fault::here(BTF, "this kernel does not describe its types")
            .allowed("a kernel with CONFIG_DEBUG_INFO_BTF=y")
            .help("boot such a kernel"));
    }
    if !rustix::process::geteuid().is_root() {
        return Err(Fault::here("this user", "is not root")
            .allowed("root, in the machine's own user namespace")
            .help("use sudo"));
    }
    if let Some(name) = loaded() {
        return Err(Fault::here(
            format!("{SCHED_EXT}/root/ops"),
            format!("another scheduler is loaded: {name}"),
        )
        .allowed("one at a time")
        .help("end the program that loaded it"));
    }
    Ok(())
}

/// Name of the scheduler that is loaded.
pub fn loaded() -> Option<String> {
    let state = std::fs::read_to_string(format!("{SCHED_EXT}/state")).ok()?;
    if state.trim() == "disabled" {
        return None;
    }
    let name = std::fs::read_to_string(format!("{SCHED_EXT}/root/ops")).unwrap_or_default();
    Some(match name.trim() {
        "" => format!("one that is {}", state.trim()),
        name => name.to_owned(),
    })
}

/// As the BPF programs have room for.
const MOST_CPUS: u32 = 64;

/// How many CPUs there can be, and which are there.
///
/// # Errors
/// The kernel does not tell, or there are more than the schedulers know.
pub fn cpus() -> Result<(u32, Vec<u32>), Fault> {
    let list = |name: &str| {
        let path = format!("/sys/devices/system/cpu/{name}");
        let text = std::fs::read_to_string(&path).map_err(|why| Fault::here(&path, why.to_string()))?;
        numbers(text.trim()).ok_or_else(|| Fault::here(&path, format!("found {text:?}")).allowed("a list as 0-3,5"))
    };
    let possible = list("possible")?.last().map_or(1, |last| last + 1);
    if possible > MOST_CPUS {
        return Err(
            Fault::here("/sys/devices/system/cpu/possible", format!("found {possible} CPUs"))
                .allowed(MOST_CPUS.to_string())
                .help(format!(
                    "boot with possible_cpus={MOST_CPUS} on the kernel's command line"
                )),
        );
    }
    Ok((possible, list("online")?))
}

/// The numbers of a list as `0-3,5`.
fn numbers(text: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        all.extend(first.parse::<u32>().ok()?..=last.parse().ok()?);
    }
    Some(all)
}

/// Whom the kernel knows a task by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// All threads of a process.
    Process(u32),
    /// All tasks in a cgroup and below it.
    Group(u64),
}

/// Finds the cgroups or processes of tasks.
///
/// # Errors
/// As [`owner`], or two tasks are the same.
pub fn owners(tasks: &[Task], place: &str) -> Result<Vec<Owner>, Fault> {
    let mut owners: Vec<Owner> = Vec::new();
    for task in tasks {
        let owner = owner(task, place)?;
        if let Some(other) = owners.iter().position(|other| *other == owner) {
            let found = format!("found the cgroup or process of task {:?}", tasks[other].name);
            return Err(Fault::input(format!("{place}: task {:?}", task.name), found).allowed("one of its own"));
        }
        owners.push(owner);
    }
    Ok(owners)
}

/// Finds the cgroup or process of a task.
///
/// # Errors
/// None is named, or there is no such one.
pub fn owner(task: &Task, place: &str) -> Result<Owner, Fault> {
    let place = format!("{place}: task {:?}", task.name);
    if let Some(pid) = task.pid {
        return match i32::try_from(pid).is_ok() && Path::new(&format!("/proc/{pid}/task/{pid}")).exists() {
            true => Ok(Owner::Process(pid)),
            false => Err(Fault::input(place, format!("found pid {pid}")).allowed("a process that runs")),
        };
    }
    let Some(group) = &task.cgroup else {
        return Err(Fault::input(place, "found neither cgroup nor pid")
            .allowed("one of them")
            .help(format!("say --task {0}=cgroup:/PATH or --task {0}=pid:NUMBER, or --groups /PATH for cgroups /PATH/NAME of all tasks", task.name)));
    };
    // The kernel's number of a cgroup is that of its folder.
    let path = format!("{CGROUP}/{}", group.trim_start_matches('/'));
    match std::fs::metadata(&path) {
        Ok(folder) if Path::new(&path).join("cgroup.procs").exists() => Ok(Owner::Group(folder.ino())),
        _ => Err(Fault::input(place, format!("found cgroup {group:?}"))
            .allowed(format!("one of version 2, below {CGROUP}"))
            .help(format!("make it: mkdir -p {path}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus() {
        assert_eq!(numbers("0"), Some(vec![0]));
        assert_eq!(numbers("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(numbers(""), None);
        assert_eq!(numbers("a-b"), None);
    }

    #[test]
    fn a_task_is_somebody() {
        let task = |cgroup: Option<&str>, pid| Task {
            name: "a".to_owned(),
            cgroup: cgroup.map(str::to_owned),
            pid,
        };
        assert_eq!(
            owner(&task(None, Some(std::process::id())), "t"),
            Ok(Owner::Process(std::process::id()))
        );
        for (task, told) in [
            (task(None, None), "t: task \"a\": found neither cgroup nor pid"),
            (task(None, Some(u32::MAX)), "found pid 4294967295"),
            (task(Some("/no/such"), None), "found cgroup \"/no/such\""),
        ] {
            let said = owner(&task, "t").expect_err("nobody").to_string();
            assert!(said.contains(told), "{said}");
        }
        let twice = [
            task(None, Some(std::process::id())),
            task(None, Some(std::process::id())),
        ];
        assert!(owners(&twice, "t").expect_err("twice").found.contains("of task \"a\""));
    }
}
