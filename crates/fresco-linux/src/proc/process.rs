// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes: which there are, what they were asked to run with, what they map.

use super::{Mapping, PageMap, record};
use crate::colors::{ENVIRONMENT, Request};
use crate::sys::capability;
use fresco_dram::color::parse_list;
use fresco_input::InputError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A process, by its directory in `/proc`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    directory: PathBuf,
}

/// What is at `root` is not the process file system.
fn not_proc(root: &Path, found: impl Into<String>) -> InputError {
    InputError::new(root.display().to_string(), found)
        .allowed("the process file system")
        .help("mount it: mount -t proc proc /proc")
}

/// The processes under `root`, by number.
///
/// # Errors
/// `root` cannot be read, or tells of no process, not even of the one that asks.
pub fn processes(root: &Path) -> Result<Vec<Process>, InputError> {
    let unreadable = |error: io::Error| not_proc(root, format!("cannot be read: {error}"));
    let mut found = Vec::new();
    for entry in fs::read_dir(root).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        if let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) {
            found.push(Process {
                pid,
                directory: entry.path(),
            });
        }
    }
    if found.is_empty() {
        return Err(not_proc(root, "found no process there"));
    }
    found.sort_by_key(|process| process.pid);
    Ok(found)
}

/// Returns true if the kernel hides processes of other users from the calling process (`hidepid` of proc(5)).
pub fn hides_others(root: &Path) -> bool {
    let mounts = fs::read_to_string(root.join("self/mounts")).unwrap_or_default();
    let mut options = mounts.lines().filter_map(|line| {
        let mut words = line.split(' ').skip(1);
        (Path::new(words.next()?) == root && words.next()? == "proc").then(|| words.next())?
    });
    // Mounts on top of others come last.
    let hides = options.next_back().is_some_and(|options| {
        let mut options = options.split(',');
        options.any(|option| ["hidepid=2", "hidepid=4", "hidepid=invisible", "hidepid=ptraceable"].contains(&option))
    });
    hides && !capability::has(capability::PTRACE)
}

/// What a process was asked to run with, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Colors.
    For(Box<Request>),
    /// Nothing.
    Nothing,
    /// It is another user's, or has more privileges than the one who asks.
    Hidden,
}

/// The request in the environment of a process, as `environ` has it.
fn of_environment(environment: &[u8]) -> Option<Request> {
    let mut variables = environment.split(|&byte| byte == 0);
    let text = variables.find_map(|variable| {
        let value = variable.strip_prefix(ENVIRONMENT.as_bytes())?;
        value.strip_prefix(b"=")
    })?;
    Request::parse(text)
}

impl Process {
    /// The process `pid` under `root`.
    ///
    /// # Errors
    /// There is none.
    pub fn find(root: &Path, pid: u32) -> Result<Self, InputError> {
        let directory = root.join(pid.to_string());
        match directory.is_dir() {
            true => Ok(Self { pid, directory }),
            // That nothing is mounted there says nothing about the process.
            false => Err(processes(root).err().unwrap_or_else(|| {
                InputError::new("PID", format!("found no process {pid}"))
                    .allowed("the number of a process that lives")
                    .help("look with `fresco ps`")
            })),
        }
    }

    /// Its name, at most 15 bytes; empty once it has gone.
    pub fn name(&self) -> String {
        let name = fs::read_to_string(self.directory.join("comm")).unwrap_or_default();
        name.trim_end().to_owned()
    }

    /// What it was asked to run with.
    pub fn asked(&self) -> Asked {
        let environment = fs::read(self.directory.join("environ"));
        let of_record = || record::request_of(&self.directory);
        match environment {
            Ok(text) => of_record()
                .or_else(|| of_environment(&text))
                .map_or(Asked::Nothing, |request| Asked::For(Box::new(request))),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && !self.is_of_the_kernel() => Asked::Hidden,
            Err(_) => Asked::Nothing,
        }
    }

    /// What it was started with; `None` if nothing was asked, or it is not ours to read.
    pub fn request(&self) -> Option<Request> {
        match self.asked() {
            Asked::For(request) => Some(*request),
            Asked::Nothing | Asked::Hidden => None,
        }
    }

    /// Returns true if it has no memory any more: it has gone, or nobody has waited for it yet, or it is about to end, a moment before
    /// [`has_ended`] says so. Threads of the kernel never have any.
    pub fn has_no_memory(&self) -> bool {
        match fs::read(self.directory.join("maps")) {
            Ok(maps) => maps.is_empty(),
            Err(error) => is_gone(&error),
        }
    }

