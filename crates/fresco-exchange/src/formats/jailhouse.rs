// SPDX-License-Identifier: MIT OR Apache-2.0
//! Jailhouse's cache regions, and the colors of its fork.
//!
//! siemens/jailhouse 045c6122, include/jailhouse/cell-config.h: `struct jailhouse_cache` has the first way and how many, of CAT on x86; the main
//! line has no colors. Colors are in the patches of L. Miccio and M. Solieri (jailhouse-dev, 2021) as DanieleOttaviano/jailhouse 004c9000 has
//! them: `colors` of `struct jailhouse_memory`, 64 bits, bit i for the i-th page of a way, with JAILHOUSE_MEM_COLORED among its flags, and
//! `way_size` of the system's `struct jailhouse_coloring`.

use super::way_colors::{WayColors, macro_names, mask, other_limits, uncolored};
use crate::colors::{mapped, nothing};
use crate::export::{Draft, ExportOptions, Format, Takes};
use crate::head::{Comment, c_text};
use crate::subject::{Colors, Part, Subject};
use fresco_dram::color::format_list;
use fresco_input::InputError;
use std::fmt::Write as _;

/// Bits of `colors`.
const MOST: u32 = 64;

/// `jailhouse`.
pub struct Jailhouse;

impl Format for Jailhouse {
    fn name(&self) -> &'static str {
        "jailhouse"
    }

    fn about(&self) -> &'static str {
        "Jailhouse: .cache_regions from ways (CAT, main line), .colors of memory regions (fork with coloring)"
    }

    fn takes(&self) -> Takes {
        Takes::Partition
    }

    fn comment(&self) -> Comment {
        Comment::C
    }

    fn leaves_out(&self) -> &'static str {
        "times of tasks, schedules; memory regions, devices and consoles of the cells"
    }

    fn draft(&self, subject: &Subject, _options: &ExportOptions) -> Result<Draft, InputError> {
        let cells = cells(subject);
        let is_colored = subject.tasks.iter().any(|task| task.colors.is_some());
        if !is_colored && subject.tasks.iter().all(|task| task.ways.is_none()) {
            return Err(nothing(subject, self.name()));
        }
        let mut body = String::from("\n#ifndef FRESCO_JAILHOUSE_H\n#define FRESCO_JAILHOUSE_H\n");
        let mut losses = other_limits(subject, false);
        let mut notes = vec!["processors are numbered as the cores of the machine file".to_owned()];
        let parts: Vec<Part> = cells.iter().map(|cell| cell.part.clone()).collect();
        let mut colors = vec![None; cells.len()];
        if is_colored {
            let colored: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell].is_colored).collect();
            let parts: Vec<Part> = colored.iter().map(|&cell| cells[cell].part.clone()).collect();
            let of_way = WayColors::of(subject, self.name(), 1, MOST)?;
            let mut mapped = mapped(subject, &parts, &of_way.functions(), "Jailhouse")?;
            losses.append(&mut mapped.losses);
            for (&cell, list) in colored.iter().zip(mapped.colors) {
                colors[cell] = Some(list);
            }
            let way = u64::from(of_way.colors) << of_way.page_bits;
            _ = writeln!(
                body,
                "\n/* .way_size of the system's struct jailhouse_coloring. */\n#define FRESCO_WAY_SIZE {way:#x}"
            );
            if !mapped.free.is_empty() {
                _ = writeln!(
                    body,
                    "\n/* Colors of no part, for memory of the root cell. */\n#define FRESCO_ROOT_COLORS {:#x}",
                    mask(&mapped.free)
                );
            }
            notes.push(
                "colors are those of the fork with coloring; the main line has none, and refuses .colors".to_owned(),
            );
            notes.extend(uncolored(subject));
        }
        for ((cell, name), colors) in cells.iter().zip(macro_names(&parts)).zip(&colors) {
            _ = writeln!(
                body,
                "\n/* Cell {}: tasks {}. */",
                c_text(&cell.part.name),
                c_text(&subject.names(&cell.part))
            );
            if !cell.part.cores.is_empty() {
                if cell.part.cores.iter().any(|&core| core >= MOST) {
                    return Err(subject
                        .error(self.name(), "found cores beyond 63")
                        .allowed("cores 0 to 63, one word of .cpus")
                        .help("write the words of .cpus by hand"));
                }
                _ = writeln!(body, "#define FRESCO_CELL_{name}_CPUS {:#x}", mask(&cell.part.cores));
            }
            if let Some(ways) = &cell.ways {
                let first = ways.first().copied().unwrap_or(0);
                if ways.last().is_some_and(|last| last - first + 1 != ways.len() as u32) {
                    return Err(subject
                        .error(
                            self.name(),
                            format!("found the ways {} of {}", format_list(ways), cell.part.name),
                        )
                        .allowed("ways side by side: a region has a start and a size")
                        .help("choose neighbors"));
                }
                _ = writeln!(
                    body,
                    "#define FRESCO_CELL_{name}_CACHE {{ .start = {first}, .size = {}, .type = JAILHOUSE_CACHE_L3, }}",
                    ways.len()
                );
            }
            if let Some(colors) = colors {
                _ = writeln!(body, "#define FRESCO_CELL_{name}_COLORS {:#x}", mask(colors));
            }
        }
        body.push_str("\n#endif\n");
        Ok(Draft {
            body,
            losses,
            notes,
            companion: None,
        })
    }
}

/// Tasks with the same colors and ways.
struct Cell {
    part: Part,
    is_colored: bool,
    ways: Option<Vec<u32>>,
}

/// The cells, in the order of their first task; tasks with neither colors nor ways are in none.
fn cells(subject: &Subject) -> Vec<Cell> {
    let mut cells: Vec<(Option<Colors>, Cell)> = Vec::new();
    for (number, task) in subject.tasks.iter().enumerate() {
        if task.colors.is_none() && task.ways.is_none() {
            continue;
        }
        let same = cells
            .iter_mut()
            .find(|(colors, cell)| *colors == task.colors && cell.ways == task.ways);
        let cell = match same {
            Some((_, cell)) => cell,
            None => {
                let part = Part {
                    name: task.name.clone(),
                    tasks: Vec::new(),
                    cores: Vec::new(),
                    colors: task.colors.clone().unwrap_or(Colors {
                        banks: Vec::new(),
                        llc: Vec::new(),
                    }),
                };
                let cell = Cell {
                    part,
                    is_colored: task.colors.is_some(),
                    ways: task.ways.clone(),
                };
                cells.push((task.colors.clone(), cell));
                &mut cells.last_mut().expect("one was added").1
            }
        };
        cell.part.tasks.push(number);
        cell.part.cores.extend(task.core);
        cell.part.cores.sort_unstable();
        cell.part.cores.dedup();
    }
    cells.into_iter().map(|(_, cell)| cell).collect()
}
