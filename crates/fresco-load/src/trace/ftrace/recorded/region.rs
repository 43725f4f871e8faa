// SPDX-License-Identifier: MIT OR Apache-2.0
//! Regions that a program marks by itself.

use super::bytes::Bytes;
use super::file::RecordedFile;
use super::thread::{Between, RecordedThread};
use crate::trace::ftrace::varint::put;
use crate::trace::ftrace::{MAX_THREADS, Record, What};
use crate::trace::records::{FETCHES, Lost, Records};
use crate::{Event, Marker};
use fresco_input::{InputError, closest};
use std::collections::VecDeque;
use std::path::Path;

/// Regions of a trace, at most.
pub const MOST_REGIONS: usize = 256;
/// Bytes of a name, at most.
const LONGEST: usize = 255;

/// A region that a program marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// As the program calls it.
    pub name: String,
    /// The threads that were there, ascending.
    pub visits: Vec<Visits>,
}

/// What a thread did in a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visits {
    /// The thread.
    pub thread: u16,
    /// How often it was there.
    pub times: u64,
    /// Instructions.
    pub instructions: u64,
    /// Loads and stores.
    pub accesses: u64,
}

impl Region {
    pub(super) fn put_all(regions: &[Self], out: &mut Vec<u8>) {
        put(out, regions.len() as u64);
        for region in regions {
            put(out, region.name.len() as u64);
            out.extend_from_slice(region.name.as_bytes());
            put(out, region.visits.len() as u64);
            for visits in &region.visits {
                put(out, u64::from(visits.thread));
                for value in [visits.times, visits.instructions, visits.accesses] {
                    put(out, value);
                }
            }
        }
    }

    pub(super) fn parse_all(bytes: &mut Bytes<'_>) -> Result<Vec<Self>, String> {
        let mut regions = Vec::new();
        for _ in 0..bytes.below(MOST_REGIONS as u64 + 1, "a number of regions")? {
            let (name, mut visits) = (bytes.text(LONGEST)?, Vec::<Visits>::new());
            for _ in 0..bytes.below(u64::from(MAX_THREADS) + 1, "a number of threads")? {
                let thread = bytes.below(u64::from(MAX_THREADS), "thread")? as u16;
                if visits.last().is_some_and(|before| before.thread >= thread) {
                    return Err("threads out of order".into());
                }
                let [times, instructions, accesses] = [bytes.integer()?, bytes.integer()?, bytes.integer()?];
                visits.push(Visits {
                    thread,
                    times,
                    instructions,
                    accesses,
                });
            }
            regions.push(Self { name, visits });
        }
        Ok(regions)
    }
}

/// The records of a region, thread by thread. Each thread begins with the mark that what is measured begins, and each visit ends with that of a
/// pass.
pub(crate) struct RegionRecords {
    name: String,
    /// Threads to come, the next one last.
    threads: Vec<(u16, RecordedThread)>,
    events: Vec<Event>,
    ready: VecDeque<Record>,
    /// Accesses of the present visit, if there is one.
    visit: Option<u64>,
    cut: u64,
    /// Lines of code that were fetched within visits, and instructions before the last one that belong to what follows.
    fetches: u64,
    carried: u32,
}

