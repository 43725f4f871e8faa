// SPDX-License-Identifier: MIT OR Apache-2.0
//! The colors of a machine, for banks and last-level cache together.

use super::ColorError;
use super::domain::{ColorBit, Domain, LostFunction, Span};
use super::pairs::{self, Pairs};
use crate::gf2::{self, LinearMap, combine, low_mask};
use crate::map::{BankMap, Field, FunctionName, ModuloInterleave};
use crate::{AddressMap, FrameNumber};

/// The colors that pages of one size have on one machine.
///
/// Bank colors are dense, `0..bank_colors()`. Where every selecting function lies above the page, the color is the
/// bank number of MAP-4 in the dense reading of CON-3, `((node·NC + channel)·NR + rank)·NB + bank`. Where some do not,
/// the color numbers the sums of functions that do, in the same order, and names a set of banks. Where nodes are
/// fixed by range the node is the most significant part, whatever the functions of the nodes are.
///
/// Where the odd part of the channels is dealt by granules ([`ModuloInterleave`]) of at least a page, a page lies in one
/// way, which is the part of the color above the functions and below the node. Where granules are smaller than a page,
/// pages cannot choose a way, and those of a color may be on all: as many pages in a row as there are ways have one
/// color, and each of them touches some of its banks, all together every one.
///
/// Methods that take a color panic if it does not exist; [`super::parse_list`] checks colors that a user writes.
#[derive(Clone, Debug)]
pub struct ColorSpace {
    page_bits: u32,
    domains: Vec<Domain>,
    /// The lowest node of each bank color.
    nodes: Box<[u32]>,
    llc_functions: Vec<u64>,
    llc: LinearMap,
    pairs: Pairs,
}

impl ColorSpace {
    /// The colors of `map` for pages of `2^page_bits` bytes.
    ///
    /// `llc_functions` are the set-index functions of the last-level cache, masks over *physical* address bits, least
    /// significant first (for a cache indexed by bits 6 to 18: `1 << 6` … `1 << 18`); none for no LLC colors.
    /// Functions that are constant over the machine's memory, or sums of others, make no colors.
    ///
    /// # Errors
    /// [`ColorError`] if a region is not aligned to pages or there are too many pairs of colors.
    pub fn new(map: &AddressMap, llc_functions: &[u64], page_bits: u32) -> Result<Self, ColorError> {
        check_page_bits(page_bits)?;
        let org = map.organisation();
        let mut domains = Vec::new();
        let mut first = 0;
        for (regions, interleave) in map.parts() {
            let spans = regions.iter().map(|region| Span::of(region)).collect();
            let selectors = regions[0].functions.selectors().collect();
            let domain = Domain::new(regions[0].node, spans, interleave, selectors, page_bits, first)?;
            first += domain.colors();
            domains.push(domain);
        }
        let banks_per_node = org.banks_total() / org.nodes;
        let node_of_bank = |bank: u32| bank / banks_per_node;
        Self::assemble(domains, llc_functions, page_bits, node_of_bank)
    }

    /// The colors of a map of which only the bank functions are known, over all physical addresses from its offset
    /// on. Bank `b` is the bank whose functions have the value `b`.
    ///
    /// # Errors
    /// [`ColorError`] if the offset is not aligned to pages or there are too many pairs of colors.
    pub fn of_bank_map(map: &BankMap, llc_functions: &[u64], page_bits: u32) -> Result<Self, ColorError> {
        check_page_bits(page_bits)?;
        let name = |bit| FunctionName {
            field: Field::Bank,
            bit,
        };
        let selectors = map
            .functions()
            .iter()
            .enumerate()
            .map(|(bit, &mask)| (name(bit as u32), mask))
            .collect();
        let base = map.offset();
        let spans = vec![Span {
            base,
            size: 1 << 63,
            offset: base,
        }];
        let domain = Domain::new(None, spans, None, selectors, page_bits, 0)?;
        Self::assemble(vec![domain], llc_functions, page_bits, |_| 0)
    }

    fn assemble(
        domains: Vec<Domain>,
        llc_functions: &[u64],
        page_bits: u32,
        node_of_bank: impl Fn(u32) -> u32,
    ) -> Result<Self, ColorError> {
        let top = domains
            .iter()
            .flat_map(|d| &d.spans)
            .map(|span| span.base + (span.size - 1))
            .max()
            .unwrap_or(0);
        let memory = low_mask(64 - top.leading_zeros());
        let llc_functions = usable_llc(llc_functions, page_bits, memory);
        let pairs = Pairs::new(&domains, &llc_functions, page_bits)?;
        let nodes = domains
            .iter()
            .flat_map(|domain| (0..domain.colors()).map(|color| domain.banks(domain.first + color)[0]))
            .map(node_of_bank)
            .collect();
        let llc = LinearMap::new(&llc_functions);
        Ok(Self {
            page_bits,
            domains,
            nodes,
            llc_functions,
            llc,
            pairs,
        })
    }

    /// log2 of the page size in bytes.
    pub fn page_bits(&self) -> u32 {
        self.page_bits
    }

