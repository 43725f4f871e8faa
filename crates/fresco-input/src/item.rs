// SPDX-License-Identifier: MIT OR Apache-2.0
//! One value, read as the type it should have.

use crate::asked::note;
use crate::node::{Node, Value};
use crate::quantity::{BANDWIDTH, BadQuantity, DURATION, FRACTION, FREQUENCY, SIZE, Units};
use crate::suggest::closest;
use crate::{Asked, InputError, Shape, Table};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// What is allowed where a table belongs.
pub(crate) const A_TABLE: &str = "a table";

/// One value of a document and the path that leads to it.
#[derive(Clone, Debug)]
pub struct Item<'d> {
    pub(crate) file: &'d str,
    pub(crate) path: String,
    pub(crate) node: &'d Node,
}

impl<'d> Item<'d> {
    /// An error in this place. `found` says what stands there.
    pub fn error(&self, found: impl Into<String>) -> InputError {
        self.node.place.error(self.file, found).in_field(self.path.clone())
    }

    /// The value in words, for an error: `the integer 4`, `the text "abc"`, `a list of 2 elements`.
    pub fn describe(&self) -> String {
        self.node.describe()
    }

    /// Dotted path of the value.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where the value stands, within a sentence: `line 12` or `--set cores=4`.
    pub fn place(&self) -> String {
        self.node.place.describe()
    }

    fn mismatch(&self, allowed: impl Into<String>, help: impl Into<String>) -> InputError {
        self.error(format!("found {}", self.describe()))
            .allowed(allowed)
            .help(help)
    }

    /// Returns true if it is a text.
    pub fn is_text(&self) -> bool {
        matches!(self.node.value, Value::Text(_))
    }

    /// Returns true if it is a list.
    pub fn is_list(&self) -> bool {
        matches!(self.node.value, Value::List(_))
    }

    /// Returns true if it is a table.
    pub fn is_table(&self) -> bool {
        matches!(self.node.value, Value::Table(_))
    }

