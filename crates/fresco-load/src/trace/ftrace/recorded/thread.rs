// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one thread of a recorded program did, as events.

use super::block::Block;
use super::decoder::{Decoder, Step};
use super::file::RecordedFile;
use super::follow::Follower;
use super::{OBJECTS, Special};
use crate::{Event, Op, Order};
use fresco_dram::VirtAddr;
use fresco_input::InputError;

/// Turns runs of blocks into operations: each access is an instruction, after those of its gap that access no memory. An instruction of
/// several accesses counts for more than one; those too many are taken from the gaps that follow, as far as there are any.
#[derive(Debug, Default)]
pub(super) struct Gaps {
    /// Instructions before the present block.
    base: u64,
    /// Instructions that have been accounted for.
    told: u64,
}

impl Gaps {
    /// The gap before an access of the instruction at this place of the present block.
    #[inline]
    pub fn before(&mut self, instruction: u16) -> u32 {
        let gap = (self.base + u64::from(instruction)).saturating_sub(self.told);
        self.told += gap + 1;
        gap.min(u64::from(u32::MAX)) as u32
    }

    /// The gap before something that is no instruction and comes after this instruction of the present block, or before all of them.
    pub fn until(&mut self, instruction: Option<u16>) -> u32 {
        let at = self.base + instruction.map_or(0, |instruction| u64::from(instruction) + 1);
        let gap = at.saturating_sub(self.told);
        self.told += gap;
        gap.min(u64::from(u32::MAX)) as u32
    }

    /// Instructions that no access accounts for, once a block is over.
    pub fn left(&self) -> u64 {
        self.base.saturating_sub(self.told)
    }

    /// The block is over.
    #[inline]
    pub fn leave(&mut self, block: &Block) {
        self.base += u64::from(block.instructions);
    }
}

/// Reads one thread of a file from its begin.
pub(crate) struct RecordedThread {
    file: RecordedFile,
    chunks: std::vec::IntoIter<usize>,
    /// Section of the present chunk.
    section: usize,
    decoder: Decoder,
    follower: Follower,
    gaps: Gaps,
    addresses: Vec<u64>,
    open: bool,
    orders: Option<Orders>,
}

/// Orders between threads, as they are met.
struct Orders {
    /// Those that come within the next run: accesses before, object, place, whether it is the thread's own.
    due: Vec<(u16, Order)>,
    /// Up to which place of each object the thread has waited.
    waited: Vec<u32>,
}

impl RecordedThread {
    /// The thread `thread` of `file`, alone or with what it waits for `together` with others.
    pub fn new(file: RecordedFile, thread: u16, together: bool) -> Self {
        let chunks = file.chunks_of(thread).into_iter();
        Self {
            file,
            chunks,
            section: 0,
            decoder: Decoder::new(),
            follower: Follower::default(),
            gaps: Gaps::default(),
            addresses: Vec::new(),
            open: false,
            orders: together.then(|| Orders {
                due: Vec::new(),
                waited: vec![0; usize::from(OBJECTS)],
            }),
        }
    }

    /// The file; the thread is read again from its begin.
    pub fn again(self, thread: u16) -> Self {
        Self::new(self.file, thread, self.orders.is_some())
    }

    /// An error at the present place.
    #[cold]
    pub fn error_here(&self, found: String) -> InputError {
        self.file.error(self.section, found)
    }

    /// Appends the events of the next run that has any to `out`; false at the end.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read.
    #[inline]
    pub fn next(&mut self, out: &mut Vec<Event>) -> Result<bool, InputError> {
        let before = out.len();
        while out.len() == before {
            if !self.open {
                let Some(section) = self.chunks.next() else {
                    return Ok(false);
                };
                self.section = section;
                let chunk = self.file.chunk(section)?;
                self.decoder.begin(chunk);
                self.follower.begin();
                self.open = true;
            }
            let step = self.decoder.next(self.file.blocks(), &mut self.addresses);
            match step.map_err(|found| self.file.error(self.section, found))? {
                Some(Step::Run(number)) => self.run(number, out),
                Some(Step::Special(special)) => self.note(special),
                None => {
                    self.open = false;
                    let gaps = &mut self.gaps;
                    let due = self.orders.iter_mut().flat_map(|orders| orders.due.drain(..));
                    out.extend(due.map(|(_, order)| Event::Order {
                        order,
                        gap: gaps.until(None),
                    }));
                }
            }
        }
        Ok(true)
    }

    /// An order comes within the next run. What was not recorded is not waited for, and nothing twice.
    #[cold]
    fn note(&mut self, special: Special) {
        let Some(orders) = &mut self.orders else { return };
        let (Special::Order { at, object, ticket } | Special::After { at, object, ticket }) = special;
        let place = self.file.trailer().orders.below(object, ticket);
        let is_own = matches!(special, Special::Order { .. });
        let waited = &mut orders.waited[usize::from(object)];
        if is_own || place > *waited {
            *waited = (*waited).max(place + u32::from(is_own));
            orders.due.push((at, Order { object, place, is_own }));
        }
    }

    #[inline]
    fn run(&mut self, number: u32, out: &mut Vec<Event>) {
        let block = &self.file.blocks()[number as usize];
        if self.orders.as_ref().is_some_and(|orders| !orders.due.is_empty()) {
            return self.ordered_run(number, out);
        }
        let (gaps, addresses) = (&mut self.gaps, &self.addresses);
        self.follower.run(block, addresses, |place, needed| {
            let site = &block.sites[place];
            out.push(Event::Op(Op {
                addr: VirtAddr(addresses[place]),
                gap: gaps.before(site.instruction),
                dep: needed.by_all,
                size: site.size,
                write: site.write,
            }));
        });
        gaps.leave(block);
    }

    /// A run with orders in it.
    #[cold]
    fn ordered_run(&mut self, number: u32, out: &mut Vec<Event>) {
        let block = &self.file.blocks()[number as usize];
        let (gaps, addresses) = (&mut self.gaps, &self.addresses);
        let due = self.orders.iter_mut().flat_map(|orders| orders.due.drain(..));
        let mut due = due.peekable();
        let mut meet = |place: usize, gaps: &mut Gaps, out: &mut Vec<Event>| {
            while let Some((_, order)) = due.next_if(|(at, _)| usize::from(*at) <= place) {
                let before = block.sites[..place.min(block.sites.len())].last();
                let gap = gaps.until(before.map(|site| site.instruction));
                out.push(Event::Order { order, gap });
            }
        };
        self.follower.run(block, addresses, |place, needed| {
            meet(place, gaps, out);
            let site = &block.sites[place];
            out.push(Event::Op(Op {
                addr: VirtAddr(addresses[place]),
                gap: gaps.before(site.instruction),
                dep: needed.by_all,
                size: site.size,
                write: site.write,
            }));
        });
        // A damaged file may have orders after more accesses than there are.
        meet(usize::MAX, gaps, out);
        gaps.leave(block);
    }
}
