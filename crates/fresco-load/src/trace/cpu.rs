// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processor traces: what one thread of a program did.

use super::format::{Format, Opened, recognise};
use super::ftrace::{Addresses, TraceReader, Unit};
use super::input::Input;
use super::memory::parsed;
use super::records::Records;
use super::text::{Lines, load_store, ramulator_cpu};
use crate::{Event, Op};
use fresco_dram::VirtAddr;
use fresco_input::InputError;

/// Bytes of an access of a text trace: these are traces of cache lines.
const LINE: u64 = 64;
/// Virtual addresses lie below this: user space with five levels of page tables (Intel SDM vol. 3, section 4.5).
pub(super) const ADDRESS_LIMIT: u64 = 1 << 56;

/// The events of one thread, one by one.
///
/// - Ramulator processor traces: each line is a load of the line read, after its gap, and a store of the line written
///   back, both without dependences. The write-back thus counts as an instruction, and costs a fetch of the line if the
///   simulated caches do not hold it. Published traces of this kind are the misses of a last-level cache: a simulated
///   cache sees what another one has already filtered.
/// - Load-store traces: loads and stores without gaps and dependences.
/// - Lackey, ChampSim and drmemtrace: accesses as in [`super::AnyTrace`], the second with their dependences.
/// - Fresco traces in instructions, of version 1: as recorded.
pub(super) struct CpuTrace {
    source: Source,
    thread: u16,
}

enum Source {
    Ramulator { lines: Lines, write_back: Option<u64> },
    LoadStore(Lines),
    Instructions(Box<dyn Records>),
    Fresco(Box<TraceReader>),
}

impl CpuTrace {
    /// The events of `thread`; most text traces have only thread 0.
    pub fn new(input: Input, format: Option<Format>, thread: u16) -> Result<Self, InputError> {
        let name = input.name.clone();
        let unfit = |what: &str| {
            InputError::new(&name, format!("{what} cannot be replayed by a core"))
                .allowed("a trace with instructions: Ramulator's processor traces, load-store, lackey, ChampSim, drmemtrace, Fresco's own")
                .help("drive the memory alone with it, without cores")
        };
        let opened = recognise(input, format)?;
        opened.check_whole(&name)?;
        let source = match opened {
            Opened::Instructions(_, format) if thread > 0 && !format.has_threads() => {
                return Err(no_access(&name, thread));
            }
            Opened::Text(lines, Format::RamulatorCpu) => Source::Ramulator {
                lines,
                write_back: None,
            },
            Opened::Text(lines, Format::LoadStore) => Source::LoadStore(lines),
            Opened::Instructions(records, _) => Source::Instructions(records),
            Opened::Text(_, format) => return Err(unfit(&format!("a trace of requests ({})", format.name()))),
            Opened::Binary(input) => Source::Fresco(Box::new(TraceReader::begin(input)?)),
        };
        if let Source::Fresco(reader) = &source
            && reader.has_fetches()
        {
            return Err(InputError::new(
                &name,
                "is a compressed trace with instruction fetches, which would be left out",
            )
            .allowed("it as fresco record wrote it")
            .help("unpack it first"));
        }
        match &source {
            Source::Fresco(reader) if reader.header().unit == Unit::Cycles => Err(unfit("a trace in memory cycles")),
            Source::Ramulator { .. } | Source::LoadStore(_) if thread > 0 => Err(no_access(&name, thread)),
            _ => Ok(Self { source, thread }),
        }
    }

    /// What the addresses are; `None` of formats that do not say.
    pub fn addresses(&self) -> Option<Addresses> {
        match &self.source {
            Source::Fresco(reader) => Some(reader.header().addresses),
            Source::Ramulator { .. } | Source::LoadStore(_) | Source::Instructions(_) => None,
        }
    }

    /// The next event of the thread; `None` at the end of the trace.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Event>, InputError> {
        let event = match &mut self.source {
            Source::Ramulator { lines, write_back } => match write_back.take() {
                Some(addr) => Some(line_access(0, addr, true)),
                None => parsed(lines, ramulator_cpu)?.map(|line| {
                    *write_back = line.write_back;
                    line_access(line.gap, line.read, false)
                }),
            },
            Source::LoadStore(lines) => parsed(lines, load_store)?.map(|line| line_access(0, line.addr, line.write)),
            Source::Instructions(records) => loop {
                match records.next_record()? {
                    Some(record) if record.thread != self.thread => {}
                    record => break record.map(|record| record.event()),
                }
            },
            Source::Fresco(reader) => loop {
                match reader.next_record()? {
                    Some(record) if record.thread != self.thread => {}
                    record => break record.map(|record| record.event()),
                }
            },
        };
        match event {
            Some(Event::Op(op)) if op.addr.0 >= ADDRESS_LIMIT => Err(too_high(op.addr, |found| self.error_here(found))),
            event => Ok(event),
        }
    }

    #[cold]
    fn error_here(&self, found: String) -> InputError {
        match &self.source {
            Source::Ramulator { lines, .. } | Source::LoadStore(lines) => lines.error(found),
            Source::Fresco(reader) => reader.error_here(found),
            Source::Instructions(records) => records.error_here(found),
        }
    }
}

/// The error of an address beyond [`ADDRESS_LIMIT`]; `error_here` is given what was found.
#[cold]
pub(super) fn too_high(addr: VirtAddr, error_here: impl FnOnce(String) -> InputError) -> InputError {
    error_here(format!("address {addr}"))
        .allowed("virtual addresses of user space, below 2^56")
        .help("check that the trace holds virtual addresses")
}

/// The error of a thread that a trace does not have.
pub(super) fn no_access(name: &str, thread: u16) -> InputError {
    let error = InputError::new(name, format!("no access of thread {thread}")).in_field("thread");
    error
        .allowed("a thread that the trace has")
        .help("choose another: `fresco trace info` lists them")
}

fn line_access(gap: u32, addr: u64, write: bool) -> Event {
    Event::Op(Op {
        addr: VirtAddr(addr / LINE * LINE),
        gap,
        dep: 0,
        size: LINE as u8,
        write,
    })
}