    /// A text.
    ///
    /// # Errors
    /// The value is none.
    pub fn text(&self) -> Result<&'d str, InputError> {
        self.note(|| Shape::Text);
        self.read_text()
    }

    /// A text that the caller reads on; `pattern`, a regular expression as JSON Schema has them, matches all that the caller takes.
    ///
    /// # Errors
    /// The value is no text.
    pub fn text_like(&self, pattern: &'static str) -> Result<&'d str, InputError> {
        self.note(|| Shape::Like(pattern));
        self.read_text()
    }

    fn read_text(&self) -> Result<&'d str, InputError> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.mismatch("a text in quotes", "put the value between double quotes")),
        }
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// The value is neither.
    pub fn boolean(&self) -> Result<bool, InputError> {
        self.note(|| Shape::Boolean);
        match self.node.value {
            Value::Boolean(value) => Ok(value),
            _ => Err(self.mismatch("true or false", "write true or false, without quotes")),
        }
    }

    /// An integer within `range`.
    ///
    /// # Errors
    /// The value is no integer, or outside.
    pub fn integer<T>(&self, range: RangeInclusive<T>) -> Result<T, InputError>
    where
        T: Copy + Display + Into<i128> + TryFrom<i128>,
    {
        self.note(|| Shape::Integer((*range.start()).into(), (*range.end()).into()));
        self.read_integer(range)
    }

    pub(crate) fn read_integer<T>(&self, range: RangeInclusive<T>) -> Result<T, InputError>
    where
        T: Copy + Display + Into<i128> + TryFrom<i128>,
    {
        let bounds = (*range.start()).into()..=(*range.end()).into();
        let help = match &self.node.value {
            Value::Integer(number) if bounds.contains(number) => match T::try_from(*number) {
                Ok(number) => return Ok(number),
                Err(_) => "write a smaller number",
            },
            Value::Integer(number) if number < bounds.start() => "write a larger number",
            Value::Integer(_) => "write a smaller number",
            Value::Text(text) if text.parse::<i128>().is_ok() => "remove the quotes",
            _ => "write a whole number, without quotes and without a point",
        };
        let allowed = match range.start().to_string() == range.end().to_string() {
            true => format!("the integer {}", range.start()),
            false => format!("an integer from {} to {}", range.start(), range.end()),
        };
        Err(self.mismatch(allowed, help))
    }

    /// An integer within `range` that is a power of two.
    ///
    /// # Errors
    /// The value is no integer, outside, or no power of two.
    pub fn power_of_two(&self, range: RangeInclusive<u32>) -> Result<u32, InputError> {
        self.note(|| Shape::PowerOfTwo(*range.start(), *range.end()));
        let number = self.read_integer(range.clone()).map_err(|error| {
            let allowed = format!("a power of two from {} to {}", range.start(), range.end());
            error.allowed(allowed)
        })?;
        if number.is_power_of_two() {
            return Ok(number);
        }
        let (below, above) = (
            1u64 << number.max(1).ilog2(),
            u64::from(number.max(1)).next_power_of_two(),
        );
        let help = format!("write {below} or {above}");
        Err(self.mismatch(
            format!("a power of two from {} to {}", range.start(), range.end()),
            help,
        ))
    }

    /// One of the named `choices`.
    ///
    /// # Errors
    /// The value is no text, or none of them.
    pub fn choice<T: Copy>(&self, choices: &[(&str, T)]) -> Result<T, InputError> {
        let names = || choices.iter().map(|(name, _)| *name);
        self.note(|| Shape::Choice(names().map(str::to_owned).collect()));
        let allowed = || {
            format!(
                "one of {}",
                names().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
            )
        };
        let text = self.read_text().map_err(|error| error.allowed(allowed()))?;
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text) {
            return Ok(*value);
        }
        let help = match closest(text, names()) {
            Some(name) => format!("did you mean {name:?}?"),
            None => "choose one of these".to_owned(),
        };
        Err(self.mismatch(allowed(), help))
    }

    /// A size in bytes: `"8 MiB"`, `"64K"`, or a plain integer. K, M, G, T are powers of 1024.
    ///
    /// # Errors
    /// The value is no size, not a whole number of bytes, or outside `range` (in bytes).
    pub fn size(&self, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        self.quantity(&SIZE, range)
    }

    /// A time in picoseconds: `"7.5 ns"`, `"64 us"`, `"20 ms"`. The unit must be given.
    ///
    /// # Errors
    /// The value is no duration, not a whole number of picoseconds, or outside `range` (in picoseconds).
    pub fn duration(&self, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        self.quantity(&DURATION, range)
    }

    /// A time in whole nanoseconds, as schedules count it; `range` is in picoseconds.
    ///
    /// # Errors
    /// The value is no duration, not a whole number of nanoseconds, or outside `range`.
    pub fn whole_ns(&self, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        match self.duration(range)? {
            ps if ps % 1000 == 0 => Ok(ps / 1000),
            _ => Err(self.mismatch("whole nanoseconds", "round it up: schedules are exact in nanoseconds")),
        }
    }

    /// A frequency in hertz: `"2.8 GHz"`, `"800 MHz"`. The unit must be given.
    ///
    /// # Errors
    /// The value is no frequency, not a whole number of hertz, or outside `range` (in hertz).
    pub fn frequency(&self, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        self.quantity(&FREQUENCY, range)
    }

    /// A bandwidth in bytes per second: `"500 MB/s"`, `"1.2 GB/s"`. The unit must be given; MB are 10^6 bytes.
    ///
    /// # Errors
    /// The value is no bandwidth, not a whole number of bytes per second, or outside `range` (in bytes per second).
    pub fn bandwidth(&self, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        self.quantity(&BANDWIDTH, range)
    }

    /// A share of the whole, in parts per million: `0.25` or `"25 %"`.
    ///
    /// # Errors
    /// The value is no number, has more than six decimals, or is above 1.
    pub fn fraction(&self) -> Result<u32, InputError> {
        let fits = |ppm: u64| u32::try_from(ppm).ok().filter(|ppm| *ppm <= 1_000_000);
        self.note(|| Shape::quantity(&FRACTION, &(0..=1_000_000)));
        let ppm = self.read_quantity(&FRACTION, 0..=u64::MAX)?;
        fits(ppm).ok_or_else(|| {
            self.mismatch(
                "a fraction from 0 to 1",
                "write the share of the whole, for example 0.25",
            )
        })
    }

    fn quantity(&self, units: &Units, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        self.note(|| Shape::quantity(units, &range));
        self.read_quantity(units, range)
    }

    fn read_quantity(&self, units: &Units, range: RangeInclusive<u64>) -> Result<u64, InputError> {
        let parsed = match &self.node.value {
            Value::Text(text) | Value::Real(text) => units.parse(text),
            Value::Integer(number) if *number >= 0 => units.parse(&number.to_string()),
            _ => Err(BadQuantity::Form),
        };
        let form = format!("{}, for example {}", units.kind, units.examples);
        let between = format!(
            "{} from {} to {}",
            units.kind,
            units.format(*range.start()),
            units.format(*range.end())
        );
        let (allowed, help) = match parsed {
            Ok(value) if range.contains(&value) => return Ok(value),
            Ok(value) if value < *range.start() => (between, "write a larger value".to_owned()),
            Ok(_) | Err(BadQuantity::TooLarge) => (between, "write a smaller value".to_owned()),
            Err(BadQuantity::Form | BadQuantity::Unit(_)) if units.is_share() => {
                let help = "write the share of the whole, from 0 to 1, in decimals: 0.25";
                (
                    "a fraction from 0 to 1, for example 0.25, \"25 %\"".to_owned(),
                    help.to_owned(),
                )
            }
            Err(BadQuantity::Form) if self.is_negative() => (between, "write a number that is not negative".to_owned()),
            Err(BadQuantity::Form) => (form, format!("write a number and a unit: {}", units.names())),
            Err(BadQuantity::NoUnit) => (form, format!("add a unit: {}", units.names())),
            Err(BadQuantity::Unit(unit)) => (form, unit_cure(&unit, units)),
            Err(BadQuantity::TooFine) => (form, format!("round it to a multiple of {}", smallest(units))),
        };
        Err(self.mismatch(allowed, help))
    }

    /// Returns true if the value begins with a minus sign.
    fn is_negative(&self) -> bool {
        match &self.node.value {
            Value::Text(text) | Value::Real(text) => text.trim_start().starts_with('-'),
            Value::Integer(number) => *number < 0,
            _ => false,
        }
    }

    /// The elements of a list.
    ///
    /// # Errors
    /// The value is no list.
    pub fn list(&self) -> Result<Vec<Item<'d>>, InputError> {
        self.note(|| Shape::List);
        let none = || self.mismatch("a list", "put the value between square brackets");
        self.as_list().ok_or_else(none)
    }

    /// The elements, if it is a list.
    pub(crate) fn as_list(&self) -> Option<Vec<Item<'d>>> {
        let Value::List(items) = &self.node.value else {
            return None;
        };
        let elements = (0..).zip(items).map(|(index, node)| self.element(index, node));
        Some(elements.collect())
    }

    fn element(&self, index: usize, node: &'d Node) -> Item<'d> {
        Item {
            file: self.file,
            path: format!("{}.{index}", self.path),
            node,
        }
    }

    /// A table.
    ///
    /// # Errors
    /// The value is none.
    pub fn table(&self) -> Result<Table<'d>, InputError> {
        self.note(|| Shape::Table);
        self.as_table().ok_or_else(|| {
            self.mismatch(
                A_TABLE,
                format!("write [{}] and its keys below, one to a line", self.path),
            )
        })
    }

    /// It, if it is a table.
    pub(crate) fn as_table(&self) -> Option<Table<'d>> {
        match &self.node.value {
            Value::Table(entries) => Some(Table::new(
                self.file,
                self.path.clone(),
                Some(&self.node.place),
                entries,
            )),
            _ => None,
        }
    }

    /// Tells who listens what is asked of the value.
    pub(crate) fn note(&self, shape: impl FnOnce() -> Shape) {
        note(self.file, &self.path, || Asked::Value(shape()));
    }
}

fn smallest(units: &Units) -> String {
    match units.bare {
        Some(worth) if worth > 1 => "0.000001".to_owned(),
        _ => format!("1 {}", units.table[0].0),
    }
}

fn unit_cure(unit: &str, units: &Units) -> String {
    let binary = unit
        .strip_suffix(['B', 'b'])
        .map(|stem| format!("{}iB", stem.to_ascii_uppercase()));
    match binary.filter(|name| units.table.iter().any(|(known, _)| known == name)) {
        Some(name) => format!("{unit} means 1000s to some and 1024s to others: write {name}"),
        None => format!("use one of the units {}", units.names()),
    }
}
