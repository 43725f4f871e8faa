// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which results there are, from the heads of all frames.

use super::frame::{self, Place};
use crate::address::{Input, Inputs, Spelling, address};
use crate::outcome::PointFailure;
use crate::{Point, Sweep};
use fresco_input::InputError;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Ending of the names of segments.
pub const SEGMENT: &str = "seg";

/// Results by what was run.
#[derive(Default)]
pub struct Index {
    segments: BTreeMap<PathBuf, Segment>,
    frames: Vec<Frame>,
    /// By spelling; several if files have changed in between, or if two runners made the same.
    entries: BTreeMap<(Spelling, u32), Entry>,
    failures: Vec<PointFailure>,
    inputs: Vec<Vec<Input>>,
    /// Whether inputs still hold, by their number.
    hold: RefCell<Vec<Option<bool>>>,
    /// Rows of the frames that were read last, the last one at the end.
    recent: RefCell<Vec<(u32, Rc<Packed>)>>,
}

/// The packed rows of the records of a frame.
type Packed = Vec<Vec<u8>>;

/// Bytes of rows that are kept unpacked.
const RECENT_BYTES: usize = 256 << 20;

struct Segment {
    file: Rc<File>,
    /// Where the next frame is expected.
    end: u64,
    /// Bytes that there are.
    length: u64,
}

struct Frame {
    segment: Rc<File>,
    place: Place,
    /// Its body is whole, if that was looked at.
    is_whole: RefCell<Option<bool>>,
}

#[derive(Clone, Copy)]
struct Entry {
    frame: u32,
    /// Number among the records of the frame that have rows; or of the failure.
    number: u32,
    inputs: u32,
    failed: bool,
}

/// What is known of a point.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Nothing.
    Missing,
    /// There are rows.
    Done,
    /// It failed.
    Failed(PointFailure),
}