    /// Number of bank colors.
    pub fn bank_colors(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// Number of LLC colors.
    pub fn llc_colors(&self) -> u32 {
        self.pairs.llc_colors()
    }

    /// The bank color of a frame, `0..bank_colors()`; `None` where the machine has no memory.
    #[inline]
    pub fn try_bank_color(&self, frame: FrameNumber) -> Option<u32> {
        if frame.0 > u64::MAX >> self.page_bits {
            return None;
        }
        let address = frame.0 << self.page_bits;
        self.domains
            .iter()
            .find_map(|domain| domain.contains(address).map(|span| domain.color(address - span.offset)))
    }

    /// The bank color of a frame, `0..bank_colors()`.
    ///
    /// # Panics
    /// Where the machine has no memory at that frame; see [`ColorSpace::try_bank_color`].
    #[inline]
    pub fn bank_color(&self, frame: FrameNumber) -> u32 {
        self.try_bank_color(frame).expect("a frame of the machine's memory")
    }

    /// The LLC color of a frame, `0..llc_colors()`: the usable set-index functions, least significant first.
    #[inline]
    pub fn llc_color(&self, frame: FrameNumber) -> u32 {
        self.llc.apply(frame.0 << self.page_bits) as u32
    }

    /// The node of a bank color. Where nodes are interleaved within a page a color has banks on several nodes; this
    /// is then the lowest of them.
    pub fn node_of_color(&self, bank_color: u32) -> u32 {
        self.nodes[bank_color as usize]
    }

    /// The banks of a color, ascending, as numbered by [`crate::Location::bank_in_machine`].
    ///
    /// Every page of the color touches each of them (where a granule that is dealt over channels is smaller than a page:
    /// some of them); no page of another color touches any.
    pub fn banks(&self, bank_color: u32) -> Vec<u32> {
        self.domain(bank_color).banks(bank_color)
    }

    /// Whether any frame has both colors. Bits that banks and LLC share make some pairs impossible (MAP-16, CON-5).
    pub fn pair_exists(&self, bank_color: u32, llc_color: u32) -> bool {
        self.pairs.exists(bank_color, llc_color)
    }

    /// Number of (bank color, LLC color) pairs that exist.
    pub fn pairs(&self) -> u64 {
        self.pairs.count()
    }

    /// Frames by pair of colors, of `frames` frames from `first` on: bank color `b` with LLC color `l` is number `b * llc_colors() + l`.
    /// Frames without memory are left out. None is visited: it takes no longer for more memory.
    pub fn frames_of_pairs(&self, first: FrameNumber, frames: u64) -> Vec<u64> {
        let mut by_pair = vec![0; self.bank_colors() as usize * self.llc_colors() as usize];
        let range = first.0 << self.page_bits..(first.0 + frames) << self.page_bits;
        if !range.is_empty() {
            for domain in &self.domains {
                pairs::count(domain, &self.llc_functions, self.page_bits, range.clone(), &mut by_pair);
            }
        }
        by_pair
    }

    /// What the bits of a bank color are made of, least significant first; the node that a range fixes is not
    /// among them.
    pub fn color_bits(&self, bank_color: u32) -> Vec<ColorBit> {
        self.domain(bank_color).bits()
    }

    /// The bank-selecting functions that pages cannot choose, in the part of the map that a color belongs to (CON-4).
    pub fn lost_functions(&self, bank_color: u32) -> Vec<LostFunction> {
        self.domain(bank_color).lost(None, self.page_bits)
    }

    /// The parts of the memory that have functions of their own, in ascending order of color: one per node where
    /// nodes are fixed by range, else one.
    pub fn parts(&self) -> impl Iterator<Item = ColorPart<'_>> {
        self.domains.iter().map(|domain| ColorPart {
            node: domain.node,
            first_color: domain.first,
            functions: &domain.functions,
            interleave: domain.interleave,
            ways: domain.ways(),
        })
    }

    /// The functions of the bank color where one set serves the whole memory: masks over the bits of
    /// (physical address − offset), function `i` is bit `i` of the color. `None` where nodes are fixed by range or granules
    /// are dealt over channels; see [`ColorSpace::parts`].
    pub fn bank_functions(&self) -> Option<&[u64]> {
        match self.domains.as_slice() {
            [only] if only.node.is_none() && only.interleave.is_none() => Some(&only.functions),
            _ => None,
        }
    }

    /// The usable set-index functions, masks over physical address bits; function `i` is bit `i` of the LLC color.
    pub fn llc_functions(&self) -> &[u64] {
        &self.llc_functions
    }

    pub(super) fn domains(&self) -> &[Domain] {
        &self.domains
    }

    pub(super) fn domain(&self, bank_color: u32) -> &Domain {
        assert!(
            bank_color < self.bank_colors(),
            "bank color {bank_color} of {}",
            self.bank_colors()
        );
        let index = self.domains.partition_point(|domain| domain.first <= bank_color);
        &self.domains[index - 1]
    }
}

/// Addresses that share one set of functions, and the colors counted from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorPart<'a> {
    /// The node, where the address range decides it.
    pub node: Option<u32>,
    /// The lowest bank color; there are `ways * 2^functions.len()` of them.
    pub first_color: u32,
    /// Function `i`, a mask over the bits of (physical address − offset), or of that address within its way, is bit `i`
    /// of (color − `first_color`).
    pub functions: &'a [u64],
    /// How granules are dealt over ways before the functions read an address.
    pub interleave: Option<ModuloInterleave>,
    /// Ways that pages choose among, 1 for none: what stands above the functions in (color − `first_color`).
    pub ways: u32,
}

fn check_page_bits(page_bits: u32) -> Result<(), ColorError> {
    if page_bits < 64 {
        Ok(())
    } else {
        Err(ColorError::PageBits { page_bits })
    }
}

/// The sums of set-index functions without in-page bits, restricted to address bits the memory has.
fn usable_llc(functions: &[u64], page_bits: u32, memory: u64) -> Vec<u64> {
    let functions = gf2::independent(functions.iter().map(|mask| mask & memory));
    let inside: Vec<u64> = functions.iter().map(|mask| mask & low_mask(page_bits)).collect();
    gf2::kernel(&inside)
        .into_iter()
        .map(|combination| combine(&functions, combination))
        .collect()
}
