// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can be limited, in what steps, and what a limit is in the file system's own numbers.

use super::{Limits, ResctrlRefusal, Schemata, Tree};
use fresco_dram::color::{format_list, parse_list};
use std::fs;
use std::path::{Path, PathBuf};

/// What the numbers of memory bandwidth are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BandwidthUnit {
    /// Per cent of an unknown whole, set in the hardware.
    PerCent,
    /// MiB/s, held by the kernel, which measures (`mba_MBps`).
    MebibytesPerSecond,
    /// Eighths of GB/s (AMD).
    EighthsOfGigabyte,
}

/// The ways that there are to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ways {
    /// A bit for each.
    pub mask: u64,
    /// The least number of ways.
    pub least: u32,
    /// Whether the ways of a mask may have gaps between them.
    pub sparse: bool,
}

/// What a machine can limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Ways of the last-level cache.
    pub ways: Option<Ways>,
    /// Memory bandwidth.
    pub bandwidth: Option<BandwidthUnit>,
    schemata: Schemata,
    least_bandwidth: u64,
}

/// The value of a class that is not limited, where the kernel holds bandwidth.
const UNLIMITED: u64 = u32::MAX as u64;

impl Abilities {
    /// Looks at the tree, and at what `proc` tells of processors and mounts.
    pub fn of(tree: &Tree, proc: &Path) -> Self {
        let schemata = tree.schemata(tree.root());
        let ways = schemata.caches().first().and_then(|name| {
            Some(Ways {
                // A mask without a bit has no way to choose.
                mask: tree.info_mask(&format!("{name}/cbm_mask")).filter(|&mask| mask != 0)?,
                least: tree.info(&format!("{name}/min_cbm_bits")).unwrap_or(1) as u32,
                sparse: tree.info(&format!("{name}/sparse_masks")) == Some(1),
            })
        });
        Self {
            ways,
            bandwidth: schemata
                .bandwidth()
                .map(|values| unit(tree, proc, values.values().copied())),
            least_bandwidth: tree.info("MB/min_bandwidth").unwrap_or(1),
            schemata,
        }
    }

    /// What to write to a class's `schemata` for `limits` of a program that runs on `cpus`; `system` tells which
    /// processors share a cache. The bandwidth is divided among the domains that these processors are in, so that the
    /// program never has more than was asked, wherever it runs.
    ///
    /// # Errors
    /// What cannot be limited, or not so.
    pub fn lines(&self, limits: &Limits, cpus: &[u32], system: &Path) -> Result<String, ResctrlRefusal> {
        let mut lines = String::new();
        if let Some(mask) = limits.way_mask() {
            let ways = self.ways.ok_or(ResctrlRefusal::NoWays)?;
            ways.check(mask)?;
            lines += &self.schemata.way_lines(mask);
        }
        if let Some(bytes) = limits.bytes_per_s {
            let unit = self.bandwidth.ok_or(ResctrlRefusal::NoBandwidth)?;
            let all: Vec<u32> = self
                .schemata
                .bandwidth()
                .into_iter()
                .flatten()
                .map(|(&domain, _)| domain)
                .collect();
            let domains = domains(&all, cpus, system);
            let share = bytes / domains.len().max(1) as u64;
            let unit_bytes = unit.bytes().ok_or(ResctrlRefusal::PerCent)?;
            // The least of `info` is in per cent where the kernel holds bandwidth: it holds any.
            let least = if unit == BandwidthUnit::EighthsOfGigabyte {
                self.least_bandwidth.max(1)
            } else {
                1
            };
            if share / unit_bytes < least {
                return Err(ResctrlRefusal::TooLittle(least * unit_bytes * domains.len() as u64));
            }
            lines += &self.schemata.bandwidth_line(&domains, share / unit_bytes);
        }
        Ok(lines)
    }

    /// What a class is limited to: its ways, if not all, and the sum of its bandwidth over `domains` that are limited.
    pub fn limits_of(&self, class: &Schemata) -> Limits {
        let ways = class.ways().and_then(|masks| masks.values().copied().min());
        let ways = ways.filter(|&mask| self.ways.is_some_and(|ways| ways.mask != mask));
        let unit = self.bandwidth.and_then(BandwidthUnit::bytes);
        let limited = |value: &u64| *value < UNLIMITED && Some(*value) != self.full(unit);
        let values = class.bandwidth().into_iter().flat_map(|domains| domains.values());
        let sum: u64 = values.filter(|value| limited(value)).sum();
        Limits {
            ways: ways.map(|mask| (0..64).filter(|way| mask >> way & 1 == 1).collect()),
            bytes_per_s: unit.map(|bytes| sum.saturating_mul(bytes)).filter(|&bytes| bytes > 0),
        }
    }

