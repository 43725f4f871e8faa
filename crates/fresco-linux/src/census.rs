// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counting the pages of a process by color: what was asked against what is.

use crate::colors::{AskedColors, ColorCounts, Filter, Request};
use crate::proc::{Kind, Mapping, OwnColors, Page, Process, own_colors};
use crate::sys::{capability, page_bytes, zero_frame};
use fresco_dram::FrameNumber;
use fresco_input::InputError;
use std::collections::BTreeMap;
use std::ops::Range;

/// Pages counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In memory, less those that read as zero and belong to nobody.
    pub present: u64,
    /// Of these, with a color asked for.
    pub inside: u64,
    /// Of these, with another color.
    pub outside: u64,
    /// Of these, where the map has no memory.
    pub unmapped: u64,
    /// In swap space.
    pub swapped: u64,
    /// Present pages by bank color.
    pub banks: Vec<u64>,
    /// Present pages by LLC color.
    pub llc: Vec<u64>,
}

impl Tally {
    fn new((banks, llc): (usize, usize)) -> Self {
        Self {
            banks: vec![0; banks],
            llc: vec![0; llc],
            ..Self::default()
        }
    }

    fn count(&mut self, page: Page, filter: &Filter, zero: Option<FrameNumber>) {
        self.swapped += u64::from(page.swapped());
        let Some(frame) = page.frame().filter(|&frame| Some(frame) != zero) else {
            return;
        };
        self.present += 1;
        match filter.color(frame) {
            None => self.unmapped += 1,
            Some(color) => {
                self.banks[color.0 as usize] += 1;
                self.llc[color.1 as usize] += 1;
                match filter.asks(color) {
                    true => self.inside += 1,
                    false => self.outside += 1,
                }
            }
        }
    }

    /// Adds what another has counted with the same colors.
    pub fn add(&mut self, other: &Self) {
        if self.banks.is_empty() {
            (self.banks, self.llc) = (vec![0; other.banks.len()], vec![0; other.llc.len()]);
        }
        self.present += other.present;
        self.inside += other.inside;
        self.outside += other.outside;
        self.unmapped += other.unmapped;
        self.swapped += other.swapped;
        for (sum, count) in self.banks.iter_mut().zip(&other.banks) {
            *sum += count;
        }
        for (sum, count) in self.llc.iter_mut().zip(&other.llc) {
            *sum += count;
        }
    }

    /// Share of the present pages with a color asked for; `None` of none.
    pub fn share(&self) -> Option<f64> {
        (self.present > 0).then(|| self.inside as f64 / self.present as f64)
    }
}

/// The pages of a process.
#[derive(Clone, Debug, Default)]
pub struct Census {
    /// Each mapping with its pages; one of a file twice if some of its pages are the process's own.
    pub mappings: Vec<(Mapping, Tally)>,
    /// Pages of threads with colors of their own, by these colors.
    pub threads: BTreeMap<String, Tally>,
}

impl Census {
    /// Returns true if any mapping is covered: the library places its pages.
    pub fn has_covered(&self) -> bool {
        self.mappings.iter().any(|(mapping, _)| mapping.kind == Kind::Covered)
    }

    /// Returns true if the library is collecting a pool, before it covers anything and the program begins.
    pub fn is_collecting(&self) -> bool {
        let has = |what: fn(&Mapping) -> bool| self.mappings.iter().any(|(mapping, _)| what(mapping));
        has(Mapping::is_library) && has(Mapping::is_pool) && !self.has_covered()
    }

    /// The pages of some kinds of mappings.
    pub fn tally(&self, is_wanted: impl Fn(Kind) -> bool) -> Tally {
        let mut total = Tally::default();
        for (_, tally) in self.mappings.iter().filter(|(mapping, _)| is_wanted(mapping.kind)) {
            total.add(tally);
        }
        total
    }
}

