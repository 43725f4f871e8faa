// SPDX-License-Identifier: MIT OR Apache-2.0
//! Colors as hypervisors count them: the pages of one way of the last-level cache, in order.

use crate::colors;
use crate::subject::{Part, Subject};
use fresco_input::InputError;

/// The pages of a way, as colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WayColors {
    /// Colors: a power of two, 2 or more.
    pub colors: u32,
    /// Pages side by side of one color: a power of two.
    pub pages: u64,
    /// log2 of the bytes of a page.
    pub page_bits: u32,
}

impl WayColors {
    /// Those of the machine, with `pages` side by side of one color. At most `most` colors.
    ///
    /// # Errors
    /// The machine has no last-level cache, or other pages than 4 KiB; a way is no power of two of pages; there are too few or too many.
    pub fn of(subject: &Subject, format: &str, pages: u64, most: u32) -> Result<Self, InputError> {
        let machine = &subject.machine;
        let refuse = |found: String, allowed: &str| {
            Err(subject
                .error(format, found)
                .allowed(allowed)
                .help("export for the kernel of kernel/ instead: --to cgroup, which takes any map"))
        };
        let Some(llc) = &machine.llc else {
            return refuse(
                "found a machine without a last-level cache".to_owned(),
                "colors of a last-level cache",
            );
        };
        if machine.page_bytes != 4096 {
            return refuse(format!("found pages of {} bytes", machine.page_bytes), "pages of 4 KiB");
        }
        let way = llc.cache.size / u64::from(llc.cache.ways);
        let of_way = way / machine.page_bytes;
        if !way.is_multiple_of(machine.page_bytes) || !of_way.is_power_of_two() || pages == 0 {
            return refuse(
                format!("found ways of {way} bytes of the last-level cache"),
                "a power of two of pages for each color",
            );
        }
        let colors = of_way / pages;
        if colors < 2 || colors > u64::from(most) {
            return refuse(
                format!("found {colors} colors of the last-level cache"),
                &format!("2 to {most} colors"),
            );
        }
        Ok(Self {
            colors: colors as u32,
            pages,
            page_bits: machine.page_bytes.trailing_zeros(),
        })
    }

    /// The parity functions behind them: plain address bits.
    pub fn functions(&self) -> Vec<u64> {
        let first = self.page_bits + self.pages.trailing_zeros();
        (first..first + self.colors.trailing_zeros())
            .map(|bit| 1 << bit)
            .collect()
    }
}

/// The parts that are exported: all, and at least one that is restricted.
///
/// # Errors
/// There is none.
pub fn parts(subject: &Subject, format: &str) -> Result<Vec<Part>, InputError> {
    let parts = subject.parts();
    match parts.is_empty() {
        true => Err(colors::nothing(subject, format)),
        false => Ok(parts),
    }
}

/// What a partition format does not carry of budgets and ways.
pub fn other_limits(subject: &Subject, ways: bool) -> Vec<String> {
    let mut losses = Vec::new();
    if let Some(budgets) = &subject.budgets
        && budgets.lines.iter().any(|&lines| lines > 0)
    {
        losses.push("budgets of bandwidth of the cores".to_owned());
    }
    if ways {
        let with = subject.tasks.iter().filter(|task| task.ways.is_some());
        let names: Vec<&str> = with.map(|task| task.name.as_str()).collect();
        if !names.is_empty() {
            losses.push(format!("ways of the last-level cache of {}", names.join(", ")));
        }
    }
    losses
}

/// Tasks that no part has: they have no colors, while others have.
pub fn uncolored(subject: &Subject) -> Option<String> {
    let without = subject.tasks.iter().filter(|task| task.colors.is_none());
    let names: Vec<&str> = without.map(|task| task.name.as_str()).collect();
    (!names.is_empty()).then(|| format!("{} may have pages of any color", names.join(", ")))
}

/// Colors as a mask, bit `i` for color `i`.
pub fn mask(colors: &[u32]) -> u128 {
    colors.iter().fold(0, |mask, color| mask | 1 << color)
}

/// A name as a part of a macro's.
pub fn macro_names(parts: &[Part]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in parts {
        let upper = |c: char| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        };
        let mut name: String = part.name.chars().map(upper).collect();
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}