    /// Returns true for a kernel thread.
    fn is_of_the_kernel(&self) -> bool {
        // PF_KTHREAD of the kernel's sched.h, in field 9 of proc_pid_stat(5).
        const KERNEL_THREAD: u32 = 0x0020_0000;
        let stat = fs::read_to_string(self.directory.join("stat")).unwrap_or_default();
        let flags = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(9 - 3));
        flags.is_some_and(|flags| flags.parse().is_ok_and(|flags: u32| flags & KERNEL_THREAD != 0))
    }

    /// Checks that the environment it was started with may be read.
    ///
    /// # Errors
    /// It has gone, or is another user's.
    pub fn tells(&self) -> Result<(), InputError> {
        let read = fs::read(self.directory.join("environ"));
        read.map(drop).map_err(|error| self.unreadable("environ", &error))
    }

    /// Processors that it may run on, ascending; none once it has gone.
    pub fn cpus(&self) -> Vec<u32> {
        let status = fs::read_to_string(self.directory.join("status")).unwrap_or_default();
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        parse_list(list.unwrap_or_default().trim(), 1 << 16, "Cpus_allowed_list").unwrap_or_default()
    }

    /// Its mappings.
    ///
    /// # Errors
    /// It has gone, or may not be read.
    pub fn mappings(&self) -> Result<Vec<Mapping>, InputError> {
        let bytes = fs::read(self.directory.join("smaps")).map_err(|error| self.unreadable("smaps", &error))?;
        Ok(Mapping::parse_all(&String::from_utf8_lossy(&bytes)))
    }

    /// Its mappings without what only `smaps` tells, which takes long where there is much memory: those that the library places are not
    /// told apart from other anonymous ones.
    ///
    /// # Errors
    /// As [`Process::mappings`].
    pub fn areas(&self) -> Result<Vec<Mapping>, InputError> {
        let bytes = fs::read(self.directory.join("maps")).map_err(|error| self.unreadable("maps", &error))?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().filter_map(Mapping::parse).collect())
    }

    /// Returns true if it has loaded the library that places frames. Programs linked statically and those with
    /// privileges of their own do not load it.
    pub fn has_library(&self) -> bool {
        let areas = self.areas().unwrap_or_default();
        areas.iter().any(Mapping::is_library)
    }

    /// Its memory, to be read; `None` once it has gone, or where that is not allowed.
    pub(super) fn memory(&self) -> Option<fs::File> {
        fs::File::open(self.directory.join("mem")).ok()
    }

    /// The frames of its pages.
    ///
    /// # Errors
    /// It has gone, or may not be read.
    pub fn page_map(&self) -> Result<PageMap, InputError> {
        PageMap::open(&self.directory.join("pagemap")).map_err(|error| self.unreadable("pagemap", &error))
    }

    /// Bad news about one of its files.
    pub fn unreadable(&self, file: &str, error: &io::Error) -> InputError {
        let path = self.directory.join(file);
        let gone = !self.directory.is_dir() || error.kind() == io::ErrorKind::NotFound;
        // A process without memory of its own.
        let kernel_thread = error.raw_os_error() == Some(libc::ESRCH);
        match gone {
            false if kernel_thread => InputError::new("PID", format!("process {} has no memory of its own", self.pid))
                .allowed("a program; this is a thread of the kernel's, or has just ended")
                .help("look with `fresco ps`"),
            true => InputError::new("PID", format!("process {} has ended", self.pid))
                .allowed("the number of a process that lives")
                .help("look with `fresco ps`"),
            false => InputError::new(path.display().to_string(), format!("cannot be read: {error}"))
                .allowed("own processes, and those of others with CAP_SYS_PTRACE")
                .help(capability::cure_of_process(
                    &fs::read_to_string(self.directory.join("status")).unwrap_or_default(),
                )),
        }
    }
}

/// Returns true if the process or thread whose folder in `/proc` this is has ended. A zombie, which nobody has waited
/// for, is still listed.
pub fn has_ended(folder: &Path) -> bool {
    match fs::read_to_string(folder.join("stat")) {
        // The name may have brackets in it, what follows has none.
        Ok(stat) => stat
            .rsplit_once(") ")
            .is_none_or(|(_, rest)| rest.starts_with(['Z', 'X'])),
        Err(error) => is_gone(&error),
    }
}

/// Returns true if this error of reading a file in `/proc` says that its process or thread is not there any more.
fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_has_waited_for_has_no_memory() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("there");
        let process = Process::find(Path::new("/proc"), child.id()).expect("lives");
        assert!(!process.has_no_memory());
        child.kill().expect("ours");
        while !has_ended(&process.directory) {
            std::thread::yield_now();
        }
        assert!(
            process.has_no_memory() && !process.name().is_empty(),
            "a zombie has its name"
        );
        child.wait().expect("ours");
        assert!(process.has_no_memory() && process.name().is_empty());
    }

    #[test]
    fn where_no_process_is_told_of_nothing_is_said_about_processes() {
        let own = std::process::id();
        let root = std::env::temp_dir().join(format!("fresco-no-proc-{own}"));
        fs::create_dir_all(&root).expect("writable");
        let listed = processes(&root).map(drop).expect_err("nothing is mounted there");
        let found = Process::find(&root, own).expect_err("nothing is mounted there");
        fs::remove_dir(&root).expect("ours");
        for error in [listed, found] {
            assert!(error.to_string().contains("mount -t proc"), "{error}");
        }
        assert!(Process::find(Path::new("/proc"), own).is_ok());
        let nobody = Process::find(Path::new("/proc"), u32::MAX).expect_err("no such number");
        assert!(nobody.found.starts_with("found no process 4294967295"), "{nobody}");
    }
}