/// The pages of each mapping of a process, judged by the colors of `request`; memory of threads with colors of their
/// own by those, if `own`: if the request is the one that the process was started with.
///
/// # Errors
/// The process has gone or may not be read, or the kernel hides frame numbers.
pub fn census(process: &Process, request: &Request, own: bool) -> Result<Census, InputError> {
    let zero = zero_frame().ok_or_else(hidden)?;
    let map = process.page_map()?;
    let filter = request.filter();
    let mappings = process.mappings()?;
    let threads = match own {
        true => own_colors(process, &mappings),
        false => OwnColors::new(),
    };
    let threads = Judges::new(request, &threads);
    let page_bytes = page_bytes();
    let mut pages = vec![Page(0); 4096];
    let mut census = Census::default();
    for mapping in mappings {
        let mut tally = Tally::new(filter.counts());
        let mut own_pages = Tally::new(filter.counts());
        let mut at = mapping.start;
        // The kernel's own pages at the top of the address space are no one's memory.
        while at < mapping.end && mapping.kind != Kind::Other {
            let (end, judge) = match mapping.kind {
                Kind::Covered => threads.at(at),
                _ => (u64::MAX, None),
            };
            let wanted = ((mapping.end.min(end) - at) / page_bytes).clamp(1, pages.len() as u64) as usize;
            let read = map
                .read(at / page_bytes, &mut pages[..wanted])
                .map_err(|error| process.unreadable("pagemap", &error))?;
            let mut part = Tally::new(filter.counts());
            for &page in &pages[..read] {
                let counted = match mapping.kind == Kind::File && !page.of_file() {
                    true => &mut own_pages,
                    false => &mut part,
                };
                counted.count(page, judge.map_or(&filter, |(_, filter)| filter), Some(zero));
            }
            tally.add(&part);
            if let Some((asked, _)) = judge {
                census.threads.entry(asked.clone()).or_default().add(&part);
            }
            if read < wanted {
                break;
            }
            at += read as u64 * page_bytes;
        }
        if own_pages.present + own_pages.swapped > 0 {
            let kind = Kind::Data;
            census.mappings.push((
                Mapping {
                    kind,
                    ..mapping.clone()
                },
                own_pages,
            ));
        }
        census.mappings.push((mapping, tally));
    }
    Ok(census)
}

/// Who judges which memory: ranges of threads' own colors, the last one first.
struct Judges {
    ranges: Vec<(Range<u64>, Option<usize>)>,
    filters: Vec<(String, Filter)>,
}

impl Judges {
    fn new(request: &Request, threads: &OwnColors) -> Self {
        let counts = ColorCounts::of(&request.colors);
        let mut judges = Self {
            ranges: Vec::new(),
            filters: Vec::new(),
        };
        for (range, text) in threads.iter().rev() {
            let known = judges.filters.iter().position(|(name, _)| name == text);
            let number = known.or_else(|| {
                // The process's own colors have no text; what is no colors is judged as those are.
                let asked = AskedColors::parse(text, counts).ok().filter(|_| !text.is_empty())?;
                let filter = Filter::new(&request.colors, &asked);
                judges.filters.push((text.clone(), filter));
                Some(judges.filters.len() - 1)
            });
            judges.ranges.push((range.clone(), number));
        }
        judges
    }

    /// Who judges the memory at an address, and how far at least.
    fn at(&self, address: u64) -> (u64, Option<&(String, Filter)>) {
        let mut end = u64::MAX;
        for (range, number) in &self.ranges {
            if range.contains(&address) {
                return (end.min(range.end), number.map(|number| &self.filters[number]));
            }
            if address < range.start {
                end = end.min(range.start);
            }
        }
        (end, None)
    }
}

/// Bad news: frame numbers cannot be seen.
pub fn hidden() -> InputError {
    InputError::new("/proc/self/pagemap", "shows no frame numbers")
        .allowed("reading them needs CAP_SYS_ADMIN in the first user namespace; containers take it away")
        .help(capability::help(capability::ADMIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::FrameColors;
    use fresco_dram::ColorSpace;
    use fresco_dram::map::BankMap;

    #[test]
    fn pages_are_counted_by_color_and_nobodys_page_is_not() {
        let map = BankMap::new(vec![1 << 12], 1 << 20).unwrap();
        let space = ColorSpace::of_bank_map(&map, &[1 << 13], 12).unwrap();
        let colors = FrameColors::of_bank_map(&map, &space);
        let asked = AskedColors::parse("banks=1", ColorCounts::of(&colors)).unwrap();
        let filter = Filter::new(&colors, &asked);
        let mut tally = Tally::new(filter.counts());
        let present = |frame: u64| Page(1 << 63 | frame);
        // 256 pages lie below the map.
        for page in [
            present(256),
            present(257),
            present(259),
            present(7),
            present(5),
            Page(0),
            Page(1 << 62),
        ] {
            tally.count(page, &filter, Some(FrameNumber(7)));
        }
        let expected = Tally {
            present: 4,
            inside: 2,
            outside: 1,
            unmapped: 1,
            swapped: 1,
            banks: vec![1, 2],
            llc: vec![2, 1],
        };
        assert_eq!(tally, expected);
        assert_eq!(tally.share(), Some(0.5));
        let mut sum = Tally::default();
        assert_eq!(sum.share(), None);
        sum.add(&tally);
        sum.add(&tally);
        assert_eq!((sum.present, sum.banks), (8, vec![2, 4]));
    }
}