impl RegionRecords {
    /// The region `name` of the recorded program in a file.
    ///
    /// # Errors
    /// The file cannot be read, is no recorded program, or has no such region.
    pub fn open(path: &Path, name: &str) -> Result<Self, InputError> {
        let file = path.display().to_string();
        let error = |found: String| InputError::new(&file, found).in_field("--region");
        if !RecordedFile::is(path)? {
            return Err(error("marks no regions".into())
                .allowed("a trace of version 2, which fresco record writes")
                .help("cut it by --from and --accesses"));
        }
        let recorded = RecordedFile::open(path)?;
        let regions = &recorded.trailer().regions;
        let names = || regions.iter().map(|region| region.name.as_str());
        let Some(number) = names().position(|other| other == name) else {
            let error = error(format!("has no region {name:?}"));
            if regions.is_empty() {
                return Err(error
                    .allowed("a program that marks regions")
                    .help("fresco record --print-header prints what marks them"));
            }
            let near = closest(name, names()).unwrap_or_else(|| &regions[0].name);
            return Err(error
                .allowed(names().collect::<Vec<_>>().join(", "))
                .help(format!("did you mean {near}?")));
        };
        let mut threads = Vec::new();
        for visits in regions[number].visits.iter().rev() {
            let between = Between::Region(number as u8);
            let thread = RecordedThread::new(RecordedFile::open(path)?, visits.thread, between);
            threads.push((visits.thread, thread));
        }
        let mut this = Self {
            name: file,
            threads,
            events: Vec::new(),
            ready: VecDeque::new(),
            visit: None,
            cut: 0,
            fetches: 0,
            carried: 0,
        };
        this.begin();
        Ok(this)
    }

    /// The next thread begins.
    fn begin(&mut self) {
        self.visit = None;
        if let Some((thread, _)) = self.threads.last() {
            self.ready.push_back(mark(*thread, Marker::Begin, 0));
        }
    }

    /// Keeps an event of a thread if it lies in the region.
    fn keep(&mut self, thread: u16, event: Event) {
        match (event, &mut self.visit) {
            (
                Event::Mark {
                    marker: Marker::Begin, ..
                },
                None,
            ) => (self.visit, self.carried) = (Some(0), 0),
            (
                Event::Mark {
                    marker: Marker::Pass,
                    gap,
                },
                Some(_),
            ) => {
                self.visit = None;
                let gap = gap.saturating_add(std::mem::take(&mut self.carried));
                self.ready.push_back(mark(thread, Marker::Pass, gap));
            }
            (Event::Op(op), Some(accesses)) => {
                let is_cut = u64::from(op.dep) > *accesses;
                self.cut += u64::from(is_cut);
                *accesses += 1;
                let what = What::Access {
                    addr: op.addr.0,
                    size: op.size,
                    write: op.write,
                    dep: if is_cut { 0 } else { op.dep },
                };
                self.ready.push_back(Record {
                    thread,
                    gap: op.gap.saturating_add(std::mem::take(&mut self.carried)).into(),
                    what,
                });
            }
            (Event::Fetch { gap, .. }, Some(_)) => {
                self.fetches += 1;
                self.carried = self.carried.saturating_add(gap);
            }
            _ => {}
        }
    }
}

fn mark(thread: u16, marker: Marker, gap: u32) -> Record {
    Record {
        thread,
        gap: gap.into(),
        what: What::Mark(marker),
    }
}

impl Records for RegionRecords {
    fn next_record(&mut self) -> Result<Option<Record>, InputError> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                return Ok(Some(record));
            }
            let Some((number, thread)) = self.threads.last_mut() else {
                return Ok(None);
            };
            let (number, mut events) = (*number, std::mem::take(&mut self.events));
            events.clear();
            match thread.next(&mut events)? {
                true => events.iter().for_each(|event| self.keep(number, *event)),
                false => {
                    // A visit that the recording has no end of.
                    if self.visit.is_some_and(|accesses| accesses > 0) {
                        self.ready.push_back(mark(number, Marker::Pass, 0));
                    }
                    self.threads.pop();
                    self.begin();
                }
            }
            self.events = events;
        }
    }

    fn error_here(&self, found: String) -> InputError {
        match self.threads.last() {
            Some((_, thread)) => thread.error_here(found),
            None => InputError::new(&self.name, found),
        }
    }

    fn lost(&self) -> Vec<Lost> {
        let lost = [
            (self.cut, "dependences on accesses before the region"),
            (self.fetches, FETCHES),
        ];
        lost.map(|(count, what)| Lost { count, what }).to_vec()
    }
}
