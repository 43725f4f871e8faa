// SPDX-License-Identifier: MIT OR Apache-2.0
//! `fresco trace diff`: where two traces differ.

use super::words::grouped;
use super::writing::Reading;
use crate::arguments::integer;
use crate::failure::{Outcome, WANTING, tell};
use crate::output;
use crate::stop::{STOPPED, Stop};
use fresco_input::{InputError, file_name};
use fresco_load::Marker;
use fresco_load::trace::ftrace::{MAX_THREADS, Record, Unit, What};
use fresco_load::trace::{AFTER_LAST, AnyTrace};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `fresco trace diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Compares accesses and marks with their threads, gaps, addresses, sizes and dependences, in the order of the files, and how many instructions
follow the last access, where both formats know; not how the files are compressed, nor what they say of themselves. Exit status 1 if the traces differ.

Example:
  fresco trace diff before.ftrace after.ftrace --thread 0")]
pub struct Args {
    /// A trace of any format, plain or compressed
    #[arg(value_name = "A")]
    one: PathBuf,

    /// Another one
    #[arg(value_name = "B")]
    other: PathBuf,

    /// Compare this thread alone
    #[arg(long, value_name = "N", value_parser = integer("--thread", 0..=MAX_THREADS - 1))]
    thread: Option<u16>,
}

/// One of the two.
struct Side {
    name: String,
    trace: AnyTrace,
    thread: Option<u16>,
    records: u64,
    loads: u64,
    stores: u64,
    /// Instructions, or cycles.
    time: u64,
}

impl Side {
    fn open(path: &Path, thread: Option<u16>) -> Result<Self, InputError> {
        Ok(Self {
            name: file_name(path),
            trace: AnyTrace::open(path, None)?,
            thread,
            records: 0,
            loads: 0,
            stores: 0,
            time: 0,
        })
    }

    fn unit(&self) -> Unit {
        self.trace.header().unit
    }

    /// The next record that counts.
    fn next(&mut self) -> Result<Option<Record>, InputError> {
        let record = loop {
            match self.trace.next_record()? {
                Some(record) if self.thread.is_some_and(|thread| thread != record.thread) => {}
                record => break record,
            }
        };
        if let Some(record) = &record {
            self.records += 1;
            self.time = self.time.saturating_add(record.gap);
            if let What::Access { write, .. } = record.what {
                self.loads += u64::from(!write);
                self.stores += u64::from(write);
                self.time = self.time.saturating_add(u64::from(self.unit() == Unit::Instructions));
            }
        }
        Ok(record)
    }

    /// Instructions that no record stands for, once all records were read; `None` where the format does not know, or not of one thread.
    fn left(&self) -> Option<u64> {
        let lost = self.trace.lost();
        let of_all = lost.iter().find(|lost| lost.what == AFTER_LAST).map(|lost| lost.count);
        let Some(thread) = self.thread else { return of_all };
        let (_, trailer) = self.trace.recorded()?;
        let instructions = trailer.thread(thread)?.counts.instructions;
        Some(instructions.saturating_sub(self.time))
    }

    fn counts(&self) -> String {
        format!(
            "{}: {} records, {} loads, {} stores, {} {}",
            self.name,
            grouped(self.records),
            grouped(self.loads),
            grouped(self.stores),
            grouped(self.time),
            match self.unit() {
                Unit::Instructions => "instructions",
                Unit::Cycles => "cycles",
            }
        )
    }
}

/// Compares them.
pub fn run(args: &Args) -> Outcome {
    let mut sides = [
        Side::open(&args.one, args.thread)?,
        Side::open(&args.other, args.thread)?,
    ];
    let stop = Stop::on_any_end();
    let mut reading = Reading::new(&args.one);
    let mut first =
        (sides[0].unit() != sides[1].unit()).then(|| "one counts instructions, the other cycles".to_owned());
    loop {
        let [one, other] = &mut sides;
        let before = one.loads + one.stores;
        let (a, b) = (one.next()?, other.next()?);
        if a.is_none() && b.is_none() {
            break;
        }
        if a != b && first.is_none() {
            let describe = |side: &Side, record: &Option<Record>| match record {
                Some(record) => format!("  {}: {}", side.name, in_words(record)),
                None => format!("  {}: is over", side.name),
            };
            first = Some(format!(
                "record {} ({} accesses before it) differs in {}\n{}\n{}",
                grouped(one.records.max(other.records)),
                grouped(before),
                difference(a.as_ref(), b.as_ref()),
                describe(one, &a),
                describe(other, &b)
            ));
        }
        if !reading.goes_on(&sides[0].trace, &stop) {
            tell("fresco: stopped before the end of the traces");
            return Ok(ExitCode::from(STOPPED));
        }
    }
    drop(reading);
    let left = [sides[0].left(), sides[1].left()];
    if let [Some(one), Some(other)] = left
        && one != other
        && first.is_none()
    {
        first = Some(format!(
            "{AFTER_LAST} differ\n  {}: {}\n  {}: {}",
            sides[0].name,
            grouped(one),
            sides[1].name,
            grouped(other)
        ));
    }
    for (side, left) in sides.iter_mut().zip(left) {
        side.time = side.time.saturating_add(left.unwrap_or(0));
    }
    let verdict = first.as_deref().unwrap_or("no difference");
    let text = format!("{verdict}\n{}\n{}\n", sides[0].counts(), sides[1].counts());
    output::write_text(&text)?;
    Ok(match first {
        Some(_) => ExitCode::from(WANTING),
        None => ExitCode::SUCCESS,
    })
}

/// A record for people.
fn in_words(record: &Record) -> String {
    let what = match record.what {
        What::Access { addr, size, write, dep } => {
            let operation = if write { "store" } else { "load" };
            let needs = match dep {
                0 => "needs no load".to_owned(),
                dep => format!("needs the load {dep} accesses before"),
            };
            format!("{operation} of {size} bytes at {addr:#x}, {needs}")
        }
        What::Mark(marker) => format!(
            "mark {}",
            match marker {
                Marker::Begin => "begin",
                Marker::Pass => "pass",
                Marker::End => "end",
                Marker::Fork => "fork",
                Marker::Join => "join",
            }
        ),
    };
    format!("thread {}, gap {}, {what}", record.thread, record.gap)
}

/// In what they differ.
fn difference(one: Option<&Record>, other: Option<&Record>) -> String {
    let (Some(one), Some(other)) = (one, other) else {
        return "length".to_owned();
    };
    let mut parts = Vec::new();
    let mut part = |differs: bool, name: &'static str| parts.extend(differs.then_some(name));
    part(one.thread != other.thread, "thread");
    part(one.gap != other.gap, "gap");
    match (one.what, other.what) {
        (
            What::Access { addr, size, write, dep },
            What::Access {
                addr: addr2,
                size: size2,
                write: write2,
                dep: dep2,
            },
        ) => {
            part(write != write2, "direction");
            part(addr != addr2, "address");
            part(size != size2, "size");
            part(dep != dep2, "dependence");
        }
        (one, other) => part(one != other, "kind"),
    }
    parts.join(", ")
}
