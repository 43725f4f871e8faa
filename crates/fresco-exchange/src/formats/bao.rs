// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bao's colors of virtual machines.
//!
//! As of bao-project/bao-hypervisor: src/core/inc/config.h (01b5912b) has `cpu_affinity` and `colors` of `struct vm_config`, bitmaps of 64 bits
//! on arm64 (types.h); later trees have the hypervisor's in `config.hyp.colors`. src/core/cache.c (09da4170) has how many there are:
//! COLOR_SIZE pages side by side, as many as a way of the first level has, are of one color, and COLOR_NUM is the pages of a
//! way of the shared cache divided by these; src/core/mmu/mem.c (01860820): the color of a page is `page / COLOR_SIZE % COLOR_NUM`.

use super::way_colors::{WayColors, macro_names, mask, other_limits, parts, uncolored};
use crate::colors::mapped;
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::{Comment, c_text};
use crate::subject::Subject;
use fresco_input::InputError;
use std::fmt::Write as _;

/// Bits of `colormap_t` and `cpumap_t` on arm64.
const MOST: u32 = 64;

/// `bao`.
pub struct Bao;

impl Format for Bao {
    fn name(&self) -> &'static str {
        "bao"
    }

    fn about(&self) -> &'static str {
        "Bao: .cpu_affinity and .colors of each struct vm_config, as macros for config.c"
    }

    fn takes(&self) -> Takes {
        Takes::Partition
    }

    fn comment(&self) -> Comment {
        Comment::C
    }

    fn leaves_out(&self) -> &'static str {
        "times of tasks, schedules; images, entry points and platforms of the virtual machines"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let parts = parts(subject, self.name())?;
        let refuse = |found: &str, allowed: &str| {
            subject
                .error(self.name(), format!("found {found}"))
                .allowed(allowed)
                .help("describe the first-level caches of the board in a machine file of your own")
        };
        let Some(data) = &subject.machine.l1 else {
            return Err(refuse(
                "a machine without a first-level cache",
                "one: Bao divides by its pages",
            ));
        };
        let pages =
            |cache: &fresco_machine::CacheConfig| cache.size / u64::from(cache.ways) / subject.machine.page_bytes;
        let of_data = pages(data);
        if !of_data.is_power_of_two() {
            return Err(refuse(
                "ways of the first level that are no power of two of pages",
                "a page or more, as Bao divides by them",
            ));
        }
        let colors = WayColors::of(subject, self.name(), of_data, MOST)?;
        let mut mapped = mapped(subject, &parts, &colors.functions(), "Bao")?;
        mapped.losses.extend(other_limits(subject, true));
        let mut body = String::from("\n#ifndef FRESCO_BAO_H\n#define FRESCO_BAO_H\n\n");
        _ = writeln!(
            body,
            "/* What Bao works out at run time, and these bitmaps count on. */\n#define FRESCO_COLOR_NUM {}\n#define FRESCO_COLOR_SIZE {}",
            colors.colors, colors.pages
        );
        match mapped.free.is_empty() {
            true => mapped
                .losses
                .push("colors of Bao itself: the parts leave none, and it shares theirs".to_owned()),
            false => {
                let free = mask(&mapped.free);
                _ = writeln!(
                    body,
                    "\n/* Colors of no part, for .hyp.colors (.hyp_colors of older trees). */\n#define FRESCO_HYP_COLORS {free:#x}UL"
                );
            }
        }
        for ((part, name), colors) in parts.iter().zip(macro_names(&parts)).zip(&mapped.colors) {
            let mut members = String::new();
            if !part.cores.is_empty() {
                if part.cores.iter().any(|&core| core >= MOST) {
                    return Err(refuse("cores beyond 63", "cores 0 to 63, the bits of its bitmap"));
                }
                _ = write!(members, " .cpu_affinity = {:#x}UL,", mask(&part.cores));
            }
            _ = write!(members, " .colors = {:#x}UL,", mask(colors));
            _ = writeln!(
                body,
                "\n/* {}: tasks {}; put it into its struct vm_config. */\n#define FRESCO_VM_{name}{members}",
                c_text(&part.name),
                c_text(&subject.names(part))
            );
        }
        body.push_str("\n#endif\n");
        let mut notes = vec!["processors are numbered as the cores of the machine file".to_owned()];
        if subject.machine.l1i.as_ref().is_some_and(|code| pages(code) != of_data) {
            notes.push(
                "COLOR_SIZE is that of the data cache: Bao takes the instruction cache's where that is indexed by physical address"
                    .to_owned(),
            );
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
