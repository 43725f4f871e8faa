// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pages of parts, looked at one by one by a judge that knows no colors: who gets a page is asked of the colors, as allocators do, where it lies is not.

use super::facts::PageCheck;
use super::partition::Part;
use crate::progress;
use crate::stop::Stop;
use fresco_dram::apart::pages::{Memory, PageJudge};
use fresco_dram::{ColorSpace, FrameNumber};
use fresco_machine::Machine;

/// Addresses that are looked at most: a few seconds. Of larger memories each so many-th page is looked at.
const MOST_ADDRESSES: u64 = 1 << 28;
/// Pages from one look at the clock, and at Ctrl-C, to the next.
const PAGES_AT_ONCE: u64 = 1 << 14;

/// Looks at pages of parts with colors of their own; `None` if Ctrl-C came before.
pub fn look<'s>(
    machine: &'s Machine,
    space: &ColorSpace,
    functions: &'s [u64],
    parts: &[Part],
    strict: bool,
    stop: &Stop,
) -> Option<(PageJudge<'s>, PageCheck)> {
    let memory = Memory {
        map: &machine.memory.map,
        sets: functions,
        page_bytes: machine.page_bytes,
        line_bytes: machine.llc.as_ref().map_or(64, |llc| u64::from(llc.cache.line)),
    };
    let mut judge = PageJudge::new(memory, parts.len());
    let pages_of = |region: &fresco_dram::Region| region.size / machine.page_bytes;
    let of_pages: u64 = machine.memory.map.regions().iter().map(pages_of).sum();
    let mut check = PageCheck {
        of_pages,
        pages: 0,
        exhaustive: false,
        addresses: 0,
        agrees: true,
    };
    let colored = |part: &Part| strict && (part.memories.banks.is_some() || part.memories.llc.is_some());
    if !parts.iter().any(colored) {
        return Some((judge, check));
    }
    let of_bank: Vec<Vec<usize>> = (0..space.bank_colors())
        .map(|color| {
            let has = |part: &Part| part.memories.banks.as_ref().is_none_or(|banks| banks.contains(&color));
            let numbered = parts.iter().enumerate().filter(|(_, part)| colored(part) && has(part));
            numbered.map(|(number, _)| number).collect()
        })
        .collect();
    let each = judge.addresses_of_page();
    // Odd, so that it is in step with no function.
    let stride = (of_pages.saturating_mul(each).div_ceil(MOST_ADDRESSES)).max(1) | 1;
    let bar = progress::bar(of_pages / stride, "pages of parts");
    let page_bits = machine.page_bytes.trailing_zeros();
    let mut owners: Vec<usize> = Vec::new();
    for region in machine.memory.map.regions() {
        for number in (0..pages_of(region)).step_by(stride as usize) {
            if check.pages.is_multiple_of(PAGES_AT_ONCE) {
                bar.set_position(check.pages);
                if stop.is_asked() {
                    bar.finish_and_clear();
                    return None;
                }
            }
            check.pages += 1;
            let first = region.base + number * machine.page_bytes;
            let frame = FrameNumber(first >> page_bits);
            let Some(color) = space.try_bank_color(frame) else {
                continue;
            };
            owners.clear();
            owners.extend(of_bank[color as usize].iter().copied().filter(|&part| {
                let llc = parts[part].memories.llc.as_ref();
                llc.is_none_or(|llc| llc.contains(&space.llc_color(frame)))
            }));
            if !owners.is_empty() {
                judge.see(&owners, first);
                check.addresses += each;
            }
        }
    }
    bar.finish_and_clear();
    check.exhaustive = check.pages == of_pages;
    Some((judge, check))
}
