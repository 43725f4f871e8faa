// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times as others write them: decimal numbers of a unit, exact.

use fresco_rt::Time;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// Milliseconds.
    Ms,
    /// Seconds.
    S,
}

impl Unit {
    /// Every unit with its name.
    pub const NAMES: [(&'static str, Self); 4] = [("ns", Self::Ns), ("us", Self::Us), ("ms", Self::Ms), ("s", Self::S)];

    /// Its name.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.into_iter().find(|&(_, unit)| unit == self);
        named.expect("every unit has a name").0
    }

    /// The unit of that name.
    pub fn of(name: &str) -> Option<Self> {
        Self::NAMES
            .into_iter()
            .find(|(known, _)| *known == name)
            .map(|(_, unit)| unit)
    }

    /// Its nanoseconds.
    pub fn ns(self) -> Time {
        match self {
            Self::Ns => 1,
            Self::Us => 1_000,
            Self::Ms => 1_000_000,
            Self::S => 1_000_000_000,
        }
    }
}

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// No decimal number, `nan` and `inf` among them.
    Form,
    /// Below 0.
    Negative,
    /// Not a whole number of nanoseconds.
    Fraction,
    /// Beyond 64 bits.
    TooLarge,
}

impl Wrong {
    /// What was found, in words.
    pub fn words(self, text: &str) -> String {
        let shown: String = text.chars().take(40).collect();
        match self {
            Self::Form => format!("found {shown:?}, which is no number"),
            Self::Negative => format!("found {shown}, which is negative"),
            Self::Fraction => format!("found {shown}, which is no whole number of nanoseconds"),
            Self::TooLarge => format!("found {shown}, which is too large"),
        }
    }
}

/// Most digits that are looked at.
const MOST_DIGITS: usize = 24;
/// Largest power of ten, either way.
const MOST_EXPONENT: i32 = 24;

/// `12`, `12.5` or `1.25e1` of a unit, in ns: the forms in which programs print numbers.
///
/// # Errors
/// [`Wrong`].
pub fn parse(text: &str, unit: Unit) -> Result<Time, Wrong> {
    let text = text.trim();
    let text = text.strip_prefix('+').unwrap_or(text);
    if let Some(rest) = text.strip_prefix('-') {
        return Err(match parse(rest, unit) {
            Err(Wrong::Form) => Wrong::Form,
            _ => Wrong::Negative,
        });
    }
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().map_err(|_| Wrong::Form)?),
        None => (text, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return Err(Wrong::Form);
    }
    let fraction = fraction.trim_end_matches('0');
    let whole = whole.trim_start_matches('0');
    if whole.is_empty() && fraction.is_empty() {
        return Ok(0);
    }
    if whole.len() > MOST_DIGITS || exponent > MOST_EXPONENT {
        return Err(Wrong::TooLarge);
    }
    if fraction.len() > MOST_DIGITS || exponent < -MOST_EXPONENT {
        return Err(Wrong::Fraction);
    }
    let digits = format!("{whole}{fraction}");
    let digits: u128 = digits.parse().map_err(|_| Wrong::TooLarge)?;
    let scaled = digits.checked_mul(u128::from(unit.ns())).ok_or(Wrong::TooLarge)?;
    // Up to 2 * 24 places to either side.
    let shift = exponent - fraction.len() as i32;
    let power = 10u128.checked_pow(shift.unsigned_abs());
    let ns = match (shift >= 0, power) {
        (true, Some(power)) => scaled.checked_mul(power).ok_or(Wrong::TooLarge)?,
        (true, None) => return Err(Wrong::TooLarge),
        (false, Some(power)) if scaled % power == 0 => scaled / power,
        (false, _) => return Err(Wrong::Fraction),
    };
    Time::try_from(ns).map_err(|_| Wrong::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for (text, unit, ns) in [
            ("12", Unit::Us, Ok(12_000)),
            ("12.5", Unit::Us, Ok(12_500)),
            ("100.0", Unit::Ms, Ok(100_000_000)),
            ("1.25e2", Unit::Ns, Ok(125)),
            ("5e-3", Unit::S, Ok(5_000_000)),
            ("+007", Unit::Ns, Ok(7)),
            ("0.000", Unit::S, Ok(0)),
            ("0.0001", Unit::Us, Err(Wrong::Fraction)),
            ("1.5", Unit::Ns, Err(Wrong::Fraction)),
            ("-3", Unit::Us, Err(Wrong::Negative)),
            ("-x", Unit::Us, Err(Wrong::Form)),
            ("nan", Unit::Us, Err(Wrong::Form)),
            ("inf", Unit::Us, Err(Wrong::Form)),
            ("", Unit::Us, Err(Wrong::Form)),
            (".5", Unit::Us, Err(Wrong::Form)),
            ("1e", Unit::Us, Err(Wrong::Form)),
            ("1e99", Unit::Us, Err(Wrong::TooLarge)),
            ("1e-99", Unit::Us, Err(Wrong::Fraction)),
            ("99999999999999999999", Unit::S, Err(Wrong::TooLarge)),
            ("18446744073709551615", Unit::Ns, Ok(u64::MAX)),
            ("18446744073709551616", Unit::Ns, Err(Wrong::TooLarge)),
        ] {
            assert_eq!(parse(text, unit), ns, "{text} {}", unit.name());
        }
    }
}
