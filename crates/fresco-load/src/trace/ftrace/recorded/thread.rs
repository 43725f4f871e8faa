// SPDX-License-Identifier: MIT OR Apache-2.0
//! What one thread of a recorded program did, as events.

use super::block::{Block, Site};
use super::decoder::{Decoder, Step};
use super::fetch::Fetches;
use super::file::RecordedFile;
use super::follow::Follower;
use super::{OBJECTS, Special};
use crate::trace::cpu::{ADDRESS_LIMIT, too_high};
use crate::{Batch, Event, Marker, Op, Order};
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
    /// Runs are accesses and nothing else: nothing is due, and no run fetches code.
    plain: bool,
    fetches: Fetches,
    /// Lines fetched in the present chunk.
    fetched: u64,
    /// Up to which place of each object the thread has waited.
    waited: Vec<u32>,
    /// Accesses so far, and all bits that their addresses have.
    accesses: u64,
    bits: u64,
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
pub(super) enum Due {
    Order(Order),
    Mark(Marker),
    /// Of the line of code at this address, for this instruction of the run.
    Fetch(u64, u16),
}

impl Due {
    /// It comes after the instruction `before` of the run, or before all of them; a fetch, right before its own.
    fn event(self, before: Option<u16>, gaps: &mut Gaps) -> Event {
        match self {
            Self::Order(order) => Event::Order {
                order,
                gap: gaps.until(before),
            },
            Self::Mark(marker) => Event::Mark {
                marker,
                gap: gaps.until(before),
            },
            Self::Fetch(line, instruction) => Event::Fetch {
                line: VirtAddr(line),
                gap: gaps.until(instruction.checked_sub(1)),
            },
        }
    }
}

impl RecordedThread {
    /// The thread `thread` of `file`.
    pub fn new(file: RecordedFile, thread: u16, between: Between) -> Self {
        let chunks = file.chunks_of(thread).into_iter();
        Self {
            plain: !file.about().fetches,
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
            fetches: Fetches::default(),
            fetched: 0,
            waited: vec![0; usize::from(OBJECTS)],
            accesses: 0,
            bits: 0,
        }
    }

    /// The file; the thread is read again from its begin.
    pub fn again(self, thread: u16) -> Self {
        Self::new(self.file, thread, self.between)
    }

    /// Accesses so far, with those of chunks that were left out.
    pub fn accesses(&self) -> u64 {
        self.accesses
    }

    /// Leaves chunks out, as far as they lie within so many accesses from the begin. Returns how many accesses they have.
    pub fn skip(&mut self, accesses: u64) -> u64 {
        let index = &self.file.trailer().index;
        while let Some(section) = self.chunks.as_slice().first() {
            let next = self.accesses + index[*section].chunk.1;
            if next > accesses {
                break;
            }
            self.accesses = next;
            self.chunks.next();
        }
        self.accesses
    }

    /// An error at the present place.
    #[cold]
    pub fn error_here(&self, found: String) -> InputError {
        self.file.error(self.section, found)
    }

    /// Appends events until `out` is full; false at the end of the thread.
    ///
    /// # Errors
    /// The file is damaged, or cannot be read; an address is none of user space.
    pub fn fill(&mut self, out: &mut Batch) -> Result<bool, InputError> {
        let mut more = true;
        while more && !out.is_full() {
            if self.plain
                && let Some(number) = self.decoder.next_expected(self.file.blocks(), &mut self.addresses)
            {
                self.run_again(number, out);
            } else {
                more = self.next(out.buffer())?;
            }
        }
        if self.bits >= ADDRESS_LIMIT {
            let addresses = out.events().iter().filter_map(|event| match event {
                Event::Op(op) => Some(op.addr),
                _ => None,
            });
            let high = addresses.max_by_key(|addr| addr.0).unwrap_or(VirtAddr(self.bits));
            return Err(too_high(high, |found| self.error_here(found)));
        }
        Ok(more)
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
                self.fetches.begin();
                self.open = true;
            }
            let step = self.decoder.next(self.file.blocks(), &mut self.addresses);
            match step.map_err(|found| self.file.error(self.section, found))? {
                Some(Step::Run(number)) => self.run(number, out),
                Some(Step::Special(special)) => self.note(special),
                None => {
                    self.open = false;
                    let gaps = &mut self.gaps;
                    out.extend(self.due.drain(..).map(|(_, due)| due.event(None, gaps)));
                    self.end_chunk()?;
                }
            }
        }
        Ok(true)
    }

    /// The chunk has fetched what it says.
    fn end_chunk(&mut self) -> Result<(), InputError> {
        self.plain = !self.file.about().fetches;
        let (found, said) = (std::mem::take(&mut self.fetched), self.decoder.said_fetches());
        match found == said {
            true => Ok(()),
            false => Err(self.error_here(format!("{found} fetches where it says {said}"))),
        }
    }

    /// Something comes within the next run. What was not recorded is not waited for, and nothing twice.
    #[cold]
    fn note(&mut self, special: Special) {
        self.plain = false;
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
        if self.plain {
            self.run_alone(number, out);
        } else {
            self.run_with_due(number, out);
        }
    }

    /// A run, whose addresses are there, and as many more of the same block as come just so and find room.
    #[inline]
    fn run_again(&mut self, number: u32, out: &mut Batch) {
        let block = &self.file.blocks()[number as usize];
        let count = block.sites.len();
        let most = out.room().saturating_sub(count) / count.max(1);
        let more = self.decoder.repeat_expected(number, block, most, &mut self.addresses);
        self.accesses += self.addresses.len() as u64;
        let (follower, gaps, out) = (&mut self.follower, &mut self.gaps, out.buffer());
        self.bits |= match more {
            0 => append_run(block, &self.addresses, follower, gaps, out),
            _ => append_runs(block, (more + 1, &self.addresses), follower, gaps, out),
        };
    }

    /// A run with nothing between its accesses.
    #[inline]
    fn run_alone(&mut self, number: u32, out: &mut Vec<Event>) {
        let block = &self.file.blocks()[number as usize];
        self.accesses += self.addresses.len() as u64;
        self.bits |= append_run(block, &self.addresses, &mut self.follower, &mut self.gaps, out);
    }

    /// A run with something between its accesses, perhaps.
    #[inline(never)]
    fn run_with_due(&mut self, number: u32, out: &mut Vec<Event>) {
        let block = &self.file.blocks()[number as usize];
        self.accesses += self.addresses.len() as u64;
        self.fetched += note_fetches(block, &mut self.fetches, &mut self.due);
        let (gaps, follower) = (&mut self.gaps, &mut self.follower);
        self.bits |= append_run_with(&mut self.due, block, &self.addresses, follower, gaps, out);
        self.plain = !self.file.about().fetches;
    }
}