impl Index {
    /// Reads what is new in the segments of a directory.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn refresh(&mut self, directory: &Path) -> Result<(), InputError> {
        let cannot = |path: &Path, error: &io::Error| {
            let error = InputError::new(path.display().to_string(), format!("cannot read it: {error}"));
            error.help("check the permissions of the directory and its files")
        };
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|error| cannot(directory, &error))?,
        };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == SEGMENT));
        paths.sort();
        for path in paths {
            self.read_on(&path).map_err(|error| cannot(&path, &error))?;
        }
        self.hold.borrow_mut().resize(self.inputs.len(), None);
        Ok(())
    }

    fn read_on(&mut self, path: &Path) -> io::Result<()> {
        if !self.segments.contains_key(path) {
            let file = Rc::new(File::open(path)?);
            let (end, length) = (0, 0);
            self.segments.insert(path.to_owned(), Segment { file, end, length });
        }
        let Some(segment) = self.segments.get_mut(path) else {
            return Ok(());
        };
        let length = segment.file.metadata()?.len();
        segment.length = length;
        let (file, mut end) = (Rc::clone(&segment.file), segment.end);
        while let Some((place, head)) = frame::at(&file, end, length)? {
            let inputs = self.inputs.len() as u32;
            self.inputs.extend(head.inputs);
            let number = self.frames.len() as u32;
            let mut with_rows = 0;
            for record in head.records {
                let entry = match record.failure {
                    None => {
                        with_rows += 1;
                        (with_rows - 1, false)
                    }
                    Some(failure) => {
                        self.failures.push(failure);
                        (self.failures.len() as u32 - 1, true)
                    }
                };
                let of_same = self.entries.range((record.spelling, 0)..=(record.spelling, u32::MAX));
                let next = of_same.last().map_or(0, |((_, last), _)| last + 1);
                let entry = Entry {
                    frame: number,
                    number: entry.0,
                    inputs: inputs + record.inputs,
                    failed: entry.1,
                };
                self.entries.insert((record.spelling, next), entry);
            }
            self.frames.push(Frame {
                segment: Rc::clone(&file),
                place,
                is_whole: RefCell::new(None),
            });
            end = place.end();
        }
        if let Some(segment) = self.segments.get_mut(path) {
            segment.end = end;
        }
        Ok(())
    }

    fn holds(&self, number: u32, inputs: &Inputs) -> bool {
        let mut hold = self.hold.borrow_mut();
        *hold[number as usize].get_or_insert_with(|| inputs.hold(&self.inputs[number as usize]))
    }

    /// The result of a point that still holds: rows before failures, of these the last one.
    fn entry(&self, spelling: Spelling, inputs: &Inputs) -> Option<Entry> {
        let all = self
            .entries
            .range((spelling, 0)..=(spelling, u32::MAX))
            .map(|(_, entry)| *entry);
        let holding = all.filter(|entry| self.holds(entry.inputs, inputs));
        holding.max_by_key(|entry| (!entry.failed, entry.frame))
    }

    /// What is known of a point, from the heads alone.
    pub fn state(&self, sweep: &Sweep, point: &Point, inputs: &Inputs) -> State {
        match self.entry(sweep.spelling(point), inputs) {
            None => State::Missing,
            Some(entry) if entry.failed => State::Failed(self.failures[entry.number as usize].clone()),
            Some(_) => State::Done,
        }
    }

    /// As [`Index::state`]; rows whose frame is damaged are missing.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn verified(&self, sweep: &Sweep, point: &Point, inputs: &Inputs) -> Result<State, InputError> {
        let spelling = sweep.spelling(point);
        match self.entry(spelling, inputs) {
            Some(entry) if !entry.failed && self.rows_of(entry)?.is_none() => Ok(State::Missing),
            _ => Ok(self.state(sweep, point, inputs)),
        }
    }

    /// The packed rows of a point; `None` if there are none that still hold.
    ///
    /// # Errors
    /// A segment cannot be read.
    pub fn rows(&self, sweep: &Sweep, point: &Point, inputs: &Inputs) -> Result<Option<Vec<u8>>, InputError> {
        let Some(entry) = self.entry(sweep.spelling(point), inputs).filter(|entry| !entry.failed) else {
            return Ok(None);
        };
        self.rows_of(entry)
    }

    /// What the result of a point follows from, beside what it sets; `None` if there is no result that holds.
    pub fn inputs(&self, sweep: &Sweep, point: &Point, inputs: &Inputs) -> Option<&[Input]> {
        let entry = self.entry(sweep.spelling(point), inputs)?;
        Some(&self.inputs[entry.inputs as usize])
    }

    /// The address of a point's result; `None` if there is none that holds.
    pub fn address(&self, sweep: &Sweep, point: &Point, inputs: &Inputs) -> Option<crate::Digest> {
        let spelling = sweep.spelling(point);
        let entry = self.entry(spelling, inputs)?;
        Some(address(&spelling, &self.inputs[entry.inputs as usize]))
    }

    fn rows_of(&self, entry: Entry) -> Result<Option<Vec<u8>>, InputError> {
        let frame = &self.frames[entry.frame as usize];
        if *frame.is_whole.borrow() == Some(false) {
            return Ok(None);
        }
        let mut recent = self.recent.borrow_mut();
        let at = recent.iter().position(|(number, _)| *number == entry.frame);
        let rows = match at {
            Some(at) => {
                let found = recent.remove(at);
                let rows = Rc::clone(&found.1);
                recent.push(found);
                rows
            }
            None => {
                let rows = frame.place.rows(&frame.segment).map_err(|error| {
                    let error = InputError::new("a segment of the sweep", format!("cannot read it: {error}"));
                    error.help("check the disk")
                })?;
                *frame.is_whole.borrow_mut() = Some(rows.is_some());
                let Some(rows) = rows else { return Ok(None) };
                let rows = Rc::new(rows);
                recent.push((entry.frame, Rc::clone(&rows)));
                let mut bytes: usize = recent.iter().flat_map(|(_, rows)| rows.iter()).map(Vec::len).sum();
                while bytes > RECENT_BYTES && recent.len() > 1 {
                    bytes -= recent.remove(0).1.iter().map(Vec::len).sum::<usize>();
                }
                rows
            }
        };
        Ok(rows.get(entry.number as usize).cloned())
    }

    /// How many segments there are, their bytes, and how many of these belong to no whole frame: they are being written, or never were.
    pub fn size(&self) -> (usize, u64, u64) {
        let all = self.segments.values().map(|segment| segment.length).sum();
        let torn = self
            .segments
            .values()
            .map(|segment| segment.length - segment.end.min(segment.length))
            .sum();
        (self.segments.len(), all, torn)
    }
}
