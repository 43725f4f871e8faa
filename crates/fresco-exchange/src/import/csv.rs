// SPDX-License-Identifier: MIT OR Apache-2.0
//! Task sets as CSV. The unit of a time stands in the name of its column (`period_us`), in its cell (`20 ms`), or is that of `--unit`.

use super::raw::{Given, Place, Raw, Source, clipped, unit_of};
use super::{ImportOptions, push};
use crate::amount::Unit;
use fresco_input::{InputError, closest};
use fresco_rt::Time;

/// What a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Name,
    Period,
    Wcet,
    Deadline,
    Phase,
    Jitter,
    ArrivalJitter,
    MinDistance,
    CriticalSection,
    CacheReload,
    Core,
    Memory,
}

/// Which names columns have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Those of scenarios.
    Plain,
    /// Those of pyCPA's event models.
    Pycpa,
}

impl Names {
    /// Names of columns.
    fn columns(self) -> &'static [(&'static str, Column)] {
        match self {
            Self::Plain => &[
                ("name", Column::Name),
                ("period", Column::Period),
                ("wcet", Column::Wcet),
                ("deadline", Column::Deadline),
                ("phase", Column::Phase),
                ("jitter", Column::Jitter),
                ("arrival_jitter", Column::ArrivalJitter),
                ("min_distance", Column::MinDistance),
                ("critical_section", Column::CriticalSection),
                ("cache_reload", Column::CacheReload),
                ("core", Column::Core),
                ("memory", Column::Memory),
            ],
            Self::Pycpa => &[
                ("name", Column::Name),
                ("P", Column::Period),
                ("J", Column::ArrivalJitter),
                ("dmin", Column::MinDistance),
                ("phi", Column::Phase),
                ("wcet", Column::Wcet),
                ("deadline", Column::Deadline),
                ("core", Column::Core),
            ],
        }
    }

    fn required(self) -> [&'static str; 2] {
        match self {
            Self::Plain => ["period", "wcet"],
            Self::Pycpa => ["P", "wcet"],
        }
    }
}

/// A column of the file.
struct Head {
    name: String,
    column: Column,
    unit: Option<Unit>,
}

/// Reads the lines; those that begin with `#` are comments.
pub fn read(source: &Source<'_>, options: &ImportOptions, names: Names) -> Result<Vec<Raw>, InputError> {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .flexible(true)
        .from_reader(source.text.as_bytes());
    let headers = reader.headers().map_err(|error| fault(source, &error))?.clone();
    let line = headers.position().map_or(1, csv::Position::line);
    let heads = heads(source, &headers, line, names)?;
    let mut raws = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| fault(source, &error))?;
        let place = Place::Line(record.position().map_or(0, csv::Position::line));
        if record.len() != heads.len() {
            return Err(source
                .error(&place, "", format!("found {} cells", record.len()))
                .allowed(format!("{}, one for each column", heads.len()))
                .help("leave cells empty where there is nothing to say, and keep the commas"));
        }
        let mut raw = Raw::at(place.clone(), names.required());
        for (head, cell) in heads.iter().zip(&record) {
            if !cell.is_empty() {
                set(source, options, &mut raw, head, cell, &place)?;
            }
        }
        push(source, &mut raws, raw)?;
    }
    Ok(raws)
}

