// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results as tables, in the order of the points, so that their content does not depend on who ran what, and when.

use crate::address::{Input, Inputs};
use crate::effects::Effects;
use crate::rows::{Block, unpack};
use crate::store::{Index, State, cannot_write};
use crate::{Point, Sweep};
use fresco_input::InputError;
use fresco_report::dataset::{DataColumn, DataTable, Kind, ParquetWriter, Value};
use fresco_report::{InputFile, Provenance, ReportError};
use fresco_tidy::Tables;
use rustix::fs::{FlockOperation, flock};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The program that writes tables.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// Revision of its source, if known.
    pub revision: Option<String>,
}

/// What was merged.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Points with rows.
    pub done: u32,
    /// Points that failed.
    pub failed: u32,
    /// Points about which nothing is known.
    pub missing: u32,
    /// The files.
    pub files: Vec<PathBuf>,
    /// What they are of: nothing of who ran which part.
    pub provenance: Provenance,
}

/// The table of points.
pub const POINTS: &str = "points";
/// A row group ends with the point that makes it so many rows: some MiB, however large the sweep is.
const GROUP_ROWS: usize = 100_000;

/// Writes the tables of the points of these ascending numbers: `observations.parquet` and `points.parquet` in `directory`, and the other tables that the
/// sweep keeps; `part` stands behind the name, as in `observations-003-of-008.parquet`. Each file is whole or not there. `effects` sees the rows.
///
/// # Errors
/// Results cannot be read, files not be written; results that are no rows of this sweep.
pub fn merge(
    sweep: &Sweep,
    index: &Index,
    numbers: impl Iterator<Item = u32> + Clone,
    (directory, part): (&Path, &str),
    tool: &Tool,
    mut effects: Option<&mut Effects>,
) -> Result<Merged, InputError> {
    let inputs = sweep.inputs();
    let _alone = alone(directory);
    let provenance = provenance(sweep, index, numbers.clone(), &inputs, tool);
    let named = |name: &str| directory.join(format!("{name}{part}.parquet"));
    let tables = Tables::new(&sweep.inner);
    let mut outputs = Vec::new();
    for table in tables
        .all()
        .into_iter()
        .filter(|table| sweep.spec.tables.contains(&table.name))
    {
        outputs.push(Output::new(&named(table.name), sweep.table(table), &provenance)?);
    }
    let mut points = Output::new(&named(POINTS), points_table(sweep), &provenance)?;
    let mut merged = Merged {
        done: 0,
        failed: 0,
        missing: 0,
        files: Vec::new(),
        provenance,
    };
    for number in numbers {
        let point = sweep.point(number);
        let state = index.state(sweep, &point, &inputs);
        let packed = match state {
            State::Done => index.rows(sweep, &point, &inputs)?,
            _ => None,
        };
        let state = match (&state, &packed) {
            (State::Done, None) => State::Missing,
            _ => state,
        };
        points.point(sweep, &point, &state, index, &inputs)?;
        match state {
            State::Done => merged.done += 1,
            State::Failed(_) => merged.failed += 1,
            State::Missing => merged.missing += 1,
        }
        let Some(packed) = packed else { continue };
        let blocks = unpack(&packed, outputs.len()).ok_or_else(|| foreign(number))?;
        for (output, blocks) in std::iter::zip(&mut outputs, blocks) {
            if let (Some(effects), fresco_tidy::OBSERVATIONS) = (&mut effects, output.table.name) {
                effects.observe(&point, &blocks);
            }
            output.add(sweep, &point, blocks)?;
        }
    }
    outputs.push(points);
    for output in outputs {
        merged.files.push(output.finish()?);
    }
    Ok(merged)
}

fn foreign(number: u32) -> InputError {
    let found = format!("found rows of point {number} that no such point has");
    InputError::new("the results of the sweep", found).internal()
}

fn unwritten(error: &ReportError) -> InputError {
    let error = InputError::new("a table of the sweep", format!("cannot write it: {error}"));
    error.help("check the disk and its room; results stay, and tables are written anew")
}

