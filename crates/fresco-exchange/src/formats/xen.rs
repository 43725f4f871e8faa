// SPDX-License-Identifier: MIT OR Apache-2.0
//! Xen's cache coloring.
//!
//! As of xen-project/xen 0975bab5 (the tree of Xen 4.20): docs/misc/cache-coloring.rst has the parameters and the syntax of lists,
//! xen/common/llc-coloring.c that a color is `mfn & (n - 1)`, n the pages of a way, a power of two, that Xen itself takes color 0 unless it
//! is told otherwise, and Dom0 all; docs/man/xl.cfg.5.pod.in `llc_colors=[ "RANGE", ... ]`. CONFIG_LLC_COLORS_ORDER is 7, at most 10.

use super::way_colors::{WayColors, other_limits, parts, uncolored};
use crate::colors::mapped;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::Comment;
use crate::subject::Subject;
use fresco_dram::color::format_list;
use fresco_input::InputError;
use std::fmt::Write as _;

/// Most colors of CONFIG_LLC_COLORS_ORDER=10.
const MOST_COLORS: u32 = 1024;
/// Colors of its default, 7.
const USUAL_COLORS: u32 = 128;

/// `xen`.
pub struct Xen;

impl Format for Xen {
    fn name(&self) -> &'static str {
        "xen"
    }

    fn about(&self) -> &'static str {
        "Xen 4.20 on Arm: boot parameters and llc_colors of each domain's xl configuration"
    }

    fn takes(&self) -> Takes {
        Takes::Partition
    }

    fn comment(&self) -> Comment {
        Comment::Hash
    }

    fn leaves_out(&self) -> &'static str {
        "times of tasks, schedules, sizes of memory"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let parts = parts(subject, self.name())?;
        let colors = WayColors::of(subject, self.name(), 1, MOST_COLORS)?;
        let mut mapped = mapped(subject, &parts, &colors.functions(), "Xen")?;
        mapped.losses.extend(other_limits(subject, true));
        let llc = subject.machine.llc.as_ref().map(|llc| &llc.cache);
        let (size, ways) = llc.map_or((0, 0), |cache| (cache.size >> 10, cache.ways));
        let mut boot = format!("llc-coloring=on llc-size={size}K llc-nr-ways={ways}");
        match mapped.free.as_slice() {
            [] | [_] => mapped.losses.push(format!(
                "colors of Xen and Dom0: the parts leave {} of {}, and each of the two shares the others",
                match mapped.free.len() {
                    0 => "none",
                    _ => "one",
                },
                colors.colors
            )),
            [first, rest @ ..] => _ = write!(boot, " xen-llc-colors={first} dom0-llc-colors={}", format_list(rest)),
        }
        let mut body = format!("\n# Boot parameters:\n#   {boot}\n");
        for (part, colors) in parts.iter().zip(&mapped.colors) {
            let list = format_list(colors);
            let ranges: Vec<String> = list.split(',').map(|range| format!("\"{range}\"")).collect();
            _ = writeln!(
                body,
                "\n# Domain {}: tasks {}. In the device tree: llc-colors = \"{list}\";",
                part.name,
                subject.names(part)
            );
            if !part.cores.is_empty() {
                _ = writeln!(body, "cpus=\"{}\"", format_list(&part.cores));
            }
            _ = writeln!(body, "llc_colors=[{}]", ranges.join(", "));
        }
        let mut notes = vec![
            "CONFIG_LLC_COLORING=y; the lines of a domain belong in its own xl configuration".to_owned(),
            "processors are numbered as the cores of the machine file".to_owned(),
        ];
        if colors.colors > USUAL_COLORS {
            notes.push(format!("CONFIG_LLC_COLORS_ORDER={}", colors.colors.trailing_zeros()));
        }
        if subject.machine.memory.organisation.nodes > 1 {
            notes.push("CONFIG_NUMA=n: Xen has coloring of one node alone".to_owned());
        }
        notes.extend(uncolored(subject));
        Ok(Draft {
            body,
            losses: mapped.losses,
            notes,
            companion: None,
        })
    }
}
