// SPDX-License-Identifier: MIT OR Apache-2.0
//! Axes: what is varied, and which values it takes.

use super::draw::{power, rounded};
use fresco_input::{InputError, Item, Table, quoted};

/// `key=value` of a point, and where that was written.
#[derive(Clone, Debug)]
pub struct Set {
    /// As `fresco sim --set` takes it.
    pub assignment: String,
    /// File, line and field of the value.
    pub place: InputError,
}

impl Set {
    pub(super) fn new(key: &str, value: &str, place: InputError) -> Self {
        Self {
            assignment: format!("{key}={value}"),
            place,
        }
    }

    /// The key.
    pub fn key(&self) -> &str {
        self.assignment.split_once('=').map_or("", |(key, _)| key)
    }

    /// The value as TOML.
    pub fn value(&self) -> &str {
        self.assignment.split_once('=').map_or("", |(_, value)| value)
    }
}

/// A value of an axis that is written in the file.
#[derive(Clone, Debug)]
pub struct Level {
    /// The value as people read it.
    pub label: String,
    /// What it sets.
    pub sets: Vec<Set>,
}

/// What an axis ranges over.
#[derive(Clone, Debug)]
pub enum Values {
    /// One of these.
    Levels(Vec<Level>),
    /// A number between two ends.
    Range(Range),
}

/// A dimension of a sweep.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The key that it sets, or the name under which variants stand.
    pub key: String,
    /// Its values.
    pub values: Values,
}

/// Numbers from one to another.
#[derive(Clone, Debug)]
pub struct Range {
    from: f64,
    to: f64,
    /// From one possible value to the next; any number if there is none.
    step: Option<f64>,
    logarithmic: bool,
    /// Unit of the values; empty without.
    pub unit: String,
    pub(super) place: InputError,
}

/// Significant digits of values of a range without steps.
const DIGITS: usize = 6;
/// Significant digits of values of a range with steps, unless all are whole.
const STEP_DIGITS: usize = 12;
/// Up to it a number of 64 bits tells whole numbers apart.
const EXACT: f64 = (1u64 << f64::MANTISSA_DIGITS) as f64;
/// Most values of a range with steps.
const MOST_STEPS: f64 = 1e9;

impl Axis {
    /// The value at a place in [0, 1) of the axis: of levels and of steps, each has an equal part.
    pub fn at(&self, place: f64) -> Level {
        match &self.values {
            Values::Levels(levels) => {
                let number = (place * levels.len() as f64) as usize;
                levels[number.min(levels.len() - 1)].clone()
            }
            Values::Range(range) => {
                let number = range.at(place);
                let (label, value) = match range.unit.as_str() {
                    "" => (number.to_string(), number.to_string()),
                    unit => (number.to_string(), quoted(&format!("{number} {unit}"))),
                };
                Level {
                    label,
                    sets: vec![Set::new(&self.key, &value, range.place.clone())],
                }
            }
        }
    }

    /// How many values it has: of a range without steps, 1.
    pub fn count(&self) -> u64 {
        match &self.values {
            Values::Levels(levels) => levels.len() as u64,
            Values::Range(range) => range.steps().map_or(1, |(_, last)| last as u64 + 1),
        }
    }

    /// The value of this number, from 0, of an axis of levels or of steps at equal distances.
    pub fn nth(&self, number: u64) -> Level {
        match &self.values {
            Values::Levels(levels) => levels[number as usize].clone(),
            Values::Range(_) => self.at((number as f64 + 0.5) / self.count() as f64),
        }
    }

    /// Returns true if its values are numbers with digits behind the point: of a range without steps.
    pub fn is_continuous(&self) -> bool {
        matches!(&self.values, Values::Range(Range { step: None, .. }))
    }

    /// Returns true if its values are names of variants.
    pub(super) fn is_of_variants(&self) -> bool {
        let Values::Levels(levels) = &self.values else {
            return false;
        };
        levels
            .iter()
            .any(|level| level.sets.iter().any(|set| set.key() != self.key))
    }

