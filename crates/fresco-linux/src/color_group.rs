// SPDX-License-Identifier: MIT OR Apache-2.0
//! Control groups (version 2) with colors of the kernel's page coloring: which they have, what memory their processes need, and other colors.

use crate::memguard::CGROUPS;
use crate::proc::{Mapping, Process};
use crate::settings;
use crate::sys::page_bytes;
use fresco_dram::color::{format_list, parse_list};
use fresco_input::InputError;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where control groups are mounted.
const USUAL: &str = "/sys/fs/cgroup";

/// Numbers of colors are below: those of the kernel have 12 bits at most.
const MOST_COLORS: u32 = 1 << 12;

/// Files of the kernel's page coloring, below a group's folder.
const COLORS: &str = "cpuset.colors";
const EFFECTIVE: &str = "cpuset.colors.effective";
const MIGRATE: &str = "cpuset.colors.migrate";

/// A control group that has colors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColorGroup {
    /// As `/proc/PID/cgroup` has it: `/rt.slice/control`.
    pub name: String,
    folder: PathBuf,
}

/// How the pages that a group needs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Those of all anonymous areas of its processes that can be accessed, touched or not: BPM's RNP (BPM-6).
    Areas,
    /// Those that it has in memory or in swap space, as its memory controller counts.
    Resident,
}

/// The folder of the first group of all: the usual one, or that of [`CGROUPS`].
pub fn root() -> PathBuf {
    std::env::var_os(CGROUPS).map_or_else(|| PathBuf::from(USUAL), PathBuf::from)
}

impl ColorGroup {
    /// The group `name` below `root`, such as `rt.slice/control`; a path that begins with `root` is one, too.
    ///
    /// # Errors
    /// There is no such group, or it has no colors of its own.
    pub fn find(root: &Path, name: &str) -> Result<Self, InputError> {
        let below = Path::new(name).strip_prefix(root).unwrap_or(Path::new(name));
        let below = below.to_string_lossy();
        let below = below.trim_matches('/');
        let group = Self {
            name: format!("/{below}"),
            folder: root.join(below),
        };
        let is_plain = !below.is_empty()
            && !below
                .split('/')
                .any(|part| part.is_empty() || part == "." || part == "..");
        if !is_plain || !group.folder.is_dir() {
            return Err(group.wrong(
                "",
                "found no such control group",
                "a folder below the root of version 2",
            ));
        }
        if !group.folder.join(COLORS).exists() {
            return Err(group
                .wrong(
                    COLORS,
                    "found no such file",
                    "a kernel with page coloring, and its cpuset controller",
                )
                .help(
                    "docs/deploy.md: boot such a kernel; echo +cpuset > cgroup.subtree_control in the folder above",
                ));
        }
        match group.colors()?.is_empty() {
            false => Ok(group),
            true => Err(group
                .wrong(COLORS, "found no colors", "those that it may lend")
                .help("give it colors of its own: echo 0-3 > cpuset.colors")),
        }
    }

    /// An error about one of its files.
    fn wrong(&self, file: &str, found: impl Into<String>, allowed: &str) -> InputError {
        InputError::new(self.folder.join(file).display().to_string(), found).allowed(allowed)
    }

    fn read(&self, file: &str) -> Result<String, InputError> {
        let unreadable =
            |error: io::Error| self.wrong(file, format!("cannot be read: {error}"), "a file that may be read");
        fs::read_to_string(self.folder.join(file)).map_err(unreadable)
    }

    fn list(&self, file: &str) -> Result<Vec<u32>, InputError> {
        match self.read(file)?.trim() {
            "" => Ok(Vec::new()),
            text => parse_list(text, MOST_COLORS, &self.folder.join(file).display().to_string()),
        }
    }

    /// The colors that were asked for; none: those of the group above.
    ///
    /// # Errors
    /// The file cannot be read, or holds no list.
    pub fn colors(&self) -> Result<Vec<u32>, InputError> {
        self.list(COLORS)
    }