/// Adds the lines of code that a run of `block` fetches to what is due in it; how many these are.
pub(super) fn note_fetches(block: &Block, fetches: &mut Fetches, due: &mut Vec<(u16, Due)>) -> u64 {
    let before = due.len();
    fetches.run(block, |instruction, line| {
        let at = block.sites.partition_point(|site| site.instruction < instruction);
        due.push((at as u16, Due::Fetch(line, instruction)));
    });
    let count = due.len() - before;
    if before > 0 && count > 0 {
        due.sort_by_key(|(at, _)| *at);
    }
    count as u64
}

/// Appends the accesses of a run with what is due between them. Returns all bits that their addresses have.
pub(super) fn append_run_with(
    due: &mut Vec<(u16, Due)>,
    block: &Block,
    addresses: &[u64],
    follower: &mut Follower,
    gaps: &mut Gaps,
    out: &mut Vec<Event>,
) -> u64 {
    if due.is_empty() {
        return append_run(block, addresses, follower, gaps, out);
    }
    let mut due = due.drain(..).peekable();
    let mut meet = |place: usize, gaps: &mut Gaps, out: &mut Vec<Event>| {
        while let Some((_, due)) = due.next_if(|(at, _)| usize::from(*at) <= place) {
            let before = block.sites[..place.min(block.sites.len())].last();
            out.push(due.event(before.map(|site| site.instruction), gaps));
        }
    };
    let (mut place, mut bits) = (0, 0);
    follower.run(block, addresses, |site, address, needed| {
        meet(place, gaps, out);
        out.push(access(site, address, gaps, needed.by_all));
        bits |= address;
        place += 1;
    });
    // In a damaged file something may come after more accesses than there are.
    meet(usize::MAX, gaps, out);
    gaps.leave(block);
    bits
}

/// Appends the accesses of a run. Returns all bits that their addresses have.
#[inline]
pub(super) fn append_run(
    block: &Block,
    addresses: &[u64],
    follower: &mut Follower,
    gaps: &mut Gaps,
    out: &mut Vec<Event>,
) -> u64 {
    let mut bits = 0;
    follower.run(block, addresses, |site, address, needed| {
        bits |= address;
        out.push(access(site, address, gaps, needed.by_all));
    });
    gaps.leave(block);
    bits
}

/// The same of several runs, whose addresses follow each other: in one go, since the commonest have one access or two, and a loop for each
/// costs more than these.
#[inline(never)]
fn append_runs(
    block: &Block,
    (runs, addresses): (usize, &[u64]),
    follower: &mut Follower,
    gaps: &mut Gaps,
    out: &mut Vec<Event>,
) -> u64 {
    let sites = block.sites.as_slice();
    debug_assert_eq!(addresses.len(), runs * sites.len());
    if sites.is_empty() {
        return (0..runs).fold(0, |bits, _| bits | append_run(block, &[], follower, gaps, out));
    }
    let (mut bits, mut place) = (0, 0);
    out.extend(addresses.iter().map(|&address| {
        let site = &sites[place];
        let needed = follower.access(site, address, place);
        let event = access(site, address, gaps, needed.by_all);
        bits |= address;
        place += 1;
        if place == sites.len() {
            follower.leave(block);
            gaps.leave(block);
            place = 0;
        }
        event
    }));
    bits
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