    /// The unit of its values, which are numbers then; empty without.
    pub fn unit(&self) -> &str {
        match &self.values {
            Values::Levels(_) => "",
            Values::Range(range) => &range.unit,
        }
    }
}

impl Range {
    /// Reads `{ from = 1, to = 64, step = 1, scale = "log", unit = "MiB" }`.
    pub fn read(table: &Table<'_>) -> Result<Self, InputError> {
        let number = |key: &str| number(&table.item(key, A_NUMBER)?);
        let (from, to) = (number("from")?, number("to")?);
        let step = match table.has("step") {
            true => Some(number("step")?),
            false => None,
        };
        let logarithmic = table
            .opt_choice("scale", &[("linear", false), ("log", true)])?
            .unwrap_or(false);
        let unit = table.opt_text("unit")?.unwrap_or_default().trim().to_owned();
        let place = table.error("");
        if to < from {
            let error = table.error_at("to", format!("found {to}, which is less than from = {from}"));
            return Err(error.allowed(format!("{from} or more")).help("exchange the two"));
        }
        if logarithmic && from <= 0.0 {
            let error = table.error_at("from", format!("found {from} on a logarithmic scale"));
            return Err(error
                .allowed("a number above 0")
                .help("begin above 0, or write scale = \"linear\""));
        }
        if let Some(step) = step.filter(|step| *step <= 0.0 || (to - from) / step > MOST_STEPS) {
            let error = table.error_at("step", format!("found {step}"));
            return Err(error
                .allowed(format!("a number above 0 that makes at most {MOST_STEPS} steps"))
                .help("write a larger step"));
        }
        let range = Self {
            from,
            to,
            step,
            logarithmic,
            unit,
            place,
        };
        // A unit in the last of the digits that the largest value has.
        let power = range.largest().max(f64::MIN_POSITIVE).log10().floor();
        let least = 10f64.powi(power as i32 + 1 - STEP_DIGITS as i32);
        if let Some(step) = step.filter(|step| !range.is_whole() && *step < least * (1.0 - 1e-9)) {
            let found = format!("found {step}, so that values are alike to {STEP_DIGITS} digits");
            return Err(table
                .error_at("step", found)
                .allowed(format!("{least:e} or more"))
                .help("write a larger step"));
        }
        Ok(range)
    }

    /// The larger of its ends, without sign.
    fn largest(&self) -> f64 {
        self.from.abs().max(self.to.abs())
    }

    /// Returns true if all its values are whole numbers, as exact as they are written.
    pub fn is_whole(&self) -> bool {
        let is_whole = |number: f64| number.fract() == 0.0 && number.abs() <= EXACT;
        is_whole(self.from) && is_whole(self.to) && self.step.is_some_and(is_whole)
    }

    /// In a grid each value is taken once.
    pub(super) fn check_of_grid(&self) -> Result<(), InputError> {
        let (found, help) = match (self.step, self.logarithmic) {
            (None, _) => (
                "found a range without steps in a grid",
                "add step, for example step = 1",
            ),
            (Some(_), true) => ("found scale = \"log\" in a grid", "remove scale, or list the values"),
            (Some(_), false) => return Ok(()),
        };
        let error = fresco_scenario::error_at(&self.place, found);
        Err(error
            .allowed("ranges with a step, whose values are all taken, and lists of values")
            .help(format!(
                "{help}; samples of a range are drawn by [random] and [latin_hypercube]"
            )))
    }

    /// From one value to the next, and the number of the last one, counted from 0; `None` without steps.
    fn steps(&self) -> Option<(f64, f64)> {
        // Ends and step are decimals, off by half a place of a float each: so much may be missing of the last step.
        let missing = |step: f64| (2.0 * f64::EPSILON * self.largest() / step).max(1e-9);
        self.step
            .map(|step| (step, ((self.to - self.from) / step + missing(step)).floor()))
    }

    fn at(&self, place: f64) -> f64 {
        let steps = self.steps();
        let between = |from: f64, to: f64| match self.logarithmic {
            true => from * power(to / from, place),
            false => from + (to - from) * place,
        };
        match steps {
            None => rounded(between(self.from, self.to), DIGITS).clamp(self.from, self.to),
            Some((step, last)) => {
                let number = match self.logarithmic {
                    false => (place * (last + 1.0)).floor(),
                    true => ((between(self.from, self.to) - self.from) / step).round(),
                };
                let value = self.from + number.min(last) * step;
                if self.is_whole() {
                    value
                } else {
                    rounded(value, STEP_DIGITS)
                }
            }
        }
    }
}

