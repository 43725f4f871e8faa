// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors of control groups on the kernel of `kernel/`, whose Documentation/admin-guide/mm/page_color.rst describes the files.

use super::way_colors::{other_limits, parts, uncolored};
use crate::colors::masked;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::shell::{Script, directories};
use crate::subject::Subject;
use fresco_dram::color::format_list;
use fresco_input::InputError;
use std::fmt::Write as _;

/// Functions that CONFIG_PAGE_COLOR_BITS may allow, and those that it usually does.
const MOST_FUNCTIONS: usize = 12;
const USUAL_FUNCTIONS: usize = 8;
/// Ranges of a map.
const MOST_RANGES: usize = 16;
/// Ranges and bases are multiples of the largest block of the page allocator.
const BLOCK_BYTES: u64 = 4 << 20;
const COLORING: &str = "/sys/kernel/mm/page_color";
const CGROUP: &str = "/sys/fs/cgroup";

/// `cgroup`.
pub struct Cgroup;

impl Format for Cgroup {
    fn name(&self) -> &'static str {
        "cgroup"
    }

    fn about(&self) -> &'static str {
        "Linux with the patches of kernel/: the map, and cpuset.colors of control groups (shell script)"
    }

    fn takes(&self) -> Takes {
        Takes::Partition
    }

    fn comment(&self) -> Comment {
        Comment::Shell
    }

    fn leaves_out(&self) -> &'static str {
        "times of tasks, schedules, sizes of memory"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let parts = parts(subject, self.name())?;
        let masked = masked(subject, &parts, self.name())?;
        let refuse = |found: String, allowed: &str| {
            subject
                .error(self.name(), format!("found {found}"))
                .allowed(allowed)
                .help("color banks or cache alone, or use `fresco run` with the stock back end")
        };
        if masked.is_cache_shifted {
            return Err(refuse(
                "cache colors that bits above the offset of a range decide".to_owned(),
                "cache colors of lower bits: the kernel subtracts the base of a range for all functions",
            ));
        }
        if masked.functions.len() > MOST_FUNCTIONS {
            return Err(refuse(
                format!("{} functions", masked.functions.len()),
                "12 at most, the largest CONFIG_PAGE_COLOR_BITS",
            ));
        }
        let masks: Vec<String> = masked.functions.iter().map(|mask| format!("{mask:#x}")).collect();
        let mut map = masks.join(",");
        if masked.is_shifted {
            map += &ranges(subject, &refuse)?;
        }
        let mut script = Script::new();
        script.section(&format!("The map; at boot: page_color={map}"));
        script.write(&map, &format!("{COLORING}/map"));
        script.write("1", &format!("{COLORING}/enabled"));
        script.write("+cpuset", &format!("{CGROUP}/cgroup.subtree_control"));
        let groups = directories(parts.iter().map(|part| part.name.as_str()));
        for (((part, group), colors), nodes) in parts.iter().zip(&groups).zip(&masked.colors).zip(&masked.nodes) {
            let path = format!("{CGROUP}/{group}");
            script.section(&format!("{}: tasks {}", part.name, subject.names(part)));
            script.directory(&path);
            if !part.cores.is_empty() {
                script.write(&format_list(&part.cores), &format!("{path}/cpuset.cpus"));
            }
            if !nodes.is_empty() {
                script.write(&format_list(nodes), &format!("{path}/cpuset.mems"));
            }
            script.write(&format_list(colors), &format!("{path}/cpuset.colors"));
            script.write("1", &format!("{path}/cpuset.colors.strict"));
            script.line(&format!(
                "# processes of {}: echo PID > {path}/cgroup.procs",
                subject.names(part)
            ));
        }
        let mut notes = vec![
            "if coloring is on with another map: echo 0 > /sys/kernel/mm/page_color/enabled first, when nobody has colors"
                .to_owned(),
        ];
        if masked.functions.len() > USUAL_FUNCTIONS {
            notes.push(format!("CONFIG_PAGE_COLOR_BITS={}", masked.functions.len()));
        }
        notes.extend(uncolored(subject));
        let mut losses = masked.losses;
        losses.extend(other_limits(subject, true));
        Ok(Draft {
            body: script.text(),
            losses,
            notes,
            companion: None,
        })
    }
}

/// The ranges of a map with holes: `@START-END:BASE,…`, joined where one goes on as the last ended.
fn ranges(subject: &Subject, refuse: &dyn Fn(String, &str) -> InputError) -> Result<String, InputError> {
    let mut regions: Vec<(u64, u64, u64)> = subject
        .machine
        .memory
        .map
        .regions()
        .iter()
        .map(|region| (region.base, region.base.saturating_add(region.size), region.offset))
        .collect();
    regions.sort_unstable();
    let mut joined: Vec<(u64, u64, u64)> = Vec::new();
    for region in regions {
        match joined.last_mut() {
            Some(last) if last.1 == region.0 && last.2 == region.2 => last.1 = region.1,
            _ => joined.push(region),
        }
    }
    let is_aligned = |&(start, end, base): &(u64, u64, u64)| (start | end | base).is_multiple_of(BLOCK_BYTES);
    if joined.len() > MOST_RANGES || !joined.iter().all(is_aligned) {
        return Err(refuse(
            format!("memory in {} ranges", joined.len()),
            "at most 16 ranges, in multiples of 4 MiB",
        ));
    }
    let mut text = String::new();
    for (number, (start, end, base)) in joined.iter().enumerate() {
        let sign = if number == 0 { '@' } else { ',' };
        _ = write!(text, "{sign}{start:#x}-{end:#x}:{base:#x}");
    }
    Ok(text)
}
