// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counting the pages of a process by colour: what was asked against what is.

use crate::colors::Filter;
use crate::proc::{Kind, Mapping, Page, Process};
use crate::sys::{page_bytes, zero_frame};
use fresco_dram::FrameNumber;
use fresco_input::InputError;

/// Pages counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In memory, less those that read as zero and belong to nobody.
    pub present: u64,
    /// Of these, with a colour asked for.
    pub inside: u64,
    /// Of these, with another colour.
    pub outside: u64,
    /// Of these, where the map has no memory.
    pub unmapped: u64,
    /// In swap space.
    pub swapped: u64,
    /// Present pages by bank colour.
    pub banks: Vec<u64>,
    /// Present pages by LLC colour.
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

    /// Adds what another has counted with the same colours.
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

    /// Share of the present pages with a colour asked for; `None` of none.
    pub fn share(&self) -> Option<f64> {
        (self.present > 0).then(|| self.inside as f64 / self.present as f64)
    }
}

/// The pages of each mapping of a process.
///
/// # Errors
/// The process has gone or may not be read, or the kernel hides frame numbers.
pub fn census(process: &Process, filter: &Filter) -> Result<Vec<(Mapping, Tally)>, InputError> {
    let zero = zero_frame().ok_or_else(hidden)?;
    let map = process.page_map()?;
    let page_bytes = page_bytes();
    let mut pages = vec![Page(0); 4096];
    let mut counted = Vec::new();
    for mapping in process.mappings()? {
        let mut tally = Tally::new(filter.counts());
        let (mut next, end) = (mapping.start / page_bytes, mapping.end / page_bytes);
        // The kernel's own pages at the top of the address space are no one's memory.
        while next < end && mapping.kind != Kind::Other {
            let wanted = (end - next).min(pages.len() as u64) as usize;
            let read = map
                .read(next, &mut pages[..wanted])
                .map_err(|error| process.unreadable("pagemap", &error))?;
            for &page in &pages[..read] {
                tally.count(page, filter, Some(zero));
            }
            if read < wanted {
                break;
            }
            next += read as u64;
        }
        counted.push((mapping, tally));
    }
    Ok(counted)
}

/// Bad news: frame numbers cannot be seen.
pub fn hidden() -> InputError {
    InputError::new("/proc/self/pagemap", "shows no frame numbers")
        .allowed("reading them needs CAP_SYS_ADMIN in the first user namespace; containers take it away")
        .cure("run as root, outside a container or in a privileged one")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colors::{AskedColors, ColorCounts, FrameColors};
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
