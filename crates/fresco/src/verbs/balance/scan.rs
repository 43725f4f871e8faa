// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looking at control groups, and giving them colors.

use super::decide::Member;
use fresco_dram::color::{format_list, parse_list};
use fresco_input::InputError;
use fresco_linux::backend::Tree;
use fresco_linux::color_group::{ColorGroup, Need};
use fresco_linux::memguard::{self, Counts};
use fresco_linux::proc::{PROC, memory_bytes};
use fresco_linux::sys::page_bytes;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Groups, and what was seen of them last.
pub struct Scanner {
    root: PathBuf,
    groups: Vec<ColorGroup>,
    need: Need,
    /// The colors of the kernel.
    colors: Vec<u32>,
    /// Pages of one of them.
    pub color_pages: u64,
    /// Counts of lines, if they are looked at, and what they were at the scan before.
    counts: Vec<Counts>,
    before: Option<(Instant, Vec<u64>)>,
}

impl Scanner {
    /// Of these groups.
    ///
    /// # Errors
    /// The kernel has no page coloring, or does not tell how much memory there is.
    pub fn new(root: &Path, groups: Vec<ColorGroup>, need: Need) -> Result<Self, InputError> {
        let tree = Tree::find().filter(Tree::is_on).ok_or_else(|| {
            InputError::new("kernel", "found no page coloring that is switched on")
                .allowed("a kernel with it (CONFIG_PAGE_COLOR), with a map")
                .help("docs/deploy.md says how to build and boot one")
        })?;
        let path = tree.path("colors");
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let colors = parse_list(text.trim(), 1 << 12, &path.display().to_string())?;
        let bytes = memory_bytes(Path::new(PROC)).ok_or_else(|| {
            InputError::new("/proc/meminfo", "found no MemTotal")
                .allowed("the memory of the machine")
                .help("mount /proc")
        })?;
        Ok(Self {
            root: root.to_owned(),
            groups,
            need,
            color_pages: bytes / page_bytes() / (colors.len() as u64).max(1),
            colors,
            counts: Vec::new(),
            before: None,
        })
    }

    /// Checks that the kernel has these colors, which stand in `place`.
    ///
    /// # Errors
    /// The first one that it has not.
    pub fn check_known(&self, place: &str, colors: &[u32]) -> Result<(), InputError> {
        match colors.iter().find(|color| !self.colors.contains(color)) {
            None => Ok(()),
            Some(color) => Err(InputError::new(place, format!("found color {color}"))
                .allowed(format!("those of the kernel: {}", format_list(&self.colors)))
                .help("see /sys/kernel/mm/page_color/colors")),
        }
    }

    /// From here on what the groups move is counted.
    ///
    /// # Errors
    /// No counter of a group is there.
    pub fn count_bandwidth(&mut self) -> Result<(), InputError> {
        let tree = memguard::Tree::find().map_err(|refusal| {
            InputError::new("--channels", refusal.to_string())
                .allowed("memguard, which counts what groups move")
                .help("kernel/memguard/README.md says how to load it")
        })?;
        let counts = self.groups.iter().map(|group| Counts::of(&tree, &group.name));
        self.counts = counts.collect::<Result<_, _>>()?;
        Ok(())
    }

    /// What the groups have and need now.
    ///
    /// # Errors
    /// A group has gone, or may not be read.
    pub fn scan(&mut self) -> Result<Vec<Member>, InputError> {
        let bandwidths = self.bandwidths()?;
        let seen = self.groups.iter().enumerate().map(|(number, group)| {
            // It may have been taken away, or have lost its colors, since.
            ColorGroup::find(&self.root, &group.name)?;
            let colors = group.colors()?;
            self.check_known(&format!("{}: cpuset.colors", group.name), &colors)?;
            Ok(Member {
                name: group.name.clone(),
                colors,
                required_pages: group.required_pages(self.need, Path::new(PROC))?,
                resident_pages: group.resident_pages(),
                bytes_per_s: bandwidths.as_ref().map(|all| all[number]),
            })
        });
        seen.collect()
    }

    /// Bytes per second since the scan before; `None` at the first one, or if they are not counted.
    fn bandwidths(&mut self) -> Result<Option<Vec<u64>>, InputError> {
        if self.counts.is_empty() {
            return Ok(None);
        }
        let now = Instant::now();
        let bytes = self.counts.iter().map(Counts::bytes).collect::<Result<Vec<u64>, _>>()?;
        let before = self.before.replace((now, bytes.clone()));
        Ok(before.map(|(then, was)| {
            let us = now.duration_since(then).as_micros().max(1);
            let per_second = |(now, was): (&u64, &u64)| u128::from(now.saturating_sub(*was)) * 1_000_000 / us;
            std::iter::zip(&bytes, &was)
                .map(|pair| u64::try_from(per_second(pair)).unwrap_or(u64::MAX))
                .collect()
        }))
    }

    /// Gives the groups these colors, and moves pages that are in others.
    ///
    /// # Errors
    /// The kernel refuses one: then all have what they had, and no page was moved; or pages cannot be moved.
    pub fn give(&self, seen: &[Member], colors: &[Vec<u32>]) -> Result<(), InputError> {
        let changes = || (0..self.groups.len()).filter(|&number| seen[number].colors != colors[number]);
        let mut done = Vec::new();
        for number in changes() {
            if let Err(error) = self.groups[number].give(&colors[number]) {
                // Their own colors of before: nobody has taken these, and what cannot be given back is told with the error.
                let back = done
                    .iter()
                    .filter_map(|&before: &usize| self.groups[before].give(&seen[before].colors).err());
                let kept: Vec<String> = back.map(|error| error.to_string()).collect();
                return Err(match kept.is_empty() {
                    true => error,
                    false => error.help(format!("not given back: {}", kept.join("; "))),
                });
            }
            done.push(number);
        }
        changes().try_for_each(|number| self.groups[number].move_pages())
    }
}