    /// Numbers of the processes in the group and below it. Who comes and goes meanwhile may be left out.
    ///
    /// # Errors
    /// Its folder cannot be read.
    pub fn processes(&self) -> Result<Vec<u32>, InputError> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.clone()];
        while let Some(folder) = folders.pop() {
            let Ok(text) = fs::read_to_string(folder.join("cgroup.procs")) else {
                if folder == self.folder {
                    return Err(self.wrong(
                        "cgroup.procs",
                        "cannot be read",
                        "a group that is there, and no threaded one",
                    ));
                }
                continue;
            };
            found.extend(text.lines().filter_map(|line| line.trim().parse::<u32>().ok()));
            folders.extend(settings::folders(&folder));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Pages that its processes need; `proc` is the process file system.
    ///
    /// # Errors
    /// Its files cannot be read: processes of other users are root's to see.
    pub fn required_pages(&self, need: Need, proc: &Path) -> Result<u64, InputError> {
        match need {
            Need::Areas => {
                let mut pages = 0;
                for pid in self.processes()? {
                    // It may have ended since.
                    let Ok(process) = Process::find(proc, pid) else {
                        continue;
                    };
                    match process.areas() {
                        Ok(areas) => pages += accessible_pages(&areas),
                        Err(_) if Process::find(proc, pid).is_err() => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(pages)
            }
            Need::Resident => {
                let stat = self.read("memory.stat").map_err(|error| {
                    error.help("its memory controller is off: echo +memory > cgroup.subtree_control in the folder above, or count areas")
                })?;
                let of = |name: &str| {
                    stat.lines()
                        .find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok())
                };
                let bytes = of("anon ").unwrap_or(0) + of("shmem ").unwrap_or(0);
                let swapped = self
                    .read("memory.swap.current")
                    .ok()
                    .and_then(|text| text.trim().parse().ok());
                Ok((bytes + swapped.unwrap_or(0u64)).div_ceil(page_bytes()))
            }
        }
    }

    /// Pages that it has in memory, as far as its memory controller tells.
    pub fn resident_pages(&self) -> Option<u64> {
        self.required_pages(Need::Resident, Path::new("")).ok()
    }

    /// Asks for these colors, and sees to it that it has them.
    ///
    /// # Errors
    /// The kernel refuses them, or gives others than were asked for, since the group above has not all of them: it then has what it had.
    pub fn give(&self, colors: &[u32]) -> Result<(), InputError> {
        let before = self.read(COLORS)?;
        self.write(COLORS, &format_list(colors))?;
        let effective = self.list(EFFECTIVE)?;
        if effective == colors {
            return Ok(());
        }
        self.write(COLORS, before.trim())?;
        Err(self
            .wrong(
                EFFECTIVE,
                format!("found {}", format_list(&effective)),
                &format_list(colors),
            )
            .help("give the group above these colors, too, or none of its own"))
    }

    /// Moves the pages of its processes that are in other colors than it has now. Takes as long as that takes.
    ///
    /// # Errors
    /// The kernel refuses it.
    pub fn move_pages(&self) -> Result<(), InputError> {
        self.write(MIGRATE, "1")
    }

    fn write(&self, file: &str, text: &str) -> Result<(), InputError> {
        fs::write(self.folder.join(file), format!("{text}\n")).map_err(|error| {
            self.wrong(
                file,
                format!("cannot write {text:?}: {error}"),
                "a group whose files are ours to write",
            )
        })
    }
}

/// Pages of the anonymous areas that can be accessed at all: what is reserved without is never touched.
fn accessible_pages(mappings: &[Mapping]) -> u64 {
    let areas = mappings
        .iter()
        .filter(|mapping| mapping.kind.is_anonymous() && !mapping.access.starts_with("---"));
    areas.map(|mapping| mapping.bytes() / page_bytes()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group with colors 0 to 3 of a parent with 0 to 7, one process in it and one below.
    fn groups() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let top = tempfile::tempdir().unwrap();
        let (root, proc) = (top.path().join("cgroup"), top.path().join("proc"));
        let write = |path: &Path, text: &str| {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(&root.join("rt/a/cpuset.colors"), "0-3\n");
        write(&root.join("rt/a/cpuset.colors.effective"), "0-3\n");
        write(&root.join("rt/a/cpuset.colors.migrate"), "");
        write(&root.join("rt/a/cgroup.procs"), "7\n");
        write(&root.join("rt/a/below/cgroup.procs"), "9\n7\n");
        write(&root.join("rt/a/memory.stat"), "anon 8192\nfile 4096\nshmem 4097\n");
        write(&root.join("rt/none/cpuset.colors"), "\n");
        let area = "1000-9000 rw-p 00000000 00:00 0\n9000-99000 ---p 00000000 00:00 0\n";
        write(&proc.join("7/maps"), area);
        write(
            &proc.join("9/maps"),
            "1000-2000 rw-p 00000000 00:00 0 [heap]\n2000-3000 r-xp 0 08:01 5 /bin/a\n",
        );
        (top, root, proc)
    }

    #[test]
    fn a_group_is_found_by_name_or_path_and_counts_what_is_below() {
        let (_top, root, proc) = groups();
        let path = root.join("rt/a").display().to_string();
        for name in ["rt/a", "/rt/a/", path.as_str()] {
            let group = ColorGroup::find(&root, name).unwrap();
            assert_eq!(
                (group.name.as_str(), group.colors().unwrap()),
                ("/rt/a", vec![0, 1, 2, 3])
            );
            assert_eq!(group.processes().unwrap(), [7, 9]);
            assert_eq!(
                group.required_pages(Need::Areas, &proc).unwrap(),
                8 + 1,
                "no page of files, none that is only reserved"
            );
            assert_eq!(group.required_pages(Need::Resident, &proc).unwrap(), 4);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let (_top, root, _) = groups();
        for (name, words) in [
            ("rt/b", "no such control group"),
            ("../cgroup/rt/a", "no such control group"),
            ("", "no such control group"),
            ("rt", "cpuset controller"),
            ("rt/none", "echo 0-3 > cpuset.colors"),
        ] {
            let error = ColorGroup::find(&root, name).unwrap_err().to_string();
            assert!(error.contains(words), "{name}: {error}");
        }
    }

    #[test]
    fn colors_that_it_does_not_get_are_taken_back() {
        let (_top, root, _) = groups();
        let group = ColorGroup::find(&root, "rt/a").unwrap();
        // This tree is no kernel: what is effective stays as it is.
        let error = group.give(&[0, 1]).unwrap_err().to_string();
        assert!(
            error.contains("found 0-3") && error.contains("0-1") && error.contains("group above"),
            "{error}"
        );
        assert_eq!(group.colors().unwrap(), [0, 1, 2, 3]);
        group.give(&[0, 1, 2, 3]).unwrap();
        group.move_pages().unwrap();
        assert_eq!(
            fs::read_to_string(root.join("rt/a/cpuset.colors.migrate")).unwrap(),
            "1\n"
        );
    }
}