const A_NUMBER: &str = "a number, without quotes; its unit is a key of its own";

fn number(item: &Item<'_>) -> Result<f64, InputError> {
    let is_text = item.is_text() || item.is_list() || item.is_table();
    let number = item.to_toml().replace('_', "").parse::<f64>().ok();
    number.filter(|number| number.is_finite() && !is_text).ok_or_else(|| {
        item.error(format!("found {}", item.describe()))
            .allowed(A_NUMBER)
            .help("write for example { from = 1, to = 64, step = 1, unit = \"MiB\" }")
    })
}

/// A value in words: a text without its quotes.
pub(super) fn label(item: &Item<'_>) -> String {
    item.text().map_or_else(|_| item.to_toml(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fresco_input::Document;

    fn axis(range: &str) -> Result<Axis, InputError> {
        let document = Document::parse("s.toml", &format!("r = {range}")).expect("is TOML");
        let root = document.root();
        let range = Range::read(&root.table("r").expect("a table"))?;
        Ok(Axis {
            key: "k".to_owned(),
            values: Values::Range(range),
        })
    }

    fn drawn(range: &str) -> Vec<String> {
        let axis = axis(range).expect("a range");
        let values = [0.0, 0.25, 0.5, 0.75, 0.9999].map(|place| axis.at(place));
        values.iter().map(|level| level.sets[0].assignment.clone()).collect()
    }

    #[test]
    fn values_of_ranges() {
        assert_eq!(
            drawn("{ from = 1, to = 3 }"),
            ["k=1", "k=1.5", "k=2", "k=2.5", "k=2.9998"]
        );
        // Four values with a quarter of the axis each.
        assert_eq!(
            drawn("{ from = 1, to = 4, step = 1 }"),
            ["k=1", "k=2", "k=3", "k=4", "k=4"]
        );
        assert_eq!(drawn("{ from = 0, to = 0, step = 0.5 }")[4], "k=0");
        // The last one is there, though floats miss it by more than a billionth of a step.
        assert_eq!(
            drawn("{ from = 100000000.001, to = 100000000.004, step = 0.001 }")[4],
            "k=100000000.004"
        );
        assert_eq!(
            drawn("{ from = 8446698.8, to = 8446699.4, step = 0.1 }")[4],
            "k=8446699.4"
        );
        // As exact as it is written: 2^53 - 1.
        assert_eq!(
            drawn("{ from = 1, to = 9007199254740991, step = 9007199254740990 }")[4],
            "k=9007199254740991"
        );
        assert_eq!(
            drawn("{ from = 0.1, to = 0.5, step = 0.1 }"),
            ["k=0.1", "k=0.2", "k=0.3", "k=0.4", "k=0.5"]
        );
        assert_eq!(
            drawn("{ from = 1, to = 256, scale = \"log\", step = 1, unit = \"KiB\" }"),
            [
                "k=\"1 KiB\"",
                "k=\"4 KiB\"",
                "k=\"16 KiB\"",
                "k=\"64 KiB\"",
                "k=\"256 KiB\""
            ]
        );
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for (range, found) in [
            ("{ from = \"1 MiB\", to = 2 }", "found the text \"1 MiB\""),
            ("{ from = 2, to = 1 }", "less than from = 2"),
            ("{ from = 0, to = 1, scale = \"log\" }", "on a logarithmic scale"),
            ("{ from = 0, to = 1, step = 0 }", "found 0"),
            (
                "{ from = 1.0000000000001, to = 1.0000000000004, step = 1e-13 }",
                "alike to 12 digits",
            ),
            ("{ from = 0 }", "missing"),
        ] {
            let error = axis(range).expect_err(range).to_string();
            assert!(error.contains(found) && error.contains("s.toml:1"), "{error}");
        }
    }
}