    /// Names of the classes that limit bandwidth, in whatever unit.
    pub fn classes_with_bandwidth(&self, tree: &Tree) -> Vec<String> {
        let free = match self.bandwidth {
            Some(BandwidthUnit::PerCent) => Some(100),
            Some(BandwidthUnit::MebibytesPerSecond) => Some(UNLIMITED),
            // The first class's: what is free depends on the processor.
            Some(BandwidthUnit::EighthsOfGigabyte) => self.full(Some(1)),
            None => None,
        };
        let limits = |class: &PathBuf| {
            let schemata = tree.schemata(class);
            let mut values = schemata.bandwidth().into_iter().flat_map(|domains| domains.values());
            values.any(|value| Some(*value) < free)
        };
        let classes = std::iter::once(tree.root().to_owned()).chain(tree.classes());
        let named = classes.filter(limits).map(|class| class.display().to_string());
        named.collect()
    }

    /// The value of a domain that is not limited: that of the first class.
    fn full(&self, unit: Option<u64>) -> Option<u64> {
        unit.and_then(|_| self.schemata.bandwidth()?.values().copied().max())
    }
}

impl Ways {
    fn check(self, mask: u64) -> Result<(), ResctrlRefusal> {
        let gaps = {
            let low = mask >> mask.trailing_zeros().min(63);
            low & low.wrapping_add(1) != 0
        };
        if mask != 0 && mask & !self.mask == 0 && mask.count_ones() >= self.least && (self.sparse || !gaps) {
            return Ok(());
        }
        let there: Vec<u32> = (0..64).filter(|way| self.mask >> way & 1 == 1).collect();
        let side = if self.sparse { "" } else { ", side by side" };
        Err(ResctrlRefusal::Ways(format!(
            "{} or more of {}{side}",
            self.least.max(1),
            format_list(&there)
        )))
    }
}

impl BandwidthUnit {
    /// Bytes per second of one; `None` for what is no number of bytes.
    fn bytes(self) -> Option<u64> {
        match self {
            Self::PerCent => None,
            Self::MebibytesPerSecond => Some(1 << 20),
            Self::EighthsOfGigabyte => Some(125_000_000),
        }
    }
}

/// What the values of the first class are.
fn unit(tree: &Tree, proc: &Path, values: impl Iterator<Item = u64>) -> BandwidthUnit {
    let read = |file: &str| fs::read_to_string(proc.join(file)).unwrap_or_default();
    let most = values.max().unwrap_or(0);
    let mounted = read("mounts").lines().any(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        words.get(2) == Some(&"resctrl") && words.get(3).is_some_and(|options| options.contains("mba_MBps"))
    });
    if mounted || most == UNLIMITED || tree.root().join("mba_MBps_event").is_file() {
        return BandwidthUnit::MebibytesPerSecond;
    }
    let processor = read("cpuinfo");
    let amd = ["AuthenticAMD", "HygonGenuine"]
        .iter()
        .any(|vendor| processor.contains(vendor));
    match amd && most > 100 {
        true => BandwidthUnit::EighthsOfGigabyte,
        false => BandwidthUnit::PerCent,
    }
}

/// The domains of `all` that the processors are in: those of the cache they share. All, where that is not told.
fn domains(all: &[u32], cpus: &[u32], system: &Path) -> Vec<u32> {
    let of_cpu = |cpu: &u32| {
        let cache = system.join(format!("cpu{cpu}/cache/index3/id"));
        let text = fs::read_to_string(cache).ok()?;
        parse_list(text.trim(), u32::MAX, "id").ok()?.first().copied()
    };
    let found: Option<Vec<u32>> = cpus.iter().map(of_cpu).collect();
    let mut found = found.unwrap_or_default();
    found.sort_unstable();
    found.dedup();
    match found.is_empty() || found.iter().any(|domain| !all.contains(domain)) {
        true => all.to_vec(),
        false => found,
    }
}
