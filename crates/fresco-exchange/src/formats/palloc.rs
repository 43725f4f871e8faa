// SPDX-License-Identifier: MIT OR Apache-2.0
//! PALLOC's mask and bins, and MemGuard's budgets beside them.
//!
//! As of heechul/palloc: README.md (02f10c57) has `palloc_mask`, `control` with `xor BIT BIT`, `use_mc_xor`, `use_palloc` in
//! /sys/kernel/debug/palloc and `palloc.bins` of a control group (version 1); palloc_xormap-6.18.patch (c1da4b2d) takes functions of any
//! number of bits in `control`, a line each, at most 12 of them in 1023 bytes. heechul/memguard: README-basic.md (0fea4271) has
//! `mb MB …` for /sys/kernel/debug/memguard/read_limit, `limit` in older trees; memguard.c reads MB as MiB, and its period from
//! the parameter `g_period_us`.

use super::way_colors::{parts, uncolored};
use crate::colors::masked;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::shell::{Script, directories};
use crate::subject::{Budgets, Subject};
use fresco_dram::color::format_list;
use fresco_dram::gf2::bits_of;
use fresco_dram::map::text::palloc::PallocMap;
use fresco_input::InputError;

/// MAX_PALLOC_BITS.
const MOST_FUNCTIONS: usize = 12;
/// What `control` takes at once.
const MOST_BYTES: usize = 1023;
const PALLOC: &str = "/sys/kernel/debug/palloc";
const CGROUP: &str = "/sys/fs/cgroup";

/// `palloc`.
pub struct Palloc;

impl Format for Palloc {
    fn name(&self) -> &'static str {
        "palloc"
    }

    fn about(&self) -> &'static str {
        "PALLOC: palloc_mask, xor pairs and palloc.bins of control groups, with MemGuard's budgets (shell script)"
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
        let mut masked = masked(subject, &parts, self.name())?;
        let refuse = |found: String, allowed: &str| {
            subject
                .error(self.name(), format!("found {found}"))
                .allowed(allowed)
                .help("export for the kernel of kernel/ instead: --to cgroup")
        };
        if masked.is_shifted {
            return Err(refuse(
                "memory behind a hole, of which functions read another address".to_owned(),
                "functions of the physical address",
            ));
        }
        if masked.functions.len() > MOST_FUNCTIONS {
            return Err(refuse(
                format!("{} functions", masked.functions.len()),
                "12 at most, MAX_PALLOC_BITS",
            ));
        }
        let mut script = Script::new();
        script.section("The map");
        let mut notes = Vec::new();
        // PALLOC numbers functions by their bits; colors follow.
        let ascending = in_order(&masked.functions);
        let sorted: Vec<u64> = ascending.iter().map(|&bit| masked.functions[bit]).collect();
        match PallocMap::from_functions(&sorted) {
            Ok(map) => {
                for colors in &mut masked.colors {
                    for color in colors.iter_mut() {
                        *color = (0..)
                            .zip(&ascending)
                            .fold(0, |to, (place, &bit)| to | (*color >> bit & 1) << place);
                    }
                    colors.sort_unstable();
                }
                script.write(&format!("{:#x}", map.mask()), &format!("{PALLOC}/palloc_mask"));
                for (bit, partner) in map.xor() {
                    script.write(&format!("xor {bit} {partner}"), &format!("{PALLOC}/control"));
                }
                if !map.xor().is_empty() {
                    script.write("1", &format!("{PALLOC}/use_mc_xor"));
                }
            }
            Err(_) => {
                let line = |function: &u64| {
                    let bits: Vec<String> = bits_of(*function).map(|bit| bit.to_string()).collect();
                    bits.join(" ")
                };
                let lines: Vec<String> = masked.functions.iter().map(line).collect();
                let text = lines.join("\\n");
                if text.len() > MOST_BYTES {
                    return Err(refuse("functions of too many bits".to_owned(), "1023 bytes of text"));
                }
                script.line(&format!("printf '{text}\\n' > {PALLOC}/control"));
                notes.push(
                    "functions that a mask and xor pairs do not say: for a kernel with a palloc_xormap patch (6.11 and later)".to_owned(),
                );
            }
        }
        script.line("echo never > /sys/kernel/mm/transparent_hugepage/enabled");
        let groups = directories(parts.iter().map(|part| part.name.as_str()));
        for (((part, group), bins), nodes) in parts.iter().zip(&groups).zip(&masked.colors).zip(&masked.nodes) {
            let path = format!("{CGROUP}/{group}");
            script.section(&format!("{}: tasks {}", part.name, subject.names(part)));
            script.directory(&path);
            let cores = match part.cores.is_empty() {
                true => (0..subject.machine.cores).collect(),
                false => part.cores.clone(),
            };
            let nodes = if nodes.is_empty() { vec![0] } else { nodes.clone() };
            script.write(&format_list(&cores), &format!("{path}/cpuset.cpus"));
            script.write(&format_list(&nodes), &format!("{path}/cpuset.mems"));
            script.write(&format_list(bins), &format!("{path}/palloc.bins"));
            script.line(&format!(
                "# processes of {}: echo PID > {path}/tasks",
                subject.names(part)
            ));
        }
        script.section("From now on");
        script.write("1", &format!("{PALLOC}/use_palloc"));
        let mut losses = masked.losses;
        if let Some(budgets) = subject
            .budgets
            .as_ref()
            .filter(|all| all.lines.iter().any(|&lines| lines > 0))
        {
            memguard(&mut script, budgets, &mut losses, &mut notes);
        }
        if subject.tasks.iter().any(|task| task.ways.is_some()) {
            losses.push("ways of the last-level cache, which --to resctrl carries".to_owned());
        }
        notes.push("control groups of version 1, mounted at /sys/fs/cgroup".to_owned());
        notes.extend(uncolored(subject));
        Ok(Draft {
            body: script.text(),
            losses,
            notes,
            companion: None,
        })
    }
}

/// Places of the functions by their lowest bits.
fn in_order(functions: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..functions.len()).collect();
    order.sort_by_key(|&place| functions[place].trailing_zeros());
    order
}

/// Budgets of all cores up to the last that has one.
fn memguard(script: &mut Script, budgets: &Budgets, losses: &mut Vec<String>, notes: &mut Vec<String>) {
    let last = budgets.lines.iter().rposition(|&lines| lines > 0).unwrap_or(0);
    let each: Vec<String> = (0..=last)
        .map(|core| budgets.mib_per_s(core).max(1).to_string())
        .collect();
    script.section("MemGuard");
    script.write(
        &format!("mb {}", each.join(" ")),
        "/sys/kernel/debug/memguard/read_limit",
    );
    notes.push(format!(
        "MemGuard loaded with g_period_us={}; budgets are rounded down to MiB/s, a core without tasks has 1; older trees call the file limit",
        budgets.period_ns / 1000
    ));
    if budgets.count_write_backs {
        losses.push("that lines written back use up the same budgets: MemGuard counts them apart".to_owned());
    }
    if budgets.lent {
        losses.push("budgets that cores lend or share".to_owned());
    }
}