impl Sweep {
    /// A table with the columns of this sweep's axes before those of the scenario's own.
    fn table(&self, table: &DataTable) -> DataTable {
        let (before, after) = table.columns().split_at(Tables::BEFORE_AXES);
        let own = self.columns.iter().map(|column| column.data());
        let all = before.iter().cloned().chain(own).chain(after.iter().cloned());
        DataTable::new(table.name, all.collect())
    }

    fn values<'s>(&'s self, point: &'s Point) -> impl Iterator<Item = Value> + 's {
        std::iter::zip(&self.columns, &point.values).map(|(column, value)| column.value(value.as_deref()))
    }
}

fn points_table(sweep: &Sweep) -> DataTable {
    let own = [
        ("status", Kind::Text),
        ("exit_status", Kind::Integer),
        ("error", Kind::Text),
        ("address", Kind::Text),
    ];
    let own = own.map(|(name, kind)| DataColumn::new(name, kind));
    let first = std::iter::once(DataColumn::new("point", Kind::Integer));
    let axes = sweep.columns.iter().map(|column| column.data());
    DataTable::new(POINTS, first.chain(axes).chain(own).collect())
}

/// What the tables are of: nothing of who ran which part.
fn provenance(
    sweep: &Sweep,
    index: &Index,
    numbers: impl Iterator<Item = u32>,
    inputs: &Inputs,
    tool: &Tool,
) -> Provenance {
    let mut found: BTreeSet<&Input> = BTreeSet::new();
    let mut last: Option<&[Input]> = None;
    for number in numbers {
        let of_point = index.inputs(sweep, &sweep.point(number), inputs);
        if of_point.map(<[Input]>::as_ptr) != last.map(<[Input]>::as_ptr) {
            found.extend(of_point.into_iter().flatten());
            last = of_point;
        }
    }
    let digest = |text: &str| fresco_machine::digest(text, &[]);
    let (name, text) = sweep.scenario_text();
    let changed: Vec<String> = sweep.overrides.iter().map(|one| format!(" --set '{one}'")).collect();
    let command = format!("fresco sweep {}{}", sweep.file, changed.concat());
    let mut provenance = Provenance::new(&tool.version, command, u64::from(sweep.spec.seed));
    provenance.revision.clone_from(&tool.revision);
    provenance.scenario = Some(InputFile::new(name, digest(text)));
    provenance.inputs.push(InputFile::new(&sweep.file, digest(&sweep.text)));
    for input in found {
        let file = InputFile::new(&input.name, &input.digest);
        match input.kind.as_str() {
            "machine" => provenance.machine_files.push(file),
            _ => provenance.inputs.push(file),
        }
    }
    provenance
}

/// A table on its way to a file.
struct Output {
    target: PathBuf,
    temporary: PathBuf,
    table: DataTable,
    rows: usize,
    writer: Option<ParquetWriter<BufWriter<File>>>,
}

impl Output {
    fn new(target: &Path, table: DataTable, provenance: &Provenance) -> Result<Self, InputError> {
        let (temporary, file) = beside(target).map_err(|error| cannot_write(target, &error))?;
        let mut output = Self {
            target: target.to_owned(),
            temporary,
            table,
            rows: 0,
            writer: None,
        };
        let writer = ParquetWriter::new(BufWriter::new(file), &output.table, provenance);
        output.writer = Some(writer.map_err(|error| unwritten(&error))?);
        Ok(output)
    }

