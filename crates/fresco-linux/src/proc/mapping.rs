// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mappings of an address space, as `/proc/PID/smaps` lists them.

use crate::pool::{LOW, OWN};
use std::ops::Range;

/// What a mapping is, as far as coloring is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Private anonymous memory whose missing pages this back end places.
    Covered,
    /// Frames collected for later: not forked, not dumped.
    Pool,
    /// Private anonymous memory that the kernel places.
    Anonymous,
    /// The memory of `brk`.
    Brk,
    /// The stack of the first thread.
    Stack,
    /// A process's own copies of pages of files that it has mapped privately: data, relocations.
    Data,
    /// Text and libraries, and data as it is in the file: mapped files.
    File,
    /// Shared memory without a file, and the kernel's own pages.
    Other,
}

impl Kind {
    /// Returns true for memory that is neither a file's nor the kernel's own: what a kernel with page coloring covers.
    pub fn is_anonymous(self) -> bool {
        !matches!(self, Self::File | Self::Other)
    }

    /// What a table calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Covered => "covered",
            Self::Pool => "pool",
            Self::Anonymous => "anonymous",
            Self::Brk => "brk",
            Self::Stack => "stack",
            Self::Data => "data",
            Self::File => "file",
            Self::Other => "other",
        }
    }
}

/// The file name of the library that places frames, as mappings show it.
const LIBRARY: &str = "libfresco_preload";

/// A mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// Its first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// Reading, writing, executing, shared or private: `rw-p`.
    pub access: String,
    /// Path of the file, `[heap]`, `[stack]` or empty.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

impl Mapping {
    /// Reads the text of `smaps`; lines it does not know are passed over, as kernels add some.
    ///
    /// The kernel tells it in pieces, between which mappings grow: one is then told again, with its old start. What has
    /// been told is left out.
    pub fn parse_all(text: &str) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut told = false;
        for line in text.lines() {
            if let Some(flags) = line.strip_prefix("VmFlags:") {
                if let Some(mapping) = all.last_mut().filter(|_| !told) {
                    mapping.kind = mapping.kind_with(flags);
                }
            } else if let Some(mut mapping) = Self::parse(line) {
                mapping.start = mapping.start.max(all.last().map_or(0, |last| last.end));
                told = mapping.start >= mapping.end;
                if !told {
                    all.push(mapping);
                }
            }
        }
        if all.iter().any(Self::is_library) {
            // Its areas have no flags yet when they have just been mapped.
            for mapping in all.iter_mut().filter(|mapping| mapping.kind == Kind::Anonymous) {
                if LOW.contains(&mapping.start) {
                    mapping.kind = Kind::Pool;
                }
            }
        }
        all
    }

    /// Reads a line such as `7f00-7f01 rw-p 00000000 00:00 0   [heap]`, as `maps` and `smaps` have it.
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        let (start, end) = words.next()?.split_once('-')?;
        let access = words.next()?;
        let inode = words.nth(2)?;
        let name = words.next().unwrap_or("").trim_start();
        let mut mapping = Self {
            start: u64::from_str_radix(start, 16).ok()?,
            end: u64::from_str_radix(end, 16).ok()?,
            access: access.to_owned(),
            name: name.to_owned(),
            kind: Kind::Other,
        };
        let private = access.len() == 4 && access.ends_with('p');
        mapping.kind = match name {
            "[heap]" => Kind::Brk,
            "[stack]" => Kind::Stack,
            _ if inode != "0" => Kind::File,
            "" if private => Kind::Anonymous,
            _ if private && name.starts_with("[anon:") => Kind::Anonymous,
            _ => Kind::Other,
        };
        (mapping.start < mapping.end && access.len() == 4).then_some(mapping)
    }

    fn kind_with(&self, flags: &str) -> Kind {
        let has = |flag: &str| flags.split_whitespace().any(|word| word == flag);
        match self.kind {
            // "um": faults on missing pages go to a handler.
            Kind::Anonymous | Kind::Brk if has("um") => Kind::Covered,
            // "dc", "dd": neither forked nor dumped.
            Kind::Anonymous if has("dc") && has("dd") => Kind::Pool,
            kind => kind,
        }
    }

    /// Returns true if it maps the library that places frames.
    pub fn is_library(&self) -> bool {
        let name = self.name.rsplit('/').next();
        name.is_some_and(|name| name.starts_with(LIBRARY))
    }

    /// Returns true if it is an area in which the library looks for frames.
    pub fn is_pool(&self) -> bool {
        self.kind == Kind::Pool && LOW.contains(&self.start)
    }

    /// Bytes that it spans.
    pub fn bytes(&self) -> u64 {
        self.end - self.start
    }
}

