// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one thread of a recorded program did, as events.

use super::block::{Block, Site};
use super::decoder::{Decoder, Step};
use super::file::RecordedFile;
use super::follow::Follower;
use super::{OBJECTS, Special};
use crate::{Event, Marker, Op, Order};
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
    between: Between,
    /// What comes within the next run, and after how many of its accesses.
    due: Vec<(u16, Due)>,
    /// Up to which place of each object the thread has waited.
    waited: Vec<u32>,
}

/// What is wanted of a thread besides its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Between {
    /// Nothing.
    Nothing,
    /// What it waits for, to be replayed with the others.
    Orders,
    /// Where it enters this region (begin) and leaves it (pass).
    Region(u8),
}

/// Something between accesses.
#[derive(Clone, Copy, Debug)]
enum Due {
    Order(Order),
    Mark(Marker),
}

impl Due {
    fn event(self, gap: u32) -> Event {
        match self {
            Self::Order(order) => Event::Order { order, gap },
            Self::Mark(marker) => Event::Mark { marker, gap },
        }
    }
}

impl RecordedThread {
    /// The thread `thread` of `file`.
    pub fn new(file: RecordedFile, thread: u16, between: Between) -> Self {
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
            between,
            due: Vec::new(),
            waited: vec![0; usize::from(OBJECTS)],
        }
    }

    /// The file; the thread is read again from its begin.
    pub fn again(self, thread: u16) -> Self {
        Self::new(self.file, thread, self.between)
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
                    out.extend(self.due.drain(..).map(|(_, due)| due.event(gaps.until(None))));
                }
            }
        }
        Ok(true)
    }

    /// Something comes within the next run. What was not recorded is not waited for, and nothing twice.
    #[cold]
    fn note(&mut self, special: Special) {
        match (self.between, special) {
            (Between::Orders, Special::Order { object, ticket, .. } | Special::After { object, ticket, .. }) => {
                let place = self.file.trailer().orders.below(object, ticket);
                let is_own = matches!(special, Special::Order { .. });
                let waited = &mut self.waited[usize::from(object)];
                if is_own || place > *waited {
                    *waited = (*waited).max(place + u32::from(is_own));
                    let order = Order { object, place, is_own };
                    self.due.push((special.at(), Due::Order(order)));
                }
            }
            (Between::Region(wanted), Special::Mark { region, enters, .. }) if region == wanted => {
                let marker = if enters { Marker::Begin } else { Marker::Pass };
                self.due.push((special.at(), Due::Mark(marker)));
            }
            _ => {}
        }
    }

    #[inline]
    fn run(&mut self, number: u32, out: &mut Vec<Event>) {
        let block = &self.file.blocks()[number as usize];
        if !self.due.is_empty() {
            return self.run_with_due(number, out);
        }
        append_run(block, &self.addresses, &mut self.follower, &mut self.gaps, out);
    }

    /// A run with something between its accesses.
    #[cold]
    fn run_with_due(&mut self, number: u32, out: &mut Vec<Event>) {
        let block = &self.file.blocks()[number as usize];
        let (gaps, addresses) = (&mut self.gaps, &self.addresses);
        let mut due = self.due.drain(..).peekable();
        let mut meet = |place: usize, gaps: &mut Gaps, out: &mut Vec<Event>| {
            while let Some((_, due)) = due.next_if(|(at, _)| usize::from(*at) <= place) {
                let before = block.sites[..place.min(block.sites.len())].last();
                out.push(due.event(gaps.until(before.map(|site| site.instruction))));
            }
        };
        self.follower.run(block, addresses, |place, needed| {
            meet(place, gaps, out);
            out.push(access(&block.sites[place], addresses[place], gaps, needed.by_all));
        });
        // In a damaged file something may come after more accesses than there are.
        meet(usize::MAX, gaps, out);
        gaps.leave(block);
    }
}

/// Appends the accesses of a run.
#[inline]
pub(super) fn append_run(
    block: &Block,
    addresses: &[u64],
    follower: &mut Follower,
    gaps: &mut Gaps,
    out: &mut Vec<Event>,
) {
    follower.run(block, addresses, |place, needed| {
        out.push(access(&block.sites[place], addresses[place], gaps, needed.by_all));
    });
    gaps.leave(block);
}

/// The access of a site, which depends on the one so many accesses before.
#[inline]
fn access(site: &Site, address: u64, gaps: &mut Gaps, dep: u32) -> Event {
    Event::Op(Op {
        addr: VirtAddr(address),
        gap: gaps.before(site.instruction),
        dep,
        size: site.size,
        write: site.write,
    })
}