    fn add(&mut self, sweep: &Sweep, point: &Point, blocks: Vec<Block>) -> Result<(), InputError> {
        for block in blocks {
            let width = self.table.columns().len() - sweep.columns.len();
            let own = width
                .checked_sub(block.shared.len())
                .filter(|own| *own > 0 && block.values.len() % own == 0);
            let (Some(own), true) = (own, block.shared.len() >= Tables::BEFORE_AXES) else {
                return Err(foreign(point.number));
            };
            let mut shared = block.shared;
            let after = shared.split_off(Tables::BEFORE_AXES);
            // The number of the scenario's own point is told by its axes.
            shared[Tables::BEFORE_AXES - 1] = point.number.into();
            shared.extend(sweep.values(point));
            shared.extend(after);
            self.table.begin(shared);
            self.rows += block.values.len() / own;
            let mut values = block.values.into_iter();
            while values.len() > 0 {
                let row = values.by_ref().take(own);
                self.table.push(row).map_err(|_| foreign(point.number))?;
            }
        }
        self.flush(GROUP_ROWS)
    }

    fn point(
        &mut self,
        sweep: &Sweep,
        point: &Point,
        state: &State,
        index: &Index,
        inputs: &Inputs,
    ) -> Result<(), InputError> {
        let (status, failure) = match state {
            State::Done => ("done", None),
            State::Failed(failure) => ("failed", Some(failure)),
            State::Missing => ("missing", None),
        };
        let address = index.address(sweep, point, inputs).filter(|_| *state != State::Missing);
        let own = [
            Value::Name(status),
            failure.map(|failure| u32::from(failure.status)).into(),
            failure.map_or(Value::Missing, |failure| failure.message.as_str().into()),
            address.map_or(Value::Missing, |address| address.to_string().as_str().into()),
        ];
        let row = std::iter::once(point.number.into())
            .chain(sweep.values(point))
            .chain(own);
        self.table.push(row).map_err(|error| unwritten(&error))?;
        self.rows += 1;
        self.flush(GROUP_ROWS)
    }

    /// Writes a row group if there are so many rows.
    fn flush(&mut self, rows: usize) -> Result<(), InputError> {
        if self.rows < rows {
            return Ok(());
        }
        if let Some(writer) = &mut self.writer {
            writer.add(&self.table).map_err(|error| unwritten(&error))?;
        }
        self.table.clear();
        self.rows = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<PathBuf, InputError> {
        self.flush(1)?;
        let Some(writer) = self.writer.take() else {
            return Ok(self.target.clone());
        };
        let mut file = writer.finish().map_err(|error| unwritten(&error))?;
        let written = file.flush().and_then(|()| file.get_ref().sync_all());
        let placed = written.and_then(|()| fs::rename(&self.temporary, &self.target));
        placed.map_err(|error| cannot_write(&self.target, &error))?;
        Ok(self.target.clone())
    }
}

/// What was not finished goes.
impl Drop for Output {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Ending of files that are being merged.
const MERGING: &str = ".merging";

fn beside(target: &Path) -> io::Result<(PathBuf, File)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    for number in 0u32.. {
        let temporary = target.with_file_name(format!(".{name}-{}-{number}{MERGING}", std::process::id()));
        match File::create_new(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (temporary, file)),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Waits until nobody else merges there, and removes what those have left that were killed while they did. Where there are no locks, nobody
/// waits, and nothing is removed.
fn alone(directory: &Path) -> Option<File> {
    let lock = File::create(directory.join(".merge-lock")).ok()?;
    flock(&lock, FlockOperation::LockExclusive).ok()?;
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(MERGING) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Some(lock)
}

/// Digest of all that the merged tables of a sweep hold, so that what is merged is known without reading a row.
pub fn content(sweep: &Sweep, index: &Index, tool: &Tool) -> crate::Digest {
    let inputs = sweep.inputs();
    let head = [
        sweep.digest().to_string(),
        tool.version.clone(),
        tool.revision.clone().unwrap_or_default(),
    ];
    let points = (0..sweep.points()).map(|number| {
        let point = sweep.point(number);
        let address = index.address(sweep, &point, &inputs).map(|address| address.to_string());
        match index.state(sweep, &point, &inputs) {
            State::Failed(failure) => failure.message,
            _ => address.unwrap_or_default(),
        }
    });
    crate::Digest::of(head.into_iter().chain(points))
}
