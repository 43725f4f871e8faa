// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of the machine: what of it is available, where it lies.

use std::fs;
use std::ops::Range;
use std::path::Path;

/// Bytes that can be had without swapping: the kernel's estimate, or what its control groups leave
/// the calling process if that is less. `None` if the kernel tells nothing.
pub fn available_bytes(root: &Path) -> Option<u64> {
    let machine = bytes_of(root, "MemAvailable:")?;
    let groups = Path::new("/sys/fs/cgroup");
    Some(group_headroom(root, groups).map_or(machine, |group| group.min(machine)))
}

/// Bytes that the kernel manages, in whatever use; `None` if it tells nothing.
pub fn memory_bytes(root: &Path) -> Option<u64> {
    bytes_of(root, "MemTotal:")
}

fn bytes_of(root: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(root.join("meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes.saturating_mul(1024))
}

/// What the limits of the control groups above the calling process leave it: of version 2, or of the memory
/// controller of version 1. Pages of files that the kernel would give up first do not count as used.
fn group_headroom(root: &Path, mounted: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("self/cgroup")).ok()?;
    let found = groups.lines().filter_map(|line| {
        let (top, files, path) = match line.strip_prefix("0::/") {
            Some(path) => (mounted.to_owned(), &VERSION_2, path),
            None => {
                let (_, path) = line.split_once(":memory:/")?;
                (mounted.join("memory"), &VERSION_1, path)
            }
        };
        let own = top.join(path);
        let levels = own.ancestors().take_while(|level| level.starts_with(&top));
        levels
            .filter_map(|level| {
                let [limit, used] = [files.limit, files.used].map(|file| number(&level.join(file)));
                let used = used?.saturating_sub(counted(&level.join("memory.stat"), files.given_up));
                Some(limit?.saturating_sub(used))
            })
            .min()
    });
    found.min()
}

/// What a version of control groups calls it.
struct Names {
    limit: &'static str,
    used: &'static str,
    /// Of `memory.stat`: pages of files, of all below as well.
    given_up: [&'static str; 2],
}

const VERSION_1: Names = Names {
    limit: "memory.limit_in_bytes",
    used: "memory.usage_in_bytes",
    given_up: ["total_inactive_file", "total_active_file"],
};
const VERSION_2: Names = Names {
    limit: "memory.max",
    used: "memory.current",
    given_up: ["inactive_file", "active_file"],
};

/// The sum of some of the lines `NAME BYTES` of a file.
fn counted(path: &Path, names: [&str; 2]) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once(' '));
    let wanted = lines.filter(|(name, _)| names.contains(name));
    wanted.filter_map(|(_, bytes)| bytes.parse::<u64>().ok()).sum()
}

/// The number in a file; `None` for `max`.
fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Physical addresses of the machine's memory, from `iomem`. `None` where the kernel hides them (all zero).
pub fn ram_ranges(root: &Path) -> Option<Vec<Range<u64>>> {
    let text = fs::read_to_string(root.join("iomem")).ok()?;
    let ranges: Option<Vec<Range<u64>>> = text
        .lines()
        .filter_map(|line| line.strip_suffix(" : System RAM"))
        .map(|range| {
            let (first, last) = range.trim().split_once('-')?;
            let first = u64::from_str_radix(first, 16).ok()?;
            let last = u64::from_str_radix(last, 16).ok()?;
            Some(first..last.checked_add(1)?)
        })
        .collect();
    ranges.filter(|ranges| ranges.iter().any(|range| range.end > 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_memory() {
        let bytes = available_bytes(Path::new("/proc")).expect("Linux tells");
        assert!(bytes > 1 << 20);
        assert_eq!(available_bytes(Path::new("/nowhere")), None);
        assert!(memory_bytes(Path::new("/proc")) >= Some(bytes) && memory_bytes(Path::new("/nowhere")).is_none());
    }

    #[test]
    fn the_narrowest_group_counts_in_either_version() {
        let root = std::env::temp_dir().join(format!("fresco-groups-{}", std::process::id()));
        let write = |file: &str, text: &str| {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("has one")).expect("writable");
            fs::write(path, text).expect("writable");
        };
        // Version 2: 100 of the 300 above are used, 90 of the 150 here; the innermost has no limit.
        write("self/cgroup", "0::/outer/inner\n");
        write("outer/memory.max", "150\n");
        write("outer/memory.current", "90\n");
        write("outer/inner/memory.max", "max\n");
        write("outer/inner/memory.current", "10\n");
        write("memory.max", "300\n");
        write("memory.current", "100\n");
        assert_eq!(group_headroom(&root, &root), Some(60));
        // 15 of the 90 are pages of files.
        write(
            "outer/memory.stat",
            "anon 75\ninactive_file 10\nactive_file 5\nshmem 3\n",
        );
        assert_eq!(group_headroom(&root, &root), Some(75));
        // Beside it version 1, which is narrower.
        write("self/cgroup", "7:memory:/old\n0::/outer\n");
        write("memory/old/memory.limit_in_bytes", "1000\n");
        write("memory/old/memory.usage_in_bytes", "960\n");
        assert_eq!(group_headroom(&root, &root), Some(40));
        // What those below use of it counts here, too.
        let stat = "inactive_file 500\ntotal_inactive_file 7\ntotal_active_file 4\n";
        write("memory/old/memory.stat", stat);
        assert_eq!(group_headroom(&root, &root), Some(51));
        write("self/cgroup", "0::/nowhere\n");
        fs::remove_file(root.join("memory.max")).expect("ours");
        assert_eq!(group_headroom(&root, &root), None);
        fs::remove_dir_all(&root).expect("ours");
    }
}