/// The columns.
fn heads(source: &Source<'_>, record: &csv::StringRecord, line: u64, names: Names) -> Result<Vec<Head>, InputError> {
    let columns = names.columns();
    let known: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut heads: Vec<Head> = Vec::new();
    for cell in record {
        let (name, unit) = match cell.rsplit_once('_').map(|(name, unit)| (name, Unit::of(unit))) {
            Some((name, Some(unit))) => (name, Some(unit)),
            _ => (cell, None),
        };
        let place = Place::Line(line);
        let Some(&(_, column)) = columns.iter().find(|(known, _)| *known == name) else {
            let near = closest(name, known.iter().copied());
            return Err(source
                .error(&place, "", format!("found the column {:?}", clipped(cell)))
                .allowed(format!(
                    "{}; times with _ns, _us, _ms or _s behind, as in {}_us",
                    known.join(", "),
                    known[1]
                ))
                .help(match near {
                    Some(near) => format!("did you mean {near:?}?"),
                    None => "rename the column, or take it out; the first line names the columns".to_owned(),
                }));
        };
        let is_time = !matches!(column, Column::Name | Column::Core | Column::Memory);
        if unit.is_some() && !is_time {
            return Err(source
                .error(&place, "", format!("found a unit in {:?}", clipped(cell)))
                .allowed("units of times")
                .help(format!("call the column {name}")));
        }
        if heads.iter().any(|head| head.column == column) {
            return Err(source
                .error(&place, "", format!("found a second column {name:?}"))
                .allowed("each column once")
                .help("take one of the two out"));
        }
        heads.push(Head {
            name: name.to_owned(),
            column,
            unit,
        });
    }
    Ok(heads)
}

/// Puts a cell into its place.
fn set(
    source: &Source<'_>,
    options: &ImportOptions,
    raw: &mut Raw,
    head: &Head,
    cell: &str,
    place: &Place,
) -> Result<(), InputError> {
    let time = || time(source, options, head, cell, place);
    match head.column {
        Column::Name => {
            raw.name = Some(Given {
                value: cell.to_owned(),
                shown: cell.to_owned(),
                field: head.name.clone(),
                place: place.clone(),
            });
        }
        Column::Period => raw.period = Some(time()?),
        Column::Wcet => raw.wcet = Some(time()?),
        Column::Deadline => raw.deadline = Some(time()?),
        Column::Phase => raw.phase = Some(time()?),
        Column::Jitter => raw.jitter = Some(time()?),
        Column::ArrivalJitter => raw.arrival_jitter = Some(time()?),
        Column::MinDistance => raw.min_distance = Some(time()?),
        Column::CriticalSection => raw.critical_section = Some(time()?),
        Column::CacheReload => raw.cache_reload = Some(time()?),
        Column::Core => raw.core = Some(source.count(cell, &head.name, place.clone())?),
        Column::Memory => raw.memory = Some(source.count(cell, &head.name, place.clone())?),
    }
    Ok(())
}

/// A time with the unit of its cell, of its column, or of all.
fn time(
    source: &Source<'_>,
    options: &ImportOptions,
    head: &Head,
    cell: &str,
    place: &Place,
) -> Result<Given<Time>, InputError> {
    let number = cell.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let own = cell[number.len()..].trim();
    // What has no digit is no number with a unit: `nan`.
    let own = if number.trim().is_empty() { "" } else { own };
    let text = if own.is_empty() { cell } else { number };
    let unit = match (own.is_empty(), Unit::of(own), head.unit) {
        (true, _, Some(unit)) => unit,
        (true, _, None) => unit_of(source, options.unit).map_err(|error| error.in_field(head.name.clone()))?,
        (false, Some(unit), None) => unit,
        (false, Some(unit), Some(column)) if unit == column => unit,
        (false, Some(_), Some(column)) => {
            return Err(source
                .error(
                    place,
                    &head.name,
                    format!("found {:?} in a column of {}", clipped(cell), column.name()),
                )
                .allowed("one unit")
                .help("take the unit out of the cell, or out of the name of the column"));
        }
        (false, None, _) => {
            return Err(source
                .error(place, &head.name, format!("found {:?}", clipped(cell)))
                .allowed("a number, with ns, us, ms or s behind it")
                .help("write it as in 20 ms"));
        }
    };
    source.time(text, unit, &head.name, place.clone())
}

/// What the reader of CSV complains of.
fn fault(source: &Source<'_>, error: &csv::Error) -> InputError {
    let line = error.position().map_or(1, csv::Position::line);
    source
        .error(&Place::Line(line), "", "found what cannot be read as CSV")
        .allowed("cells between commas, in UTF-8")
        .help("save the table as CSV with commas")
}
