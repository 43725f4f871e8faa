// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace info`: what is in a trace.

mod tables;

use super::words;
use super::working_set::{self, Caches};
use super::writing::each_record;
use crate::arguments::choice;
use crate::failure::Outcome;
use crate::stop::Stop;
use crate::{output, provenance};
use fresco_input::{InputError, file_name, is_standard_input};
use fresco_load::trace::ftrace::recorded::{
    self, About, Dependences, Kind, RecordedFile, ThreadTotals, Trailer, WINDOW,
};
use fresco_load::trace::ftrace::{Addresses, Unit, What};
use fresco_load::trace::{AnyTrace, Format, WorkingSet};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco trace info`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A trace of `fresco record` says what it counts in its last bytes, which alone are looked at; others are read from begin to end, and so is
what comes compressed or from standard input, and each with --working-set.

Examples:
  fresco trace info xz.ftrace
  fresco trace info xz.ftrace --working-set
  fresco trace info requests.trace.gz --json")]
pub struct Args {
    /// A trace of any format, plain or compressed; - is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Its format, if it is not to be found out
    #[arg(long, value_name = "FORMAT", value_parser = choice("--format", &Format::ALL))]
    format: Option<Format>,

    /// Say how often caches of 4 KiB to 256 MiB would miss, and how many misses come together as far as dependences let them
    #[arg(long)]
    working_set: bool,

    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// What `--json` prints: schema `fresco-trace-info/1`.
#[derive(Debug, Default, Serialize)]
struct Info {
    file: String,
    format: &'static str,
    version: Option<u16>,
    program: Option<String>,
    tool: Option<String>,
    architecture: Option<String>,
    /// `virtual` or `physical`, of Fresco's own traces in instructions.
    addresses: Option<&'static str>,
    ending: Option<String>,
    bytes: u64,
    instructions: Option<u64>,
    loads: u64,
    stores: u64,
    /// Lines of code, of a recording with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetches: Option<u64>,
    pages: u64,
    pages_by_kind: BTreeMap<&'static str, u64>,
    dependent: Option<Dependent>,
    threads: Vec<Thread>,
    orders: Option<Orders>,
    regions: Vec<Region>,
    working_set: Option<Caches>,
    /// Of the lines of code.
    #[serde(skip_serializing_if = "Option::is_none")]
    working_set_of_code: Option<Caches>,
}

/// Orders between threads.
#[derive(Debug, Serialize)]
struct Orders {
    recorded: u64,
    /// That came before or outside of the recording.
    outside: u64,
}

/// A region that the program marks, and a thread in it.
#[derive(Debug, Serialize)]
struct Region {
    region: String,
    thread: u16,
    times: u64,
    instructions: u64,
    accesses: u64,
}

/// Loads that need loads.
#[derive(Debug, Serialize)]
struct Dependent {
    /// Accesses that `near` looks back.
    window: u32,
    /// Loads that were looked at.
    loads: u64,
    any: Ways,
    near: Ways,
    next: Ways,
}

/// By which way.
#[derive(Debug, Serialize)]
struct Ways {
    registers: u64,
    registers_and_words: u64,
}

impl From<[u64; 2]> for Ways {
    fn from([registers, registers_and_words]: [u64; 2]) -> Self {
        Self {
            registers,
            registers_and_words,
        }
    }
}

/// A thread.
#[derive(Debug, Default, Serialize)]
struct Thread {
    thread: u16,
    instructions: Option<u64>,
    loads: u64,
    stores: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetches: Option<u64>,
    pages: u64,
}

/// Says it.
pub fn run(args: &Args) -> Outcome {
    let fresco = matches!(args.format, None | Some(Format::Fresco)) && !is_standard_input(&args.file);
    let (info, lines) = match fresco && !args.working_set && RecordedFile::is(&args.file)? {
        true => of_recorded(&args.file)?,
        false => read(args)?,
    };
    let schema = "fresco-trace-info/1";
    output::print(args.json, schema, &provenance::of_this_run(None), &info, || {
        tables::tables(&info, &lines)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A trace of version 2, by its trailer.
fn of_recorded(path: &Path) -> Result<(Info, Vec<String>), InputError> {
    let file = RecordedFile::open(path)?;
    let bytes = std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    Ok(of_trailer(path, bytes, file.about(), file.trailer()))
}

/// What such a trace of so many bytes says of itself.
fn of_trailer(path: &Path, bytes: u64, about: &About, trailer: &Trailer) -> (Info, Vec<String>) {
    let (counts, pages) = (trailer.counts(), trailer.pages_by_kind());
    let kinds = Kind::ALL.iter().zip(pages).filter(|(_, pages)| *pages > 0);
    let Dependences { loads, any, near, next } = trailer.dependences();
    let dependent = Dependent {
        window: WINDOW,
        loads,
        any: any.into(),
        near: near.into(),
        next: next.into(),
    };
    let thread = |totals: &ThreadTotals| Thread {
        thread: totals.thread,
        instructions: Some(totals.counts.instructions),
        loads: totals.counts.loads,
        stores: totals.counts.stores,
        fetches: about.fetches.then_some(totals.counts.fetches),
        pages: totals.ranges.iter().map(|range| range.pages).sum(),
    };
    let info = Info {
        file: file_name(path),
        format: Format::Fresco.name(),
        version: Some(2),
        program: Some(about.program.clone()),
        tool: Some(about.tool.clone()),
        architecture: Some(about.architecture.clone()),
        addresses: Some(Addresses::Virtual.name()),
        ending: Some(words::ending(trailer.ending)),
        bytes,
        instructions: Some(counts.instructions),
        loads: counts.loads,
        stores: counts.stores,
        fetches: about.fetches.then_some(counts.fetches),
        pages: pages.iter().sum(),
        pages_by_kind: kinds.map(|(kind, pages)| (kind.name(), pages)).collect(),
        dependent: Some(dependent),
        threads: trailer.threads.iter().map(thread).collect(),
        orders: Some(Orders {
            recorded: trailer.orders.count(),
            outside: trailer.orders.missing(),
        }),
        regions: trailer.regions.iter().flat_map(regions).collect(),
        ..Info::default()
    };
    (info, words::lines(trailer, bytes))
}

/// Accesses as they are counted one by one.
#[derive(Default)]
struct Count {
    threads: BTreeMap<u16, Thread>,
    pages: BTreeMap<u16, BTreeSet<u64>>,
}

impl Count {
    fn access(&mut self, thread: u16, address: u64, size: u8, write: bool) -> &mut Thread {
        let pages = self.pages.entry(thread).or_default();
        pages.extend([address, address.wrapping_add(u64::from(size.max(1)) - 1)].map(|at| at / words::PAGE));
        let of = self.threads.entry(thread).or_insert_with(|| Thread {
            thread,
            ..Thread::default()
        });
        of.loads += u64::from(!write);
        of.stores += u64::from(write);
        of
    }

    fn finish(mut self, mut info: Info) -> Info {
        for (thread, pages) in &self.pages {
            if let Some(of) = self.threads.get_mut(thread) {
                of.pages = pages.len() as u64;
            }
        }
        let all: BTreeSet<u64> = self.pages.into_values().flatten().collect();
        info.pages = all.len() as u64;
        info.threads = self.threads.into_values().collect();
        let sum = |of: fn(&Thread) -> u64| info.threads.iter().map(of).sum();
        (info.loads, info.stores) = (sum(|thread| thread.loads), sum(|thread| thread.stores));
        info
    }
}

/// A trace that is read from begin to end.
fn read(args: &Args) -> Result<(Info, Vec<String>), InputError> {
    let path = &args.file;
    let mut trace = AnyTrace::open(path, args.format)?;
    let (format, version, header) = (trace.format(), trace.version(), trace.header().clone());
    let own = |text: &str| (format == Format::Fresco).then(|| text.to_owned());
    // A load-store trace counts nothing but accesses.
    let counted = header.unit == Unit::Instructions && format != Format::LoadStore;
    let (mut count, mut instructions) = (Count::default(), 0u64);
    let mut set = args.working_set.then(WorkingSet::default);
    each_record(&mut trace, path, &Stop::never(), |record| {
        if let Some(set) = &mut set {
            set.push(&record);
        }
        if counted {
            instructions = instructions.saturating_add(record.gap);
        }
        if let What::Access { addr, size, write, .. } = record.what {
            instructions += u64::from(counted);
            let of = count.access(record.thread, addr, size, write);
            if counted {
                *of.instructions.get_or_insert(0) += record.gap + 1;
            }
        }
        Ok(true)
    })?;
    let bytes = match std::fs::metadata(path) {
        Ok(about) if about.is_file() && !is_standard_input(path) => about.len(),
        _ => trace.bytes_read(),
    };
    if let Some((about, trailer)) = trace.recorded() {
        let (mut info, lines) = of_trailer(path, bytes, about, trailer);
        if about.fetches && set.is_some() && RecordedFile::is(path)? {
            info.working_set_of_code = Some(Caches::new(&working_set::of_code(path)?, info.instructions));
        }
        info.working_set = set.map(|set| Caches::new(&set, info.instructions));
        return Ok((info, lines));
    }
    let instructions = counted.then_some(instructions);
    let info = Info {
        file: file_name(path),
        format: format.name(),
        version,
        program: own(&header.program),
        tool: own(&header.tool),
        addresses: (counted && format == Format::Fresco).then(|| header.addresses.name()),
        bytes,
        instructions,
        working_set: set.map(|set| Caches::new(&set, instructions)),
        ..Info::default()
    };
    Ok((count.finish(info), Vec::new()))
}

fn regions(region: &recorded::Region) -> impl Iterator<Item = Region> + '_ {
    region.visits.iter().map(|visits| Region {
        region: region.name.clone(),
        thread: visits.thread,
        times: visits.times,
        instructions: visits.instructions,
        accesses: visits.accesses,
    })
}
