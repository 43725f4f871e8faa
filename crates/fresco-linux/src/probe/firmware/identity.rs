// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which machine this is, as far as an address map depends on it.

use super::{DeviceTree, edac_dimms, memory_devices, text};
use crate::probe::Conditions;
use crate::proc::ram_ranges;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What each source says, line by line; `None` where it cannot be read, or does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Identity {
    sources: BTreeMap<String, Option<Vec<String>>>,
}

/// How a machine differs from what it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What has changed, each with its source.
    pub changed: Vec<String>,
    /// Sources that could be read then, and cannot be read now.
    pub unchecked: Vec<String>,
}

impl Identity {
    /// The machine whose `sys` and `proc` are under `root`.
    pub fn read(root: &Path) -> Self {
        let lines = |directory: &str, names: &[&str]| {
            let texts = names.iter().filter_map(|name| text(&root.join(directory).join(name)));
            let all: Vec<String> = texts.collect();
            (!all.is_empty()).then(|| vec![all.join(" ")])
        };
        let shown = |range: &std::ops::Range<u64>| format!("{:#x} to {:#x}", range.start, range.end - 1);
        let processor = Conditions::read(&root.join("proc"));
        let processor = format!("{} {}", processor.processor, processor.family);
        let tree = DeviceTree::read(root);
        let sources = [
            (
                "firmware",
                lines("sys/class/dmi/id", &["bios_vendor", "bios_version", "bios_date"]),
            ),
            (
                "board",
                lines("sys/class/dmi/id", &["board_vendor", "board_name", "product_name"])
                    .or_else(|| tree.as_ref().map(|tree| vec![tree.model.clone()])),
            ),
            (
                "processor",
                (!processor.trim().is_empty()).then(|| vec![processor.trim().to_owned()]),
            ),
            (
                "memory modules",
                memory_devices(root).map(|devices| devices.iter().map(ToString::to_string).collect()),
            ),
            (
                "memory modules by EDAC",
                edac_dimms(root).map(|dimms| dimms.iter().map(ToString::to_string).collect()),
            ),
            (
                "memory by the device tree",
                tree.map(|tree| tree.memory.iter().map(shown).collect()),
            ),
            (
                "ranges of memory",
                ram_ranges(&root.join("proc")).map(|ranges| ranges.iter().map(shown).collect()),
            ),
            ("kernel", lines("proc/sys/kernel", &["osrelease", "version"])),
        ];
        Self {
            sources: sources
                .into_iter()
                .map(|(name, lines)| (name.to_owned(), lines))
                .collect(),
        }
    }

    /// What the sources say, for people.
    pub fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let readable = self
            .sources
            .iter()
            .filter_map(|(name, lines)| Some((name, lines.as_ref()?)));
        readable.flat_map(|(name, lines)| lines.iter().map(|line| (name.as_str(), line.as_str())))
    }

    /// How `now` differs from this.
    pub fn compare(&self, now: &Self) -> Comparison {
        let mut comparison = Comparison::default();
        for (name, before) in &self.sources {
            let Some(before) = before else { continue };
            match now.sources.get(name).and_then(Option::as_ref) {
                None => comparison.unchecked.push(name.clone()),
                Some(now) => {
                    let gone = without(before, now).map(|line| format!("{name}: was {line}"));
                    let new = without(now, before).map(|line| format!("{name}: is {line}"));
                    comparison.changed.extend(gone.chain(new));
                }
            }
        }
        comparison
    }
}

/// The lines less those of `others`, each taken away once: two modules that look alike are two.
fn without<'a>(lines: &'a [String], others: &[String]) -> impl Iterator<Item = &'a String> {
    let mut others: Vec<&String> = others.iter().collect();
    lines
        .iter()
        .filter(move |line| match others.iter().position(|other| other == line) {
            Some(place) => {
                others.swap_remove(place);
                false
            }
            None => true,
        })
}
