// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces that are read to be written anew.

use super::words::grouped;
use crate::failure::tell;
use crate::progress;
use crate::stop::{STOPPED, Stop};
use crate::whole::{WholeFile, unwritable};
use fresco_input::{InputError, file_name};
use fresco_load::trace::ftrace::{Header, Record};
use fresco_load::trace::{AnyTrace, Export, Exporter, Format, Lost, Packed, Packing};
use indicatif::ProgressBar;
use std::io::{self, BufWriter, IntoInnerError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// The option that names what is written.
const OUTPUT: &str = "--output";
/// How often the bar is drawn anew.
const TICK: Duration = Duration::from_secs(1);
/// Records between two looks at the clock.
const STEP: u64 = 1 << 16;

/// A trace in the making.
pub struct Writing {
    path: PathBuf,
    format: Format,
    exporter: Exporter<BufWriter<Packed<WholeFile>>>,
}

impl Writing {
    /// Begins what is made of `trace`, see [`Writing::begin`].
    ///
    /// # Errors
    /// It cannot be written.
    pub fn of(path: &Path, export: &Export, trace: &AnyTrace) -> Result<Self, InputError> {
        let mut header = trace.header().clone();
        if trace.format() != Format::Fresco {
            header.tool = format!("fresco {}, from {}", env!("CARGO_PKG_VERSION"), trace.format().name());
        }
        Self::begin(path, export, &header)
    }

    /// Begins it: beside its place, where it goes when it is whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn begin(path: &Path, export: &Export, header: &Header) -> Result<Self, InputError> {
        let (packing, _) = Packing::of_name(path.to_str().unwrap_or_default());
        let file = WholeFile::create(OUTPUT, path)?;
        let begun = Packed::new(file, packing)
            .and_then(|packed| Exporter::new(BufWriter::with_capacity(1 << 16, packed), export, header));
        Ok(Self {
            path: path.to_owned(),
            format: export.format,
            exporter: begun.map_err(|error| unwritable(OUTPUT, path, &error))?,
        })
    }

    /// Appends a record.
    ///
    /// # Errors
    /// It cannot be written.
    #[inline]
    pub fn push(&mut self, record: &Record) -> Result<(), InputError> {
        let pushed = self.exporter.push(record);
        pushed.map_err(|error| unwritable(OUTPUT, &self.path, &error))
    }

    /// Accesses so far.
    pub fn accesses(&self) -> u64 {
        self.exporter.accesses()
    }

    /// Puts it in its place, and tells what it is and what it does not hold; `lost` before.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(self, verb: &str, lost: &[Lost]) -> Result<(), InputError> {
        self.finish_as(Some(&format!("fresco trace {verb}")), lost)
    }

    /// The same, told by `who`; not at all if omitted.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish_as(self, who: Option<&str>, lost: &[Lost]) -> Result<(), InputError> {
        let path = self.path;
        let error = |error: io::Error| unwritable(OUTPUT, &path, &error);
        let done = self.exporter.finish().map_err(error)?;
        let packed = done
            .out
            .into_inner()
            .map_err(IntoInnerError::into_error)
            .map_err(error)?;
        packed.finish().map_err(error)?.finish()?;
        let Some(who) = who else { return Ok(()) };
        let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        tell(&format!(
            "{who}: {}: {} accesses as {}, {} bytes",
            path.display(),
            grouped(done.accesses),
            self.format.name(),
            grouped(bytes)
        ));
        let lost: Vec<String> = lost
            .iter()
            .chain(&done.lost)
            .filter(|lost| lost.count > 0)
            .map(|lost| format!("{} {}", grouped(lost.count), lost.what))
            .collect();
        if !lost.is_empty() {
            tell(&format!("{who}: it does not hold: {}", lost.join(", ")));
        }
        Ok(())
    }

    /// Nothing becomes of it.
    pub fn stopped(self) -> ExitCode {
        tell(&format!("fresco: stopped; {} is not written", self.path.display()));
        ExitCode::from(STOPPED)
    }
}

/// The error of a thread that a trace does not have.
pub fn no_access(path: &Path, thread: u16) -> InputError {
    InputError::new(file_name(path), format!("no access of thread {thread}"))
        .in_field("--thread")
        .allowed("a thread that the trace has")
        .help("`fresco trace info` lists them")
}

/// How far a trace has been read: in MiB of its file where it has some, else in records.
pub struct Reading {
    bar: ProgressBar,
    file: bool,
    records: u64,
}

impl Reading {
    /// Begins with `path`.
    pub fn new(path: &Path) -> Self {
        let length = std::fs::metadata(path).map_or(0, |metadata| metadata.len()) >> 20;
        let bar = match length {
            0 => progress::counter("records"),
            length => progress::bar(length, "MiB"),
        };
        // A MiB of what is compressed may take long.
        bar.enable_steady_tick(TICK);
        Self {
            bar,
            file: length > 0,
            records: 0,
        }
    }

    /// Nobody is told how far it is.
    pub fn unseen() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            file: false,
            records: 0,
        }
    }

    /// A record was read of `trace`. False now and then if the user has asked for an end.
    #[inline]
    pub fn goes_on(&mut self, trace: &AnyTrace, stop: &Stop) -> bool {
        self.records += 1;
        if !self.records.is_multiple_of(STEP) {
            return true;
        }
        self.bar.set_position(match self.file {
            true => trace.bytes_read() >> 20,
            false => self.records,
        });
        !stop.is_asked()
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Hands the records of `trace` to `take`, until that returns false or there are no more. False if the user has asked for an end.
///
/// # Errors
/// The trace is damaged, or what `take` says.
pub fn each_record(
    trace: &mut AnyTrace,
    path: &Path,
    stop: &Stop,
    mut take: impl FnMut(Record) -> Result<bool, InputError>,
) -> Result<bool, InputError> {
    let mut reading = Reading::new(path);
    while let Some(record) = trace.next_record()? {
        if !take(record)? {
            break;
        }
        if !reading.goes_on(trace, stop) {
            return Ok(false);
        }
    }
    Ok(!stop.is_asked())
}