/// The private anonymous mappings of the calling process that lie in a range, wholly or in part; this library's own left out.
pub fn anonymous_mappings(range: &Range<u64>) -> Vec<Range<u64>> {
    let text = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    text.lines()
        .filter_map(Mapping::parse)
        .filter(|mapping| mapping.kind == Kind::Anonymous && !OWN.contains(&mapping.start))
        .map(|mapping| mapping.start..mapping.end)
        .filter(|whole| whole.start < range.end && range.start < whole.end)
        .collect()
}

/// The same, as far as they lie in it.
pub fn anonymous_parts(range: &Range<u64>) -> Vec<Range<u64>> {
    let mut parts = anonymous_mappings(range);
    for part in &mut parts {
        *part = part.start.max(range.start)..part.end.min(range.end);
    }
    parts
}

/// The mappings within a range of the calling process, as far as they lie in it.
pub fn mapped_parts(range: &Range<u64>) -> Vec<Range<u64>> {
    let text = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mappings = text.lines().filter_map(Mapping::parse);
    mappings
        .map(|mapping| mapping.start.max(range.start)..mapping.end.min(range.end))
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMAPS: &str = "\
55d0-55d5 r-xp 00002000 08:01 1234                       /usr/bin/my program
Size:                 20 kB
VmFlags: rd ex mr mw me sd
6000-7000 rw-p 00000000 00:00 0                          [heap]
VmFlags: rd wr mr mw me ac sd
8000-9000 rw-p 00000000 00:00 0 
VmFlags: rd wr mr mw me ac um sd
9000-a000 rw-p 00000000 00:00 0 
VmFlags: rd wr mr mw me dc ac dd sd
a000-b000 ---p 00000000 00:00 0 
VmFlags: mr mw me sd
b000-c000 rw-s 00000000 00:01 77                         /dev/zero (deleted)
VmFlags: rd wr sh mr mw me ms sd
d000-e000 rw-p 00000000 00:00 0                          [stack]
VmFlags: rd wr mr mw me gd ac
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]
";

    #[test]
    fn mappings_are_told_apart_by_what_places_their_pages() {
        let all = Mapping::parse_all(SMAPS);
        let kinds: Vec<Kind> = all.iter().map(|mapping| mapping.kind).collect();
        let expected = [
            Kind::File,
            Kind::Brk,
            Kind::Covered,
            Kind::Pool,
            Kind::Anonymous,
            Kind::File,
            Kind::Stack,
            Kind::Other,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(all[0].name, "/usr/bin/my program");
        assert_eq!((all[2].start, all[2].bytes()), (0x8000, 0x1000));
        assert_eq!(all[7].end, 0xffff_ffff_ff60_1000);
    }

    #[test]
    fn what_is_told_twice_counts_once_and_fresh_areas_of_the_library_are_its_pool() {
        let pool = format!("{:x}-{:x}", LOW.start, LOW.start + 0x2000);
        let grown = format!("{:x}-{:x}", LOW.start, LOW.start + 0x5000);
        let flags = "VmFlags: rd wr mr mw me dc ac dd sd\n";
        let fresh = "VmFlags: rd wr mr mw me ac sd\n";
        let anonymous = "rw-p 00000000 00:00 0 \n";
        let twice = format!("{pool} {anonymous}{flags}{grown} {anonymous}{fresh}{pool} {anonymous}{fresh}");
        let parts = |text: &str| -> Vec<(u64, u64, Kind)> {
            let all = Mapping::parse_all(text);
            let part = |mapping: &Mapping| (mapping.start - LOW.start, mapping.bytes(), mapping.kind);
            all.iter().take(2).map(part).collect()
        };
        let first = (0, 0x2000, Kind::Pool);
        assert_eq!(parts(&twice), [first, (0x2000, 0x3000, Kind::Anonymous)]);
        let library = "7f0000000000-7f0000001000 r-xp 00000000 08:01 77 /a/libfresco_preload.so\n";
        assert_eq!(
            parts(&format!("{twice}{library}")),
            [first, (0x2000, 0x3000, Kind::Pool)]
        );
    }

    #[test]
    fn lines_that_are_no_mappings_are_passed_over() {
        for line in [
            "",
            "Size: 4 kB",
            "z-y rw-p 0 0 0",
            "2-1 rw-p 0 00:00 0",
            "1-2 rw 0 00:00 0",
            "1-2",
        ] {
            assert_eq!(Mapping::parse(line), None, "{line}");
        }
    }
}
